"""PDF and DOCX: their text is found, and a crafted file costs no more than its limits."""

from __future__ import annotations

import io
import time
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

import docx
import psutil
import pypdf
import pytest
from docx.oxml import parse_xml

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.memorise.documents import Limits, NoText, Source, find_sources, load

if TYPE_CHECKING:
    from pathlib import Path

    from bamboo_neo4j.records import Document

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def read(path: Path, data: bytes, **options: object) -> Document:
    path.write_bytes(data)
    (source,) = find_sources([str(path)])
    assert isinstance(source, Source)
    (document,) = load(source, **options)  # type: ignore[arg-type]
    return document


def pdf(*pages: bytes, title: str = "", packed: bool = False) -> bytes:
    """Write the smallest PDF with a page for each content stream."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, page in enumerate(pages):
        stream = zlib.compress(page) if packed else page
        filters = b"/Filter /FlateDecode " if packed else b""
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            b"/Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>" % (5 + 2 * number)
        )
        objects.append(b"<< %s/Length %d >>\nstream\n%s\nendstream" % (filters, len(stream), stream))
    objects.append(b"<< /Title (%s) >>" % title.encode())
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    trailer = b"<< /Size %d /Root 1 0 R /Info %d 0 R >>" % (size, size - 1)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size + table.rstrip(b"\n") + b"\ntrailer\n" + trailer
    return out + b"\nstartxref\n%d\n%%%%EOF" % out.index(b"xref\n0 ")


def shown(text: str) -> bytes:
    return b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % text.encode()


def word(*, title: str = "") -> tuple[docx.document.Document, io.BytesIO]:
    document = docx.Document()
    document.core_properties.title = title
    return document, io.BytesIO()


def saved(document: docx.document.Document) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


# PDF


def test_the_pages_of_a_pdf_are_paragraphs_and_its_title_is_kept(tmp_path: Path) -> None:
    document = read(tmp_path / "a.pdf", pdf(shown("first page"), b"", shown("last page"), title="Report"))
    assert (document.text, document.title) == ("first page\n\nlast page", "Report")
    assert document.media_type == "application/pdf"


def test_a_pdf_is_known_by_its_content_and_named_after_its_file(tmp_path: Path) -> None:
    assert read(tmp_path / "scan.bin", pdf(shown("words"))).title == "scan"


def test_p07_blank_pages_have_no_text(tmp_path: Path) -> None:
    with pytest.raises(NoText, match=r"a\.pdf: no text"):
        read(tmp_path / "a.pdf", pdf(b"", b""))


def test_p08_a_slow_pdf_is_given_up_in_time(tmp_path: Path) -> None:
    slow = pdf(b"BT /F1 12 Tf " + b"(x) Tj " * 8_000_000 + b"ET", packed=True)
    begin = time.monotonic()
    with pytest.raises(
        InputError, match=r"a\.pdf: reading it took longer than the limit of 2 seconds"
    ) as caught:
        read(tmp_path / "a.pdf", slow, limits=Limits(seconds=2))
    assert "raise BAMBOO_MAX_SECONDS" in caught.value.hint
    assert time.monotonic() - begin < 30


def test_a_pdf_that_swells_is_refused(tmp_path: Path) -> None:
    bomb = pdf(b"BT /F1 12 Tf (" + b"x" * 50_000_000 + b") Tj ET", packed=True)
    with pytest.raises(
        InputError, match=r"a\.pdf: cannot be read: out of memory; the limit is 104,857,600 bytes"
    ):
        read(tmp_path / "a.pdf", bomb, limits=Limits(memory=100 * 1024 * 1024, seconds=60))


def test_a_damaged_pdf_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.pdf: is a damaged PDF"):
        read(tmp_path / "a.pdf", b"%PDF-1.4\nnothing else")
    with pytest.raises(InputError, match=r"b\.pdf: is a damaged PDF"):
        read(tmp_path / "b.pdf", b"no PDF at all")


def test_too_many_pages_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="more than the limit of 2 pages"):
        read(tmp_path / "a.pdf", pdf(*[shown("x")] * 3), limits=Limits(pages=2))


@pytest.mark.parametrize("password", ["secret", ""])
def test_an_encrypted_pdf_is_read_only_without_a_password(tmp_path: Path, password: str) -> None:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(shown("locked words"))))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    if password:
        with pytest.raises(InputError, match=r"a\.pdf: is encrypted and needs a password") as caught:
            read(tmp_path / "a.pdf", buffer.getvalue())
        assert "without the password" in caught.value.hint
    else:
        assert read(tmp_path / "a.pdf", buffer.getvalue()).text == "locked words"


@pytest.mark.parametrize("module", ["json", "pypdf", "sitecustomize", "bamboo_neo4j"])
def test_no_module_comes_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    mark = tmp_path / "executed"
    (tmp_path / f"{module}.py").write_text(f"open({str(mark)!r}, 'w').close()\nraise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ".")
    assert read(tmp_path / "a.pdf", pdf(shown("words"))).text == "words"
    assert not mark.exists()


def test_a_parser_gets_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NEO4J_PASSWORD", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "hidden from parsers")
    slow = pdf(b"BT /F1 12 Tf " + b"(x) Tj " * 8_000_000 + b"ET", packed=True)
    seen: list[dict[str, str]] = []
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read, tmp_path / "a.pdf", slow, limits=Limits(seconds=2))
        while not reading.done():
            for child in psutil.Process().children():
                with suppress(psutil.Error):
                    if any("isolation" in word for word in child.cmdline()):
                        seen.append(child.environ())
            time.sleep(0.05)
    assert isinstance(reading.exception(), InputError)
    assert any("PATH" in environment for environment in seen)
    assert not [environment for environment in seen if "hidden from parsers" in environment.values()]


# DOCX


def test_p08_tables_of_a_docx_are_read_nested_ones_too(tmp_path: Path) -> None:
    document, _ = word(title="Minutes")
    document.add_heading("Agenda", 1)
    document.add_paragraph("before")
    table = document.add_table(2, 2)
    table.cell(0, 0).text, table.cell(0, 1).text, table.cell(1, 0).text = "k", "v", "kappa"
    table.cell(1, 1).add_table(1, 1).cell(0, 0).text = "inner"
    document.add_paragraph("after")
    document.sections[0].header.paragraphs[0].text = "running head"
    found = read(tmp_path / "a.docx", saved(document))
    assert found.text == "Agenda\n\nbefore\n\nk | v\nkappa\ninner\n\nafter"
    assert found.title == "Minutes"


def test_merged_cells_of_a_docx_come_once(tmp_path: Path) -> None:
    document, _ = word()
    table = document.add_table(1, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(0, 2).text = "narrow"
    found = read(tmp_path / "a.docx", saved(document))
    assert (found.text, found.title) == ("wide | narrow", "a")


def test_inserted_text_and_form_fields_of_a_docx_are_read_and_deleted_text_is_not(tmp_path: Path) -> None:
    document, _ = word()
    paragraph = document.add_paragraph("kept ")
    for inner in (
        "<w:ins {}><w:r><w:t>inserted</w:t></w:r></w:ins>",
        "<w:del {}><w:r><w:delText>gone</w:delText></w:r></w:del>",
    ):
        paragraph._p.append(parse_xml(inner.format(W)))  # noqa: SLF001 (python-docx has no tracked changes)
    run = "<w:r><w:t>field</w:t><w:tab/><w:t>end</w:t></w:r>"
    control = f"<w:sdt {W}><w:sdtContent><w:p>{run}</w:p></w:sdtContent></w:sdt>"
    document.element.body.insert(1, parse_xml(control))
    assert read(tmp_path / "a.docx", saved(document)).text == "kept inserted\n\nfield\tend"


def test_a_text_box_of_a_docx_comes_once_and_apart(tmp_path: Path) -> None:
    document, _ = word()
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    box = "<w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent>"
    both = f"<mc:Choice Requires='wps'>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    paragraph = document.add_paragraph("before")
    run = f"<w:r {W} {mc}><mc:AlternateContent>{both}</mc:AlternateContent></w:r>"
    paragraph._p.append(parse_xml(run))  # noqa: SLF001 (python-docx has no text boxes)
    assert read(tmp_path / "a.docx", saved(document)).text == "before\nboxed"


def test_p07_a_docx_without_words_has_no_text(tmp_path: Path) -> None:
    with pytest.raises(NoText):
        read(tmp_path / "a.docx", saved(docx.Document()))


def packed_into(data: bytes, name: str, content: bytes) -> bytes:
    """Return the DOCX `data` with one part replaced."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            new.writestr(member, content if member == name else old.read(member))
    return buffer.getvalue()


