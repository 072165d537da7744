#include "emulator/access/counter_names.h"

#include <algorithm>
#include <array>

#include "base/never_destroyed.h"

namespace zetl::emulator::access {
namespace {

using machine::Counter;

/// Not one of the machine's counters: the core clock of the snapshot.
constexpr Counter kCoreClock = Counter::count_;
constexpr Counter kNone = Counter::count_;

struct Named {
    const char* name;
    const char* block;
    Counter counter;
    std::array<Counter, 2> also{kNone, kNone};  ///< added to it
};

// Plans hold positions in this list: new names come at its end.
constexpr Named kNames[] = {
    {"GpuCoreClocks", "GPU", kCoreClock},
    {"XVE_INST_EXECUTED_ALL", "VectorEngine", Counter::instructions},
    {"XVE_INST_EXECUTED_ALU0_ALL", "VectorEngine", Counter::floatSlots},
    {"XVE_INST_EXECUTED_ALU1_ALL", "VectorEngine", Counter::integerSlots},
    {"XVE_INST_EXECUTED_MATH", "VectorEngine", Counter::mathInstructions},
    {"XVE_INST_EXECUTED_XMX_ALL", "VectorEngine", Counter::matrixSlots},
    {"XVE_INST_EXECUTED_SEND_ALL", "VectorEngine", Counter::sendInstructions},
    {"XVE_INST_EXECUTED_CONTROL_ALL", "VectorEngine", Counter::controlInstructions},
    {"XVE_INST_EXECUTED_OTHER", "VectorEngine", Counter::otherInstructions},
    {"XVE_COMPUTE_THREAD_COUNT", "VectorEngine", Counter::threads},
    {"WORK_GROUP_COUNT", "VectorEngine", Counter::groups},
    {"DISPATCH_COUNT", "GPU", Counter::dispatches},
    {"XVE_BARRIER_MESSAGE_COUNT", "VectorEngine", Counter::barriers},
    {"FENCE_MESSAGE_COUNT", "VectorEngine", Counter::fences},
    {"GLOBAL_READ_MESSAGE_COUNT", "Memory", Counter::globalReads},
    {"GLOBAL_WRITE_MESSAGE_COUNT", "Memory", Counter::globalWrites},
    {"GLOBAL_BYTE_READ", "Memory", Counter::globalBytesRead},
    {"GLOBAL_BYTE_WRITE", "Memory", Counter::globalBytesWritten},
    {"L3_BYTE_READ", "L3Cache", Counter::l3BytesRead},
    {"L3_BYTE_WRITE", "L3Cache", Counter::l3BytesWritten},
    {"XVE_ATOMIC_ACCESS_COUNT", "VectorEngine", Counter::globalAtomics},
    {"XVE_SLM_READ_MESSAGE_COUNT", "VectorEngine", Counter::slmReads},
    {"XVE_SLM_WRITE_MESSAGE_COUNT", "VectorEngine", Counter::slmWrites},
    {"SLM_BYTE_READ", "VectorEngine", Counter::slmBytesRead},
    {"SLM_BYTE_WRITE", "VectorEngine", Counter::slmBytesWritten},
    {"XVE_SLM_ATOMIC_MESSAGE_COUNT", "VectorEngine", Counter::slmAtomics},
    {"SCRATCH_BYTE_READ", "VectorEngine", Counter::scratchBytesRead},
    {"SCRATCH_BYTE_WRITE", "VectorEngine", Counter::scratchBytesWritten},
    {"XVE_ACTIVE_CYCLES", "VectorEngine", Counter::activeCycles},
    {"XVE_BUSY", "VectorEngine", Counter::busyCycles},
    {"XVE_THREADS_OCCUPANCY_CYCLES_ALL", "VectorEngine", Counter::occupiedCycles},
    {"XVE_PIPE_ALU0_AND_ALU1_ACTIVE_CYCLES", "VectorEngine", Counter::realAndIntegerCycles},
    {"XVE_PIPE_ALU0_AND_XMX_ACTIVE_CYCLES", "VectorEngine", Counter::realAndMatrixCycles},
    {"XVE_MULTIPLE_PIPE_ACTIVE_CYCLES", "VectorEngine", Counter::severalPipesCycles},
    {"XVE_STALL_ALUWR", "VectorEngine", Counter::distanceStalls},
    {"XVE_STALL_BARRIER", "VectorEngine", Counter::syncStalls},
    {"XVE_STALL_CONTROL", "VectorEngine", Counter::controlStalls},
    {"XVE_STALL_INSTFETCH", "VectorEngine", Counter::fetchStalls},
    {"XVE_STALL_OTHER", "VectorEngine", Counter::otherStalls},
    {"XVE_STALL_PIPESTALL", "VectorEngine", Counter::pipeStalls},
    {"XVE_STALL_SBID", "VectorEngine", Counter::tokenStalls},
    {"XVE_STALL_SENDWR", "VectorEngine", Counter::sendStalls},
    {"LOAD_STORE_CACHE_ACCESS", "L1Cache", Counter::l1Reads, {Counter::l1Writes, kNone}},
    {"LOAD_STORE_CACHE_HIT", "L1Cache", Counter::l1ReadHits, {Counter::l1WriteHits, kNone}},
    {"LOAD_STORE_CACHE_L3_READ", "L1Cache", Counter::l3Reads},
    {"LOAD_STORE_CACHE_L3_WRITE", "L1Cache", Counter::l3Writes},
    {"LOAD_STORE_CACHE_BYTE_READ", "L1Cache", Counter::globalBytesRead, {Counter::scratchBytesRead, kNone}},
    {"LOAD_STORE_CACHE_BYTE_WRITE", "L1Cache", Counter::globalBytesWritten, {Counter::scratchBytesWritten, kNone}},
    {"SLM_ACCESS_COUNT", "L1Cache", Counter::slmReads, {Counter::slmWrites, Counter::slmAtomics}},
    {"SLM_BANK_CONFLICT_COUNT", "L1Cache", Counter::slmBankConflicts},
    {"L3_READ", "L3Cache", Counter::l3Reads},
    {"L3_WRITE", "L3Cache", Counter::l3Writes},
    {"L3_ATOMIC_ACCESS", "L3Cache", Counter::l3Atomics},
    {"L3_HIT", "L3Cache", Counter::l3Hits},
    {"L3_MISS", "L3Cache", Counter::l3Misses},
    {"GPU_MEMORY_BYTE_READ", "Memory", Counter::memoryBytesRead},
    {"GPU_MEMORY_BYTE_WRITE", "Memory", Counter::memoryBytesWritten},
    {"SYSMEM_BYTE_READ", "Memory", Counter::systemBytesRead},
    {"SYSMEM_BYTE_WRITE", "Memory", Counter::systemBytesWritten},
    {"GpuSliceClocksCount", "GPU", kCoreClock},  // slices have no clock of their own
    {"DATAPORT_BYTE_READ", "Dataport", Counter::globalBytesRead, {Counter::scratchBytesRead, Counter::slmBytesRead}},
    {"DATAPORT_BYTE_WRITE",
     "Dataport",
     Counter::globalBytesWritten,
     {Counter::scratchBytesWritten, Counter::slmBytesWritten}},
    {"XVE_INST_EXECUTED_FP16", "VectorEngine", Counter::halfInstructions},
    {"XVE_INST_EXECUTED_FP32", "VectorEngine", Counter::singleInstructions},
    {"XVE_INST_EXECUTED_FP64", "VectorEngine", Counter::doubleInstructions},
    {"XVE_INST_EXECUTED_INT16", "VectorEngine", Counter::wordInstructions},
    {"XVE_INST_EXECUTED_INT32", "VectorEngine", Counter::dwordInstructions},
    {"XVE_INST_EXECUTED_INT64", "VectorEngine", Counter::qwordInstructions},
    {"XVE_INST_EXECUTED_BITCONV", "VectorEngine", Counter::conversionInstructions},
    {"XVE_INST_EXECUTED_XMX_FP16", "VectorEngine", Counter::halfMatrixInstructions},
    {"XVE_INST_EXECUTED_XMX_BF16", "VectorEngine", Counter::brainMatrixInstructions},
    {"XVE_INST_EXECUTED_XMX_TF32", "VectorEngine", Counter::tensorMatrixInstructions},
    {"XVE_INST_EXECUTED_XMX_INT8", "VectorEngine", Counter::byteMatrixInstructions},
    {"XVE_INST_EXECUTED_XMX_INT4", "VectorEngine", Counter::nibbleMatrixInstructions},
    {"XVE_INST_EXECUTED_XMX_INT2", "VectorEngine", Counter::crumbMatrixInstructions},
    {"XVE_OPERATIONS_FP16", "VectorEngine", Counter::halfOperations},
    {"XVE_OPERATIONS_FP32", "VectorEngine", Counter::singleOperations},
    {"XVE_OPERATIONS_FP64", "VectorEngine", Counter::doubleOperations},
    {"XVE_OPERATIONS_XMX_FLOAT", "VectorEngine", Counter::realMatrixOperations},
    {"XVE_OPERATIONS_XMX_INT", "VectorEngine", Counter::integerMatrixOperations},
    {"XVE_COMPUTE_GROUP_COUNT", "VectorEngine", Counter::groups},
    {"SAMPLER_MESSAGE_COUNT", "Sampler", Counter::samplerMessages},
    {"TYPED_READ_MESSAGE_COUNT", "Memory", Counter::typedReads},
    {"TYPED_WRITE_MESSAGE_COUNT", "Memory", Counter::typedWrites},
    {"TEXEL_READ_COUNT", "Memory", Counter::texelsRead},
    {"TEXEL_WRITE_COUNT", "Memory", Counter::texelsWritten},
    {"GpuCoreClocksError", "GPU", Counter::workCyclesError},
    {"XVE_THREADS_OCCUPANCY_CYCLES_ERROR", "VectorEngine", Counter::occupiedCyclesError},
    {"GPU_MEMORY_BYTE_READ_ERROR", "Memory", Counter::memoryBytesError},
};

zetl_counter_info_t describe(const Named& named) {
    constexpr std::uint32_t kSources = (1u << ZETL_SOURCE_QUERY) | (1u << ZETL_SOURCE_STREAM);
    zetl_counter_info_t info{};
    info.size = sizeof info;
    info.kind = ZETL_COUNTER_DELTA;
    info.name = named.name;
    info.block = named.block;
    info.value_type = ZETL_VALUE_UINT64;
    info.sources = kSources;
    if (named.counter == kCoreClock) {
        info.description =
            "Cycles of the core clock: what work took; while idle, nominal (queries: none). In queries whose "
            "other counters are all exact: what the busiest port needs";
        info.unit = "cycles";
        info.accuracy = ZETL_MODEL;
        return info;
    }
    const auto& description = machine::counterDescriptions()[static_cast<std::size_t>(named.counter)];
    info.description = description.text;
    info.unit = description.unit;
    info.accuracy = description.exact ? ZETL_EXACT : ZETL_MODEL;
    return info;
}

}  // namespace

std::span<const zetl_counter_info_t> catalog() {
    static NeverDestroyed<std::vector<zetl_counter_info_t>> infos([] {
        std::vector<zetl_counter_info_t> all;
        for (const auto& named : kNames) all.push_back(describe(named));
        return all;
    }());
    return *infos;
}

std::optional<CounterIndex> find(std::string_view name) {
    const auto found =
        std::find_if(std::begin(kNames), std::end(kNames), [name](const Named& named) { return named.name == name; });
    if (found == std::end(kNames)) return std::nullopt;
    return static_cast<CounterIndex>(found - std::begin(kNames));
}

std::uint64_t valueOf(CounterIndex counter, const machine::Snapshot& snapshot) {
    const Named& named = kNames[counter];
    if (named.counter == kCoreClock) return snapshot.coreClocks;
    std::uint64_t sum = snapshot.counts[named.counter];
    for (const Counter other : named.also)
        if (other != kNone) sum += snapshot.counts[other];
    return sum;
}

bool isCoreClock(CounterIndex counter) { return kNames[counter].counter == kCoreClock; }

bool areCounted(std::span<const CounterIndex> counters) {
    const auto isExact = [](CounterIndex counter) { return catalog()[counter].accuracy == ZETL_EXACT; };
    const auto fits = [&](CounterIndex counter) { return isCoreClock(counter) || isExact(counter); };
    return std::ranges::all_of(counters, fits) && std::ranges::any_of(counters, isExact);
}

std::optional<std::vector<CounterIndex>> countersOf(const provider::WordPlan& plan) {
    std::vector<CounterIndex> counters;
    for (const auto& name : plan.names) {
        const auto counter = find(name);
        if (!counter) return std::nullopt;
        counters.push_back(*counter);
    }
    return counters;
}

}  // namespace zetl::emulator::access
