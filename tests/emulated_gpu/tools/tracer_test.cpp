// Tracers that nobody reads, pieces, damage, and decoders that outlive their tracer: through the stock loader, without
// any layer.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <random>
#include <set>

#include "emulated_gpu/counted_work.h"
#include "emulated_gpu/fast_clock.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "support/scenario.h"
#include "support/wait_for.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;

using Bytes = std::vector<std::uint8_t>;

/// A tracer of a device's commands, and what decodes it.
class CommandTracer {
  public:
    explicit CommandTracer(const Gpu& gpu, ze_event_handle_t event = nullptr, const char* traced = "CommandTrace")
        : gpu_(gpu) {
        group_ = test::group(gpu, traced, kTracerBased);
        activate(gpu, group_);
        zet_metric_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, nullptr, UINT32_MAX};
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerCreateExp)(gpu.context(), gpu.device(), 1, &group_, &description,
                                                             event, &tracer_));
        EXPECT_LT(description.notifyEveryNBytes, UINT32_MAX) << "what it can";
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricDecoderCreateExp)(tracer_, &decoder_));
        metrics_ = listOf(DRIVER_CALL(gpu, zetMetricDecoderGetDecodableMetricsExp), decoder_);
    }

    zet_metric_tracer_exp_handle_t handle() const { return tracer_; }
    void enable(bool synchronous = true) const {
        EXPECT_OK(DRIVER_CALL(gpu_, zetMetricTracerEnableExp)(tracer_, synchronous));
    }
    void disable() const { EXPECT_OK(DRIVER_CALL(gpu_, zetMetricTracerDisableExp)(tracer_, true)); }
    ze_result_t destroy() const { return DRIVER_CALL(gpu_, zetMetricTracerDestroyExp)(tracer_); }
    ze_result_t read(Bytes& raw, std::size_t most = 1 << 23) const {
        raw.resize(most);
        std::size_t size = most;
        const auto result = DRIVER_CALL(gpu_, zetMetricTracerReadDataExp)(tracer_, &size, raw.data());
        raw.resize(size);
        return result;
    }
    /// The entries, and in `raw` what was not decoded.
    ze_result_t decode(Bytes& raw, std::vector<zet_metric_entry_exp_t>& entries) {
        const auto function = DRIVER_CALL(gpu_, zetMetricTracerDecodeExp);
        const auto asked = static_cast<std::uint32_t>(metrics_.size());
        std::size_t size = raw.size();
        std::uint32_t sets = 0;
        std::uint32_t count = 0;
        auto result = function(decoder_, &size, raw.data(), asked, metrics_.data(), &sets, nullptr, &count, nullptr);
        if (result != ZE_RESULT_SUCCESS) return result;
        entries.resize(count);
        std::vector<std::uint32_t> counts(sets);
        size = raw.size();
        if (count > 0)
            result = function(decoder_, &size, raw.data(), asked, metrics_.data(), &sets, counts.data(), &count,
                              entries.data());
        raw.erase(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size));
        return result;
    }
    std::string nameOf(const zet_metric_entry_exp_t& entry) const {
        zet_metric_properties_t properties{};
        EXPECT_OK(zetMetricGetProperties(metrics_.at(entry.metricIndex), &properties));
        return properties.name;
    }
    std::vector<zet_metric_handle_t>& metrics() { return metrics_; }
    zet_metric_group_handle_t group() const { return group_; }

  private:
    const Gpu& gpu_;
    zet_metric_group_handle_t group_ = nullptr;
    zet_metric_tracer_exp_handle_t tracer_ = nullptr;
    zet_metric_decoder_exp_handle_t decoder_ = nullptr;
    std::vector<zet_metric_handle_t> metrics_;
};

Process traced(const std::string& scenario, const std::string& profile = "tiny") {
    return measured(scenario, profile).with("ZETL_METRIC_TRACERS", "1");
}

void runBarriers(const Gpu& gpu, std::uint32_t count) {
    const auto list = gpu.immediate();
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
}

