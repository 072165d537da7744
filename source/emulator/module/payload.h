// Builds a launch's data in indirect memory: cross-thread data, implicit arguments and per-thread local ids.
//
// The memory in front of and behind r0.0's address, as the kernels' prologues read it:
//   [local-id table][implicit-argument record]  only if the kernel needs implicit arguments; r0.0 points at the record
//   [cross-thread data][block of thread 0][block of thread 1]...
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "binary/kernel_image.h"
#include "binary/outcome.h"

namespace zetl::emulator::module {

using Extent = std::array<std::uint32_t, 3>;

/// Geometry of a launch, in work items and groups.
struct LaunchShape {
    Extent groupSize{1, 1, 1};
    Extent groupCount{1, 1, 1};
    Extent globalOffset{0, 0, 0};
    std::uint32_t dimensions = 3;
    std::uint32_t threads(std::uint32_t simdSize) const noexcept;  ///< hardware threads per group
};

/// Value of one kernel argument, in the order of KernelImage::arguments. `bytes` holds a pointer's 8 bytes or the
/// value; for a local pointer it is empty and `localBytes` is the size asked for.
struct ArgumentValue {
    binary::Bytes bytes;
    std::uint32_t localBytes = 0;
};

/// Addresses that the launcher provides. If a kernel's payload has a field for one, the address is written there.
struct LaunchAddresses {
    std::uint64_t privateBase = 0;
    std::uint64_t printfBuffer = 0;
    std::uint64_t implicitArguments = 0;
    std::uint64_t constants = 0;
    std::uint64_t variables = 0;
    std::uint64_t assertBuffer = 0;
    std::uint64_t syncBuffer = 0;
    std::uint64_t scratch = 0;
    std::vector<std::uint64_t> inlineSamplers;  ///< offsets of states, by index
    std::uint32_t localGap = 0;  ///< bytes between local memory of one argument and of the next that nobody owns
};

/// Bytes [begin, end) of a group's local memory.
struct LocalRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

struct CrossThreadData {
    binary::Bytes bytes;           ///< KernelImage::crossThreadBytes long
    std::uint32_t slmBytes = 0;    ///< local memory of a group, arguments included
    std::vector<LocalRange> gaps;  ///< between arguments, as asked for
};

/// Checks whether a launch can take the arguments, without building anything. Returns the local memory of a group, that
/// of the arguments included. Errors: badArgument (an argument unset or of the wrong size), limit (local memory beyond
/// kMaxSlmBytes).
binary::Outcome<std::uint32_t> localMemoryWith(const binary::KernelImage& kernel,
                                               std::span<const ArgumentValue> arguments, std::uint32_t localGap = 0);

/// Fills the cross-thread data. Errors as above.
binary::Outcome<CrossThreadData> crossThreadData(const binary::KernelImage& kernel, const LaunchShape& shape,
                                                 std::span<const ArgumentValue> arguments,
                                                 const LaunchAddresses& addresses);

/// Whether the hardware generates the local ids of such a launch. Intel's driver lets it do so wherever possible. Then
/// threads start behind the lines that load the ids; otherwise they find them in memory.
bool hardwareMakesLocalIds(const binary::KernelImage& kernel, const LaunchShape& shape) noexcept;

/// The per-thread block of thread `thread` of a group: perThread->size bytes of local ids, empty if the kernel has
/// none.
binary::Bytes perThreadData(const binary::KernelImage& kernel, const LaunchShape& shape, std::uint32_t thread);

/// All threads' blocks, one after the other.
binary::Bytes perThreadBlocks(const binary::KernelImage& kernel, const LaunchShape& shape);

/// The 96-byte record that exported functions read, and the local-id table it points to (to be placed in front of it).
inline constexpr std::uint32_t kImplicitArgumentBytes = 96;
binary::Bytes implicitArguments(const binary::KernelImage& kernel, const LaunchShape& shape, std::uint64_t printfBuffer,
                                std::uint64_t localIdTable);
binary::Bytes localIdTable(const binary::KernelImage& kernel, const LaunchShape& shape);

}  // namespace zetl::emulator::module
