#!/usr/bin/env python3
"""Makes Python wheels; scripts/wheel says what of.

    wheels.py tool PREFIX LOADER OUT        ze-tools-layer, from what `cmake --install` wrote with ZETL_PORTABLE=ON
    wheels.py compiler BUNDLE OUT           ze-tools-layer-compiler, from what scripts/compiler put into BUNDLE

Needs patchelf, readelf, strip and cc. Fails if a library that a wheel contains has no licence text here, if one would be looked for
outside of the wheel, or if a wheel is larger than PyPI takes.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LARGEST = 100 << 20  # PyPI's limit for a file
# What every system with glibc has.
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
TARGET_GLIBC = "2.28"  # of Debian 10 and RHEL 8
# Opened by name when a source line is wanted.
OPENED = ["libdw.so.1"]
# Of these the libraries contain code: headers, and libstdc++.
COMPILED_IN = ["libfmt-dev", "libspdlog-dev", "libcli11-dev", "nlohmann-json3-dev", "libasmjit-dev", "libprotozero-dev", "libyaml-dev"]
TOOL_TEXT = """Run, trace, profile, debug and check Level Zero, SYCL and OpenCL programs on a machine without an Intel GPU.

    pip install ze-tools-layer[compiler]
    zetl run -- python program.py        # on the emulated GPU
    zetl doctor                          # what is here, and what is missing
    pytest --zetl-gpu=small              # tests on the emulated GPU

The package needs x86-64 Linux with glibc. Nothing changes until `zetl`, `ze_tools_layer.enable()` or `--zetl-gpu` is used.
"""
COMPILER_TEXT = """Intel's compiler for the emulated GPU of ze-tools-layer, with the C library that it needs. It runs in processes of its own,
and no program is linked to it. The libraries are Debian's, unchanged; licenses/ has their licences, and
SOURCES.txt says where their sources are.
"""


def fail(text):
    sys.exit(f"wheel: {text}")


def output_of(*words):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True).stdout


def run(*words):
    output_of(*words)


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-dW", path))


def soname(path):
    return "".join(re.findall(r"\(SONAME\).*\[(.*)\]", output_of("readelf", "-dW", path)))


def copy(source, target, search=None):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(os.path.realpath(source), target)
    target.chmod(0o755)
    if search:
        run("patchelf", "--set-rpath", search, target)


def stub(target, library):
    """A wheel has no symbolic links, and two copies of a layer would be two layers: an empty library that depends on it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    run("cc", "-shared", "-s", "-nostdlib", "-o", target, "-Wl,--no-as-needed", f"-Wl,-soname,{target.name}", "-x", "c", "/dev/null",
        "-x", "none", library, "-Wl,-rpath,$ORIGIN/" + os.path.relpath(library.parent, target.parent))


def version():
    heading = re.search(r"^## ([0-9.]+)", (ROOT / "docs/changelog.md").read_text(), re.M)
    return heading.group(1)


def libraries_of(program):
    """Name and file of everything that a program or library of this system needs beyond SYSTEM."""
    return {name: path for name, path in re.findall(r"(\S+) => (/\S+)", output_of("ldd", program)) if name not in SYSTEM}


def path_of(name):
    for line in output_of("/sbin/ldconfig", "-p").splitlines():
        if line.split()[0:1] == [name]:
            return line.split()[-1]
    fail(f"{name} is not installed; scripts/bootstrap installs it")


