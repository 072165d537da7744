"""What changed lately: which files scripts/check_syntax and scripts/tidy read first, and which they read whatever it takes."""
import functools
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
PLACES = ("source", "include", "samples", "samples/zetl", "tests", "tests/unit", "tests/isa", "tests/translate", "tests/layer")
RECENT_COMMITS = 40


def git(*words):
    """The lines that git writes; none if it refuses."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def known_base():
    """The commit since which every change is read, and what it is: the merge base of a branch, the last tag on main."""
    head = git("rev-parse", "HEAD")
    for main in ("origin/main", "origin/HEAD", "main"):
        base = git("merge-base", "HEAD", main)
        if base and base != head:
            return base[0], f"the merge base with {main}"
    tag = git("describe", "--tags", "--abbrev=0")
    return (tag[0], f"the tag {tag[0]}") if tag else (None, "")


def since(base):
    """The paths that differ from a commit; none without one."""
    return git("diff", "--name-only", base) if base else []


def recent():
    """The paths that the last commits changed, newest first."""
    return list(dict.fromkeys(git("log", "--name-only", "--format=", "-n", str(RECENT_COMMITS))))


@functools.lru_cache(maxsize=None)
def included(file):
    """The files of ours that a file includes itself."""
    places = (file.parent, *(ROOT / place for place in PLACES))
    found = (next((place / path for place in places if (place / path).is_file()), None)
             for path in INCLUDE.findall(file.read_text()))
    return frozenset(path.resolve() for path in found if path)


@functools.lru_cache(maxsize=None)
def contained(file):
    """The files of ours that a file includes, directly or not, and itself."""
    found, waiting = set(), [file.resolve()]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += included(here)
    return frozenset(found)
