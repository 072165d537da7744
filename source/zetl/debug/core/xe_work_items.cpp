// The work-items of a thread on Intel's GPUs.
#include <algorithm>
#include <cstring>
#include <optional>

#include "core/kernel_table.h"
#include "core/memory.h"
#include "core/work_items.h"
#include "core/xe.h"
#include "core/xe_registers.h"

namespace zetl::debugger {
namespace {

constexpr std::uint64_t kMostOfAGroup = 1024;

std::optional<Triple> tripleAt(const Memory& memory, std::uint64_t address) {
    const auto data = memory.read(address, 12);
    if (!data) return std::nullopt;
    std::uint32_t words[3];
    std::memcpy(words, data->data(), sizeof words);
    return Triple{words[0], words[1], words[2]};
}

/// Three rows, X, Y and Z, with 16 bits per lane.
struct LocalIds {
    Bytes rows;

    Triple at(unsigned lane) const {
        Triple id{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            id[axis] = bitsOf(rows, (axis * rows.size() / 3 + lane * 2) * 8, 16);
        return id;
    }
};

/// The ids in walk order, if the kernel does not request ids.
Triple walked(std::uint64_t linear, const Triple& size) {
    return {linear % size[0], linear / size[0] % size[1], linear / size[0] / size[1]};
}

bool plausible(const Triple& size) {
    return std::ranges::all_of(size, [](std::uint64_t each) { return each > 0 && each <= kMostOfAGroup; }) &&
           size[0] * size[1] * size[2] <= kMostOfAGroup;
}

/// The data of a launch that its work-items share.
struct Launch {
    Triple localSize{};
    Triple offset{};
    /// local ids by thread; none: 0 bytes
    std::uint64_t ids = 0;
    std::uint64_t idBytes = 0;
};

// If functions of a kernel request ids, a record of the launch precedes the kernel's other data.
std::optional<Launch> recordedLaunch(const Memory& memory, std::uint64_t data, const KernelInfo& kernel) {
    constexpr std::size_t kBytes = 96;
    constexpr std::size_t kSimd = 3;
    constexpr std::size_t kLocalSize = 4;
    constexpr std::size_t kOffset = 48;
    constexpr std::size_t kIds = 72;
    const auto record = memory.read(data, kBytes);
    if (!record || (*record)[0] != kBytes || (*record)[1] != 0 || (*record)[kSimd] != kernel.simd) return std::nullopt;
    Launch launch;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        launch.localSize[axis] = bitsOf(*record, (kLocalSize + axis * 4) * 8, 32);
        launch.offset[axis] = bitsOf(*record, (kOffset + axis * 8) * 8, 64);
    }
    launch.ids = bitsOf(*record, kIds * 8, 64);
    launch.idBytes = std::uint64_t{6} * std::max(kernel.simd, 16u);
    return launch;
}

std::optional<Launch> launchOf(const Memory& memory, std::uint64_t data, const KernelInfo& kernel) {
    if (const auto recorded = recordedLaunch(memory, data, kernel)) return recorded;
    const auto size = kernel.localSize ? tripleAt(memory, data + *kernel.localSize) : std::nullopt;
    if (!size) return std::nullopt;
    const auto offset = kernel.globalOffset ? tripleAt(memory, data + *kernel.globalOffset) : std::nullopt;
    return Launch{*size, offset.value_or(Triple{}), data + kernel.crossThreadBytes, kernel.localIdBytes};
}

/// The address of the launch's cross-thread data.
std::uint64_t indirectData(StoppedThread& thread) {
    return registers::stateBase(thread, registers::kGeneralStateBase) +
           (registers::general32(thread, 0, 0) & ~std::uint32_t{63});
}

}  // namespace

/// Reads the launch data from memory, because the registers that held them may have been reused.
WorkItems Xe::itemsOf(StoppedThread& thread, const KernelInfo* kernel, const Memory& memory) const {
    auto result = lanesOf(thread);
    if (!kernel) return result;
    const auto numberInGroup = registers::general32(thread, 0, 2) & 0xff;
    const auto launch = launchOf(memory, indirectData(thread), *kernel);
    if (!launch || !plausible(launch->localSize)) return result;
    const auto rows = launch->idBytes > 0 ? memory.read(launch->ids + numberInGroup * launch->idBytes, launch->idBytes)
                                          : std::nullopt;
    for (auto& item : result.items) {
        const auto linear = std::uint64_t{numberInGroup} * kernel->simd + item.lane;
        item.local = rows ? LocalIds{*rows}.at(item.lane) : walked(linear, launch->localSize);
        for (std::size_t axis = 0; axis < 3; ++axis)
            item.global[axis] = result.group[axis] * launch->localSize[axis] + item.local[axis] + launch->offset[axis];
    }
    result.known = true;
    return result;
}

}  // namespace zetl::debugger
