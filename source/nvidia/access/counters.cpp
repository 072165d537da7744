// Section "counters": catalogue, plans and evaluation, which need no device; the rest is in queries.cpp.
#include <algorithm>
#include <cstring>

#include "nvidia/access/plan.h"
#include "nvidia/access/queries.h"
#include "nvidia/access/sections.h"
#include "nvidia/cupti/chip.h"

namespace zetl::nvidia::access {
namespace {

zetl_status_t listCounters(const char* name, std::uint32_t capacity, const zetl_counter_info_t** infos,
                           std::uint32_t* count) noexcept {
    return guarded([&] {
        if (!name || !count || (capacity > 0 && !infos)) return ZETL_MISUSE;
        const auto* const chip = Chip::named(name);
        if (!chip) return ZETL_UNSUPPORTED;
        const auto all = chip->catalogue();
        *count = static_cast<std::uint32_t>(all.size());
        for (std::uint32_t i = 0; i < std::min(capacity, *count); ++i) infos[i] = &all[i];
        return ZETL_OK;
    });
}

/// The counter, if that source counts it.
const zetl_counter_info_t* counterOf(const Chip& chip, std::uint32_t source, const char* name) {
    const auto* const info = name ? chip.find(name) : nullptr;
    return info && ((info->sources >> source) & 1) ? info : nullptr;
}

zetl_status_t makePlan(const char* name, std::uint32_t source, std::uint32_t count, const char* const* names,
                       zetl_plan_info_t* info, std::uint64_t capacity, void* bytes) noexcept {
    return guarded([&] {
        if (!name || !info || (count > 0 && !names)) return ZETL_MISUSE;
        const auto* const chip = Chip::named(name);
        if (!chip || source > ZETL_SOURCE_STREAM) return ZETL_UNSUPPORTED;
        Plan plan;
        plan.source = static_cast<zetl_source_t>(source);
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto* const counter = counterOf(*chip, source, names[i]);
            if (!counter) return ZETL_GONE;
            plan.names.emplace_back(counter->name);
        }
        CounterConfiguration configuration{{}, 1};
        if (count > 0)
            if (const auto bad = chip->configure(plan.source, plan.texts(), configuration); bad != ZETL_OK) return bad;
        if (configuration.passes == 0) return ZETL_UNSUPPORTED;  // CUPTI's word for a list that cannot be counted
        const auto encoded = plan.bytes();
        *info = {.size = sizeof *info,
                 .passes = static_cast<std::uint32_t>(configuration.passes),
                 .shortest_period_ns = kShortestPeriod,
                 .report_bytes = plan.reportBytes(),
                 .plan_bytes = encoded.size()};
        if (bytes && capacity < encoded.size()) return ZETL_MISUSE;
        if (bytes) std::memcpy(bytes, encoded.data(), encoded.size());
        return ZETL_OK;
    });
}

/// Words of the report that hold these counters. False if the plan lacks one.
bool findWords(const Plan& plan, std::uint32_t count, const char* const* names, std::vector<std::size_t>& words) {
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto word = names[i] ? plan.word(names[i]) : std::nullopt;
        if (!word) return false;
        words.push_back(*word);
    }
    return true;
}

std::uint64_t wordOf(const zetl_raw_t& raw, const Plan& plan, std::uint64_t report, std::size_t word) {
    std::uint64_t value = 0;
    const auto* const reports = static_cast<const std::uint8_t*>(raw.reports);
    std::memcpy(&value, reports + report * plan.reportBytes() + word * sizeof value, sizeof value);
    return value;
}

zetl_status_t evaluate(const zetl_raw_t* raw, std::uint32_t count, const char* const* names, std::uint64_t capacity,
                       zetl_row_t* rows, zetl_value_t* values, std::uint64_t* rowCount) noexcept {
    return guarded([&] {
        if (!raw || !rowCount || (count > 0 && !names) || (raw->count > 0 && (!raw->reports || !raw->times)))
            return ZETL_MISUSE;
        const auto plan = Plan::parse(raw->plan, raw->plan_bytes);
        if (!plan || plan->source != raw->source || (capacity > 0 && (!rows || !values))) return ZETL_MISUSE;
        std::vector<std::size_t> words;
        if (!findWords(*plan, count, names, words)) return ZETL_GONE;
        const bool sums = plan->source == ZETL_SOURCE_STREAM;
        const std::uint64_t first = sums ? 1 : 0;
        *rowCount = raw->count - std::min(raw->count, first);
        for (std::uint64_t row = 0; row < std::min(capacity, *rowCount); ++row) {
            const auto report = row + first;
            rows[row] = {sums ? raw->times[row] : wordOf(*raw, *plan, report, 0), raw->times[report], report, 1, 0};
            for (const auto word : words)
                (values++)->u64 = wordOf(*raw, *plan, report, word) - (sums ? wordOf(*raw, *plan, row, word) : 0);
        }
        return ZETL_OK;
    });
}

zetl_field_t fieldOf(std::size_t word, zetl_counter_kind_t kind) {
    zetl_field_t field{};
    field.size = sizeof field;
    field.kind = kind;
    field.bits = 64;
    field.bytes = sizeof(std::uint64_t);
    field.offset = static_cast<std::uint32_t>(word) * field.bytes;
    return field;
}

zetl_status_t layout(const char* chip, const void* bytes, std::uint64_t size, std::uint32_t count,
                     const char* const* names, zetl_field_t* fields, zetl_field_t* begin) noexcept {
    return guarded([&] {
        const auto plan = Plan::parse(bytes, size);
        if (!chip || !plan || !begin || (count > 0 && (!names || !fields))) return ZETL_MISUSE;
        std::vector<std::size_t> words;
        if (!findWords(*plan, count, names, words)) return ZETL_GONE;
        std::transform(words.begin(), words.end(), fields,
                       [](std::size_t word) { return fieldOf(word, ZETL_COUNTER_DELTA); });
        *begin = plan->source == ZETL_SOURCE_QUERY ? fieldOf(0, ZETL_COUNTER_LAST) : zetl_field_t{};
        return ZETL_OK;
    });
}

}  // namespace

const zetl_counter_functions_t kCounterFunctions = {
    .size = sizeof kCounterFunctions,
    .reserved = 0,
    .catalog = listCounters,
    .plan = makePlan,
    .evaluate = evaluate,
    .acquire = acquire,
    .release = release,
    .query_create = queryCreate,
    .query_destroy = queryDestroy,
    .query_begin = queryBegin,
    .query_end = queryEnd,
    .query_reset = queryReset,
    .query_read = queryRead,
    .memory_barrier = memoryBarrier,
    .layout = layout,
};

}  // namespace zetl::nvidia::access
