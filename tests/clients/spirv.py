"""OpenCL C to SPIR-V, by Debian's Clang and llvm-spirv."""

import pathlib
import subprocess
import tempfile


def compiled(source):
    version = subprocess.run(["clang", "-dumpversion"], check=True, capture_output=True, text=True).stdout.split(".")[0]
    with tempfile.TemporaryDirectory() as place:
        files = [pathlib.Path(place) / f"kernels.{suffix}" for suffix in ("cl", "bc", "spv")]
        files[0].write_text(source)
        subprocess.run(["clang", "-cl-std=CL2.0", "-target", "spir64", "-O1", "-emit-llvm", "-c", "-Xclang", "-finclude-default-header",
                        files[0], "-o", files[1]], check=True)
        subprocess.run([f"llvm-spirv-{version}", files[1], "-o", files[2]], check=True)
        return files[2].read_bytes()
