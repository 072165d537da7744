# Spack recipe. Not tried: neither spack nor its mirror was at hand. Copy it to var/spack/repos/builtin/packages/ze-tools-layer/.
from spack.package import *


class ZeToolsLayer(CMakePackage):
    """Run, trace, profile, debug and check Level Zero, SYCL and OpenCL programs, on an emulated Intel GPU or a real one."""

    license("MIT")
    # The maintainer fills in where releases are, with `url` or `git`.
    version("0.2.0", tag="v0.2.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("oneapi-level-zero@1.9:")
    depends_on("spdlog")
    depends_on("fmt")
    depends_on("libyaml")
    depends_on("asmjit")
    depends_on("nlohmann-json")
    depends_on("cli11")
    depends_on("protozero")
    depends_on("libdeflate")
    depends_on("elfutils")
    depends_on("libedit")
    conflicts("%gcc@:11", msg="C++20 of GCC 12 is needed")
    conflicts("platform=darwin")

    generator("ninja")

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False), self.define("ZETL_PRECOMPILE", True), self.define("CMAKE_INSTALL_LIBDIR", "lib")]
