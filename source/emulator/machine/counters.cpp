#include "emulator/machine/counters.h"

namespace zetl::emulator::machine {

const std::array<CounterDescription, kCounters>& counterDescriptions() noexcept {
    using C = Counter;
    static constexpr std::array<CounterDescription, kCounters> kDescriptions{{
        {C::instructions, "instructions", "instructions", "instructions executed", true},
        {C::floatInstructions, "floatInstructions", "instructions", "floating-point arithmetic (ALU0)", true},
        {C::integerInstructions, "integerInstructions", "instructions", "integer, logic and moves (ALU1)", true},
        {C::mathInstructions, "mathInstructions", "instructions", "extended math", true},
        {C::matrixInstructions, "matrixInstructions", "instructions", "systolic matrix operations", true},
        {C::sendInstructions, "sendInstructions", "instructions", "messages to shared functions", true},
        {C::controlInstructions, "controlInstructions", "instructions", "branches, joins, calls and returns", true},
        {C::otherInstructions, "otherInstructions", "instructions", "nop and sync", true},
        {C::threads, "threads", "threads", "hardware threads dispatched", true},
        {C::groups, "groups", "groups", "work-groups dispatched", true},
        {C::dispatches, "dispatches", "dispatches", "kernel launches begun", true},
        {C::barriers, "barriers", "messages", "barrier messages sent by threads", true},
        {C::fences, "fences", "messages", "memory fences", true},
        {C::globalReads, "globalReads", "messages", "global memory loads", true},
        {C::globalWrites, "globalWrites", "messages", "global memory stores", true},
        {C::globalBytesRead, "globalBytesRead", "bytes", "bytes that enabled lanes loaded from global memory", true},
        {C::globalBytesWritten, "globalBytesWritten", "bytes", "bytes that enabled lanes stored to global memory",
         true},
        {C::globalAtomics, "globalAtomics", "messages", "global memory atomics", true},
        {C::slmReads, "slmReads", "messages", "local memory loads", true},
        {C::slmWrites, "slmWrites", "messages", "local memory stores", true},
        {C::slmBytesRead, "slmBytesRead", "bytes", "bytes that enabled lanes loaded from local memory", true},
        {C::slmBytesWritten, "slmBytesWritten", "bytes", "bytes that enabled lanes stored to local memory", true},
        {C::slmAtomics, "slmAtomics", "messages", "local memory atomics", true},
        {C::scratchBytesRead, "scratchBytesRead", "bytes", "bytes loaded from private arrays and spills", true},
        {C::scratchBytesWritten, "scratchBytesWritten", "bytes", "bytes stored to private arrays and spills", true},
        {C::activeCycles, "activeCycles", "cycles", "model: issue slots of the instructions, all engines", false},
        {C::busyCycles, "busyCycles", "cycles", "model: engine has a thread loaded, all engines", false},
        {C::occupiedCycles, "occupiedCycles", "cycles", "model: thread slots loaded, all slots", false},
    }};
    return kDescriptions;
}

Counts& Counts::operator+=(const Counts& other) noexcept {
    for (size_t i = 0; i < kCounters; ++i) values[i] += other.values[i];
    return *this;
}

Counts Counts::operator-(const Counts& earlier) const noexcept {
    Counts difference;
    for (size_t i = 0; i < kCounters; ++i) difference.values[i] = values[i] - earlier.values[i];
    return difference;
}

}  // namespace zetl::emulator::machine
