// Section "counters": catalogue, plans and evaluation, which need no device; the rest is in queries.cpp.
#include <algorithm>
#include <cstring>

#include "emulator/access/counter_names.h"
#include "emulator/access/queries.h"
#include "emulator/access/sections.h"

namespace zetl::emulator::access {
namespace {

/// A host timer cannot do better.
constexpr std::uint64_t kShortestPeriod = 10'000;

zetl_status_t listCounters(const char* chip, std::uint32_t capacity, const zetl_counter_info_t** infos,
                           std::uint32_t* count) noexcept {
    return guarded([&] {
        if (!chip || !count || (capacity > 0 && !infos)) return ZETL_MISUSE;
        const auto all = catalog();
        *count = static_cast<std::uint32_t>(all.size());
        for (std::uint32_t i = 0; i < std::min(capacity, *count); ++i) infos[i] = &all[i];
        return ZETL_OK;
    });
}

zetl_status_t makePlan(const char* chip, std::uint32_t source, std::uint32_t count, const char* const* names,
                       zetl_plan_info_t* info, std::uint64_t capacity, void* bytes) noexcept {
    return guarded([&] {
        if (!chip || !info || (count > 0 && !names)) return ZETL_MISUSE;
        if (source > ZETL_SOURCE_STREAM) return ZETL_UNSUPPORTED;
        Plan plan;
        plan.source = static_cast<zetl_source_t>(source);
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto counter = names[i] ? find(names[i]) : std::nullopt;
            if (!counter) return ZETL_GONE;
            plan.counters.push_back(*counter);
        }
        const auto encoded = plan.bytes();
        *info = {.size = sizeof *info,
                 .passes = 1,
                 .shortest_period_ns = kShortestPeriod,
                 .report_bytes = plan.reportBytes(),
                 .plan_bytes = encoded.size()};
        if (bytes && capacity < encoded.size()) return ZETL_MISUSE;
        if (bytes) std::memcpy(bytes, encoded.data(), encoded.size());
        return ZETL_OK;
    });
}

/// The words of one report of a raw buffer.
class Words {
  public:
    Words(const zetl_raw_t& raw, const Plan& plan, std::uint64_t report)
        : at_(static_cast<const std::byte*>(raw.reports) + report * plan.reportBytes()) {}
    std::uint64_t operator[](std::size_t word) const {
        std::uint64_t value = 0;
        std::memcpy(&value, at_ + word * sizeof value, sizeof value);
        return value;
    }

  private:
    const std::byte* at_;
};

void evaluateRow(const zetl_raw_t& raw, const Plan& plan, const std::vector<std::size_t>& columns, std::uint64_t report,
                 zetl_row_t& row, zetl_value_t* values) {
    const Words now(raw, plan, report);
    const bool stream = plan.source == ZETL_SOURCE_STREAM;
    row = {stream ? raw.times[report - 1] : now[0], raw.times[report], report, 1, 0};
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto earlier = stream ? Words(raw, plan, report - 1)[columns[i]] : 0;
        values[i].u64 = now[columns[i]] - earlier;
    }
}

zetl_status_t evaluate(const zetl_raw_t* raw, std::uint32_t count, const char* const* names, std::uint64_t capacity,
                       zetl_row_t* rows, zetl_value_t* values, std::uint64_t* rowCount) noexcept {
    return guarded([&] {
        if (!raw || !rowCount || (count > 0 && !names) || (raw->count > 0 && (!raw->reports || !raw->times)))
            return ZETL_MISUSE;
        const auto plan = Plan::parse(raw->plan, raw->plan_bytes);
        if (!plan || plan->source != raw->source) return ZETL_MISUSE;
        std::vector<std::size_t> columns;
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto counter = names[i] ? find(names[i]) : std::nullopt;
            const auto word = counter ? plan->word(*counter) : std::nullopt;
            if (!word) return ZETL_GONE;
            columns.push_back(*word);
        }
        // The first report of a stream is only the reference of the second.
        const std::uint64_t first = plan->source == ZETL_SOURCE_STREAM ? 1 : 0;
        *rowCount = raw->count > first ? raw->count - first : 0;
        if (capacity > 0 && (!rows || !values)) return ZETL_MISUSE;
        for (std::uint64_t row = 0; row < std::min(capacity, *rowCount); ++row)
            evaluateRow(*raw, *plan, columns, row + first, rows[row], values + row * count);
        return ZETL_OK;
    });
}

zetl_field_t wordField(std::size_t word, zetl_counter_kind_t kind) {
    constexpr std::uint32_t kBytes = sizeof(std::uint64_t);
    return {sizeof(zetl_field_t),
            static_cast<std::uint32_t>(kind),
            8 * kBytes,
            static_cast<std::uint32_t>(word) * kBytes,
            kBytes,
            0,
            0,
            0};
}

zetl_status_t layout(const char* chip, const void* bytes, std::uint64_t size, std::uint32_t count,
                     const char* const* names, zetl_field_t* fields, zetl_field_t* begin) noexcept {
    return guarded([&] {
        const auto plan = Plan::parse(bytes, size);
        if (!chip || !plan || !begin || (count > 0 && (!names || !fields))) return ZETL_MISUSE;
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto counter = names[i] ? find(names[i]) : std::nullopt;
            const auto word = counter ? plan->word(*counter) : std::nullopt;
            if (!word) return ZETL_GONE;
            fields[i] = wordField(*word, ZETL_COUNTER_DELTA);
        }
        *begin = plan->source == ZETL_SOURCE_QUERY ? wordField(0, ZETL_COUNTER_LAST) : zetl_field_t{};
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

}  // namespace zetl::emulator::access
