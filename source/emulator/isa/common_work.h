// Work that threads of a group do alike between two lines of their kernel: the first thread that gets there does it,
// the others take over its results. Host code knows between which lines (translate/common_part.h), and only it writes
// here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/isa/state_layout.h"

namespace zetl::emulator::isa {

struct Thread;

/// For the threads of one group, which one host thread at a time runs.
struct CommonWork {
    static constexpr std::uint32_t kMostSlots = 48;
    static constexpr std::uint32_t kMostRuns = 12;
    /// A straight-line run that was accounted, as described at Thread::runs.
    struct Run {
        std::uint32_t begin;
        std::uint32_t end;
    };

    const Thread* finder = nullptr;  ///< is between the two lines, in host code all the time
    std::uint32_t found = 0;         ///< number of the part whose end a finder has reached; 0: none
    std::uint32_t detours = 0;       ///< the ways that it took, one bit each
    std::uint32_t entered = 0;       ///< Thread::entered, at the end
    std::uint32_t runCount = 0;
    std::int64_t fuel = 0;     ///< at the beginning; once found, what it took
    std::int64_t charged = 0;  ///< likewise
    std::array<Run, kMostRuns> runs{};
    alignas(64) std::byte slots[kMostSlots][layout::kRegisterBytes];  ///< registers, as they were at the end

    /// Call it before threads of another group run.
    void forget() noexcept {
        finder = nullptr;
        found = 0;
    }
};

}  // namespace zetl::emulator::isa
