// What the processes of a checked program have found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "check/finding.h"

namespace zetl::command {

/// Equal for findings of one mistake: its kind, and where both of its sides are in the kernels. Source lines count if
/// the module has them, so that the key survives a change elsewhere in the kernel.
std::string keyOf(const check::Finding& finding);
/// The key in 16 hexadecimal digits.
std::string fingerprint(const check::Finding& finding);

struct Gathered {
    std::vector<check::Finding> findings;  ///< each mistake once, with the sum of its counts; in the order of `key`
    std::size_t processes = 0;             ///< that launched kernels while they were checked
    std::size_t unreadable = 0;            ///< lines, of processes that were killed while they wrote them
    std::size_t incomplete = 0;            ///< processes that had no room to write all that they found
    std::size_t tooMany = 0;               ///< different mistakes beyond the first 100,000
};

/// What one run of the program left.
struct RunDirectory {
    std::filesystem::path path;
    std::string schedule;  ///< first, last or a seed; empty: the usual one
};

/// Reads the files `PID.jsonl` of each directory. A file that cannot be read counts as a line that cannot.
Gathered gather(const std::vector<RunDirectory>& runs);

/// "write", "read" ...
const char* nameOf(check::Access access) noexcept;

/// "hist.cl:14" or, without lines, "0x1c0".
std::string placeOf(const check::Side& side);

}  // namespace zetl::command
