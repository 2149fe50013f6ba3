"""What may not go out: secrets, large files, links, and what an earlier commit holds."""

import pytest
from students_desk import BRANCH, OWN, WORD, git

import seed
from exercises import leaks, planning
from exercises.manifest import STUBS


def test_a_missing_file_a_folder_and_a_link(desk, refused):
    file = desk.root / "exercises/ex3_gate.py"
    file.unlink()
    assert "exercises/ex3_gate.py is missing: python -m exercises puts it there" in refused()
    file.mkdir()
    assert "exercises/ex3_gate.py is no file" in refused()
    file.rmdir()
    try:
        file.symlink_to(desk.root / "lesson.py")
    except OSError:
        pytest.skip("this system makes no links for us")
    assert "exercises/ex3_gate.py is a symbolic link" in refused("--draft")


def test_a_large_file(desk, refused):
    desk.write("exercises/ex1_figures.py", "x = 1\n" * 200_000)
    assert "exercises/ex1_figures.py has 1,200,000 bytes, more than 1,000,000" in refused("--draft")


KEYS = {  # in two halves, so that this file holds none
    "a private key": ["-----BEGIN RSA PRIV", "ATE KEY-----"],
    "an AWS key": ["key: AKIA", "2E0A8F3B244C9986"],
    "a GitHub token": ["ghp", "_0123456789abcdefghijABCDEFGHIJ012345"],
    "a GitLab token": ["glpat", "-0123456789abcdefghij"],
    "a Slack token": ["xoxb", "-0123456789-abcdefghij"],
    "a Google key": ["AIza", "0123456789abcdefghijABCDEFGHIJ01234"],
    "an API key": ["sk-", "0123456789abcdefghijABCDEFGHIJ0123456789"],
    "a signed token": ["eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0NTY3", ".dozjgNryP4J3jVmN"],
    "a password in an address": ["duckdb.connect('postgresql://me:", f"{WORD}@h/db')"],
    "a password": ["db_password = '", f"{WORD}'"],
}


@pytest.mark.parametrize(("kind", "halves"), KEYS.items(), ids=list(KEYS))
def test_every_kind_of_secret(kind, halves):
    assert leaks.secret_in("ex6_upstream.yaml", f"# one\n{''.join(halves)}\n".encode()) == (2, kind)


def test_a_secret_is_named_and_not_said(desk, refused):
    desk.write("exercises/ex6_upstream.yaml", f"# one\npassword: {WORD}\n")
    said = refused("--draft")
    assert "exercises/ex6_upstream.yaml:2 holds what looks like a password: write <secret>" in said and WORD not in said


PASSWORDS = (
    f"password: {WORD}",
    "  db-password: swordfish  # old",
    f"- {{user: me, PASSWORD: {WORD}}}",
    f"API_KEY={WORD}",
    f"pwd: '{WORD}'",
    f"> secret: {WORD}",
)


@pytest.mark.parametrize("line", PASSWORDS)
def test_a_password_as_yaml_has_it(line):
    assert leaks.secret_in("x.yaml", line.encode()) == (1, "a password")
    assert leaks.secret_in("x.yaml", f"\ufeff\n{line}".encode("utf-16")) == (2, "a password")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("x.py", "def connect(password: SecretStr) -> None:"),
        ("x.py", "    password: Optional[str] = None"),
        ("x.py", "password = os.environ['PASSWORD']"),
        ("x.py", "password = getpass.getpass()"),
        ("x.py", 'url = f"postgresql://{user}:{password}@{host}/db"'),
        ("x.py", "db = 'postgresql://user:password@host/db'"),
        ("x.yaml", "- {name: password, type: string, required: true}"),
        ("x.yaml", "password: <secret>"),
        ("x.yaml", "password: $PASSWORD"),
        ("x.yaml", "password: ${{ secrets.DB }}"),
        ("x.yaml", "key: AKIAIOSFODNN7EXAMPLE"),
        ("x.md", "The password: everybody knows it"),
        ("x.md", "There is no secret: everything"),
        ("x.md", "| `password_hash` | the hash, never the password |"),
    ],
)
def test_what_is_no_secret(name, line):
    assert leaks.secret_in(name, line.encode()) is None


def test_the_lessons_own_files_hold_none():
    """Else a student who has done nothing wrong could not hand in."""
    folders = ("clause", "contracts", "exercises/checks", "exercises/stubs", "notebooks", "tests")
    files = [file for folder in folders for file in (seed.ROOT / folder).rglob("*.*") if file.is_file()]
    for file in (*files, *STUBS.parent.glob("[a-df-z]*.py"), *seed.ROOT.glob("*.py"), seed.ROOT / "README.md"):
        assert leaks.secret_in(file.name, file.read_bytes()) is None, file
        assert file.stat().st_size < planning.LARGEST_ALONG, file


def test_a_secret_in_a_commit_that_would_go_along(desk, refused, hand_in):
    """It is gone from the file, and would be pushed all the same. The names beside it are as odd as git takes them."""
    desk.write(".env", f"DB_PASSWORD={WORD}\n")
    for name in ("a\nb\u2028b \x85c", "a\x85b c", "*", ":(top)x", "folder/a b"):
        desk.write("one", name)
        desk("update-index", "--add", "--cacheinfo", f"100644,{desk('hash-object', '-w', 'one')},{name}")
    desk.commit("Oops \u2028 \x85", ".env")
    desk("rm", "--quiet", ".env")
    desk("commit", "--quiet", "-m", "Gone")
    assert ".env, which holds what looks like a password in line 1, is in a commit of yours" in refused("--draft")
    desk("push", "--quiet", "origin", "main")  # then it is at origin already, and handing in changes nothing about it
    assert hand_in("--draft")[0] == 0


def test_an_origin_that_is_another_repository_by_now(desk, hand_in):
    """After git remote set-url, what was last seen there says nothing: all of history goes along, and it is shown."""
    git(desk.remote, "update-ref", "-d", "refs/heads/main")
    assert desk("rev-parse", "origin/main") and "with it go commits that origin has not yet:" in hand_in()[1]


def test_an_empty_origin_takes_the_whole_lesson(desk, hand_in, refused):
    """The student's files are looked at in all of history, the lesson's are the lesson's business."""
    desk.write(".env", f"DB_PASSWORD={WORD}\n")
    desk.commit("The lesson's own", ".env")
    git(desk.remote, "update-ref", "-d", "refs/heads/main")
    desk("update-ref", "-d", "refs/remotes/origin/main")
    status, out, _ = hand_in()
    assert status == 0 and "The lesson's own\n" in out and "The lesson\n" in out
    git(desk.remote, "update-ref", "-d", f"refs/heads/{BRANCH}")
    desk("branch", "-D", BRANCH)
    desk("update-ref", "-d", f"refs/remotes/origin/{BRANCH}")
    desk.write(OWN[0], f"password = '{WORD}'\n")
    desk.commit("Oops", OWN[0])
    desk.write(OWN[0], "# solved\n")
    assert f"{OWN[0]}, which holds what looks like a password in line 1" in refused()
