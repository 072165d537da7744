#include "emulator/access/queries.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "base/mutex.h"
#include "emulator/access/counter_names.h"
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

class EmulatedQuery final : public provider::Query, public std::enable_shared_from_this<EmulatedQuery> {
  public:
    EmulatedQuery(driver::Device& device, provider::WordPlan plan, std::vector<CounterIndex> counters,
                  std::uint32_t slots)
        : Query(std::move(plan), slots),
          device_(device),
          counters_(std::move(counters)),
          cycles_(areCounted(counters_) ? machine::Counter::issueCycles : machine::Counter::workCycles) {
        if (!areCounted(counters_)) collecting_.emplace(device, machine::ModelDetail::full);
    }

    zetl_status_t begin(std::uint32_t slot, ze_command_list_handle_t list) override {
        return append(slot, Phase::begun, list, {});
    }
    zetl_status_t end(std::uint32_t slot, ze_command_list_handle_t list, ze_event_handle_t signal,
                      std::uint32_t waitCount, const ze_event_handle_t* waits) override {
        return append(slot, Phase::ended, list, {signal, waitCount, const_cast<ze_event_handle_t*>(waits)});
    }
    zetl_status_t reset(std::uint32_t slot) override;
    zetl_status_t read(std::uint32_t slot, void* report, std::uint64_t& time) override;
    zetl_status_t destroy() override;

    /// A list has reached the begin or the end.
    void reached(std::uint32_t slot, Phase phase, const driver::Loss& queueLost);

  private:
    zetl_status_t append(std::uint32_t slot, Phase phase, ze_command_list_handle_t list,
                         const driver::EventUse& events);
    /// Makes room for the slot, so that its commands need no memory.
    void name(std::uint32_t slot) {
        const Lock guard(mutex_);
        slots_.try_emplace(slot);
    }

    driver::Device& device_;
    const std::vector<CounterIndex> counters_;  ///< of the plan
    const machine::Counter cycles_;             ///< that its core clock counts
    Mutex mutex_;
    std::optional<Collecting> collecting_ ZETL_GUARDED_BY(mutex_);  ///< until it is destroyed, unless it only counts
    std::unordered_map<std::uint32_t, Slot> slots_ ZETL_GUARDED_BY(mutex_);  ///< of those that a list has named
};

/// Takes the begin or the end of a query when a list reaches it. Lists execute in order, so everything recorded before
/// is done by then.
class SampleOperation final : public driver::Operation {
  public:
    SampleOperation(std::shared_ptr<EmulatedQuery> query, std::uint32_t slot, Phase phase)
        : query_(std::move(query)), slot_(slot), phase_(phase) {}

    bool run(driver::Execution& execution) const override {
        query_->reached(slot_, phase_, execution.queueLost);
        return true;
    }
    const char* name() const noexcept override { return phase_ == Phase::begun ? "query begin" : "query end"; }

  private:
    const std::shared_ptr<EmulatedQuery> query_;
    const std::uint32_t slot_;
    const Phase phase_;
};

zetl_status_t EmulatedQuery::append(std::uint32_t slot, Phase phase, ze_command_list_handle_t handle,
                                    const driver::EventUse& events) {
    const auto list = driver::find<driver::CommandList>(handle);
    if (!list) return ZETL_GONE;
    name(slot);
    const auto result = (*list)->append(std::make_unique<SampleOperation>(shared_from_this(), slot, phase), events);
    if (result == ZE_RESULT_ERROR_DEVICE_LOST) return ZETL_LOST;
    return result == ZE_RESULT_SUCCESS ? ZETL_OK : ZETL_MISUSE;
}

void EmulatedQuery::reached(std::uint32_t slot, Phase phase, const driver::Loss& queueLost) {
    const auto now = readingOf(device_, cycles_);
    const Lock guard(mutex_);
    auto& reached = slots_.at(slot);
    (phase == Phase::begun ? reached.begin : reached.end) = now;
    reached.phase = phase;
    reached.queueLost = queueLost;
}

zetl_status_t EmulatedQuery::reset(std::uint32_t slot) {
    const Lock guard(mutex_);
    const auto named = slots_.find(slot);
    if (named == slots_.end()) return ZETL_OK;
    if (named->second.inFlight()) return ZETL_BUSY;
    named->second = {};
    return ZETL_OK;
}

zetl_status_t EmulatedQuery::read(std::uint32_t index, void* report, std::uint64_t& time) {
    const Lock guard(mutex_);
    const auto named = slots_.find(index);
    if (named == slots_.end()) return ZETL_NOT_READY;
    const auto& slot = named->second;
    if (slot.phase != Phase::ended) return slot.cut() ? ZETL_LOST : ZETL_NOT_READY;
    const auto width = device_.profile().reportTimeWidth();
    std::vector<std::uint64_t> words{width.cut(slot.begin.total.timestamp)};
    for (const auto counter : counters_)
        words.push_back(isCoreClock(counter) ? workBetween(slot.begin, slot.end)
                                             : valueOf(counter, slot.end.total) - valueOf(counter, slot.begin.total));
    std::memcpy(report, words.data(), plan().reportBytes());
    time = width.cut(slot.end.total.timestamp);
    return ZETL_OK;
}

zetl_status_t EmulatedQuery::destroy() {
    const Lock guard(mutex_);
    for (const auto& [number, slot] : slots_)
        if (slot.inFlight()) return ZETL_BUSY;
    collecting_.reset();
    return ZETL_OK;
}

}  // namespace

std::shared_ptr<Lease> leaseOn(driver::Device& device, zetl_source_t source) {
    Lease lease{&device, source, {}};
    // A stream of counters is open for long, beside whatever runs: a sample of the work is enough for it.
    const auto detail = source == ZETL_SOURCE_STREAM ? machine::ModelDetail::sampled : machine::ModelDetail::full;
    if (source != ZETL_SOURCE_QUERY) lease.collecting.emplace(device, detail);
    return std::make_shared<Lease>(std::move(lease));
}

provider::Made<provider::Query> queryOn(driver::Device& device, provider::WordPlan plan, std::uint32_t slots) {
    auto counters = countersOf(plan);
    if (!counters) return ZETL_MISUSE;
    return std::make_shared<EmulatedQuery>(device, std::move(plan), *std::move(counters), slots);
}

}  // namespace zetl::emulator::access
