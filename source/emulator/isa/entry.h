// The state in which threads of one launch begin, worked out once for all of them.
#pragma once

#include <span>

#include "emulator/isa/thread.h"

namespace zetl::emulator::isa {

struct Entry {
    const Program* program = nullptr;
    std::uint32_t ip = 0;
    std::uint32_t line = 0;
    std::uint32_t lanes = 0;   ///< the lanes that most threads have on
    const Step* pc = nullptr;  ///< first step of such threads

    /// Whether the thread is in this state.
    bool isOf(const Thread& thread) const noexcept;
};

/// The state in which Thread::enter() puts threads with these lanes.
Entry entryOf(const Program& program, std::uint32_t ip, std::uint32_t lanes) noexcept;

/// reset(dirty) and enter() in one, with `dispatched` lanes, for a thread whose predecessor in the same state ended.
void restart(Thread& thread, const Entry& entry, std::uint32_t dispatched,
             std::span<const StateSlots::Run> dirty) noexcept;

}  // namespace zetl::emulator::isa
