// Where this zetl's libraries are: found from the executable, so an installed copy can be moved, and the build tree,
// which has the same layout, needs no special case.
#pragma once

#include <filesystem>
#include <initializer_list>

namespace zetl::command {

struct Installation {
    std::filesystem::path executable;
    std::filesystem::path layer;           // libze_tools_layer.so.1
    std::filesystem::path emulatedGpu;     // libze_emulated_gpu.so.1
    std::filesystem::path openclCompiler;  // libze_emulated_opencl.so
    std::filesystem::path compiler;        // zetl_ocloc, which the emulated GPU starts
    std::filesystem::path opencl;          // zetl_opencl, which computes launches by the host's OpenCL
    std::filesystem::path recorder;        // libzetl_trace.so
    std::filesystem::path mpi;             // libzetl_mpi.so
    std::filesystem::path slots;           // directory with the slot names, which link to the layer
    std::filesystem::path recordingSlots;  // the same with the recorder in the tracing slot
    std::filesystem::path queries;         // libzetl_queries.so
    std::filesystem::path queryingSlots;   // the same with that in the tracing slot
    std::filesystem::path loader;          // directory of a Level Zero loader, where one is installed with zetl
    std::filesystem::path bundle;          // directory of Intel's compiler with all its libraries, the same

    /// Returns where the files should be; the caller checks whether they exist.
    static Installation find();
};

/// Throws std::runtime_error if one of them is missing.
void requireFiles(std::initializer_list<std::filesystem::path> files);

}  // namespace zetl::command
