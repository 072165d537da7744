// One step: what an instruction becomes. Most instructions become one step; unusual operands add steps before and after
// it.
#pragma once

#include <atomic>
#include <cstdint>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/program.h"
#include "emulator/isa/thread.h"
#include "isa/xe/instruction.h"

namespace zetl::emulator::isa {

struct Step;
/// Executes a step and returns the next one, or null to leave resume().
using Handler = const Step* (*)(Thread&, const Step*);

/// The lanes that a step reaches: channel offset, NoMask and predicate of its instruction.
struct LaneMask {
    std::uint32_t lanes = 0;  ///< one bit per lane of the instruction, before any mask
    std::uint8_t shift = 0;   ///< channel offset
    Predicate predicate = Predicate::none;
    std::uint8_t flag = 0;  ///< flag register * 2 + half
    bool inverted : 1 = false;
    bool noMask : 1 = false;
};

/// One cache line. The handler decides what the parameters mean; the names say what they are for in most handlers.
struct alignas(64) Step {
    Handler run = nullptr;      ///< replaced while a line is watched: read it through handler()
    std::uint64_t src[3] = {};  ///< a place in Thread::state, or the address of constant lanes
    std::uint32_t dst = 0;      ///< a place in Thread::state
    std::uint8_t chunks = 1;    ///< groups of sixteen lanes
    std::uint8_t stride = 1;    ///< of dst, in elements
    std::uint8_t size = 0;      ///< element bytes, where raw bytes move
    std::uint8_t kind = 0;      ///< condition, boolean function, vector length, ...
    LaneMask mask;
    Line line = 0;
    std::int32_t value = 0;  ///< branch target line, address offset, bytes, ...
    std::uint32_t extra = 0;

    Handler handler() const noexcept {
        return std::atomic_ref<Handler>(const_cast<Handler&>(run)).load(std::memory_order_relaxed);
    }
};
static_assert(sizeof(Step) == 64);

LaneMask laneMaskOf(const Instruction& in) noexcept;

inline std::uint32_t flagBits(const Thread& t, const LaneMask& m) noexcept {
    return t.at<std::uint32_t>(layout::kFlags + (m.flag >> 1) * 4u) >> ((m.flag & 1) * 16) >> m.shift;
}
/// The lanes that the predicate lets through; all lanes without a predicate.
inline std::uint32_t predicateLanes(const Thread& t, const LaneMask& m) noexcept {
    if (m.predicate == Predicate::none) return m.lanes;
    const std::uint32_t bits = flagBits(t, m);
    if (m.predicate == Predicate::normal) return (m.inverted ? ~bits : bits) & m.lanes;
    const bool hit = m.predicate == Predicate::any ? (bits & m.lanes) != 0 : (bits & m.lanes) == m.lanes;
    return hit != m.inverted ? m.lanes : 0;
}
inline std::uint32_t enabledLanes(const Thread& t, const LaneMask& m) noexcept {
    return m.noMask ? m.lanes : t.active >> m.shift & m.lanes;
}
/// The lanes whose results count: NoMask cancels the execution mask, never the predicate.
inline std::uint32_t lanesOn(const Thread& t, const LaneMask& m) noexcept {
    return enabledLanes(t, m) & predicateLanes(t, m);
}

/// Work beyond one instruction, which is known when a step runs only.
inline void charge(Thread& t, std::uint64_t work) noexcept {
    t.charged += static_cast<std::int64_t>(work);
    t.fuel -= static_cast<std::int64_t>(work);
}
/// Stops the thread before the step, since its quantum is used up. Returns null.
const Step* pauseBefore(Thread& t, const Step* m) noexcept;
/// Stops the thread with a fault at the step's instruction. Returns null.
const Step* fail(Thread& t, const Step* m, Fault fault) noexcept;

}  // namespace zetl::emulator::isa
