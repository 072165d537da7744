// Reads what processes have counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace zetl::executed {

/// A module, and what all processes executed of it.
struct ModuleCounts {
    std::string key;
    std::uint64_t codeBase = 0;
    std::vector<std::uint8_t> image;
    std::vector<std::uint64_t> executed;  ///< by kCountedBytes from codeBase on
};

struct DirectoryCounts {
    std::vector<ModuleCounts> modules;    ///< by key
    std::size_t processes = 0;            ///< that had modules
    std::vector<std::string> unreadable;  ///< files that are no such files, or are cut off
};

/// Everything that lies in the directory. Sums stop at the largest number.
DirectoryCounts readDirectory(const std::filesystem::path& directory);

}  // namespace zetl::executed
