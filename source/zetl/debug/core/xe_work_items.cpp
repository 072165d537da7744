// The work-items of a thread on Intel's GPUs.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "binary/inline_copy.h"
#include "core/kernel_table.h"
#include "core/memory.h"
#include "core/work_items.h"
#include "core/xe.h"
#include "core/xe_registers.h"
#include "isa/xe/architecture.h"
#include "isa/xe/image_message.h"

namespace zetl::debugger {
namespace {

constexpr std::uint64_t kMostOfAGroup = 1024;

constexpr std::uint64_t kTripleBytes = 12;

std::optional<Triple> tripleAt(const Memory& memory, std::uint64_t address) {
    const auto data = memory.read(address, kTripleBytes);
    if (!data) return std::nullopt;
    std::uint32_t words[3];
    std::memcpy(words, data->data(), sizeof words);
    return Triple{words[0], words[1], words[2]};
}

/// Rows of X, Y and Z, with 16 bits per lane. Compilers leave out the last rows if a kernel does not ask for them.
struct LocalIds {
    Bytes rows;
    std::size_t rowBytes = 0;

    Triple at(unsigned lane) const {
        Triple id{};
        for (std::size_t axis = 0; axis < 3 && (axis + 1) * rowBytes <= rows.size(); ++axis)
            id[axis] = bitsOf(rows, (axis * rowBytes + lane * 2) * 8, 16);
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
    std::uint64_t rowBytes = 0;  ///< of the ids of one dimension
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
    launch.rowBytes = std::uint64_t{2} * std::max(kernel.simd, 16u);
    launch.idBytes = 3 * launch.rowBytes;
    return launch;
}

/// Where bytes of the cross-thread data lie, of which the first may be known from their copy alone.
std::optional<std::uint64_t> placeOf(const Memory& memory, std::uint64_t data, const KernelInfo& kernel,
                                     std::uint32_t offset, std::uint64_t bytes) {
    using binary::InlineCopy;
    if (offset >= kernel.inlineBytes) return data + offset - kernel.inlineBytes;
    const auto mark = memory.read(data - InlineCopy::kBytes + InlineCopy::kMarkAt, sizeof InlineCopy::kMark);
    const bool kept = mark && offset + bytes <= kernel.inlineBytes && bitsOf(*mark, 0, 64) == InlineCopy::kMark;
    return kept ? std::optional(data - InlineCopy::kBytes + offset) : std::nullopt;
}

std::optional<Triple> crossThreadTriple(const Memory& memory, std::uint64_t data, const KernelInfo& kernel,
                                        const std::optional<std::uint32_t>& offset) {
    const auto place = offset ? placeOf(memory, data, kernel, *offset, kTripleBytes) : std::nullopt;
    return place ? tripleAt(memory, *place) : std::nullopt;
}

std::optional<Launch> launchOf(const Memory& memory, std::uint64_t data, const KernelInfo& kernel) {
    if (const auto recorded = recordedLaunch(memory, data, kernel)) return recorded;
    const auto size = crossThreadTriple(memory, data, kernel, kernel.localSize);
    if (!size) return std::nullopt;
    const auto offset = crossThreadTriple(memory, data, kernel, kernel.globalOffset);
    return Launch{*size, offset.value_or(Triple{}), data + kernel.crossThreadBytes - kernel.inlineBytes,
                  kernel.localIdBytes, isa::xe::kRegisterBytes};
}

/// The address of the launch's cross-thread data.
std::uint64_t indirectData(StoppedThread& thread) {
    return registers::stateBase(thread, registers::kGeneralStateBase) +
           (registers::general32(thread, 0, 0) & ~std::uint32_t{63});
}

Code word32(std::uint32_t dword) { return Code::registerBits(std::uint64_t{dword} * 32, 32); }

/// The same as code, for each lane of whatever thread comes.
class LaunchCode {
  public:
    LaunchCode(StoppedThread& thread, const KernelInfo& kernel, const Memory& memory)
        : kernel_(kernel), isRecorded_(recordedLaunch(memory, indirectData(thread), kernel).has_value()) {
        const auto data = indirectData(thread);
        const auto isThere = [&](const std::optional<std::uint32_t>& offset) {
            return offset && placeOf(memory, data, kernel, *offset, kTripleBytes);
        };
        hasSize_ = isRecorded_ || isThere(kernel.localSize);
        hasOffset_ = isRecorded_ || isThere(kernel.globalOffset);
    }

