// Section "counters": catalogue, plans and evaluation, which need no device; the rest is in queries.cpp.
#include "emulator/access/counter_names.h"
#include "emulator/access/queries.h"
#include "emulator/access/sections.h"
#include "provider/listing.h"
#include "provider/word_reports.h"

namespace zetl::emulator::access {
namespace {

/// A host timer cannot do better.
constexpr std::uint64_t kShortestPeriod = 10'000;

zetl_status_t listCounters(const char* chip, std::uint32_t capacity, const zetl_counter_info_t** infos,
                           std::uint32_t* count) noexcept {
    return guarded([&] { return chip ? provider::listPlaces(catalog(), capacity, infos, count) : ZETL_MISUSE; });
}

zetl_status_t makePlan(const char* chip, std::uint32_t source, std::uint32_t count, const char* const* names,
                       zetl_plan_info_t* info, std::uint64_t capacity, void* bytes) noexcept {
    return guarded([&] {
        if (!chip || !info || (count > 0 && !names)) return ZETL_MISUSE;
        if (source > ZETL_SOURCE_STREAM) return ZETL_UNSUPPORTED;
        provider::WordPlan plan{static_cast<zetl_source_t>(source), {}};
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!names[i] || !find(names[i])) return ZETL_GONE;
            plan.names.emplace_back(names[i]);
        }
        return plan.give(1, kShortestPeriod, *info, capacity, bytes);
    });
}

}  // namespace

const zetl_counter_functions_t kCounterFunctions = {
    .size = sizeof kCounterFunctions,
    .reserved = 0,
    .catalog = listCounters,
    .plan = makePlan,
    .evaluate = provider::evaluateRow<log::Channel::emulator>,
    .acquire = acquire,
    .release = release,
    .query_create = queryCreate,
    .query_destroy = queryDestroy,
    .query_begin = queryBegin,
    .query_end = queryEnd,
    .query_reset = queryReset,
    .query_read = queryRead,
    .memory_barrier = memoryBarrier,
    .layout = provider::layoutRow<log::Channel::emulator>,
};

}  // namespace zetl::emulator::access
