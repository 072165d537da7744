// execution_env, user_attributes and the memory a kernel's threads need.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "binary/named_value.h"
#include "binary/native_binary.h"
#include "binary/ze_info_parts.h"
#include "isa/xe/architecture.h"

namespace zetl::binary {
namespace {

struct NumberKey {
    const char* key;
    std::uint32_t ExecutionEnvironment::*member;
    std::uint64_t limit;
};
constexpr NumberKey kNumbers[] = {
    {"simd_size", &ExecutionEnvironment::simdSize, 32},
    {"grf_count", &ExecutionEnvironment::grfCount, 512},
    {"slm_size", &ExecutionEnvironment::slmBytes, kMaxSlmBytes},
    {"barrier_count", &ExecutionEnvironment::barrierCount, 32},
    {"private_size", &ExecutionEnvironment::privateBytes, UINT32_MAX},
    {"spill_size", &ExecutionEnvironment::spillBytes, UINT32_MAX},
    {"inline_data_payload_size", &ExecutionEnvironment::inlineDataBytes, 64},
    {"offset_to_skip_per_thread_data_load", &ExecutionEnvironment::skipPerThreadLoad, kMaxCodeBytes},
    {"required_sub_group_size", &ExecutionEnvironment::requiredSubGroupSize, 32},
};

struct FlagKey {
    const char* key;
    bool ExecutionEnvironment::*member;
};
constexpr FlagKey kFlags[] = {
    {"generate_local_id", &ExecutionEnvironment::generatesLocalIds},
    {"has_stack_calls", &ExecutionEnvironment::hasStackCalls},
    {"has_global_atomics", &ExecutionEnvironment::hasGlobalAtomics},
    {"has_dpas", &ExecutionEnvironment::hasDpas},
    {"has_printf_calls", &ExecutionEnvironment::hasPrintf},
    {"subgroup_independent_forward_progress", &ExecutionEnvironment::independentForwardProgress},
};

constexpr const char* kAttributeKeys[] = {"reqd_work_group_size", "intel_reqd_sub_group_size",
                                          "intel_reqd_workgroup_walk_order", "work_group_size_hint", "vec_type_hint"};

constexpr NamedValue<MemoryKind> kMemoryKinds[] = {
    {"scratch", MemoryKind::scratch}, {"global", MemoryKind::global}, {"slm", MemoryKind::slm}};
constexpr NamedValue<MemoryUse> kMemoryUses[] = {{"private_space", MemoryUse::privateSpace},
                                                 {"spill_fill_space", MemoryUse::spillFill},
                                                 {"single_space", MemoryUse::single}};

template <class E, std::size_t n>
E knownValue(const YamlFields& fields, const char* key, const NamedValue<E> (&names)[n]) {
    const std::string text = fields.text(key);
    if (const E* value = find(names, text)) return *value;
    fields.report(Cause::unsupported, fmt::format("{} '{}' is not known", key, text));
    return names[0].value;
}

std::string attributeText(const yaml::Node& value) {
    if (!value.isList()) return value.text();
    std::string text;
    for (const yaml::Node& part : value.elements()) text += (text.empty() ? "" : ",") + part.text();
    return text;
}

template <class T>
void writeTriple(const char* key, const std::array<T, 3>& values, std::string& text) {
    text += fmt::format("      {}: [ {}, {}, {} ]\n", key, values[0], values[1], values[2]);
}

/// Of some device; the reader of the file knows which it is for.
bool validShape(const ExecutionEnvironment& environment) {
    const bool simd = environment.simdSize == 1 || environment.simdSize == 8 || environment.simdSize == 16 ||
                      environment.simdSize == 32;
    const auto has = [&](const isa::xe::Architecture* each) {
        return std::ranges::find(each->registerCounts, environment.grfCount) != each->registerCounts.end();
    };
    return simd && std::ranges::any_of(isa::xe::allArchitectures(), has);
}

}  // namespace

ExecutionEnvironment readEnvironment(const YamlFields& fields) {
    ExecutionEnvironment environment;
    for (const NumberKey& row : kNumbers)
        environment.*row.member = fields.number(row.key, row.limit, environment.*row.member);
    for (const FlagKey& row : kFlags) environment.*row.member = fields.flag(row.key);
    fields.triple("required_work_group_size", environment.requiredGroupSize, UINT32_MAX);
    fields.triple("work_group_walk_order_dimensions", environment.walkOrder, 2);
    if (!validShape(environment))
        fields.report(Cause::damaged, fmt::format("simd_size {} with grf_count {} is no thread of this device",
                                                  environment.simdSize, environment.grfCount));
    // Newer compilers write three zeros for kernels that the order does not concern.
    if (environment.walkOrder == std::array<std::uint8_t, 3>{}) environment.walkOrder = {0, 1, 2};
    std::array<bool, 3> seen{};
    for (const std::uint8_t dimension : environment.walkOrder) seen[dimension] = true;
    if (!std::ranges::all_of(seen, [](bool value) { return value; }))
        fields.report(Cause::damaged, "work_group_walk_order_dimensions is no permutation of 0 1 2");
    return environment;
}

std::string readAttributes(const YamlFields& fields) {
    std::string text;
    for (const char* key : kAttributeKeys) {
        const yaml::Node value = fields.child(key);
        if (value.isNull()) continue;
        text += fmt::format("{}{}({})", text.empty() ? "" : " ", key, attributeText(value));
    }
    return text;
}

MemoryBuffer readMemoryBuffer(const YamlFields& fields) {
    MemoryBuffer buffer;
    buffer.kind = knownValue(fields, "type", kMemoryKinds);
    buffer.use = knownValue(fields, "usage", kMemoryUses);
    buffer.size = fields.number("size", buffer.kind == MemoryKind::scratch ? kMaxScratchBytes : kMaxPrivateBytes);
    buffer.slot = fields.number("slot");
    buffer.perLane = fields.flag("is_simt_thread");
    return buffer;
}

void writeEnvironment(const ExecutionEnvironment& environment, std::string& text) {
    const ExecutionEnvironment absent{.grfCount = 0};
    text += "    execution_env:\n";
    for (const NumberKey& row : kNumbers)
        if (environment.*row.member != absent.*row.member)
            text += fmt::format("      {}: {}\n", row.key, environment.*row.member);
    for (const FlagKey& row : kFlags)
        if (environment.*row.member) text += fmt::format("      {}: true\n", row.key);
    if (environment.requiredGroupSize != absent.requiredGroupSize)
        writeTriple("required_work_group_size", environment.requiredGroupSize, text);
    if (environment.walkOrder != absent.walkOrder)
        writeTriple("work_group_walk_order_dimensions", environment.walkOrder, text);
}

void writeMemoryBuffers(const KernelImage& kernel, std::string& text) {
    if (!kernel.memoryBuffers.empty()) text += "    per_thread_memory_buffers:\n";
    for (const MemoryBuffer& buffer : kernel.memoryBuffers)
        text += fmt::format(
            "      - type: {}\n        usage: {}\n        size: {}\n        slot: {}\n        is_simt_thread: {}\n",
            nameOf(kMemoryKinds, buffer.kind), nameOf(kMemoryUses, buffer.use), buffer.size, buffer.slot,
            buffer.perLane);
}

}  // namespace zetl::binary
