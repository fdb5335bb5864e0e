"""Settings: flags over environment over defaults, each with where it came from."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from bamboo_neo4j.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

MEMORY_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
"""Safe as a property value, a Lucene term and a file name: one database holds many memories."""

# name: (environment variable, default, is it a secret?)
_KNOWN: dict[str, tuple[str, str, bool]] = {
    "uri": ("NEO4J_URI", "", False),
    "username": ("NEO4J_USERNAME", "neo4j", False),
    "password": ("NEO4J_PASSWORD", "", True),
    "database": ("NEO4J_DATABASE", "", False),
    "memory": ("BAMBOO_MEMORY", "default", False),
    "language": ("BAMBOO_LANGUAGE", "en", False),
    "retry_seconds": ("BAMBOO_RETRY_SECONDS", "45", False),
    "max_bytes": ("BAMBOO_MAX_BYTES", str(64 * 1024 * 1024), False),
    "max_seconds": ("BAMBOO_MAX_SECONDS", "30", False),
    "home": ("BAMBOO_HOME", "", False),
    "cache": ("BAMBOO_CACHE", "", False),
    "java": ("BAMBOO_JAVA", "", False),
    "maven_mirror": ("BAMBOO_MAVEN_MIRROR", "", False),
    "maven_local": ("M2_REPO", "", False),
    "offline": ("BAMBOO_OFFLINE", "", False),
    "model": ("BAMBOO_MODEL", "", False),
    "model_url": ("OPENAI_BASE_URL", "", False),
    "model_key": ("OPENAI_API_KEY", "", True),
    "model_timeout": ("BAMBOO_MODEL_TIMEOUT", "120", False),
    "model_retries": ("BAMBOO_MODEL_RETRIES", "2", False),
    "model_window": ("BAMBOO_MODEL_WINDOW", "8192", False),
    "verifier_model": ("BAMBOO_VERIFIER_MODEL", "", False),
    "verifier_url": ("BAMBOO_VERIFIER_URL", "", False),
    "verifier_key": ("BAMBOO_VERIFIER_KEY", "", True),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One value and where it came from: `flag`, an environment variable's name, or `default`."""

    name: str
    value: str = field(repr=False)  # a traceback that shows local variables must not show a password
    source: str
    secret: bool = False

    @property
    def shown(self) -> str:
        """The value as it may be printed: a secret is only said to be set or not."""
        if not self.secret:
            return redact(self.value)
        return "set" if self.value else "not set"


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one run; read once, passed on, never changed."""

    values: tuple[Setting, ...]

    def __getitem__(self, name: str) -> str:
        return self.find(name).value

    def find(self, name: str) -> Setting:
        """Return the setting called `name`, with its source."""
        return next(setting for setting in self.values if setting.name == name)

    def number(self, name: str) -> float:
        """Return the setting called `name` as a number above 0, or raise UsageError."""
        setting = self.find(name)
        with suppress(ValueError):
            value = float(setting.value)
            if 0 < value < float("inf"):
                return value
        raise UsageError(f"{setting.source} is {setting.value!r}, not a number above 0")

    @property
    def memory(self) -> str:
        """The memory's name, checked."""
        return memory_name(self["memory"])

    @property
    def home(self) -> Path:
        """Where the managed server's data lies."""
        return Path(self["home"] or platformdirs.user_data_dir("bamboo")).expanduser()

    @property
    def cache(self) -> Path:
        """Where the managed server's jars lie."""
        return Path(self["cache"] or platformdirs.user_cache_dir("bamboo")).expanduser()

    @property
    def offline(self) -> bool:
        """Whether nothing may be fetched."""
        return self["offline"].lower() not in {"", "0", "false", "no"}


def read_settings(
    flags: Mapping[str, str | None] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Read each setting from `flags` (None: not given), else from `environ`, else its default."""
    flags = flags or {}
    environ = os.environ if environ is None else environ
    values = []
    for name, (variable, default, secret) in _KNOWN.items():
        flag = flags.get(name)
        if flag is not None:
            values.append(Setting(name, flag, "flag", secret))
        elif environ.get(variable):
            values.append(Setting(name, environ[variable], variable, secret))
        else:
            values.append(Setting(name, default, "default", secret))
    return Settings(tuple(values))


def memory_name(name: str) -> str:
    """Return `name` if it may name a memory, else raise UsageError."""
    if not MEMORY_NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name a memory",
            hint="use 1 to 63 lower-case letters, digits, - and _, beginning with a letter or digit",
        )
    return name


def redact(text: str) -> str:
    """Remove the user information of any URI in `text`; a password may hold `/`, `:` and `@` itself."""
    return re.sub(r"(?<=://)\S*@", "", text)