def debian_package(path):
    """The installed package that has a file; Debian 12 installs below /usr what packages call /lib."""
    path = os.path.realpath(path)
    for name in (path, path.removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "-S", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        if found:
            return found.split(":")[0]
    fail(f"{path} belongs to no Debian package, so its licence is unknown")


def keep_licence(info, package, documents=pathlib.Path("/usr/share/doc")):
    text = documents / package / "copyright"
    if not text.exists():
        fail(f"{text} is missing: a wheel without the licence of {package} is not made")
    (info / "licenses").mkdir(exist_ok=True)
    shutil.copyfile(os.path.realpath(text), info / "licenses" / f"{package}.txt")


def oldest_glibc(tree):
    """The version of glibc that all libraries of a tree work with, as (2, 34)."""
    versions = {(2, 17)}
    for file in tree.rglob("*"):
        if file.is_file() and is_elf(file):
            versions |= {(2, int(minor)) for minor in re.findall(r"\bGLIBC_2\.(\d+)", output_of("readelf", "-VW", file))}
    return max(versions)


def make_portable(tree):
    """Lets every program and library work with TARGET_GLIBC: functions with a newer version are bound to their older one, or
    brought along. What the layer itself brings along is scripts/packaging/portable."""
    for file in tree.rglob("*"):
        if file.is_file() and is_elf(file):
            made = subprocess.run(["polyfill-glibc", f"--target-glibc={TARGET_GLIBC}", file], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            if made.returncode:
                fail(f"{file.relative_to(tree)}: {made.stdout.strip()}; add it to scripts/packaging/portable/newer_glibc.c")


def require_complete(tree):
    """Each library that is needed lies in the wheel or belongs to every system."""
    there = {file.name for file in tree.rglob("*") if file.is_file()}
    for file in tree.rglob("*"):
        if file.is_file() and is_elf(file):
            absent = [name for name in needed(file) if name not in SYSTEM and name not in there]
            if absent:
                fail(f"{file.relative_to(tree)} needs {', '.join(absent)}, which would come from outside")


def write_wheel(tree, name, tag, summary, text, out, extra="", entry_points=""):
    number = version()
    info = tree / f"{name}-{number}.dist-info"
    licences = "".join(f"License-File: {file.name}\n" for file in sorted((info / "licenses").iterdir()))
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {number}\nSummary: {summary}\n"
        f"Requires-Python: >=3.9\nClassifier: Operating System :: POSIX :: Linux\n{licences}{extra}"
        f"Description-Content-Type: text/plain\n\n{text}")
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: ze-tools-layer\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n")
    if entry_points:
        (info / "entry_points.txt").write_text(entry_points)
    finished = out / f"{name}-{number}-py3-none-{tag}.whl"
    target = finished.with_suffix(".part")
    record = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(path for path in tree.rglob("*") if path.is_file()):
            data = file.read_bytes()
            inside = file.relative_to(tree).as_posix()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{inside},sha256={digest},{len(data)}\n")
            entry = zipfile.ZipInfo(inside, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if os.access(file, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=9)
        archive.writestr(zipfile.ZipInfo(f"{info.name}/RECORD", (2020, 1, 1, 0, 0, 0)), "".join(record) + f"{info.name}/RECORD,,\n")
    size = target.stat().st_size
    if size > LARGEST:
        target.unlink()
        fail(f"{finished} would have {size} bytes, and PyPI takes {LARGEST}")
    for former in out.glob(f"{name}-*.whl"):
        former.unlink()
    target.rename(finished)
    installed = sum(file.stat().st_size for file in tree.rglob("*") if file.is_file())
    print(f"{finished}: {size / 1e6:.1f} MB, {installed / 1e6:.1f} MB installed")


def info_directory(tree, name):
    info = tree / f"{name}-{version()}.dist-info"
    info.mkdir(parents=True)
    return info


def tool(prefix, loader, out):
    with tempfile.TemporaryDirectory() as directory:
        tree = pathlib.Path(directory)
        info = info_directory(tree, "ze_tools_layer")
        package = tree / "ze_tools_layer"
        slots = package / "lib/ze-tools-layer"
        for file in (HERE / "python/ze_tools_layer").glob("*.py"):
            copy(file, package / file.name)
            (package / file.name).chmod(0o644)
        for name in ("zetl", "zetl_check_provider"):
            copy(prefix / "bin" / name, package / "bin" / name)
        for file in sorted((prefix / "lib").glob("*.so*")):
            if not file.is_symlink():
                copy(file, package / "lib" / (soname(file) or file.name))
        for file in sorted((prefix / "lib/ze-tools-layer").iterdir()):
            if file.is_file() and not file.is_symlink():
                copy(file, slots / file.name)
        for name in ("libze_loader.so.1", "libze_tracing_layer.so.1"):
            copy(loader / name, slots / "loader" / name, "$ORIGIN")
        for file in package.rglob("*"):
            if file.is_file() and is_elf(file):
                run("strip", "--strip-unneeded", file)
        for link in sorted((prefix / "lib/ze-tools-layer").rglob("*.so.1")):
            if link.is_symlink():
                place = slots / link.relative_to(prefix / "lib/ze-tools-layer")
                target = os.path.normpath(link.parent / os.readlink(link))
                stub(place, package / "lib" / os.path.relpath(target, prefix / "lib"))
        shutil.copytree(prefix / "include", package / "include")
        private = {}
        for name in OPENED:
            private[name] = path_of(name)
            private.update(libraries_of(private[name]))
        private.update({name: path for name, path in libraries_of(package / "bin/zetl").items() if not path.startswith(str(package))})
        for name, path in private.items():
            copy(path, slots / "private" / name, "$ORIGIN")
            keep_licence(info, debian_package(path))
        for name in [*COMPILED_IN, debian_package(output_of("cc", "-print-file-name=libstdc++.a").strip())]:
            keep_licence(info, name)
        shutil.copyfile(ROOT / "LICENSE", info / "licenses/LICENSE")
        shutil.copyfile(loader / "LICENSE", info / "licenses/level-zero.txt")
        make_portable(tree)
        require_complete(tree)
        tag = "manylinux_{}_{}_x86_64".format(*oldest_glibc(tree))
        write_wheel(tree, "ze_tools_layer", tag, "Run, trace, profile and debug Level Zero and SYCL programs without a GPU", TOOL_TEXT,
                    out, f"Provides-Extra: compiler\nRequires-Dist: ze-tools-layer-compiler; extra == 'compiler'\n",
                    "[console_scripts]\nzetl = ze_tools_layer:main\n\n[pytest11]\nze_tools_layer = ze_tools_layer.pytest_plugin\n")


def compiler(bundle, out):
    with tempfile.TemporaryDirectory() as directory:
        tree = pathlib.Path(directory)
        info = info_directory(tree, "ze_tools_layer_compiler")
        # Where zetl and the drivers look for it, relative to themselves.
        place = tree / "ze_tools_layer/lib/ze-tools-layer/compiler"
        for file in bundle.iterdir():
            if file.is_file() and is_elf(file) and ".so" in file.name:
                copy(file, place / file.name)
        for name in ("VERSION", "SOURCES.txt"):
            shutil.copyfile(bundle / name, place / name)
        shutil.copytree(bundle / "licenses", info / "licenses")
        shutil.copyfile(bundle / "SOURCES.txt", info / "licenses/SOURCES.txt")
        if not any((info / "licenses").glob("*.txt")):
            fail(f"{bundle} has no licences")
        require_complete(tree)
        # Nothing of it is linked to anything outside, the C library included, so the oldest tag is right.
        write_wheel(tree, "ze_tools_layer_compiler", "manylinux_2_17_x86_64", "Intel's GPU compiler for ze-tools-layer's emulated GPU",
                    COMPILER_TEXT, out)


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("tool", "compiler"):
        sys.exit(__doc__)
    places = [pathlib.Path(word).resolve() for word in sys.argv[2:]]
    {"tool": tool, "compiler": compiler}[sys.argv[1]](*places)


if __name__ == "__main__":
    main()
