#include "emulator/access/queries.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "base/id_table.h"
#include "base/mutex.h"
#include "emulator/access/collecting.h"
#include "emulator/access/counter_names.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/sections.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::access {
namespace {

/// The sums of the counters over all tiles of the device, and the cycles that the work of each tile took.
struct Reading {
    machine::Snapshot total;
    std::array<std::uint64_t, machine::kMaxTiles> work{};
};
/// `cycles`: the counter of these cycles.
Reading readingOf(const driver::Device& device, machine::Counter cycles) {
    Reading reading;
    for (std::uint32_t tile = 0; tile < device.tiles(); ++tile) {
        const auto now = device.tile(tile).counters();
        if (tile == 0) reading.total.timestamp = now.timestamp;
        reading.total.counts += now.counts;
        reading.work[tile] = now.counts[cycles];
    }
    return reading;
}
/// Tiles work side by side, so the one that took longest counts.
std::uint64_t workBetween(const Reading& begin, const Reading& end) {
    std::uint64_t longest = 0;
    for (std::size_t tile = 0; tile < begin.work.size(); ++tile)
        longest = std::max(longest, end.work[tile] - begin.work[tile]);
    return longest;
}

enum class Phase : std::uint8_t { empty, begun, ended };

struct Slot {
    Phase phase = Phase::empty;
    Reading begin;
    Reading end;
    driver::Loss queueLost;  ///< of the queue that began it; null for an empty one

    /// It will never be ended.
    bool cut() const noexcept { return phase == Phase::begun && *queueLost; }
    bool inFlight() const noexcept { return phase == Phase::begun && !*queueLost; }
};

/// Shared with the commands that were recorded for it, which may execute after it was destroyed.
struct Query {
    driver::Device& device;
    const provider::WordPlan plan;
    const std::vector<CounterIndex> counters;  ///< of the plan
    const std::uint32_t count;                 ///< of slots
    const machine::Counter cycles;             ///< that its core clock counts
    Mutex mutex;
    std::optional<Collecting> collecting ZETL_GUARDED_BY(mutex);  ///< until it is destroyed, unless it only counts
    std::unordered_map<std::uint32_t, Slot> slots ZETL_GUARDED_BY(mutex) = {};  ///< of those that a list has named

    /// Makes room for the slot, so that its commands need no memory.
    void name(std::uint32_t slot) {
        const Lock guard(mutex);
        slots.try_emplace(slot);
    }
};

/// Takes the begin or the end of a query when a list reaches it. Lists execute in order, so everything recorded before
/// is done by then.
class SampleOperation final : public driver::Operation {
  public:
    SampleOperation(std::shared_ptr<Query> query, std::uint32_t slot, Phase phase)
        : query_(std::move(query)), slot_(slot), phase_(phase) {}

    bool run(driver::Execution& execution) const override {
        const auto now = readingOf(query_->device, query_->cycles);
        const Lock guard(query_->mutex);
        auto& slot = query_->slots.at(slot_);
        (phase_ == Phase::begun ? slot.begin : slot.end) = now;
        slot.phase = phase_;
        slot.queueLost = execution.queueLost;
        return true;
    }
    const char* name() const noexcept override { return phase_ == Phase::begun ? "query begin" : "query end"; }

  private:
    const std::shared_ptr<Query> query_;
    const std::uint32_t slot_;
    const Phase phase_;
};

struct Lease {
    driver::Device* device;
    zetl_source_t source;
    std::optional<Collecting> collecting;  ///< of queries each has its own, if its counters need it
};

using Leases = IdTable<Lease>;
using Queries = IdTable<Query>;

std::shared_ptr<Query> queryOf(driver::Device& device, provider::WordPlan plan, std::vector<CounterIndex> counters,
                               std::uint32_t slots) {
    const bool counts = areCounted(counters);
    const auto cycles = counts ? machine::Counter::issueCycles : machine::Counter::workCycles;
    std::optional<Collecting> collecting;
    if (!counts) collecting.emplace(device);
    return std::shared_ptr<Query>(
        new Query{device, std::move(plan), std::move(counters), slots, cycles, {}, std::move(collecting)});
}

zetl_status_t append(zetl_query_t id, std::uint32_t slot, Phase phase, ze_command_list_handle_t handle,
                     const driver::EventUse& events) {
    auto query = Queries::instance().find(id);
    const auto list = driver::find<driver::CommandList>(handle);
    if (!query || !list) return ZETL_GONE;
    if (slot >= query->count) return ZETL_MISUSE;
    query->name(slot);
    const auto result = (*list)->append(std::make_unique<SampleOperation>(std::move(query), slot, phase), events);
    if (result == ZE_RESULT_ERROR_DEVICE_LOST) return ZETL_LOST;
    return result == ZE_RESULT_SUCCESS ? ZETL_OK : ZETL_MISUSE;
}

}  // namespace

