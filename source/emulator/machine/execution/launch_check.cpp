// Finds launches that cannot be served, and the reason, before any of their groups runs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emulator/machine/code/loaded_program.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/tile_runtime.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint32_t kArgumentsAlignment = 64;  // r0.0 has no room for the low six bits
constexpr std::uint32_t kMaxBarriers = 32;
constexpr std::uint32_t kMaxScratchBytes = 256 << 10;
constexpr std::uint64_t kMaxGroupThreads = 64;  // of a group, for its thread masks

std::string codeProblem(const Launch& launch, const isa::Architecture& architecture) {
    const LoadedProgram* loaded = launch.code ? launch.code->program() : nullptr;
    if (loaded == nullptr) return "its code is not installed";
    const std::uint32_t entry = launch.kernelOffset + launch.entryOffset;
    if (loaded->program->lineAt(entry) == isa::kNoLine)
        return fmt::format("no instruction starts at offset 0x{:x}", entry);
    if (launch.recordFrom != 0 && loaded->program->lineAt(launch.kernelOffset + launch.recordFrom) == isa::kNoLine)
        return fmt::format("no instruction starts at offset 0x{:x} of the kernel", launch.recordFrom);
    const auto sizes = architecture.subGroupSizes;
    const auto counts = architecture.registerCounts;
    if (launch.simd != 1 && std::ranges::find(sizes, launch.simd) == sizes.end())
        return fmt::format("SIMD width {} does not exist", launch.simd);
    if (std::ranges::find(counts, launch.grfCount) == counts.end())
        return fmt::format("{} registers are not {}", launch.grfCount, fmt::join(counts, " or "));
    return {};
}

std::string gridProblem(const Extent& groups) {
    std::uint64_t total = 1;
    for (const std::uint32_t count : groups)
        if (__builtin_mul_overflow(total, count, &total))
            return fmt::format("{}x{}x{} groups are 2^64 or more", groups[0], groups[1], groups[2]);
    return {};
}

std::string dataProblem(const Launch& launch, std::uint64_t threads, std::uint64_t registerBytes) {
    const std::uint64_t bytes = launch.indirect.size();
    if (bytes > IndirectArena::kBytes / 2) return fmt::format("{} bytes of indirect data are too many", bytes);
    const auto misplaced = [&](std::uint32_t at) { return at % kArgumentsAlignment != 0 || at > bytes; };
    if (misplaced(launch.argumentsAt) || misplaced(launch.recordAt))
        return "arguments are misplaced in the indirect data";
    if (launch.preloadBytes != 0 && launch.preloadAt + threads * launch.preloadBytes > bytes) {
        return "per-thread blocks exceed the indirect data";
    }
    const std::uint64_t preloaded = launch.preloadBytes + launch.inlineData.size() + 2 * registerBytes;
    if (preloaded > launch.grfCount * registerBytes) return "preloaded data exceed the register file";
    const auto outside = [&](const SelfReference& r) { return std::uint64_t{r.at} + 8 > bytes || r.target > bytes; };
    return std::ranges::any_of(launch.references, outside) ? "a self reference leaves the indirect data"
                                                           : std::string();
}

}  // namespace

/// Returns a fault of kind none if the launch can be served.
Fault TileRuntime::refuse(const ActiveDispatch& dispatch) {
    Fault fault;
    if (fork_.inChild()) {
        fault.kind = FaultKind::deviceLost;
        fault.detail =
            "the process forked, and the device belongs to the parent; create a context before forking only if the "
            "child does not use it";
        return fault;
    }
    const Launch& launch = dispatch.launch();
    const DeviceProfile& profile = device_.profile();
    const SlotMap::Need& need = dispatch.need();
    fault.detail = codeProblem(launch, profile.architecture());
    if (fault.detail.empty()) fault.detail = gridProblem(launch.groupCount);
    if (fault.detail.empty()) fault.detail = dataProblem(launch, need.threads, profile.architecture().registerBytes);
    if (fault.detail.empty() && (need.threads == 0 || need.threads > kMaxGroupThreads ||
                                 !SlotMap::possible(profile, {need.threads, 0, need.grfCount}))) {
        fault.detail =
            fmt::format("a group of {} threads does not fit on a sub-slice, which has {} for kernels with {} registers",
                        need.threads, profile.usableThreadsPerSubslice(need.grfCount), need.grfCount);
    }
    if (fault.detail.empty() && !SlotMap::possible(profile, need)) {
        fault.detail =
            fmt::format("a group uses {} bytes of local memory, a sub-slice has {}", need.slmBytes, profile.slmBytes);
    }
    if (fault.detail.empty() && launch.barrierCount > kMaxBarriers) {
        fault.detail = fmt::format("{} barriers are more than {}", launch.barrierCount, kMaxBarriers);
    }
    if (fault.detail.empty() && launch.scratchBytes > kMaxScratchBytes) {
        fault.detail =
            fmt::format("{} bytes of scratch a thread are more than {}", launch.scratchBytes, kMaxScratchBytes);
    }
    if (!fault.detail.empty()) {
        fault.kind = FaultKind::badLaunch;
        return fault;
    }
    fault.detail = memoryProblem(launch);
    if (!fault.detail.empty()) fault.kind = FaultKind::outOfMemory;
    return fault;
}

/// Empty if the host has memory for the machine's own needs of the launch.
std::string TileRuntime::memoryProblem(const Launch& launch) {
    if (!device_.arena().usable())
        return fmt::format("the host refused {} bytes for argument blocks", IndirectArena::kBytes);
    if (launch.scratchBytes == 0 || scratch_.find(launch.scratchBytes).base != 0) return {};
    return fmt::format("the host refused {} bytes of scratch for each of {} threads", launch.scratchBytes,
                       device_.profile().threads());
}

}  // namespace zetl::emulator::machine
