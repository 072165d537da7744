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
        {C::workCycles, "workCycles", "cycles", "model: cycles of the core clock that the tile's work took", false},
        {C::activeCycles, "activeCycles", "cycles", "model: engine with a pipe at work, all engines", false},
        {C::busyCycles, "busyCycles", "cycles", "model: engine with a thread loaded, all engines", false},
        {C::occupiedCycles, "occupiedCycles", "cycles", "model: thread slots loaded, all slots", false},
        {C::realAndIntegerCycles, "realAndIntegerCycles", "cycles",
         "model: engine with ALU0 and ALU1 at work, all engines", false},
        {C::realAndMatrixCycles, "realAndMatrixCycles", "cycles",
         "model: engine with ALU0 and XMX at work, all engines", false},
        {C::severalPipesCycles, "severalPipesCycles", "cycles",
         "model: engine with two pipes or more at work, all engines", false},
        {C::controlStalls, "controlStalls", "cycles", "model: threads that wait for a branch", false},
        {C::pipeStalls, "pipeStalls", "cycles", "model: threads that wait for a pipe that another thread uses", false},
        {C::sendStalls, "sendStalls", "cycles", "model: threads that wait for room in the queue of messages", false},
        {C::distanceStalls, "distanceStalls", "cycles", "model: threads that wait for an arithmetic result", false},
        {C::tokenStalls, "tokenStalls", "cycles",
         "model: threads that wait for a message or another result of unknown time", false},
        {C::syncStalls, "syncStalls", "cycles", "model: threads that wait at a barrier", false},
        {C::fetchStalls, "fetchStalls", "cycles", "model: threads that wait for their first instruction", false},
        {C::otherStalls, "otherStalls", "cycles", "model: threads that wait for another reason", false},
        {C::l1Reads, "l1Reads", "lines", "model: lines that loads asked L1 for", false},
        {C::l1ReadHits, "l1ReadHits", "lines", "model: lines that loads found in L1", false},
        {C::l1Writes, "l1Writes", "lines", "model: lines that stores sent through L1", false},
        {C::l1WriteHits, "l1WriteHits", "lines", "model: lines that stores found in L1", false},
        {C::l3Reads, "l3Reads", "lines", "model: lines that L3 was asked for", false},
        {C::l3Writes, "l3Writes", "lines", "model: lines that stores sent to L3", false},
        {C::l3Atomics, "l3Atomics", "lines", "model: lines on which L3 executed atomics", false},
        {C::l3Hits, "l3Hits", "lines", "model: lines that were found in L3", false},
        {C::l3Misses, "l3Misses", "lines", "model: lines that were not found in L3", false},
        {C::l3BytesRead, "l3BytesRead", "bytes", "model: bytes of the lines that L3 was asked for", false},
        {C::l3BytesWritten, "l3BytesWritten", "bytes", "model: bytes of the lines that stores and atomics sent to L3",
         false},
        {C::memoryBytesRead, "memoryBytesRead", "bytes", "model: bytes that L3 read from memory", false},
        {C::memoryBytesWritten, "memoryBytesWritten", "bytes", "model: bytes that L3 wrote back to memory", false},
        {C::slmBankConflicts, "slmBankConflicts", "cycles",
         "model: cycles that local memory takes longer for conflicts of its banks", false},
    }};
    return kDescriptions;
}

Counts& Counts::operator+=(const Counts& other) noexcept {
    for (std::size_t i = 0; i < kCounters; ++i) values[i] += other.values[i];
    return *this;
}

Counts Counts::operator-(const Counts& earlier) const noexcept {
    Counts difference;
    for (std::size_t i = 0; i < kCounters; ++i) difference.values[i] = values[i] - earlier.values[i];
    return difference;
}

}  // namespace zetl::emulator::machine
