#!/usr/bin/env python3
"""Scripts do what they say, and nothing to what is not theirs. Nothing is installed: the programs that they call are stubs."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


class ScriptTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="zetl-scripts-")
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.stubs = self.place / "stubs"
        self.stubs.mkdir()

    def stub(self, name, body):
        path = self.stubs / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def run_script(self, name, *arguments):
        environment = os.environ | {"PATH": f"{self.stubs}:{os.environ['PATH']}"}
        return subprocess.run([SCRIPTS / name, *arguments], env=environment, capture_output=True, text=True, timeout=60)


class RootsTest(ScriptTest):
    def setUp(self):
        super().setUp()
        self.stub("debootstrap", 'for each; do [[ $each == /* ]] && mkdir -p "$each/etc" && touch "$each/etc/debian_version"; done; exit 0')
        self.root = self.place / "root"

    def test_debian_root_keeps_a_directory_of_others(self):
        self.root.mkdir()
        (self.root / "thesis").write_text("precious")
        done = self.run_script("debian_root", "make", "bookworm", str(self.root), "libze1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("was not made by this script", done.stderr)
        self.assertEqual((self.root / "thesis").read_text(), "precious")

    def test_debian_root_renews_its_own(self):
        for packages in ("libze1", "libze1", "libze1,gdb"):
            done = self.run_script("debian_root", "make", "bookworm", str(self.root), packages)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.root / ".complete").read_text().strip(), packages)
        (self.root / ".complete").unlink()  # as an interrupt leaves it
        self.assertEqual(self.run_script("debian_root", "make", "bookworm", str(self.root), "gdb").returncode, 0)
        empty = self.place / "empty"
        empty.mkdir()
        self.assertEqual(self.run_script("debian_root", "make", "bookworm", str(empty), "gdb").returncode, 0)

    def test_fresh_root_keeps_a_directory_of_others(self):
        clone = self.root / "src/ze-tools-layer"
        clone.mkdir(parents=True)
        (self.root / "etc").mkdir()
        (self.root / "etc/debian_version").write_text("12.0")
        (clone / "thesis").write_text("precious")
        done = self.run_script("fresh_root", str(self.root), "true")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("was not made by this script", done.stderr)
        self.assertEqual((clone / "thesis").read_text(), "precious")


class BootstrapTest(ScriptTest):
    def as_user(self, *arguments):
        """Run as somebody who may not install packages."""
        self.place.chmod(0o755)
        self.stub("apt-get", 'echo "apt-get $*"; exit 100')
        self.stub("apt-cache", 'for each; do [[ $each == intel-opencl-icd ]] || echo "Package: $each"; done')
        user = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        environment = os.environ | {"PATH": f"{self.stubs}:{os.environ['PATH']}"}
        return subprocess.run([*user, SCRIPTS / "bootstrap", *arguments], env=environment, capture_output=True, text=True, timeout=60)

    def test_an_ordinary_user_is_told_what_root_has_to_do(self):
        self.stub("dpkg-query", "[[ $4 == g++ ]] && echo installed")
        done = self.as_user("build")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(" packages are missing: cmake ninja-build ", done.stdout)
        self.assertIn("    sudo scripts/bootstrap build\n", done.stderr)
        self.assertRegex(done.stderr, "    sudo apt-get install --no-install-recommends cmake ninja-build [^\n]* libze1 opencl-c-headers\n")
        self.assertNotIn("apt-get install -y", done.stdout + done.stderr)

    def test_an_ordinary_user_needs_nothing_where_nothing_is_missing(self):
        self.stub("dpkg-query", "echo installed")
        self.stub("sed", "echo 17")  # of the headers
        done = self.as_user("build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout + done.stderr, "")


if __name__ == "__main__":
    unittest.main()
