// What the command line of random_kernels says.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace zetl::random_kernels {

struct Options {
    std::uint64_t first = 1;
    std::uint64_t count = 20;
    std::chrono::seconds time = std::chrono::hours(24 * 365);
    std::string device = "small";  ///< profile of the emulated device
    std::string keep;
    std::string references;           ///< a directory of PoCL's results
    std::string options;              ///< of the compiler, besides
    std::vector<std::string> hidden;  ///< functions that are called behind ones that are not inlined
    std::string build;                ///< the only one, instead of its turn
    bool everyBuild = false;
    bool hideEach = false;
    bool show = false;
    bool help = false;
    std::string reducedBuild;
    std::string reducedExecution;
};

/// Throws on what it does not know.
Options parse(int count, char** words);

extern const char* const kUsage;

}  // namespace zetl::random_kernels
