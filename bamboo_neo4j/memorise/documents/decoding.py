"""Bytes to text: encodings, byte order marks, and the characters that a graph must not hold.

Nothing here depends on the locale. UTF-8 is tried strictly; what is not UTF-8 is guessed, and the guess is
named in a warning, because a wrong guess can only be noticed by someone who reads the language.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.memorise.documents.guessing import attempt, guess

_BOMS = (
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"RIFF", "a RIFF file (image, sound or film)"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"(\xb5/\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x7fELF", "an executable"),
    (b"\xcf\xfa\xed\xfe", "an executable"),
    (b"\xca\xfe\xba\xbe", "an executable"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"{\\rtf", "RTF"),
    (b"%!PS", "PostScript"),
    (b"%PDF-", "a PDF"),
    (b"OggS", "an Ogg file"),
    (b"ID3", "an MP3 file"),
    (b"wOF", "a font"),
)
_SAMPLE = 65_536
_CONTROLS = bytes(set(range(32)) - {9, 10, 12, 13, 27} | {127})
# Random bytes hold 11 % of these; text in a legacy encoding holds none.
_BINARY_SHARE = 0.05
# Text that happens to hold NULs (a broken export) is kept; a third of control bytes is no text.
_BINARY_SHARE_UTF8 = 0.3
_UTF16_NUL_SHARE = 0.3

_NUL = re.compile("\x00+")
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNWANTED = re.compile("[\ud800-\udfff\ufeff\ufffe\uffff]")
_OTHER_CONTROLS = re.compile("[\x01-\x08\x0e-\x1b\x1f\x7f]+")
_ANY_OF_THESE = re.compile("[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def decode(data: bytes, shown: str, *, declared: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Return the text of `data`, cleaned, and warnings.

    A byte order mark decides; then `declared` (what the format itself says), then strict UTF-8, then a
    guess. Raises InputError, which calls the input `shown`, for what is not text.
    """
    bom = next((encoding for mark, encoding in _BOMS if data.startswith(mark)), None)
    if bom:
        return _strictly(data, bom, shown)
    refuse_binary(data, shown)
    for known in (declared, "utf-8"):
        if known and (text := attempt(data, known)) is not None:
            return clean(text)
    text, encoding = _guessed(data, shown)
    cleaned, warnings = clean(text)
    return cleaned, (f"read as {encoding}: it is not UTF-8 and the encoding was guessed", *warnings)


def refuse_binary(data: bytes, shown: str) -> None:
    """Raise InputError when `data` is an image, an archive, a program or the like."""
    kind = next((name for magic, name in _MAGIC if data.startswith(magic)), None)
    if kind is None and _looks_binary(data[:_SAMPLE]):
        kind = "binary data"
    if kind:
        raise InputError(
            f"{shown}: is not text: it is {kind}",
            hint="save it as text, Markdown, HTML, PDF, DOCX, CSV or JSON",
        )


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    r"""Return `text` as a graph can hold it, and warnings.

    NUL becomes a blank (so that words are not glued), half surrogates and byte order marks go, every kind
    of line end becomes `\n`: a copy of a file with other line ends is the same document.
    """
    if not _ANY_OF_THESE.search(text):
        return text, ()
    warnings: tuple[str, ...] = ()
    nuls = text.count("\x00")
    if nuls:
        text = _NUL.sub(" ", text)
        warnings = (f"{nuls} NUL character{'s' if nuls > 1 else ''} replaced by blanks",)
    text = _UNWANTED.sub("", _LINE_ENDS.sub("\n", text))
    return _OTHER_CONTROLS.sub(" ", text), warnings


def is_blank(text: str) -> bool:
    """Whether nothing of `text` can be seen: only white space, zero-width and control characters."""
    return not any(unicodedata.category(character)[0] not in "ZC" for character in text)


def _strictly(data: bytes, encoding: str, shown: str) -> tuple[str, tuple[str, ...]]:
    try:
        return clean(data.decode(encoding))
    except UnicodeDecodeError as error:
        name = encoding.upper()
        raise InputError(
            f"{shown}: begins with the mark of {name}, but is not {name} at byte {error.start}",
            hint="convert it to UTF-8, or remove the mark",
        ) from error


def _looks_binary(sample: bytes) -> bool:
    if _utf16_without_mark(sample):
        return False
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    # The sample may end inside a character: three bytes at most.
    complete = any(attempt(sample[: len(sample) - cut], "utf-8") is not None for cut in range(4))
    return controls > 1 and controls > len(sample) * (_BINARY_SHARE_UTF8 if complete else _BINARY_SHARE)


def _utf16_without_mark(sample: bytes) -> str | None:
    """Return the byte order when every other byte is NUL, as in Western UTF-16 without a mark."""
    half = max(len(sample) // 2, 1)
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd >= half * _UTF16_NUL_SHARE and even == 0:
        return "utf-16-le"
    if even >= half * _UTF16_NUL_SHARE and odd == 0:
        return "utf-16-be"
    return None


def _guessed(data: bytes, shown: str) -> tuple[str, str]:
    encoding = _utf16_without_mark(data[:_SAMPLE])
    if encoding and (text := attempt(data, encoding)) is not None:
        return text, encoding
    found = guess(data)
    if found is None:
        offset = _first_bad_byte(data)
        raise InputError(
            f"{shown}: is not UTF-8 (byte 0x{data[offset]:02x} at offset {offset}) "
            "and its encoding was not recognised",
            hint="convert it to UTF-8, for example with: iconv -f ENCODING -t UTF-8",
        )
    return found


def _first_bad_byte(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0
