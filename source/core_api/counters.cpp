// Section "counters": the facts as counters of streams. Queries are not possible: nothing marks their begin and end.
#include "core_api/counters.h"

#include <array>
#include <string_view>

#include "base/id_table.h"
#include "core_api/counting.h"
#include "core_api/known_devices.h"
#include "core_api/sections.h"
#include "provider/listing.h"
#include "provider/word_plan.h"
#include "provider/word_reports.h"

namespace zetl::core_api {
namespace {

constexpr activity::FactText kUnmeasuredText = {
    "CommandsUnmeasured", "commands",
    "Commands of this process, on any device, that ended without a time that can be read and are in no other counter"};

constexpr zetl_counter_info_t infoOf(const activity::FactText& text) {
    return {.size = sizeof(zetl_counter_info_t),
            .kind = ZETL_COUNTER_DELTA,
            .name = text.name,
            .description = text.description,
            .unit = text.unit,
            .block = activity::kFactsGroup,
            .value_type = ZETL_VALUE_UINT64,
            .accuracy = ZETL_EXACT,
            .sources = 1u << ZETL_SOURCE_STREAM,
            .intrusive = 0};
}

/// In the order of a Row.
constexpr auto kCatalogue = [] {
    std::array<zetl_counter_info_t, std::tuple_size_v<Row>> all{};
    for (std::size_t i = 0; i < activity::kFacts; ++i) all[i] = infoOf(activity::kFactTexts[i]);
    all[kUnmeasured] = infoOf(kUnmeasuredText);
    return all;
}();

std::optional<std::size_t> columnOf(std::string_view name) {
    for (std::size_t i = 0; i < kCatalogue.size(); ++i)
        if (name == kCatalogue[i].name) return i;
    return std::nullopt;
}

zetl_status_t listCounters(const char* chip, std::uint32_t capacity, const zetl_counter_info_t** infos,
                           std::uint32_t* count) noexcept {
    return guarded([&] { return chip ? provider::listPlaces(kCatalogue, capacity, infos, count) : ZETL_MISUSE; });
}

zetl_status_t makePlan(const char* chip, std::uint32_t source, std::uint32_t count, const char* const* names,
                       zetl_plan_info_t* info, std::uint64_t capacity, void* bytes) noexcept {
    return guarded([&] {
        if (!chip || !info || (count > 0 && !names)) return ZETL_MISUSE;
        provider::WordPlan plan;
        plan.source = ZETL_SOURCE_STREAM;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!names[i] || !columnOf(names[i])) return ZETL_GONE;
            plan.names.emplace_back(names[i]);
        }
        if (source != ZETL_SOURCE_STREAM) return ZETL_UNSUPPORTED;
        return plan.give(1, kShortestPeriod, *info, capacity, bytes);
    });
}

using Leases = IdTable<const Lease>;

zetl_status_t acquire(zetl_device_t device, std::uint32_t source, zetl_lease_t* lease) noexcept {
    return guarded([&] {
        if (!deviceOf(device)) return ZETL_GONE;
        if (!lease) return ZETL_MISUSE;
        if (source != ZETL_SOURCE_STREAM || !Counting::instance().start()) return ZETL_UNSUPPORTED;
        *lease = Leases::instance().add(std::make_shared<const Lease>(Lease{device}));
        return ZETL_OK;
    });
}
zetl_status_t release(zetl_lease_t id) noexcept {
    return guarded([&] { return Leases::instance().remove(id) ? ZETL_OK : ZETL_GONE; });
}

// There is no lease for queries.
zetl_status_t queryCreate(zetl_lease_t, const void*, std::uint64_t, std::uint32_t, zetl_query_t*) noexcept {
    return ZETL_GONE;
}
zetl_status_t queryBegin(zetl_query_t, std::uint32_t, ze_command_list_handle_t) noexcept { return ZETL_GONE; }
zetl_status_t queryEnd(zetl_query_t, std::uint32_t, ze_command_list_handle_t, ze_event_handle_t, std::uint32_t,
                       const ze_event_handle_t*) noexcept {
    return ZETL_GONE;
}
zetl_status_t queryDestroy(zetl_query_t) noexcept { return ZETL_GONE; }
zetl_status_t queryReset(zetl_query_t, std::uint32_t) noexcept { return ZETL_GONE; }
zetl_status_t queryRead(zetl_query_t, std::uint32_t, std::uint64_t, void*, std::uint64_t*) noexcept {
    return ZETL_GONE;
}
zetl_status_t memoryBarrier(ze_command_list_handle_t) noexcept { return ZETL_UNSUPPORTED; }

}  // namespace

zetl_device_t deviceOfLease(zetl_lease_t id) {
    const auto lease = Leases::instance().find(id);
    return lease ? lease->device : 0;
}

std::optional<std::vector<std::size_t>> columnsOf(const void* bytes, std::uint64_t size) {
    const auto plan = provider::WordPlan::parse(bytes, size);
    if (!plan || plan->source != ZETL_SOURCE_STREAM) return std::nullopt;
    std::vector<std::size_t> columns;
    for (const auto& name : plan->names) {
        const auto column = columnOf(name);
        if (!column) return std::nullopt;
        columns.push_back(*column);
    }
    return columns;
}

const zetl_counter_functions_t kCounterFunctions = {
    .size = sizeof kCounterFunctions,
    .reserved = 0,
    .catalog = listCounters,
    .plan = makePlan,
    .evaluate = provider::evaluateRow<log::Channel::metrics>,
    .acquire = acquire,
    .release = release,
    .query_create = queryCreate,
    .query_destroy = queryDestroy,
    .query_begin = queryBegin,
    .query_end = queryEnd,
    .query_reset = queryReset,
    .query_read = queryRead,
    .memory_barrier = memoryBarrier,
    .layout = provider::layoutRow<log::Channel::metrics>,
};

}  // namespace zetl::core_api
