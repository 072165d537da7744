// Section "counters".
#include "provider/counters.h"

#include "nvidia/access/chip_name.h"
#include "nvidia/access/device_ref.h"
#include "nvidia/access/query.h"
#include "nvidia/access/sample_stream.h"
#include "nvidia/access/sections.h"
#include "nvidia/cupti/chip.h"
#include "nvidia/driver/execution/command_list.h"

namespace zetl::nvidia::access {
namespace {

/// Whether CUPTI is there and knows the chip by the name that the device was described with.
bool countable(const Device& device) {
    const auto chip = chipByCupti(device);
    if (chip.empty()) return false;
    if (chip == chipOf(device)) return true;
    log::warn(log::Channel::nvidia, "{} is a {} and was described as {}: set ZET_ENABLE_METRICS=1 before zeInit",
              device.attributes().name, chip, chipOf(device));
    return false;
}

class NvidiaCounters final : public provider::Counters<Backend> {
  public:
    zetl_status_t catalog(const char* name, std::span<const zetl_counter_info_t>& all) const override {
        const auto* const chip = Chip::named(name);
        if (!chip) return ZETL_UNSUPPORTED;
        all = chip->catalogue();
        return ZETL_OK;
    }
    bool has(const char* name, zetl_source_t source, std::string_view counter) const override {
        const auto* const info = Chip::named(name)->find(counter);
        return info && ((info->sources >> source) & 1);
    }
    zetl_status_t passes(const char* name, const provider::WordPlan& plan, std::uint32_t& passes) const override {
        if (plan.names.empty()) return ZETL_OK;
        CounterConfiguration configuration;
        const auto status = Chip::named(name)->configure(plan.source, plan.texts(), configuration);
        passes = static_cast<std::uint32_t>(configuration.passes);
        // CUPTI's word for a list that cannot be counted.
        return status == ZETL_OK && passes == 0 ? ZETL_UNSUPPORTED : status;
    }
    std::uint64_t shortestPeriod() const override { return kShortestPeriod; }

    provider::Made<Lease> acquire(Device& device, zetl_source_t source) const override {
        if (!countable(device)) return ZETL_UNSUPPORTED;
        const auto work = device.work();
        if (!work) return ZETL_LOST;
        return std::shared_ptr<Lease>(new Lease{&device, source, *work, RangeProfiler::of((*work)->context)});
    }
    provider::Made<provider::Query> makeQuery(const std::shared_ptr<Lease>& lease, provider::WordPlan plan,
                                              std::uint32_t slots) const override {
        CountedPlan counted;
        if (const auto bad = prepare(lease, std::move(plan), counted); bad != ZETL_OK) return bad;
        return std::make_shared<Query>(std::move(counted), slots);
    }
    zetl_status_t memoryBarrier(ze_command_list_handle_t handle) const override {
        const auto list = driver::find<CommandList>(handle);
        if (!list) return ZETL_GONE;
        return (*list)->appendBarrier(nullptr, 0, nullptr) == ZE_RESULT_SUCCESS ? ZETL_OK : ZETL_MISUSE;
    }
};

}  // namespace

const zetl_counter_functions_t kCounterFunctions = provider::CounterTable<NvidiaCounters>::kFunctions;

}  // namespace zetl::nvidia::access
