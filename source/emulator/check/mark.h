// Who touched a granule of memory last, in 64 bits.
#pragma once

#include <cstdint>

#include "emulator/check/toucher.h"

namespace zetl::emulator::check {

/// Bytes of memory that have a mark of their own.
inline constexpr std::uint32_t kGranule = 4;
inline constexpr std::uint8_t kWholeGranule = (1 << kGranule) - 1;  // Mark::bytes of all of it

/// The threads that a mark stands for. A set of readers collapses to one of these without losing a race: whatever is
/// ordered behind a group's newest readers is ordered behind its older ones (correctness of the argument: a barrier
/// orders all threads of a group).
enum class Whose : std::uint8_t { none, thread, severalThreads, severalGroups };

struct Mark {
    Whose whose = Whose::none;
    bool atomic = false;
    std::uint8_t bytes = 0;   ///< of the granule, a bit each
    std::uint8_t thread = 0;  ///< in its group
    std::uint16_t epoch = 0;  ///< barriers that the group had passed
    std::uint32_t group = 0;
    std::uint16_t launch = 0;

    static constexpr unsigned kEpochBits = 14;
    static constexpr unsigned kLaunchBits = 13;
    static constexpr std::uint32_t kEpochMask = (1u << kEpochBits) - 1;
    static constexpr std::uint32_t kLaunchMask = (1u << kLaunchBits) - 1;

    // Inlined, because most accesses look at a mark or two and do not much besides.
    [[gnu::always_inline]] constexpr std::uint64_t packed() const noexcept {
        std::uint64_t word = launch & kLaunchMask;
        word = word << kGroupBits | (group & ((1u << kGroupBits) - 1));
        word = word << kThreadBits | (thread & ((1u << kThreadBits) - 1));
        word = word << kEpochBits | (epoch & kEpochMask);
        word = word << 4 | bytes;
        word = word << 1 | static_cast<std::uint64_t>(atomic);
        return word << 2 | static_cast<std::uint64_t>(whose);
    }
    [[gnu::always_inline]] static constexpr Mark unpacked(std::uint64_t word) noexcept {
        Mark mark;
        const auto take = [&word](unsigned bits) {
            const std::uint64_t part = word & ((std::uint64_t{1} << bits) - 1);
            word >>= bits;
            return part;
        };
        mark.whose = static_cast<Whose>(take(2));
        mark.atomic = take(1) != 0;
        mark.bytes = static_cast<std::uint8_t>(take(4));
        mark.epoch = static_cast<std::uint16_t>(take(kEpochBits));
        mark.thread = static_cast<std::uint8_t>(take(kThreadBits));
        mark.group = static_cast<std::uint32_t>(take(kGroupBits));
        mark.launch = static_cast<std::uint16_t>(take(kLaunchBits));
        return mark;
    }
};
static_assert(2 + 1 + 4 + Mark::kEpochBits + kThreadBits + kGroupBits + Mark::kLaunchBits == 64);

/// Readers, one more among them, of the same launch. Of one group, what is behind a barrier stands for what is before
/// it.
constexpr Mark withReader(const Mark& readers, const Mark& one) noexcept {
    Mark all = one;
    if (readers.group == one.group && readers.whose != Whose::severalGroups && readers.epoch != one.epoch) return all;
    all.bytes = readers.bytes | one.bytes;
    all.atomic = readers.atomic && one.atomic;
    if (readers.whose == Whose::severalGroups || readers.group != one.group)
        all.whose = Whose::severalGroups;
    else if (readers.whose == Whose::severalThreads || readers.thread != one.thread)
        all.whose = Whose::severalThreads;
    return all;
}

/// Launches of one generation, or of two that follow each other, have different numbers in marks; older marks have to
/// be forgotten.
constexpr std::uint64_t generationOf(std::uint64_t launch) noexcept { return launch >> (Mark::kLaunchBits - 1); }

}  // namespace zetl::emulator::check
