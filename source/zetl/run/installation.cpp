#include "run/installation.h"

#include <fmt/format.h>

#include <stdexcept>

namespace zetl::command {

namespace fs = std::filesystem;

Installation Installation::find() {
    Installation found;
    found.executable = fs::read_symlink("/proc/self/exe");
    const auto libraries = (found.executable.parent_path() / ZETL_LIBRARIES_FROM_BINARY).lexically_normal();
    found.layer = libraries / "libze_tools_layer.so.1";
    found.emulatedGpu = libraries / "libze_emulated_gpu.so.1";
    found.openclCompiler = libraries / "libze_emulated_opencl.so";
    found.slots = libraries / "ze-tools-layer";
    found.recordingSlots = found.slots / "trace";
    found.compiler = found.slots / "zetl_ocloc";
    found.opencl = found.slots / "zetl_opencl";
    found.recorder = found.slots / "libzetl_trace.so";
    found.mpi = found.slots / "libzetl_mpi.so";
    found.queryingSlots = found.slots / "query";
    found.queries = found.slots / "libzetl_queries.so";
    found.loader = found.slots / "loader";
    found.bundle = found.slots / "compiler";
    return found;
}

void requireFiles(std::initializer_list<fs::path> files) {
    for (const auto& file : files)
        if (!fs::exists(file))
            throw std::runtime_error(fmt::format(
                "{} is missing: the installation is incomplete; install again, or run `zetl doctor`", file.native()));
}

}  // namespace zetl::command