zetl_status_t acquire(zetl_device_t id, std::uint32_t source, zetl_lease_t* lease) noexcept {
    return guarded([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!lease) return ZETL_MISUSE;
        if (source > ZETL_SOURCE_SAMPLING) return ZETL_UNSUPPORTED;
        Lease acquired{device, static_cast<zetl_source_t>(source), {}};
        if (source != ZETL_SOURCE_QUERY) acquired.collecting.emplace(*device);
        *lease = Leases::instance().add(std::make_shared<Lease>(std::move(acquired)));
        return ZETL_OK;
    });
}

zetl_status_t release(zetl_lease_t lease) noexcept {
    return guarded([&] { return Leases::instance().remove(lease) ? ZETL_OK : ZETL_GONE; });
}

driver::Device* deviceOfLease(zetl_lease_t lease, zetl_source_t source) {
    const auto found = Leases::instance().find(lease);
    return found && found->source == source ? found->device : nullptr;
}

zetl_status_t queryCreate(zetl_lease_t lease, const void* planBytes, std::uint64_t size, std::uint32_t slots,
                          zetl_query_t* query) noexcept {
    return guarded([&] {
        auto* const device = deviceOfLease(lease, ZETL_SOURCE_QUERY);
        if (!device) return ZETL_GONE;
        auto plan = provider::WordPlan::parse(planBytes, size);
        auto counters = plan ? countersOf(*plan) : std::nullopt;
        if (!counters || plan->source != ZETL_SOURCE_QUERY || !query || slots == 0) return ZETL_MISUSE;
        *query = Queries::instance().add(queryOf(*device, *std::move(plan), *std::move(counters), slots));
        return ZETL_OK;
    });
}

zetl_status_t queryDestroy(zetl_query_t id) noexcept {
    return guarded([&] {
        const auto query = Queries::instance().find(id);
        if (!query) return ZETL_GONE;
        {
            const Lock guard(query->mutex);
            for (const auto& [number, slot] : query->slots)
                if (slot.inFlight()) return ZETL_BUSY;
            query->collecting.reset();
        }
        Queries::instance().remove(id);
        return ZETL_OK;
    });
}

zetl_status_t queryBegin(zetl_query_t query, std::uint32_t slot, ze_command_list_handle_t list) noexcept {
    return guarded([&] { return append(query, slot, Phase::begun, list, {}); });
}

zetl_status_t queryEnd(zetl_query_t query, std::uint32_t slot, ze_command_list_handle_t list, ze_event_handle_t signal,
                       std::uint32_t waitCount, const ze_event_handle_t* waits) noexcept {
    return guarded([&] {
        return append(query, slot, Phase::ended, list, {signal, waitCount, const_cast<ze_event_handle_t*>(waits)});
    });
}

zetl_status_t queryReset(zetl_query_t id, std::uint32_t slot) noexcept {
    return guarded([&] {
        const auto query = Queries::instance().find(id);
        if (!query) return ZETL_GONE;
        if (slot >= query->count) return ZETL_MISUSE;
        const Lock guard(query->mutex);
        const auto named = query->slots.find(slot);
        if (named == query->slots.end()) return ZETL_OK;
        if (named->second.inFlight()) return ZETL_BUSY;
        named->second = {};
        return ZETL_OK;
    });
}

zetl_status_t queryRead(zetl_query_t id, std::uint32_t index, std::uint64_t capacity, void* report,
                        std::uint64_t* time) noexcept {
    return guarded([&] {
        const auto query = Queries::instance().find(id);
        if (!query) return ZETL_GONE;
        if (index >= query->count || !report || !time || capacity < query->plan.reportBytes()) return ZETL_MISUSE;
        const Lock guard(query->mutex);
        const auto named = query->slots.find(index);
        if (named == query->slots.end()) return ZETL_NOT_READY;
        const auto& slot = named->second;
        if (slot.phase != Phase::ended) return slot.cut() ? ZETL_LOST : ZETL_NOT_READY;
        const auto width = query->device.profile().reportTimeWidth();
        std::vector<std::uint64_t> words{width.cut(slot.begin.total.timestamp)};
        for (const auto counter : query->counters)
            words.push_back(isCoreClock(counter)
                                ? workBetween(slot.begin, slot.end)
                                : valueOf(counter, slot.end.total) - valueOf(counter, slot.begin.total));
        std::memcpy(report, words.data(), query->plan.reportBytes());
        *time = width.cut(slot.end.total.timestamp);
        return ZETL_OK;
    });
}

zetl_status_t memoryBarrier(ze_command_list_handle_t handle) noexcept {
    return guarded([&] {
        const auto list = driver::find<driver::CommandList>(handle);
        if (!list) return ZETL_GONE;
        // Lists execute in order, and what a command wrote is written when it is done: the order is the barrier.
        return (*list)->append(nullptr, {}) == ZE_RESULT_SUCCESS ? ZETL_OK : ZETL_MISUSE;
    });
}

}  // namespace zetl::emulator::access
