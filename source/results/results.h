// What kernels left in memory: the results of each launch of a process, as the emulated GPU writes them and `zetl diff`
// compares them.
//
// A process writes two files into a directory. PID.launches has lines of fields, separated by tabs:
//   process  nanoseconds        when it began, by the system's monotonic clock
//   launch   kernel groups size state
//   buffer   argument name type bytes offset
//   blocks   number:hash ...    its contents, in pieces of kBlockBytes; "-" instead of a number if they are not kept
// and, of a launch whose begin is kept as well,
//   start    module offset dimensions   its module is in PID.module.spv, a number; "-" if nobody has its SPIR-V
//   value    argument bytes     in hexadecimal digits; likewise
//   local    argument size      for local memory,
//   pointer  argument address   for other pointers, and
//   object   argument           for images and samplers
//   memory   address bytes      an allocation that it could reach, followed by its blocks: words are as they were
// A file of launches that does not begin with the line `process` is incomplete: there was no room for all of it.
// PID.blocks has the contents of the blocks, each kBlockBytes long and written once, however often it occurs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zetl::results {

inline constexpr const char* kLaunchSuffix = ".launches";
inline constexpr const char* kBlockSuffix = ".blocks";
inline constexpr std::size_t kBlockBytes = 64 * 1024;
inline constexpr std::uint64_t kNotKept = ~0ull;
inline constexpr std::uint64_t kNoModule = ~0ull;
/// A word that points into an allocation becomes this with the offset there. No allocation lies outside of these
/// addresses, and most words of other data do.
inline constexpr std::uint64_t kPointerMark = 0x7a65'0000'0000'0000;
inline constexpr std::uint64_t kLowestAddress = 1ull << 40;
inline constexpr std::uint64_t kHighestAddress = 1ull << 48;
/// The file of a module, by the common begin of its process's files.
std::string moduleFile(const std::string& path, std::uint64_t module);
/// Of a launch that was not computed: the state, before the reason.
inline constexpr const char* kLeftOut = "left out: ";
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

/// What a launch began with for one argument of its kernel.
struct Argument {
    enum class Kind : std::uint8_t { value, local, pointer, object };
    Kind kind = Kind::value;
    std::uint32_t index = 0;
    std::uint64_t number = 0;         ///< bytes of local memory, or the address of other memory
    std::vector<std::uint8_t> bytes;  ///< of a value
};

/// An allocation as it was at the begin of a launch.
struct Memory {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::vector<Block> blocks;
};

/// All that another implementation needs to compute a launch.
struct Start {
    std::uint64_t module = kNoModule;
    std::array<std::uint32_t, 3> offset{};  ///< of the first work-item
    std::uint32_t dimensions = 3;
    std::vector<Argument> arguments;  ///< those that the program has set
    std::vector<Memory> memory;       ///< in the order of the launch's buffers, unless the kernel changed pointers
};

struct Launch {
    std::string kernel;
    std::array<std::uint32_t, 3> groups{};
    std::array<std::uint32_t, 3> groupSize{};
    bool faulted = false;  ///< it has no buffers then
    std::vector<Buffer> buffers;
    std::optional<Start> start{};
    std::string leftOut{};  ///< why it was not computed; empty: it was
};

}  // namespace zetl::results
