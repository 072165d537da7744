#include "emulator/machine/counters.h"

namespace zetl::emulator::machine {
namespace {

struct Said {
    const char* unit;
    const char* text;
};

constexpr CounterDescription exact(Counter counter, const char* name, Said said) {
    return {.counter = counter, .name = name, .unit = said.unit, .text = said.text, .exact = true};
}
constexpr CounterDescription modelled(Counter counter, const char* name, Said said) {
    return {.counter = counter, .name = name, .unit = said.unit, .text = said.text, .exact = false};
}

using C = Counter;
constexpr std::array<CounterDescription, kCounters> kDescriptions{{
    exact(C::instructions, "instructions", {.unit = "instructions", .text = "instructions executed"}),
    exact(C::floatInstructions, "floatInstructions",
          {.unit = "instructions", .text = "floating-point arithmetic (ALU0)"}),
    exact(C::integerInstructions, "integerInstructions",
          {.unit = "instructions", .text = "integer, logic and moves (ALU1)"}),
    exact(C::mathInstructions, "mathInstructions", {.unit = "instructions", .text = "extended math"}),
    exact(C::matrixInstructions, "matrixInstructions", {.unit = "instructions", .text = "systolic matrix operations"}),
    exact(C::sendInstructions, "sendInstructions", {.unit = "instructions", .text = "messages to shared functions"}),
    exact(C::controlInstructions, "controlInstructions",
          {.unit = "instructions", .text = "branches, joins, calls and returns"}),
    exact(C::otherInstructions, "otherInstructions", {.unit = "instructions", .text = "nop and sync"}),
    exact(C::floatSlots, "floatSlots", {.unit = "slots", .text = "issue slots that floating-point arithmetic takes"}),
    exact(C::integerSlots, "integerSlots",
          {.unit = "slots", .text = "issue slots that integers, logic and moves take"}),
    exact(C::matrixSlots, "matrixSlots", {.unit = "slots", .text = "issue slots that matrix operations take"}),
    exact(C::halfInstructions, "halfInstructions",
          {.unit = "instructions", .text = "ALU arithmetic in half precision and bfloat16"}),
    exact(C::singleInstructions, "singleInstructions",
          {.unit = "instructions", .text = "ALU arithmetic in single precision"}),
    exact(C::doubleInstructions, "doubleInstructions",
          {.unit = "instructions", .text = "ALU arithmetic in double precision"}),
    exact(C::wordInstructions, "wordInstructions",
          {.unit = "instructions", .text = "ALU arithmetic in integers of 8 and 16 bits"}),
    exact(C::dwordInstructions, "dwordInstructions",
          {.unit = "instructions", .text = "ALU arithmetic in integers of 32 bits"}),
    exact(C::qwordInstructions, "qwordInstructions",
          {.unit = "instructions", .text = "ALU arithmetic in integers of 64 bits"}),
    exact(C::conversionInstructions, "conversionInstructions",
          {.unit = "instructions", .text = "moves between real types, and between real and integer ones"}),
    exact(C::halfMatrixInstructions, "halfMatrixInstructions",
          {.unit = "instructions", .text = "systolic: half precision"}),
    exact(C::brainMatrixInstructions, "brainMatrixInstructions",
          {.unit = "instructions", .text = "systolic: bfloat16"}),
    exact(C::tensorMatrixInstructions, "tensorMatrixInstructions", {.unit = "instructions", .text = "systolic: tf32"}),
    exact(C::byteMatrixInstructions, "byteMatrixInstructions",
          {.unit = "instructions", .text = "systolic: integers of 8 bits"}),
    exact(C::nibbleMatrixInstructions, "nibbleMatrixInstructions",
          {.unit = "instructions", .text = "systolic: integers of 4 bits"}),
    exact(C::crumbMatrixInstructions, "crumbMatrixInstructions",
          {.unit = "instructions", .text = "systolic: integers of 2 bits"}),
    exact(C::halfOperations, "halfOperations",
          {.unit = "operations", .text = "additions and multiplications of lanes in half precision and bfloat16"}),
    exact(C::singleOperations, "singleOperations",
          {.unit = "operations", .text = "additions and multiplications of lanes in single precision"}),
    exact(C::doubleOperations, "doubleOperations",
          {.unit = "operations", .text = "additions and multiplications of lanes in double precision"}),
    exact(C::realMatrixOperations, "realMatrixOperations",
          {.unit = "operations", .text = "additions and multiplications of systolic instructions: real numbers"}),
    exact(C::integerMatrixOperations, "integerMatrixOperations",
          {.unit = "operations", .text = "additions and multiplications of systolic instructions: integers"}),
    exact(C::threads, "threads", {.unit = "threads", .text = "hardware threads dispatched"}),
    exact(C::groups, "groups", {.unit = "groups", .text = "work-groups dispatched"}),
    exact(C::dispatches, "dispatches", {.unit = "dispatches", .text = "kernel launches begun"}),
    exact(C::barriers, "barriers", {.unit = "messages", .text = "barrier messages sent by threads"}),
    exact(C::fences, "fences", {.unit = "messages", .text = "memory fences"}),
    exact(C::globalReads, "globalReads", {.unit = "messages", .text = "global memory loads"}),
    exact(C::globalWrites, "globalWrites", {.unit = "messages", .text = "global memory stores"}),
    exact(C::globalBytesRead, "globalBytesRead",
          {.unit = "bytes", .text = "bytes that enabled lanes loaded from global memory"}),
    exact(C::globalBytesWritten, "globalBytesWritten",
          {.unit = "bytes", .text = "bytes that enabled lanes stored to global memory"}),
    exact(C::globalAtomics, "globalAtomics", {.unit = "messages", .text = "global memory atomics"}),
    exact(C::slmReads, "slmReads", {.unit = "messages", .text = "local memory loads"}),
    exact(C::slmWrites, "slmWrites", {.unit = "messages", .text = "local memory stores"}),
    exact(C::slmBytesRead, "slmBytesRead",
          {.unit = "bytes", .text = "bytes that enabled lanes loaded from local memory"}),
    exact(C::slmBytesWritten, "slmBytesWritten",
          {.unit = "bytes", .text = "bytes that enabled lanes stored to local memory"}),
    exact(C::slmAtomics, "slmAtomics", {.unit = "messages", .text = "local memory atomics"}),
    exact(C::scratchBytesRead, "scratchBytesRead",
          {.unit = "bytes", .text = "bytes loaded from private arrays and spills"}),
    exact(C::scratchBytesWritten, "scratchBytesWritten",
          {.unit = "bytes", .text = "bytes stored to private arrays and spills"}),
    exact(C::samplerMessages, "samplerMessages", {.unit = "messages", .text = "messages to the sampler"}),
    exact(C::typedReads, "typedReads", {.unit = "messages", .text = "reads of images that go past the sampler"}),
    exact(C::typedWrites, "typedWrites", {.unit = "messages", .text = "writes to images"}),
    exact(C::texelsRead, "texelsRead", {.unit = "texels", .text = "texels of images that enabled lanes read"}),
    exact(C::texelsWritten, "texelsWritten", {.unit = "texels", .text = "texels of images that enabled lanes wrote"}),
    modelled(C::issueCycles, "issueCycles",
             {.unit = "cycles",
              .text = "model: cycles that the busiest port of the fullest engine needs for what was "
                      "executed, if nothing waits"}),
    modelled(C::workCycles, "workCycles",
             {.unit = "cycles", .text = "model: cycles of the core clock that the tile's work took"}),
    modelled(C::activeCycles, "activeCycles",
             {.unit = "cycles", .text = "model: engine with a pipe at work, all engines"}),
    modelled(C::busyCycles, "busyCycles",
             {.unit = "cycles", .text = "model: engine with a thread loaded, all engines"}),
    modelled(C::occupiedCycles, "occupiedCycles", {.unit = "cycles", .text = "model: thread slots loaded, all slots"}),
    modelled(C::realAndIntegerCycles, "realAndIntegerCycles",
             {.unit = "cycles", .text = "model: engine with ALU0 and ALU1 at work, all engines"}),
    modelled(C::realAndMatrixCycles, "realAndMatrixCycles",
             {.unit = "cycles", .text = "model: engine with ALU0 and XMX at work, all engines"}),
    modelled(C::severalPipesCycles, "severalPipesCycles",
             {.unit = "cycles", .text = "model: engine with two pipes or more at work, all engines"}),
    modelled(C::controlStalls, "controlStalls", {.unit = "cycles", .text = "model: threads that wait for a branch"}),
    modelled(C::pipeStalls, "pipeStalls",
             {.unit = "cycles", .text = "model: threads that wait for a pipe that another thread uses"}),
    modelled(C::sendStalls, "sendStalls",
             {.unit = "cycles", .text = "model: threads that wait for room in the queue of messages"}),
    modelled(C::distanceStalls, "distanceStalls",
             {.unit = "cycles", .text = "model: threads that wait for an arithmetic result"}),
    modelled(C::tokenStalls, "tokenStalls",
             {.unit = "cycles", .text = "model: threads that wait for a message or another result of unknown time"}),
    modelled(C::syncStalls, "syncStalls", {.unit = "cycles", .text = "model: threads that wait at a barrier"}),
    modelled(C::fetchStalls, "fetchStalls",
             {.unit = "cycles", .text = "model: threads that wait for their first instruction"}),
    modelled(C::otherStalls, "otherStalls", {.unit = "cycles", .text = "model: threads that wait for another reason"}),
    modelled(C::l1Reads, "l1Reads", {.unit = "lines", .text = "model: lines that loads asked L1 for"}),
    modelled(C::l1ReadHits, "l1ReadHits", {.unit = "lines", .text = "model: lines that loads found in L1"}),
    modelled(C::l1Writes, "l1Writes", {.unit = "lines", .text = "model: lines that stores sent through L1"}),
    modelled(C::l1WriteHits, "l1WriteHits", {.unit = "lines", .text = "model: lines that stores found in L1"}),
    modelled(C::l3Reads, "l3Reads", {.unit = "lines", .text = "model: lines that L3 was asked for"}),
    modelled(C::l3Writes, "l3Writes", {.unit = "lines", .text = "model: lines that stores sent to L3"}),
    modelled(C::l3Atomics, "l3Atomics", {.unit = "lines", .text = "model: lines on which L3 executed atomics"}),
    modelled(C::l3Hits, "l3Hits", {.unit = "lines", .text = "model: lines that were found in L3"}),
    modelled(C::l3Misses, "l3Misses", {.unit = "lines", .text = "model: lines that were not found in L3"}),
    modelled(C::l3BytesRead, "l3BytesRead",
             {.unit = "bytes", .text = "model: bytes of the lines that L3 was asked for"}),
    modelled(C::l3BytesWritten, "l3BytesWritten",
             {.unit = "bytes", .text = "model: bytes of the lines that stores and atomics sent to L3"}),
    modelled(C::memoryBytesRead, "memoryBytesRead",
             {.unit = "bytes", .text = "model: bytes that L3 read from device memory"}),
    modelled(C::memoryBytesWritten, "memoryBytesWritten",
             {.unit = "bytes", .text = "model: bytes that L3 wrote back to device memory"}),
    modelled(C::systemBytesRead, "systemBytesRead",
             {.unit = "bytes", .text = "model: bytes that L3 read from host memory"}),
    modelled(C::systemBytesWritten, "systemBytesWritten",
             {.unit = "bytes", .text = "model: bytes that L3 wrote back to host memory"}),
    modelled(C::slmBankConflicts, "slmBankConflicts",
             {.unit = "cycles", .text = "model: cycles that local memory takes longer for conflicts of its banks"}),
    modelled(C::workCyclesError, "workCyclesError",
             {.unit = "cycles",
              .text = "model: cycles by which those of the tile's work may be off; 0 if all groups were modelled"}),
    modelled(C::occupiedCyclesError, "occupiedCyclesError",
             {.unit = "cycles",
              .text = "model: cycles by which those of loaded thread slots may be off; 0 if all groups were modelled"}),
    modelled(C::memoryBytesError, "memoryBytesError",
             {.unit = "bytes",
              .text = "model: bytes by which those read from memory may be off; 0 if all groups were modelled"}),
}};

}  // namespace

const std::array<CounterDescription, kCounters>& counterDescriptions() noexcept { return kDescriptions; }

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
