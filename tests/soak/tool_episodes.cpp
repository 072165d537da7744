// Tools beside the work of other threads: streamers, queries and tracers.
#include <level_zero/zet_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>

#include "soak/episodes.h"

namespace zetl::soak {
namespace {

/// A context has one set of active groups, and a device one streamer.
std::mutex onlyCollector;

zet_metric_group_handle_t groupOf(const Gpu& gpu, const char* name, zet_metric_group_sampling_type_flags_t type) {
    std::uint32_t count = 0;
    SOAK_CALL(zetMetricGroupGet(gpu.device(), &count, nullptr));
    std::vector<zet_metric_group_handle_t> groups(count);
    SOAK_CALL(zetMetricGroupGet(gpu.device(), &count, groups.data()));
    for (auto* const group : groups) {
        zet_metric_group_properties_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
        SOAK_CALL(zetMetricGroupGetProperties(group, &properties));
        if (std::strcmp(properties.name, name) == 0 && (properties.samplingType & type)) return group;
    }
    throw Failure(std::string("there is no metric group ") + name, ZE_RESULT_SUCCESS);
}

/// Activates a group as long as it lives.
class Active {
  public:
    Active(const Gpu& gpu, zet_metric_group_handle_t group) : gpu_(gpu) {
        SOAK_CALL(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 1, &group));
    }
    ~Active() { zetContextActivateMetricGroups(gpu_.context(), gpu_.device(), 0, nullptr); }
    Active(const Active&) = delete;
    Active& operator=(const Active&) = delete;

  private:
    const Gpu& gpu_;
};

void launchOne(const Gpu& gpu, Random& random) {
    const auto memory = gpu.allocate(ZE_MEMORY_TYPE_DEVICE, 1024 * sizeof(std::uint32_t));
    const auto kernel = gpu.kernel("writeIds", 32);
    Gpu::arguments(kernel, memory.as(), std::uint32_t{1});
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const ze_group_count_t groups{random.between(1, 32), 1, 1};
    SOAK_CALL(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ledger().launches.fetch_add(1, std::memory_order_relaxed);
}

void stream(const Gpu& gpu, Random& random) {
    const std::unique_lock alone(onlyCollector, std::try_to_lock);
    if (!alone) return;
    auto* const group = groupOf(gpu, "ComputeBasic", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED);
    const Active active(gpu, group);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 100, 1'000'000};
    Owned<zet_metric_streamer_handle_t, zetMetricStreamerClose> streamer;
    SOAK_CALL(zetMetricStreamerOpen(gpu.context(), gpu.device(), group, &description, nullptr, streamer.place()));
    launchOne(gpu, random);
    std::size_t size = 0;
    SOAK_CALL(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, nullptr));
    std::vector<std::uint8_t> reports(size);
    const auto result = zetMetricStreamerReadData(streamer, UINT32_MAX, &size, reports.data());
    if (result != ZE_RESULT_WARNING_DROPPED_DATA) check(result, "zetMetricStreamerReadData");
}

void query(const Gpu& gpu, Random& random) {
    const std::unique_lock alone(onlyCollector, std::try_to_lock);
    if (!alone) return;
    auto* const group = groupOf(gpu, "ComputeBasic", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED);
    const Active active(gpu, group);
    const zet_metric_query_pool_desc_t description{ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                                   ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE, 1};
    Owned<zet_metric_query_pool_handle_t, zetMetricQueryPoolDestroy> pool;
    SOAK_CALL(zetMetricQueryPoolCreate(gpu.context(), gpu.device(), group, &description, pool.place()));
    Owned<zet_metric_query_handle_t, zetMetricQueryDestroy> query;
    SOAK_CALL(zetMetricQueryCreate(pool, 0, query.place()));
    const auto memory = gpu.allocate(ZE_MEMORY_TYPE_DEVICE, 1024 * sizeof(std::uint32_t));
    const auto kernel = gpu.kernel("writeIds", 32);
    Gpu::arguments(kernel, memory.as(), std::uint32_t{1});
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const ze_group_count_t groups{random.between(1, 32), 1, 1};
    SOAK_CALL(zetCommandListAppendMetricQueryBegin(list, query));
    SOAK_CALL(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    SOAK_CALL(zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr));
    std::size_t size = 0;
    SOAK_CALL(zetMetricQueryGetData(query, &size, nullptr));
    checkValue(size > 0, 1, "existence of a query's report");
}

/// Prologues of this thread's barriers are counted, and no other thread's are lost.
struct Seen {
    ze_command_list_handle_t list = nullptr;
    std::atomic<std::uint32_t> prologues{0};
};
/// A tracer and what its callbacks write to. Without memory a tracer may stay enabled; then that stays, too.
class Tracer {
  public:
    Tracer(const Gpu& gpu, ze_command_list_handle_t list) {
        seen_->list = list;
        const zet_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_TRACER_EXP_DESC, nullptr, seen_.get()};
        SOAK_CALL(zetTracerExpCreate(gpu.context(), &description, &tracer_));
    }
    ~Tracer() {
        zetTracerExpSetEnabled(tracer_, false);
        if (zetTracerExpDestroy(tracer_) != ZE_RESULT_SUCCESS) static_cast<void>(seen_.release());
    }
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;

    operator zet_tracer_exp_handle_t() const { return tracer_; }
    std::uint32_t prologues() const { return seen_->prologues; }

  private:
    std::unique_ptr<Seen> seen_ = std::make_unique<Seen>();
    zet_tracer_exp_handle_t tracer_ = nullptr;
};
void onBarrier(ze_command_list_append_barrier_params_t* parameters, ze_result_t, void* data, void**) {
    auto& seen = *static_cast<Seen*>(data);
    if (*parameters->phCommandList == seen.list) ++seen.prologues;
}

void trace(const Gpu& gpu, Random& random) {
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const Tracer tracer(gpu, list);
    zet_core_callbacks_t prologues{};
    prologues.CommandList.pfnAppendBarrierCb = onBarrier;
    SOAK_CALL(zetTracerExpSetPrologues(tracer, &prologues));
    SOAK_CALL(zetTracerExpSetEnabled(tracer, true));
    const std::uint32_t calls = random.between(1, 20);
    for (std::uint32_t i = 0; i < calls; ++i) SOAK_CALL(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    SOAK_CALL(zetTracerExpSetEnabled(tracer, false));
    SOAK_CALL(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    checkValue(tracer.prologues(), calls, "traced calls");
}

constexpr std::array kToolEpisodes = {Episode{"stream", stream}, Episode{"query", query}, Episode{"trace", trace}};

}  // namespace

std::span<const Episode> toolEpisodes() { return kToolEpisodes; }

}  // namespace zetl::soak
