// Section "counters". Reports are 64-bit words (word_plan.h).
#pragma once

#include <span>
#include <string_view>

#include "provider/backend.h"
#include "provider/listing.h"
#include "provider/query.h"
#include "provider/word_plan.h"
#include "provider/word_reports.h"

namespace zetl::provider {

template <Backend B>
class Counters {
  public:
    using Provider = B;
    using Device = typename B::Device;
    using Lease = typename B::Lease;

    /// The entries live as long as the provider. UNSUPPORTED for a chip that it does not know.
    virtual zetl_status_t catalog(const char* chip, std::span<const zetl_counter_info_t>& all) const = 0;
    /// Whether a plan for that source may name the counter.
    virtual bool has(const char* chip, zetl_source_t source, std::string_view counter) const = 0;
    /// How often work must run until all counters of a plan are counted.
    virtual zetl_status_t passes(const char* chip, const WordPlan& plan, std::uint32_t& passes) const = 0;
    /// Nanoseconds between the reports of a stream.
    virtual std::uint64_t shortestPeriod() const = 0;

    virtual Made<Lease> acquire(Device& device, zetl_source_t source) const = 0;
    virtual Made<Query> makeQuery(const std::shared_ptr<Lease>& lease, WordPlan plan, std::uint32_t slots) const = 0;
    virtual zetl_status_t memoryBarrier(ze_command_list_handle_t list) const = 0;

  protected:
    ~Counters() = default;
};

template <class Section>
class CounterTable {
    using B = typename Section::Provider;
    using Lease = typename B::Lease;
    static constexpr Section kSection{};

    static zetl_status_t catalog(const char* chip, std::uint32_t capacity, const zetl_counter_info_t** infos,
                                 std::uint32_t* count) noexcept {
        return guarded(B::kChannel, [&] {
            if (!chip) return ZETL_MISUSE;
            std::span<const zetl_counter_info_t> all;
            const auto status = kSection.catalog(chip, all);
            return status == ZETL_OK ? listPlaces(all, capacity, infos, count) : status;
        });
    }

    static zetl_status_t name(const char* chip, std::uint32_t count, const char* const* names, WordPlan& plan) {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!names[i] || !kSection.has(chip, plan.source, names[i])) return ZETL_GONE;
            plan.names.emplace_back(names[i]);
        }
        return ZETL_OK;
    }
    static zetl_status_t plan(const char* chip, std::uint32_t source, std::uint32_t count, const char* const* names,
                              zetl_plan_info_t* info, std::uint64_t capacity, void* bytes) noexcept {
        return guarded(B::kChannel, [&] {
            if (!chip || !info || (count > 0 && !names)) return ZETL_MISUSE;
            std::span<const zetl_counter_info_t> all;
            if (const auto bad = kSection.catalog(chip, all); bad != ZETL_OK) return bad;
            if (source > ZETL_SOURCE_STREAM) return ZETL_UNSUPPORTED;
            WordPlan plan{static_cast<zetl_source_t>(source), {}};
            if (const auto bad = name(chip, count, names, plan); bad != ZETL_OK) return bad;
            std::uint32_t passes = 1;
            if (const auto bad = kSection.passes(chip, plan, passes); bad != ZETL_OK) return bad;
            return plan.give(passes, kSection.shortestPeriod(), *info, capacity, bytes);
        });
    }

    static zetl_status_t acquire(zetl_device_t id, std::uint32_t source, zetl_lease_t* lease) noexcept {
        return atWork<B>([&] {
            auto* const device = B::deviceOf(id);
            if (!device) return ZETL_GONE;
            if (!lease) return ZETL_MISUSE;
            if (source >= ZETL_SOURCES) return ZETL_UNSUPPORTED;
            return keep<B>(kSection.acquire(*device, static_cast<zetl_source_t>(source)), lease);
        });
    }
    static zetl_status_t release(zetl_lease_t id) noexcept {
        return atWork<B>([&] { return objects<B, Lease>().remove(id) ? ZETL_OK : ZETL_GONE; });
    }

    static zetl_status_t queryCreate(zetl_lease_t id, const void* bytes, std::uint64_t size, std::uint32_t slots,
                                     zetl_query_t* query) noexcept {
        return onLease<B>(id, ZETL_SOURCE_QUERY, [&](const std::shared_ptr<Lease>& lease) {
            auto plan = WordPlan::parse(bytes, size);
            if (!plan || plan->source != ZETL_SOURCE_QUERY || !query || slots == 0) return ZETL_MISUSE;
            return keep<B>(kSection.makeQuery(lease, *std::move(plan), slots), query);
        });
    }
    static zetl_status_t queryDestroy(zetl_query_t id) noexcept {
        return onObject<B, Query>(id, [&](Query& query) {
            const auto status = query.destroy();
            if (status == ZETL_OK) objects<B, Query>().remove(id);
            return status;
        });
    }

    template <class F>
    static zetl_status_t onSlot(zetl_query_t id, std::uint32_t slot, F&& body) noexcept {
        return onObject<B, Query>(id, [&](Query& query) { return slot < query.slots() ? body(query) : ZETL_MISUSE; });
    }
    static zetl_status_t queryBegin(zetl_query_t id, std::uint32_t slot, ze_command_list_handle_t list) noexcept {
        return onSlot(id, slot, [&](Query& query) { return query.begin(slot, list); });
    }
    static zetl_status_t queryEnd(zetl_query_t id, std::uint32_t slot, ze_command_list_handle_t list,
                                  ze_event_handle_t signal, std::uint32_t waitCount,
                                  const ze_event_handle_t* waits) noexcept {
        return onSlot(id, slot, [&](Query& query) {
            return waitCount > 0 && !waits ? ZETL_MISUSE : query.end(slot, list, signal, waitCount, waits);
        });
    }
    static zetl_status_t queryReset(zetl_query_t id, std::uint32_t slot) noexcept {
        return onSlot(id, slot, [&](Query& query) { return query.reset(slot); });
    }
    static zetl_status_t queryRead(zetl_query_t id, std::uint32_t slot, std::uint64_t capacity, void* report,
                                   std::uint64_t* time) noexcept {
        return onSlot(id, slot, [&](Query& query) {
            if (!report || !time || capacity < query.plan().reportBytes()) return ZETL_MISUSE;
            return query.read(slot, report, *time);
        });
    }
    static zetl_status_t memoryBarrier(ze_command_list_handle_t list) noexcept {
        return atWork<B>([&] { return kSection.memoryBarrier(list); });
    }

  public:
    static constexpr zetl_counter_functions_t kFunctions = {
        .size = sizeof(zetl_counter_functions_t),
        .reserved = 0,
        .catalog = catalog,
        .plan = plan,
        .evaluate = evaluateRow<B::kChannel>,
        .acquire = acquire,
        .release = release,
        .query_create = queryCreate,
        .query_destroy = queryDestroy,
        .query_begin = queryBegin,
        .query_end = queryEnd,
        .query_reset = queryReset,
        .query_read = queryRead,
        .memory_barrier = memoryBarrier,
        .layout = layoutRow<B::kChannel>,
    };
};

}  // namespace zetl::provider
