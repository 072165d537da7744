// Section "counters": catalogue, plans and evaluation, which need no device; the rest is in queries.cpp.
#include "nvidia/access/queries.h"
#include "nvidia/access/sample_stream.h"
#include "nvidia/access/sections.h"
#include "nvidia/cupti/chip.h"
#include "provider/listing.h"
#include "provider/word_plan.h"
#include "provider/word_reports.h"

namespace zetl::nvidia::access {
namespace {

zetl_status_t listCounters(const char* name, std::uint32_t capacity, const zetl_counter_info_t** infos,
                           std::uint32_t* count) noexcept {
    return guarded([&] {
        if (!name) return ZETL_MISUSE;
        const auto* const chip = Chip::named(name);
        return chip ? provider::listPlaces(chip->catalogue(), capacity, infos, count) : ZETL_UNSUPPORTED;
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
        provider::WordPlan plan;
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
        return plan.give(static_cast<std::uint32_t>(configuration.passes), kShortestPeriod, *info, capacity, bytes);
    });
}

}  // namespace

const zetl_counter_functions_t kCounterFunctions = {
    .size = sizeof kCounterFunctions,
    .reserved = 0,
    .catalog = listCounters,
    .plan = makePlan,
    .evaluate = provider::evaluateRow<log::Channel::nvidia>,
    .acquire = acquire,
    .release = release,
    .query_create = queryCreate,
    .query_destroy = queryDestroy,
    .query_begin = queryBegin,
    .query_end = queryEnd,
    .query_reset = queryReset,
    .query_read = queryRead,
    .memory_barrier = memoryBarrier,
    .layout = provider::layoutRow<log::Channel::nvidia>,
};

}  // namespace zetl::nvidia::access
