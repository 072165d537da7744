#include "emulator/access/counter_names.h"

#include <algorithm>
#include <cstring>

namespace zetl::emulator::access {
namespace {

using machine::Counter;

/// Not one of the machine's counters: the core clock of the snapshot.
constexpr Counter kCoreClock = Counter::count_;

struct Named {
    const char* name;
    const char* block;
    Counter counter;
};

// Global-memory traffic also appears as L3 traffic: no cache is modelled, so every byte would pass it.
constexpr Named kNames[] = {
    {"GpuCoreClocks", "GPU", kCoreClock},
    {"XVE_INST_EXECUTED_ALL", "VectorEngine", Counter::instructions},
    {"XVE_INST_EXECUTED_ALU0_ALL", "VectorEngine", Counter::floatInstructions},
    {"XVE_INST_EXECUTED_ALU1_ALL", "VectorEngine", Counter::integerInstructions},
    {"XVE_INST_EXECUTED_MATH", "VectorEngine", Counter::mathInstructions},
    {"XVE_INST_EXECUTED_XMX_ALL", "VectorEngine", Counter::matrixInstructions},
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
    {"L3_BYTE_READ", "L3Cache", Counter::globalBytesRead},
    {"L3_BYTE_WRITE", "L3Cache", Counter::globalBytesWritten},
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
        info.description = "Cycles of the nominal core clock, also while idle";
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

struct PlanHead {
    std::uint32_t magic = 0x5A45504Cu;
    std::uint16_t version = 1;
    std::uint8_t source = 0;
    std::uint8_t reserved = 0;
};

}  // namespace

std::span<const zetl_counter_info_t> catalog() {
    static const std::vector<zetl_counter_info_t> infos = [] {
        std::vector<zetl_counter_info_t> all;
        for (const auto& named : kNames) all.push_back(describe(named));
        return all;
    }();
    return infos;
}

std::optional<CounterIndex> find(std::string_view name) {
    const auto found =
        std::find_if(std::begin(kNames), std::end(kNames), [name](const Named& named) { return named.name == name; });
    if (found == std::end(kNames)) return std::nullopt;
    return static_cast<CounterIndex>(found - std::begin(kNames));
}

std::uint64_t valueOf(CounterIndex counter, const machine::Snapshot& snapshot) {
    const auto which = kNames[counter].counter;
    return which == kCoreClock ? snapshot.coreClocks : snapshot.counts[which];
}

std::optional<Plan> Plan::parse(const void* bytes, std::uint64_t size) {
    const PlanHead expected;
    PlanHead head;
    if (!bytes || size < sizeof head || (size - sizeof head) % sizeof(CounterIndex) != 0) return std::nullopt;
    std::memcpy(&head, bytes, sizeof head);
    if (head.magic != expected.magic || head.version != expected.version || head.source > ZETL_SOURCE_STREAM)
        return std::nullopt;
    Plan plan;
    plan.source = static_cast<zetl_source_t>(head.source);
    plan.counters.resize((size - sizeof head) / sizeof(CounterIndex));
    if (!plan.counters.empty())
        std::memcpy(plan.counters.data(), static_cast<const std::byte*>(bytes) + sizeof head, size - sizeof head);
    for (const auto counter : plan.counters)
        if (counter >= std::size(kNames)) return std::nullopt;
    return plan;
}

std::vector<std::uint8_t> Plan::bytes() const {
    PlanHead head;
    head.source = static_cast<std::uint8_t>(source);
    std::vector<std::uint8_t> result(sizeof head + counters.size() * sizeof(CounterIndex));
    std::memcpy(result.data(), &head, sizeof head);
    if (!counters.empty())
        std::memcpy(result.data() + sizeof head, counters.data(), counters.size() * sizeof(CounterIndex));
    return result;
}

std::optional<std::size_t> Plan::word(CounterIndex counter) const {
    const auto found = std::find(counters.begin(), counters.end(), counter);
    if (found == counters.end()) return std::nullopt;
    return static_cast<std::size_t>(found - counters.begin()) + (source == ZETL_SOURCE_QUERY ? 1 : 0);
}

}  // namespace zetl::emulator::access