/// The newest records are there, the loss is said once, and its number in the trace's end is right.
SCENARIO(tracerWithoutAReaderSaysWhatItLost) {
    constexpr std::uint32_t kBarriers = 40'000;
    constexpr std::uint64_t kKept = 65'536;
    const Gpu gpu;
    CommandTracer tracer(gpu);
    tracer.enable();
    runBarriers(gpu, kBarriers);
    Bytes all;
    EXPECT_EQ(tracer.read(all), ZE_RESULT_WARNING_DROPPED_DATA);
    Bytes rest;
    EXPECT_OK(tracer.read(rest));
    EXPECT_TRUE(rest.empty());
    tracer.disable();
    EXPECT_OK(tracer.read(rest));
    all.insert(all.end(), rest.begin(), rest.end());
    std::vector<zet_metric_entry_exp_t> entries;
    ASSERT_OK(tracer.decode(all, entries));
    ASSERT_EQ(entries.size(), kKept + 2) << "and the begin and the end of the trace";
    EXPECT_EQ(tracer.nameOf(entries.back()), "TraceEnd");
    EXPECT_EQ(entries.back().value.ui64, 2 * kBarriers - kKept);
    EXPECT_EQ(tracer.nameOf(entries[entries.size() - 2]), "BarrierEnd") << "the oldest are dropped";
    EXPECT_OK(tracer.destroy());
}
TEST(ToolsTracer, WithoutAReaderSaysWhatItLost) { EXPECT_RUNS(traced("tracerWithoutAReaderSaysWhatItLost")); }