    bool isKnown() const noexcept { return hasSize_; }
    Code size(std::size_t axis) const {
        if (isRecorded_) return Code::memory(data().plus(kRecordedSize + axis * 4), 4);
        return Code::memory(place(*kernel_.localSize).plus(axis * 4), 4);
    }
    Code offset(std::size_t axis) const {
        if (isRecorded_) return Code::memory(data().plus(kRecordedOffset + axis * 8), 8);
        return hasOffset_ ? Code::memory(place(*kernel_.globalOffset).plus(axis * 4), 4) : Code::number(0);
    }
    Code local(std::size_t axis) const {
        const std::uint64_t rowBytes = isRecorded_ ? 2 * std::max(kernel_.simd, 16u) : isa::xe::kRegisterBytes;
        const std::uint64_t idBytes = isRecorded_ ? 3 * rowBytes : kernel_.localIdBytes;
        if (idBytes == 0) return walkedLocal(axis);
        if ((axis + 1) * rowBytes > idBytes) return Code::number(0);
        const Code ids = isRecorded_ ? Code::memory(data().plus(kRecordedIds), 8)
                                     : data().plus(kernel_.crossThreadBytes - kernel_.inlineBytes);
        const Code row = ids.plus(number().times(idBytes)).plus(axis * rowBytes);
        return Code::memory(row.plus(Code::lane().times(2)), 2);
    }

  private:
    using Operation = Code::Operation;
    static constexpr std::uint64_t kRecordedSize = 4;
    static constexpr std::uint64_t kRecordedOffset = 48;
    static constexpr std::uint64_t kRecordedIds = 72;

    static Code data() {
        const Code offset = word32(0).with(Operation::bitAnd, Code::number(~std::uint32_t{63}));
        return Code::base(registers::kGeneralStateBase).plus(offset);
    }
    static Code number() { return word32(2).with(Operation::bitAnd, Code::number(0xff)); }
    Code place(std::uint32_t offset) const {
        const bool isInline = offset < kernel_.inlineBytes;
        return data().plus(offset - std::uint64_t{isInline ? binary::InlineCopy::kBytes : kernel_.inlineBytes});
    }
    Code walkedLocal(std::size_t axis) const {
        Code rest = number().times(kernel_.simd).plus(Code::lane());
        for (std::size_t i = 0; i < axis; ++i) rest = rest.with(Operation::divideUnsigned, size(i));
        return axis == 2 ? rest : rest.with(Operation::remainderUnsigned, size(axis));
    }

    const KernelInfo& kernel_;
    const bool isRecorded_;
    bool hasSize_ = false;
    bool hasOffset_ = false;
};

}  // namespace

std::optional<Code> Xe::idCode(std::string_view which, std::size_t axis, StoppedThread& thread,
                               const KernelInfo* kernel, const Memory& memory) const {
    const Code group = word32(architecture_.start.group[axis]);
    if (which == "group") return group;
    if (!kernel || (which != "local" && which != "global")) return {};
    const LaunchCode launch(thread, *kernel, memory);
    if (!launch.isKnown()) return {};
    if (which == "local") return launch.local(axis);
    return group.with(Code::Operation::multiply, launch.size(axis)).plus(launch.local(axis)).plus(launch.offset(axis));
}

std::optional<isa::xe::SurfaceState> Xe::imageOf(StoppedThread& thread, const KernelInfo& kernel,
                                                 std::uint32_t argument, const Memory& memory) const {
    using isa::xe::SurfaceState;
    const auto image = kernel.images.find(argument);
    if (image == kernel.images.end()) return {};
    const auto place = placeOf(memory, indirectData(thread), kernel, image->second, sizeof(std::uint64_t));
    const auto number = place ? memory.read(*place, sizeof(std::uint64_t)) : std::nullopt;
    if (!number) return {};
    const std::uint64_t offset = bitsOf(*number, 0, 32) & isa::xe::kSurfaceMask;
    const std::uint64_t base = registers::stateBase(thread, registers::kSurfaceBase);
    const auto bytes = memory.read(base + offset, SurfaceState::kBytes);
    if (offset == 0 || !bytes) return {};
    return SurfaceState::read(SurfaceState::ConstBytes(std::as_bytes(std::span(*bytes)).data(), SurfaceState::kBytes));
}

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
        item.local = rows ? LocalIds{*rows, launch->rowBytes}.at(item.lane) : walked(linear, launch->localSize);
        for (std::size_t axis = 0; axis < 3; ++axis)
            item.global[axis] = result.group[axis] * launch->localSize[axis] + item.local[axis] + launch->offset[axis];
    }
    result.known = true;
    return result;
}

}  // namespace zetl::debugger