def test_a_docx_that_unpacks_to_a_thousand_times_its_size_is_refused(tmp_path: Path) -> None:
    bomb = packed_into(saved(docx.Document()), "word/document.xml", b" " * 50_000_000)
    with pytest.raises(InputError, match=r"a\.docx: unpacks to 50,\d+,\d+ bytes"):
        read(tmp_path / "a.docx", bomb)


def test_a_docx_whose_entities_multiply_is_refused(tmp_path: Path) -> None:
    lines = [
        b'<!ENTITY a0 "ha">',
        *(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10)),
    ]
    xml = (
        b"<!DOCTYPE d [%s]><w:document %s><w:body><w:p><w:r><w:t>&a9;</w:t></w:r></w:p></w:body></w:document>"
    )
    bomb = packed_into(saved(docx.Document()), "word/document.xml", xml % (b"".join(lines), W.encode()))
    with pytest.raises(InputError):
        read(tmp_path / "a.docx", bomb, limits=Limits(seconds=10))


def test_what_is_no_docx_says_so(tmp_path: Path) -> None:
    for data in (b"just text", b"PK\x03\x04 word/document.xml"):
        with pytest.raises(InputError, match=r"a\.docx: is no Word document, or a damaged one"):
            read(tmp_path / "a.docx", data)