/// Read in pieces that cut records, decoded piece by piece, by a decoder whose tracer is gone.
SCENARIO(decoderOutlivesItsTracer) {
    const Gpu gpu;
    const auto event = Gpu::event(gpu.pool(1));
    CommandTracer tracer(gpu, event);
    Bytes piece;
    EXPECT_EQ(tracer.read(piece), ZE_RESULT_NOT_READY) << "it is not enabled";
    tracer.enable(false);
    EXPECT_EQ(tracer.destroy(), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    CountedWork(gpu).launch(10);
    EXPECT_OK(zeEventHostSynchronize(event, UINT64_MAX));
    tracer.disable();
    std::vector<Bytes> pieces;
    while (tracer.read(piece, 37) == ZE_RESULT_SUCCESS) pieces.push_back(piece);
    EXPECT_TRUE(piece.empty()) << "drained";
    ASSERT_OK(tracer.destroy());
    EXPECT_EQ(tracer.destroy(), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "stale";
    EXPECT_EQ(tracer.read(piece), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    Bytes raw;
    int kernels = 0;
    const TraceOrder inOrder(gpu);
    std::optional<std::uint64_t> last;
    for (const auto& each : pieces) {
        raw.insert(raw.end(), each.begin(), each.end());
        std::vector<zet_metric_entry_exp_t> entries;
        ASSERT_OK(tracer.decode(raw, entries));
        for (const auto& entry : entries) {
            EXPECT_TRUE(inOrder(last.value_or(entry.timeStamp), entry.timeStamp)) << entry.timeStamp;
            last = entry.timeStamp;
            kernels += tracer.nameOf(entry) == "KernelEnd";
        }
    }
    EXPECT_TRUE(raw.empty()) << "whole records";
    EXPECT_EQ(kernels, 10);
}
TEST(ToolsTracer, DecoderOutlivesItsTracer) { EXPECT_RUNS(traced("decoderOutlivesItsTracer")); }

/// The clock of this device begins again every 8.6 s.
SCENARIO(timesOfEntriesWrap) {
    const Gpu gpu;
    CommandTracer tracer(gpu);
    const TraceOrder inOrder(gpu);
    tracer.enable();
    std::optional<std::uint64_t> last;
    const auto wraps = [&] {
        runBarriers(gpu, 1);
        Bytes raw;
        EXPECT_OK(tracer.read(raw));
        std::vector<zet_metric_entry_exp_t> entries;
        EXPECT_OK(tracer.decode(raw, entries));
        bool wrapped = false;
        for (const auto& entry : entries) {
            EXPECT_LT(entry.timeStamp, std::uint64_t{1} << kFastGlobalBits);
            EXPECT_TRUE(inOrder(last.value_or(entry.timeStamp), entry.timeStamp)) << entry.timeStamp;
            wrapped |= last && entry.timeStamp < *last;
            last = entry.timeStamp;
        }
        return wrapped;
    };
    EXPECT_TRUE(waitFor(wraps, 60s, 5ms));
    tracer.disable();
    EXPECT_OK(tracer.destroy());
}
TEST(ToolsTracer, TimesOfEntriesWrap) {
    const FastClockProfile profile;
    EXPECT_RUNS(traced("timesOfEntriesWrap", profile.path()));
}

SCENARIO(damagedTracesAreRefusedOrRead) {
    const Gpu gpu;
    CommandTracer tracer(gpu);
    zet_metric_tracer_exp_handle_t second = nullptr;
    auto* group = test::group(gpu, "CommandTrace", kTracerBased);
    zet_metric_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, nullptr, 0};
    EXPECT_EQ(DRIVER_CALL(gpu, zetMetricTracerCreateExp)(gpu.context(), gpu.device(), 1, &group, &description, nullptr,
                                                         &second),
              ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    tracer.enable();
    CountedWork(gpu).launch(20);
    Bytes raw;
    ASSERT_OK(tracer.read(raw));
    std::vector<zet_metric_entry_exp_t> entries;
    std::mt19937 random(4711);
    for (int i = 0; i < 2000; ++i) {
        auto damaged = raw;
        damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
        const auto code = tracer.decode(damaged, entries);
        ASSERT_TRUE(code == ZE_RESULT_SUCCESS || code == ZE_RESULT_ERROR_INVALID_ARGUMENT) << code;
    }
    auto cut = Bytes(raw.begin() + 1, raw.end());
    EXPECT_EQ(tracer.decode(cut, entries), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "begins within a record";
    const auto kept = tracer.metrics();
    tracer.metrics().push_back(listOf(zetMetricGet, test::group(gpu, "ComputeBasic", kTimeBased)).at(0));
    EXPECT_EQ(tracer.decode(raw, entries), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "a metric of another group";
    tracer.metrics() = {kept.at(0)};
    ASSERT_OK(tracer.decode(raw, entries));
    for (const auto& entry : entries) EXPECT_EQ(entry.metricIndex, 0u) << "what was asked for alone";
}
TEST(ToolsTracer, DamagedTracesAreRefusedOrRead) { EXPECT_RUNS(traced("damagedTracesAreRefusedOrRead")); }

/// The memory that a group exports, in the layout of its program.
struct Exported {
    int descriptor = -1;
    std::size_t bytes = 0;
    std::uint32_t* words = nullptr;
};

Exported exportedBy(const Gpu& gpu, zet_metric_group_handle_t group) {
    zet_export_dma_buf_exp_properties_t memory{ZET_STRUCTURE_TYPE_EXPORT_DMA_EXP_PROPERTIES, nullptr, -1, 0};
    zet_metric_group_type_exp_t type{ZET_STRUCTURE_TYPE_METRIC_GROUP_TYPE_EXP, &memory, 0};
    zet_metric_group_properties_t properties{};
    properties.pNext = &type;
    EXPECT_OK(zetMetricGroupGetProperties(group, &properties));
    EXPECT_EQ(type.type, static_cast<std::uint32_t>(ZET_METRIC_GROUP_TYPE_EXP_FLAG_EXPORT_DMA_BUF));
    ze_external_memory_import_fd_t import{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD, nullptr,
                                          ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, memory.fd};
    const ze_device_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, &import, 0, 0};
    void* mapped = nullptr;
    EXPECT_OK(zeMemAllocDevice(gpu.context(), &description, memory.size, 0, gpu.device(), &mapped));
    return {memory.fd, memory.size, static_cast<std::uint32_t*>(mapped)};
}

/// In the order of addresses, once each; words that are written while no tracer is enabled are dropped.
SCENARIO(tracerTellsWordsThatWorkLeaves) {
    const Gpu gpu;
    CommandTracer tracer(gpu, nullptr, "SoftwareEvents");
    const auto exported = exportedBy(gpu, tracer.group());
    EXPECT_EQ(exportedBy(gpu, tracer.group()).descriptor, exported.descriptor) << "there is one";
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const auto leave = [&](std::size_t at, std::uint32_t word, std::size_t words) {
        EXPECT_OK(zeCommandListAppendMemoryFill(list, exported.words + at, &word, sizeof word, words * sizeof word,
                                                nullptr, 0, nullptr));
    };
    leave(0, 0x1111, exported.bytes / sizeof(std::uint32_t));
    tracer.enable();
    leave(1000, 0xabcd, 2);
    leave(3, 0xffff'ffff, 1);
    leave(4, 0, 1);
    std::vector<std::uint32_t> after(exported.bytes / sizeof(std::uint32_t), 1);
    EXPECT_OK(zeCommandListAppendMemoryCopy(list, after.data(), exported.words, exported.bytes, nullptr, 0, nullptr));
    EXPECT_EQ(std::ranges::count(after, 0u), std::ssize(after)) << "what was told is gone";
    tracer.disable();
    leave(7, 0x2222, 1);
    Bytes raw;
    ASSERT_OK(tracer.read(raw));
    std::vector<zet_metric_entry_exp_t> entries;
    ASSERT_OK(tracer.decode(raw, entries));
    std::vector<std::uint32_t> told;
    for (const auto& entry : entries) {
        EXPECT_EQ(tracer.nameOf(entry), "SoftwareEvent");
        told.push_back(entry.value.ui32);
    }
    EXPECT_EQ(told, (std::vector<std::uint32_t>{0xabcd, 0xabcd, 0xffff'ffff}));
    EXPECT_OK(tracer.destroy());
}
TEST(ToolsTracer, TellsWordsThatWorkLeaves) { EXPECT_RUNS(traced("tracerTellsWordsThatWorkLeaves")); }

struct PlacedGroup {
    zet_metric_group_handle_t handle;
    std::uint32_t domain;
    std::uint32_t sampling;
    std::uint32_t source;
};
std::vector<PlacedGroup> placedGroups(const Gpu& gpu) {
    std::vector<PlacedGroup> all;
    for (auto* const handle : listOf(zetMetricGroupGet, gpu.device())) {
        zet_metric_source_id_exp_t source{ZET_STRUCTURE_TYPE_METRIC_SOURCE_ID_EXP, nullptr, 0};
        zet_metric_group_properties_t properties{};
        properties.pNext = &source;
        EXPECT_OK(zetMetricGroupGetProperties(handle, &properties));
        all.push_back({handle, properties.domain, properties.samplingType, source.sourceId});
    }
    return all;
}

/// Tools open a streamer of the first group of each domain, and take the groups to trace by source, one a domain.
SCENARIO(tracerGroupsLeadNoDomainAndMeetInNone) {
    const Gpu gpu;
    std::set<std::uint32_t> domains;
    std::vector<zet_metric_group_handle_t> traced;
    std::set<std::uint32_t> tracedDomains;
    std::set<std::uint32_t> tracedSources;
    for (const auto& placed : placedGroups(gpu)) {
        const bool first = domains.insert(placed.domain).second;
        if (placed.sampling != kTracerBased) continue;
        EXPECT_FALSE(first) << "domain " << placed.domain;
        EXPECT_TRUE(tracedDomains.insert(placed.domain).second);
        EXPECT_TRUE(tracedSources.insert(placed.source).second);
        traced.push_back(placed.handle);
    }
    EXPECT_EQ(traced.size(), 2u);
    ASSERT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 2, traced.data()));
    zet_metric_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, nullptr, 0};
    zet_metric_tracer_exp_handle_t tracer = nullptr;
    ASSERT_OK(DRIVER_CALL(gpu, zetMetricTracerCreateExp)(gpu.context(), gpu.device(), 2, traced.data(), &description,
                                                         nullptr, &tracer));
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerDestroyExp)(tracer));
}
TEST(ToolsTracer, GroupsLeadNoDomainAndMeetInNone) { EXPECT_RUNS(traced("tracerGroupsLeadNoDomainAndMeetInNone")); }

std::size_t tracerGroups() {
    const Gpu gpu;
    std::size_t count = 0;
    for (auto* const each : listOf(zetMetricGroupGet, gpu.device())) {
        zet_metric_group_properties_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
        EXPECT_OK(zetMetricGroupGetProperties(each, &properties));
        if (properties.samplingType == kTracerBased) ++count;
    }
    return count;
}

SCENARIO(tracersAreNotListed) { EXPECT_EQ(tracerGroups(), 0u); }
SCENARIO(tracersAreNotListedBesideAClient) {
    ASSERT_NE(dlopen(ZETL_TRACING_CLIENT, RTLD_LAZY), nullptr) << dlerror();
    EXPECT_EQ(tracerGroups(), 0u);
}
SCENARIO(tracersAreListed) {
    ASSERT_NE(dlopen(ZETL_TRACING_CLIENT, RTLD_LAZY), nullptr) << dlerror();
    EXPECT_EQ(tracerGroups(), 2u);
}
TEST(MetricTracer, ClientsThatKnowTracersFindThem) {
    EXPECT_RUNS(measured("tracersAreNotListed"));
    EXPECT_RUNS(measured("tracersAreListed"));
    EXPECT_RUNS(layered(measured("tracersAreListed"), Slots::both));
    EXPECT_RUNS(measured("tracersAreNotListedBesideAClient").with("ZETL_METRIC_TRACERS", "0"));
}

}  // namespace
}  // namespace zetl::test
