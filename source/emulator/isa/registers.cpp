#include "emulator/isa/registers.h"

#include <cstring>

namespace zetl::emulator::isa {
namespace {

using zetl::isa::xe::Architecture;

constexpr std::uint32_t kScalarBytes = 4;  // of one register: Intel's driver reads s0 by dwords

constexpr RegisterSet kSets[] = {RegisterSet::grf,   RegisterSet::addr, RegisterSet::flag, RegisterSet::ce,
                                 RegisterSet::sr,    RegisterSet::cr,   RegisterSet::tdr,  RegisterSet::acc,
                                 RegisterSet::mme,   RegisterSet::sp,   RegisterSet::sba,  RegisterSet::dbg,
                                 RegisterSet::scalar};

constexpr RegisterSetInfo ofBytes(RegisterSet set, std::uint32_t count, std::uint32_t bytes, bool writable = true) {
    return {.set = set, .writable = writable, .count = count, .bits = bytes * 8, .bytes = bytes};
}

/// Where a set begins in Thread::state; the ones kept elsewhere are not asked for.
std::uint32_t placeOf(RegisterSet set) {
    switch (set) {
        case RegisterSet::grf:
            return layout::kGrf;
        case RegisterSet::addr:
            return layout::kAddress;
        case RegisterSet::flag:
            return layout::kFlags;
        case RegisterSet::sr:
            return layout::kStatus;
        case RegisterSet::cr:
            return layout::kControl;
        case RegisterSet::acc:
            return layout::kAccumulator;
        case RegisterSet::mme:
            return layout::kMme;
        case RegisterSet::sp:
            return layout::kStackPointer;
        case RegisterSet::dbg:
            return layout::kDebug;
        case RegisterSet::scalar:
            return layout::kScalar;
        default:
            return layout::kZero;  // tdr: reads as zero
    }
}
std::optional<RegisterSetInfo> find(const RegisterFile& file, RegisterSet set, std::uint32_t first,
                                    std::uint32_t count) {
    const auto known = registerSet(file, set);
    const bool within = known && first < known->count && count <= known->count - first;
    return within ? known : std::nullopt;
}

/// The last one is where the thread's own scratch memory begins; the others are the same for all threads of a dispatch.
std::uint64_t stateBase(const Thread& t, std::uint32_t which) noexcept {
    constexpr std::uint32_t kScratch = 8;
    if (which == kScratch && !t.scratch.empty()) return reinterpret_cast<std::uint64_t>(t.scratch.data());
    return which < t.stateBases.size() ? t.stateBases[which] : 0;
}

}  // namespace

std::span<const RegisterSet> registerSets(const Architecture& architecture) noexcept {
    const std::span<const RegisterSet> all(kSets);
    return architecture.scalarBytes != 0 ? all : all.first(all.size() - 1);  // s0 is the last one
}

std::optional<RegisterSetInfo> registerSet(const RegisterFile& file, RegisterSet set) noexcept {
    const Architecture& architecture = file.architecture;
    switch (set) {
        case RegisterSet::grf:
            return ofBytes(set, file.general, architecture.registerBytes);
        case RegisterSet::addr:
            return ofBytes(set, 1, architecture.addressBytes);
        case RegisterSet::flag:
            return ofBytes(set, layout::kFlagRegisters, 4);
        case RegisterSet::ce:
            return ofBytes(set, 1, 4, false);
        case RegisterSet::tdr:
            return ofBytes(set, 1, 16, false);
        case RegisterSet::sr:
        case RegisterSet::cr:
        case RegisterSet::sp:
            return ofBytes(set, 1, 16);
        case RegisterSet::acc:
            return ofBytes(set, 4, architecture.registerBytes);
        case RegisterSet::mme:
            return ofBytes(set, 8, architecture.registerBytes);
        case RegisterSet::sba:
            return ofBytes(set, 9, 8, false);
        case RegisterSet::dbg:
            return ofBytes(set, 1, 8);
        case RegisterSet::scalar:
            if (architecture.scalarBytes == 0) return std::nullopt;
            return ofBytes(set, architecture.scalarBytes / kScalarBytes, kScalarBytes);
    }
    return std::nullopt;
}

bool readRegisters(const Thread& t, const RegisterFile& file, RegisterSet set, std::uint32_t first, std::uint32_t count,
                   void* buffer) noexcept {
    const auto known = find(file, set, first, count);
    if (!known) return false;
    if (set == RegisterSet::ce)
        std::memcpy(buffer, &t.active, sizeof t.active);
    else if (set == RegisterSet::sba) {
        auto* const bases = static_cast<std::byte*>(buffer);  // at any address
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint64_t base = stateBase(t, first + i);
            std::memcpy(bases + i * sizeof base, &base, sizeof base);
        }
    } else
        std::memcpy(buffer, t.state + placeOf(set) + first * known->bytes, count * known->bytes);
    return true;
}

bool writeRegisters(Thread& t, const RegisterFile& file, RegisterSet set, std::uint32_t first, std::uint32_t count,
                    const void* buffer) noexcept {
    const auto known = find(file, set, first, count);
    if (!known || !known->writable) return false;
    std::memcpy(t.state + placeOf(set) + first * known->bytes, buffer, count * known->bytes);
    return true;
}

}  // namespace zetl::emulator::isa
