"""PDF and DOCX to text. Runs in a process of its own (isolation.py): both may be crafted to spin or swell."""

from __future__ import annotations

import io
import logging
import zipfile
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.oxml.xmlchemy import BaseOxmlElement

    from bamboo_neo4j.memorise.documents.source import Limits

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
# Word's own files reach about 50; a bomb is above 1,000.
_HIGHEST_RATIO = 200
_RATIO_FROM = 1024 * 1024


def pdf(data: bytes, shown: str, limits: Limits) -> tuple[str, str]:
    """Return text and title of a PDF, pages set apart by an empty line; blank pages give no text.

    Raises InputError when it is encrypted, damaged or above `limits.pages`; MissingExtra without pypdf.
    """
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, PyPdfError
    except ImportError as error:
        raise MissingExtra("pypdf", extra="files", purpose="reading PDF") from error
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise _encrypted(shown)
        if len(reader.pages) > limits.pages:
            raise InputError(f"{shown}: has more than the limit of {limits.pages:,} pages", hint="split it")
        pages = [page.extract_text() for page in reader.pages]
        title = (reader.metadata.title if reader.metadata else None) or ""
    except DependencyError as error:
        raise _encrypted(shown) from error
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, OSError) as error:
        raise InputError(
            f"{shown}: is a damaged PDF ({type(error).__name__}: {_first_line(error)})",
            hint="open it in a viewer and print it to a new PDF",
        ) from error
    return "\n\n".join(page.strip() for page in pages if page.strip()), " ".join(str(title).split())


def docx(data: bytes, shown: str, limits: Limits) -> tuple[str, str]:
    """Return text and title of a Word document: paragraphs, tables (nested ones too) row by row.

    Headers, footers, comments and deleted text are left out. Raises InputError when it is damaged, no Word
    document, or unpacks to more than `limits.bytes`; MissingExtra without python-docx.
    """
    try:
        from docx import Document
    except ImportError as error:
        raise MissingExtra("python-docx", extra="files", purpose="reading DOCX") from error
    try:
        _refuse_bomb(data, shown, limits)
        document = Document(io.BytesIO(data))
        title = document.core_properties.title or ""
        blocks = list(_blocks(document.element.body))
    except InputError:
        raise
    except Exception as error:  # lxml, zipfile and python-docx raise some twenty kinds for damaged files
        raise InputError(
            f"{shown}: is no Word document, or a damaged one ({type(error).__name__}: {_first_line(error)})",
            hint="open it in Word or LibreOffice and save it as .docx",
        ) from error
    return "\n\n".join(blocks), " ".join(title.split())


def _encrypted(shown: str) -> InputError:
    return InputError(
        f"{shown}: is encrypted and needs a password", hint="save a copy without the password and ingest that"
    )


def _refuse_bomb(data: bytes, shown: str, limits: Limits) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
    unpacked = sum(member.file_size for member in members)
    worst = max(
        (m.file_size / max(m.compress_size, 1) for m in members if m.file_size > _RATIO_FROM), default=0
    )
    if unpacked > limits.bytes or worst > _HIGHEST_RATIO:
        raise InputError(
            f"{shown}: unpacks to {unpacked:,} bytes, more than the limit of {limits.bytes:,} bytes "
            f"or {_HIGHEST_RATIO} times its size",
            hint="save it again, or as text",
        )


def _blocks(body: BaseOxmlElement) -> Iterator[str]:
    """Yield the paragraphs of `body`, and each table as lines of cells."""
    stack = list(reversed(body))
    while stack:
        element = stack.pop()
        if element.tag == f"{_W}p":
            if text := _paragraph(element):
                yield text
        elif element.tag == f"{_W}tbl":
            if text := "\n".join(row for row in _rows(element) if row):
                yield text
        elif element.tag != f"{_W}sectPr":
            stack += reversed(element)


def _rows(table: BaseOxmlElement) -> Iterator[str]:
    """Yield a line a row; a table in a cell adds its rows behind the row that holds it."""
    for row in table.iterchildren(f"{_W}tr", f"{_W}sdt"):
        inner: list[str] = []
        cells: list[str] = []
        for cell in row.iter(f"{_W}tc"):
            if next(cell.iterancestors(f"{_W}tbl")) is not table:
                continue
            own = [block for child in cell for block in _cell(child, inner)]
            cells.append(" ".join(" ".join(own).split()))
        yield " | ".join(cell for cell in cells if cell)
        yield from inner


def _cell(child: BaseOxmlElement, inner: list[str]) -> Iterator[str]:
    if child.tag == f"{_W}tbl":
        inner += _rows(child)
    else:
        yield from (_paragraph(p) for p in child.iter(f"{_W}p"))


def _paragraph(paragraph: BaseOxmlElement) -> str:
    parts: list[str] = []
    for element in paragraph.iter(*(f"{_W}{tag}" for tag in ("t", "tab", "br", "cr", "noBreakHyphen", "p"))):
        if next(element.iterancestors(_FALLBACK), None) is not None:
            continue  # Word writes a text box twice
        tag = element.tag.removeprefix(_W)
        parts.append(
            (element.text or "") if tag == "t" else {"tab": "\t", "noBreakHyphen": "-"}.get(tag, "\n")
        )
    return "".join(parts).strip()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:200]
