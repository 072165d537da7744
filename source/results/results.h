// What kernels left in memory: the results of each launch of a process, as the emulated GPU writes them and `zetl diff`
// compares them.
//
// A process writes two files into a directory. PID.launches has lines of fields, separated by tabs:
//   process  nanoseconds        when it began, by the system's monotonic clock
//   launch   kernel groups size state
//   buffer   argument name type bytes offset
//   blocks   number:hash ...    its contents, in pieces of kBlockBytes; "-" instead of a number if they are not kept
// PID.blocks has the contents of the blocks, each kBlockBytes long and written once, however often it occurs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace zetl::results {

inline constexpr const char* kLaunchSuffix = ".launches";
inline constexpr const char* kBlockSuffix = ".blocks";
inline constexpr std::size_t kBlockBytes = 64 * 1024;
inline constexpr std::uint64_t kNotKept = ~0ull;
/// The argument of a buffer that was reached through a pointer in memory.
inline constexpr std::int32_t kThroughPointer = -1;

struct Block {
    std::uint64_t number = kNotKept;  ///< in the file of blocks
    std::uint64_t hash = 0;
};

/// An allocation that a kernel could reach, at the end of its launch. Words of it that point into an allocation are
/// replaced by their offset there, since addresses differ from run to run.
struct Buffer {
    std::int32_t argument = kThroughPointer;
    std::string name;          ///< of the argument; empty if the binary does not say
    std::string type;          ///< likewise
    std::uint64_t bytes = 0;   ///< of the whole allocation
    std::uint64_t offset = 0;  ///< in it, of the address that the argument has
    std::vector<Block> blocks;
};

struct Launch {
    std::string kernel;
    std::array<std::uint32_t, 3> groups{};
    std::array<std::uint32_t, 3> groupSize{};
    bool faulted = false;  ///< it has no buffers then
    std::vector<Buffer> buffers;
};

}  // namespace zetl::results
