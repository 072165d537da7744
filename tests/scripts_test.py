#!/usr/bin/env python3
"""Scripts do what they say, and nothing to what is not theirs. Nothing is installed: the programs that they call are stubs."""

import hashlib
import lzma
import os
import subprocess
import tempfile
import unittest
import unittest.mock
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


INDEX = """Package: intel-ocloc
Version: 26.27.1-1
Filename: pool/ocloc.deb
SHA256: 0000000000000000000000000000000000000000000000000000000000000000

Package: libigc2
Version: 2.40-1
Filename: pool/igc.deb

Package: libigdfcl2
Version: 2.40-1
Filename: pool/igdfcl.deb
"""


class CompilerTest(ScriptTest):
    """Debian's archive is a directory; the signature is what the stub for gpgv says."""
    def setUp(self):
        super().setUp()
        archive = self.place / "archive"
        lists = archive / "dists/sid/main/binary-amd64"
        lists.mkdir(parents=True)
        (archive / "pool").mkdir()
        (archive / "pool/ocloc.deb").write_text("not the one of the index")
        (lists / "Packages.xz").write_bytes(lzma.compress(INDEX.encode()))
        digest = hashlib.sha256((lists / "Packages.xz").read_bytes()).hexdigest()
        (archive / "dists/sid/InRelease").write_text(f" {digest} 100 main/binary-amd64/Packages.xz\n")
        (self.place / "keys").write_text("")
        self.stub("gpgv", "exit 0")
        self.archive, self.out = archive, self.place / "out"

    def refusal(self, out=None):
        """What it says; a compiler that is there already stays, and nothing else is left."""
        out = out or self.out
        before = sorted(path.name for path in self.place.iterdir())
        with unittest.mock.patch.dict(os.environ, ZETL_DEBIAN_MIRROR=f"file://{self.archive}", ZETL_DEBIAN_KEYS=str(self.place / "keys")):
            done = self.run_script("compiler", "newest", str(out))
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), before)
        return done.stderr

    def test_a_file_with_another_checksum_is_refused(self):
        self.out.mkdir()
        (self.out / "VERSION").write_text("22.1.1")
        self.assertIn("has another checksum than the index says", self.refusal())
        self.assertEqual((self.out / "VERSION").read_text(), "22.1.1")

    def test_an_index_without_debians_signature_is_refused(self):
        self.stub("gpgv", "echo BAD signature >&2; exit 1")
        self.assertIn("is not signed by Debian's keys", self.refusal())

    def test_an_index_that_is_not_the_signed_one_is_refused(self):
        (self.archive / "dists/sid/InRelease").write_text(" 1234 100 main/binary-amd64/Packages.xz\n")
        self.assertIn("is not the one that was signed", self.refusal())

    def test_without_a_network_the_address_is_named(self):
        (self.archive / "dists/sid/InRelease").unlink()
        self.assertIn("dists/sid/InRelease cannot be downloaded", self.refusal())

    def test_without_room_nothing_is_downloaded(self):
        self.stub("df", "echo Avail; echo 17M")
        self.assertIn("has 17 MB of room, and this takes 400", self.refusal())

    def test_a_directory_of_others_is_kept(self):
        self.out.mkdir()
        (self.out / "thesis").write_text("precious")
        self.assertIn("was not made by this script", self.refusal())
        self.assertEqual((self.out / "thesis").read_text(), "precious")

    def test_what_is_the_newest_already_stays(self):
        self.out.mkdir()
        (self.out / "VERSION").write_text("26.27.1")
        (self.out / "SOURCES.txt").write_text("intel-ocloc 26.27.1-1: x\nlibigc2 2.39-1: x\nlibigdfcl2 2.40-1: x\n")
        self.assertIn("has another checksum", self.refusal(), "libigc2 is newer")
        (self.out / "SOURCES.txt").write_text("intel-ocloc 26.27.1-1: x\nlibigc2 2.40-1: x\nlibigdfcl2 2.40-1: x\n")
        with unittest.mock.patch.dict(os.environ, ZETL_DEBIAN_MIRROR=f"file://{self.archive}", ZETL_DEBIAN_KEYS=str(self.place / "keys")):
            done = self.run_script("compiler", "newest", str(self.out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("has the newest already, 26.27.1", done.stdout)

    def test_without_keys_or_tools_it_says_what_to_install(self):
        (self.place / "keys").unlink()
        self.assertIn("install debian-archive-keyring", self.refusal())
        self.assertEqual(self.run_script("compiler", "oldest").returncode, 2)


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
