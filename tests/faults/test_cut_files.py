"""Files that are cut short or damaged: could not be checked, in one sentence, and never kept."""

import gzip
import io

import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import scene as scenes

import validate

CSV = scenes.rows("ABC", 3000).encode()
QUOTED = CSV.replace(b",A,", b',"A",')
LINES = scenes.as_json_lines(CSV.decode()).encode()
ARRAY = b"[" + b",\n".join(LINES.splitlines()) + b"]"


def parquet():
    out = io.BytesIO()
    pq.write_table(pyarrow.csv.read_csv(io.BytesIO(CSV)), out, row_group_size=500)
    return out.getvalue()


PARQUET = parquet()
FOOTER = int.from_bytes(PARQUET[-8:-4], "little")
CUT = {
    "no bytes.parquet": b"",
    "magic alone.parquet": b"PAR1",
    "magic twice.parquet": b"PAR1PAR1",
    "first half.parquet": PARQUET[: len(PARQUET) // 2],
    "footer of zeros.parquet": PARQUET[: -8 - FOOTER] + bytes(FOOTER) + PARQUET[-8:],
    "footer too long.parquet": PARQUET[:-8] + b"\xff\xff\xff\x7f" + PARQUET[-4:],
    "page overwritten.parquet": PARQUET[:200] + b"\xff" * 400 + PARQUET[600:],
    "really a csv.parquet": CSV,
    "really parquet.csv": PARQUET,
    "really a csv.jsonl": CSV,
    "no bytes.csv": b"",
    "in a quoted cell.csv": QUOTED[: QUOTED.rindex(b'"A"') + 2],
    "in a line.csv": CSV[:-10],
    "in a line, mixed ends.csv": CSV[:-10].replace(b"\n", b"\r\n", 3),
    "zeros of a crash.csv": CSV[:1000] + bytes(50) + CSV[1050:],
    "in an object.jsonl": LINES[:-10],
    "in the array.json": ARRAY[:-10],
    "array without its end.json": ARRAY[:-1],
    "gzip in the middle.csv.gz": gzip.compress(CSV)[:-200],
    "gzip without its end.csv.gz": gzip.compress(CSV)[:-4],
    "gzip, wrong checksum.csv.gz": gzip.compress(CSV)[:-8] + bytes(8),
    "gzip in the middle.jsonl.gz": gzip.compress(LINES)[:-200],
    "gzip without its end.jsonl.gz": gzip.compress(LINES)[:-4],
    "gzip, wrong checksum.jsonl.gz": gzip.compress(LINES)[:-8] + bytes(8),
    "gzip of a cut file.jsonl.gz": gzip.compress(LINES[:-10]),
    "no gzip.csv.gz": CSV,
}
WHOLE = {"t.csv": CSV, "t.jsonl": LINES, "t.json": ARRAY, "t.parquet": PARQUET}
WHOLE |= {"t.csv.gz": gzip.compress(CSV), "t.jsonl.gz": gzip.compress(LINES), "no end of line.csv": CSV[:-1]}


def gate(folder, name, content):
    contract = scenes.Scene(folder).put("c.yaml", scenes.CONTRACT)
    (folder / name).write_bytes(content)
    return validate.main([str(contract), str(folder / name), "--quarantine", str(folder / "q")])


@pytest.mark.parametrize("name", CUT)
def test_a_file_that_is_not_whole_could_not_be_checked(tmp_path, capsys, name):
    assert gate(tmp_path, name, CUT[name]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and str(tmp_path / name) in said.err and said.out == ""
    assert not (tmp_path / "q").exists()


DAMAGED = ("page", "gzip, wrong", "no gzip", "zeros", "array", "no bytes.csv", "really parquet", "really a csv.jsonl")


@pytest.mark.parametrize("name", CUT)
def test_where_a_file_ends_too_early_its_writer_is_asked_about(tmp_path, capsys, name):
    gate(tmp_path, name, CUT[name])
    assert capsys.readouterr().err.endswith("; was it written to its end?\n") != name.startswith(DAMAGED)


@pytest.mark.parametrize("name", WHOLE)
def test_a_file_that_is_whole_is_kept(tmp_path, capsys, name):
    assert gate(tmp_path, name, WHOLE[name]) == 0


def test_integers_beyond_64_bits_are_accepted_as_they_are(tmp_path):
    """They keep `type: integer`, so they have to come back out of the quarantine, and keep the contract again."""
    path = tmp_path / "t.csv"
    path.write_text("id,grade,price\n9223372036854775808,A,1\n-9223372036854775809,B,1\n3,Q,1\n")
    contract = scenes.Scene(tmp_path).put("c.yaml", scenes.CONTRACT)
    accepted, quarantined = validate.quarantine(str(path), str(contract))
    assert [row[0] for row in accepted.fetchall()] == [2**63, -(2**63) - 1]
    assert [row[0] for row in quarantined.fetchall()] == ["3"]
    assert validate.validate(accepted, str(contract)) == []
    path.write_text("id,grade,price\n7,A,1\n")
    assert str(validate.quarantine(str(path), str(contract))[0].types[0]) == "BIGINT"
