"""Settings: flags over environment over defaults, and no secret is ever shown."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.errors import UsageError
from bamboo_neo4j.memorise.documents import Limits
from bamboo_neo4j.settings import memory_name, read_settings, redact

PASSWORD = "s3cr3t/@:x"
KEY = "sk-TESTKEY"


def test_a_flag_wins_over_the_environment_and_the_environment_over_the_default() -> None:
    environ = {"BAMBOO_MEMORY": "work", "NEO4J_DATABASE": "letters"}
    settings = read_settings({"memory": "notes", "database": None}, environ)
    shown = {
        name: (settings[name], settings.find(name).source) for name in ("memory", "database", "username")
    }
    assert shown == {
        "memory": ("notes", "flag"),
        "database": ("letters", "NEO4J_DATABASE"),
        "username": ("neo4j", "default"),
    }


def test_an_empty_variable_is_as_good_as_none() -> None:
    assert read_settings({}, {"BAMBOO_MEMORY": ""})["memory"] == "default"


def test_an_empty_flag_is_obeyed() -> None:
    assert read_settings({"uri": ""}, {"NEO4J_URI": "bolt://elsewhere"})["uri"] == ""


def test_there_is_no_default_address_and_no_default_password() -> None:
    settings = read_settings({}, {})
    assert (settings["uri"], settings["password"], settings["model_key"]) == ("", "", "")


def test_the_process_environment_is_read_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAMBOO_LANGUAGE", "de")
    assert read_settings()["language"] == "de"


def test_settings_never_change() -> None:
    with pytest.raises(FrozenInstanceError):
        read_settings({}, {}).find("uri").value = "bolt://elsewhere"  # type: ignore[misc]


def test_places_are_the_given_ones_with_the_home_folder_filled_in() -> None:
    settings = read_settings({}, {"BAMBOO_HOME": "~/b", "BAMBOO_CACHE": "/c"})
    assert settings.home == Path.home() / "b"
    assert settings.cache == Path("/c")


def test_places_have_defaults_of_the_platform() -> None:
    settings = read_settings({}, {})
    assert settings.home.is_absolute()
    assert settings.cache.is_absolute()
    assert settings.home != settings.cache


@pytest.mark.parametrize(
    ("value", "offline"), [("", False), ("0", False), ("No", False), ("1", True), ("yes", True)]
)
def test_offline_is_said_in_the_usual_words(value: str, *, offline: bool) -> None:
    assert read_settings({}, {"BAMBOO_OFFLINE": value}).offline is offline


@pytest.mark.parametrize("name", ["default", "a", "7", "team-b_2", "x" * 63])
def test_good_memory_names_pass(name: str) -> None:
    assert memory_name(name) == name


@pytest.mark.parametrize(
    "name", ["", "Notes", "-a", "_a", "a b", "a:b", 'a"b', "é", "x" * 64, "a\n", "../a", "a/b"]
)
def test_a_bad_memory_name_is_refused_and_shown(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        _ = read_settings({"memory": name}, {}).memory
    assert repr(name) in caught.value.message
    assert caught.value.hint


@given(st.text(max_size=70))
def test_a_memory_name_that_passes_is_safe_in_lucene_in_a_path_and_in_an_id(name: str) -> None:
    try:
        memory_name(name)
    except UsageError:
        return
    assert name.isascii()
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_")
    assert 1 <= len(name) <= 63


def test_p38_a_secret_is_never_shown() -> None:
    settings = read_settings({}, {"NEO4J_PASSWORD": PASSWORD, "OPENAI_API_KEY": KEY})
    shown = [settings.find(name).shown for name in ("password", "model_key")]
    assert shown == ["set", "set"]
    assert read_settings({}, {}).find("password").shown == "not set"
    assert PASSWORD not in repr(settings)
    assert KEY not in repr(settings)


def test_p38_a_password_inside_the_address_is_not_shown() -> None:
    settings = read_settings({}, {"NEO4J_URI": f"neo4j+s://neo4j:{PASSWORD}@db.example:7687"})
    assert settings.find("uri").shown == "neo4j+s://db.example:7687"


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=4, max_size=20))
def test_p38_no_password_survives_in_an_address_whatever_its_characters(password: str) -> None:
    assert redact(f"cannot reach bolt://u:{password}@h:1 now") == "cannot reach bolt://h:1 now"


@pytest.mark.parametrize("text", ["bolt://127.0.0.1:7687", "a@b.example", "nothing to hide"])
def test_what_holds_no_secret_is_shown_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_the_limits_of_one_file_are_settings() -> None:
    assert Limits.of(read_settings({}, {})) == Limits()
    limits = Limits.of(read_settings({}, {"BAMBOO_MAX_BYTES": "1000", "BAMBOO_MAX_SECONDS": "0.5"}))
    assert (limits.bytes, limits.seconds) == (1000, 0.5)


@pytest.mark.parametrize("value", ["0", "-1", "many", "nan", "1e300"])
@pytest.mark.parametrize("name", ["BAMBOO_MAX_BYTES", "BAMBOO_MAX_SECONDS"])
def test_a_limit_that_cannot_be_met_is_a_usage_error(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=name):
        Limits.of(read_settings({}, {name: value}))
