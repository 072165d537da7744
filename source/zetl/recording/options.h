// What `zetl trace` asks the recorder for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace zetl::command {

/// Which parts of a run are recorded.
struct RecordingOptions {
    std::uint64_t limit = 256u << 20;  // bytes per process
    // patterns separated by commas; empty: all
    std::string functions;
    std::string kernels;
    bool device = true;   // record what devices do, too
    bool paused = false;  // until `zetl resume`
    bool lttng = false;   // also send records to LTTng
    bool mpi = false;     // also record calls of MPI and oneCCL
    // milliseconds from the start of a process
    std::optional<std::uint64_t> delay;
    std::optional<std::uint64_t> duration;
};

}  // namespace zetl::command
