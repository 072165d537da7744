// Section "counters": its catalogue and its objects; queries are in queries.cpp.
#include "provider/counters.h"

#include "emulator/access/counter_names.h"
#include "emulator/access/queries.h"
#include "emulator/access/sections.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::access {
namespace {

class EmulatedCounters final : public provider::Counters<Backend> {
  public:
    zetl_status_t catalog(const char*, std::span<const zetl_counter_info_t>& all) const override {
        all = access::catalog();
        return ZETL_OK;
    }
    bool has(const char*, zetl_source_t, std::string_view counter) const override { return find(counter).has_value(); }
    zetl_status_t passes(const char*, const provider::WordPlan&, std::uint32_t&) const override { return ZETL_OK; }
    /// A host timer cannot do better.
    std::uint64_t shortestPeriod() const override { return 10'000; }

    provider::Made<Lease> acquire(Device& device, zetl_source_t source) const override {
        return leaseOn(device, source);
    }
    provider::Made<provider::Query> makeQuery(const std::shared_ptr<Lease>& lease, provider::WordPlan plan,
                                              std::uint32_t slots) const override {
        return queryOn(*lease->device, std::move(plan), slots);
    }
    zetl_status_t memoryBarrier(ze_command_list_handle_t handle) const override {
        const auto list = driver::find<driver::CommandList>(handle);
        if (!list) return ZETL_GONE;
        // Lists execute in order, and what a command wrote is written when it is done: the order is the barrier.
        return (*list)->append(nullptr, {}) == ZE_RESULT_SUCCESS ? ZETL_OK : ZETL_MISUSE;
    }
};

}  // namespace

const zetl_counter_functions_t kCounterFunctions = provider::CounterTable<EmulatedCounters>::kFunctions;

}  // namespace zetl::emulator::access
