#include "emulator/isa/registers.h"

#include <array>
#include <cstring>

namespace zetl::emulator::isa {
namespace {

constexpr RegisterSetInfo kSets[] = {
    {.set = RegisterSet::grf,
     .writable = true,
     .count = 128,
     .bits = layout::kRegisterBytes * 8,
     .bytes = layout::kRegisterBytes},
    {.set = RegisterSet::addr, .writable = true, .count = 1, .bits = 256, .bytes = 32},
    {.set = RegisterSet::flag, .writable = true, .count = 4, .bits = 32, .bytes = 4},
    {.set = RegisterSet::ce, .writable = false, .count = 1, .bits = 32, .bytes = 4},
    {.set = RegisterSet::sr, .writable = true, .count = 1, .bits = 128, .bytes = 16},
    {.set = RegisterSet::cr, .writable = true, .count = 1, .bits = 128, .bytes = 16},
    {.set = RegisterSet::tdr, .writable = false, .count = 1, .bits = 128, .bytes = 16},
    {.set = RegisterSet::acc,
     .writable = true,
     .count = 4,
     .bits = layout::kRegisterBytes * 8,
     .bytes = layout::kRegisterBytes},
    {.set = RegisterSet::mme,
     .writable = true,
     .count = 8,
     .bits = layout::kRegisterBytes * 8,
     .bytes = layout::kRegisterBytes},
    {.set = RegisterSet::sp, .writable = true, .count = 1, .bits = 128, .bytes = 16},
    {.set = RegisterSet::sba, .writable = false, .count = 9, .bits = 64, .bytes = 8},
    {.set = RegisterSet::dbg, .writable = true, .count = 1, .bits = 64, .bytes = 8},
};
constexpr auto kLargeSets = [] {
    std::array<RegisterSetInfo, std::size(kSets)> sets{};
    for (std::size_t i = 0; i < sets.size(); ++i) sets[i] = kSets[i];
    sets[0].count = 256;
    return sets;
}();

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
        default:
            return layout::kZero;  // tdr: reads as zero
    }
}
const RegisterSetInfo* find(RegisterSet set, std::uint32_t first, std::uint32_t count, bool large) {
    for (const RegisterSetInfo& s : registerSets(large))
        if (s.set == set) return first < s.count && count <= s.count - first ? &s : nullptr;
    return nullptr;
}

/// The last one is where the thread's own scratch memory begins; the others are the same for all threads of a dispatch.
std::uint64_t stateBase(const Thread& t, std::uint32_t which) noexcept {
    constexpr std::uint32_t kScratch = 8;
    if (which == kScratch && !t.scratch.empty()) return reinterpret_cast<std::uint64_t>(t.scratch.data());
    return which < t.stateBases.size() ? t.stateBases[which] : 0;
}

}  // namespace

std::span<const RegisterSetInfo> registerSets(bool large) noexcept {
    return large ? std::span<const RegisterSetInfo>(kLargeSets) : std::span<const RegisterSetInfo>(kSets);
}

bool readRegisters(const Thread& t, RegisterSet set, std::uint32_t first, std::uint32_t count, void* buffer,
                   bool large) noexcept {
    const RegisterSetInfo* s = find(set, first, count, large);
    if (!s) return false;
    if (set == RegisterSet::ce)
        std::memcpy(buffer, &t.active, sizeof t.active);
    else if (set == RegisterSet::sba) {
        auto* const bases = static_cast<std::byte*>(buffer);  // at any address
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint64_t base = stateBase(t, first + i);
            std::memcpy(bases + i * sizeof base, &base, sizeof base);
        }
    } else
        std::memcpy(buffer, t.state + placeOf(set) + first * s->bytes, count * s->bytes);
    return true;
}

bool writeRegisters(Thread& t, RegisterSet set, std::uint32_t first, std::uint32_t count, const void* buffer,
                    bool large) noexcept {
    const RegisterSetInfo* s = find(set, first, count, large);
    if (!s || !s->writable) return false;
    std::memcpy(t.state + placeOf(set) + first * s->bytes, buffer, count * s->bytes);
    return true;
}

}  // namespace zetl::emulator::isa
