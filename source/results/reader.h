// Reads the results of a program's launches.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "results/results.h"

namespace zetl::results {

struct Process {
    std::filesystem::path blocks;  ///< the file of its blocks
    std::uint64_t began = 0;       ///< nanoseconds of the system's monotonic clock
    std::vector<Launch> launches;  ///< in the order in which they ended
    /// A line could not be read; what follows is left out. Only the last line is cut off by a process that is killed.
    bool damaged = false;
    bool incomplete = false;  ///< there was no room for its launches
};

/// The processes that wrote into the directory, in the order in which they began.
std::vector<Process> readProcesses(const std::filesystem::path& directory);

/// The SPIR-V of a module; empty if it cannot be read.
std::vector<std::uint8_t> moduleOf(const Process& process, std::uint64_t module);

/// The contents of a block, kBlockBytes long; empty if they were not kept or cannot be read.
std::vector<std::byte> contentOf(const Process& process, const Block& block);

}  // namespace zetl::results
