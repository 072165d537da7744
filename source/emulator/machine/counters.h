// The machine's counters. Counts are of events that took place; the few values that follow from a timing model say so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace zetl::emulator::machine {

enum class Counter : std::uint8_t {
    // Exact: instructions executed, by the pipe that executes them; their sum is `instructions`.
    instructions,
    floatInstructions,    ///< ALU0: f, hf, df arithmetic
    integerInstructions,  ///< ALU1: integer arithmetic, logic, moves
    mathInstructions,     ///< extended math
    matrixInstructions,   ///< systolic
    sendInstructions,
    controlInstructions,  ///< branches, calls, joins, jumps
    otherInstructions,    ///< nop, sync
    // Exact: issue slots that instructions take on their pipe, of which a wide one takes several.
    floatSlots,    ///< ALU0
    integerSlots,  ///< ALU1
    matrixSlots,   ///< XMX
    // Exact: those of ALU0 and ALU1 by the type they compute in; their sum is both.
    halfInstructions,        ///< hf, bf
    singleInstructions,      ///< f
    doubleInstructions,      ///< df
    wordInstructions,        ///< b, w and their unsigned ones
    dwordInstructions,       ///< d, ud
    qwordInstructions,       ///< q, uq
    conversionInstructions,  ///< moves between real types, and between real and whole ones
    // Exact: systolic ones by the elements they multiply.
    halfMatrixInstructions,    ///< hf
    brainMatrixInstructions,   ///< bf
    tensorMatrixInstructions,  ///< tf32
    byteMatrixInstructions,    ///< 8-bit integers
    nibbleMatrixInstructions,  ///< 4-bit integers, of both sources
    crumbMatrixInstructions,   ///< 2-bit integers, of both sources
    // Exact: additions and multiplications of the lanes that instructions have, switched off or not; a mad is two.
    halfOperations,           ///< hf, bf
    singleOperations,         ///< f
    doubleOperations,         ///< df
    realMatrixOperations,     ///< systolic: hf, bf, tf32
    integerMatrixOperations,  ///< systolic: integers
    // Exact: work.
    threads,
    groups,
    dispatches,
    barriers,  ///< barrier messages, one per thread
    fences,
    // Exact: memory messages and the bytes of their enabled lanes.
    globalReads,
    globalWrites,
    globalBytesRead,
    globalBytesWritten,
    globalAtomics,
    slmReads,
    slmWrites,
    slmBytesRead,
    slmBytesWritten,
    slmAtomics,
    scratchBytesRead,
    scratchBytesWritten,
    // Exact: images.
    samplerMessages,
    typedReads,
    typedWrites,
    texelsRead,
    texelsWritten,
    // Model of the exact counts alone (docs/explanation/timing-model.md, "Counters alone"), of every dispatch.
    issueCycles,  ///< tile: what the busiest port of the fullest engine needs if nothing waits
    // Model (docs/explanation/timing-model.md), for dispatches that began while a tool collected. In cycles of the core
    // clock, summed up over engines and threads.
    workCycles,            ///< tile: what its work took
    activeCycles,          ///< engine: at least one pipe works
    busyCycles,            ///< engine: has a thread loaded; never less than activeCycles
    occupiedCycles,        ///< thread: loaded
    realAndIntegerCycles,  ///< engine: ALU0 and ALU1 work
    realAndMatrixCycles,   ///< engine: ALU0 and XMX work
    severalPipesCycles,    ///< engine: two pipes or more work
    controlStalls,         ///< thread: why it issues nothing (stalls.h)
    pipeStalls,
    sendStalls,
    distanceStalls,
    tokenStalls,
    syncStalls,
    fetchStalls,
    otherStalls,
    l1Reads,  ///< lines requested, and those of them that were in the cache
    l1ReadHits,
    l1Writes,
    l1WriteHits,
    l3Reads,
    l3Writes,
    l3Atomics,
    l3Hits,  ///< of the three
    l3Misses,
    l3BytesRead,
    l3BytesWritten,
    memoryBytesRead,
    memoryBytesWritten,
    systemBytesRead,  ///< from host allocations, which are not in the two above
    systemBytesWritten,
    slmBankConflicts,
    // By how much some of these may be off, because a sample of the groups was modelled; 0 if all were.
    workCyclesError,
    occupiedCyclesError,  ///< and stalls together
    memoryBytesError,     ///< of those read from memory, the host's included
    count_,
};
inline constexpr std::size_t kCounters = static_cast<std::size_t>(Counter::count_);

struct CounterDescription {
    Counter counter;
    const char* name;  ///< lower camel case, stable
    const char* unit;
    const char* text;
    bool exact;
};
/// One for each Counter, in its order.
const std::array<CounterDescription, kCounters>& counterDescriptions() noexcept;

struct Counts {
    std::array<std::uint64_t, kCounters> values{};
    std::uint64_t& operator[](Counter c) noexcept { return values[static_cast<std::size_t>(c)]; }
    std::uint64_t operator[](Counter c) const noexcept { return values[static_cast<std::size_t>(c)]; }
    Counts& operator+=(const Counts& other) noexcept;
    Counts operator-(const Counts& earlier) const noexcept;
    bool operator==(const Counts&) const = default;
};

/// How often all threads of a tile executed one instruction, exactly.
struct InstructionCount {
    std::uint64_t address = 0;
    std::uint64_t executed = 0;
    std::uint64_t activeCycles = 0;  ///< model: issue slots
};

/// The counts at one moment. Every value is monotonic from snapshot to snapshot of the same tile.
struct Snapshot {
    std::uint64_t timestamp = 0;   ///< device ticks
    std::uint64_t coreClocks = 0;  ///< core clock cycles since the clock's zero; the clock also runs when idle
    std::uint64_t workTime = 0;    ///< host nanoseconds during which the model drove the clock
    Counts counts;
    /// Host nanoseconds at which what was executed and what the model found last belonged together; 0: never.
    std::uint64_t settledAt = 0;
    /// Dispatches that the model follows. While there are some, the counts are those of `settledAt`, and so is the
    /// time.
    std::uint64_t inFlight = 0;
    bool more = false;  ///< later moments are known, too
};

}  // namespace zetl::emulator::machine
