// Traces by scope, exported tracers and sizes of buffers, as Intel's driver has them: through the stock loader, without
// any layer.
#include <algorithm>
#include <cstring>
#include <set>

#include "emulated_gpu/tools/intel_metrics.h"

namespace zetl::test {
namespace {

/// What a tracer of commands gave, of one kernel on the first tile, two on the second, and its decoder.
class Trace {
  public:
    explicit Trace(const Gpu& gpu) : gpu_(gpu), group_(zetl::test::group(gpu, "CommandTrace", kTracerBased)) {
        activate(gpu, group_);
        zet_metric_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, nullptr, 0};
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerCreateExp)(gpu.context(), gpu.device(), 1, &group_, &description,
                                                             nullptr, &tracer_));
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerEnableExp)(tracer_, true));
        const auto tiles = listOf(zeDeviceGetSubDevices, gpu.device());
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            const auto tile = gpu.on(tiles[i]);
            CountedWork(tile).launch(static_cast<int>(i) + 1);
        }
        raw.resize(1 << 20);
        std::size_t size = raw.size();
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerReadDataExp)(tracer_, &size, raw.data()));
        raw.resize(size);
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricDecoderCreateExp)(tracer_, &decoder));
        metrics = listOf(DRIVER_CALL(gpu, zetMetricDecoderGetDecodableMetricsExp), decoder);
    }
    ~Trace() {
        if (decoder) {
            EXPECT_OK(DRIVER_CALL(gpu_, zetMetricDecoderDestroyExp)(decoder));
        }
        EXPECT_OK(DRIVER_CALL(gpu_, zetMetricTracerDisableExp)(tracer_, true));
        EXPECT_OK(DRIVER_CALL(gpu_, zetMetricTracerDestroyExp)(tracer_));
    }
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    zet_metric_group_handle_t group() const { return group_; }
    zet_metric_tracer_exp_handle_t tracer() const { return tracer_; }
    /// All entries of the scopes, tile after tile.
    std::vector<zet_metric_entry_exp2_t> decoded(std::vector<ScopeHandle> scopes) {
        std::vector<zet_metric_entry_exp2_t> entries(raw.size() / 32);
        auto got = static_cast<std::uint32_t>(entries.size());
        std::size_t used = 0;
        EXPECT_OK(DRIVER_CALL(gpu_, zetIntelMetricTracerDecodeExp2)(
            decoder, raw.size(), raw.data(), static_cast<std::uint32_t>(metrics.size()), metrics.data(),
            static_cast<std::uint32_t>(scopes.size()), scopes.data(), &used, &got, entries.data()));
        EXPECT_EQ(used, raw.size());
        entries.resize(got);
        return entries;
    }

    Bytes raw;
    std::vector<zet_metric_handle_t> metrics;
    zet_metric_decoder_exp_handle_t decoder = nullptr;

  private:
    const Gpu& gpu_;
    zet_metric_group_handle_t group_;
    zet_metric_tracer_exp_handle_t tracer_ = nullptr;
};

/// The same entries as by sets, without those of scopes that are not asked for.
SCENARIO(tracesAreDecodedByScope) {
    const Gpu gpu;
    Trace trace(gpu);
    auto& raw = trace.raw;
    auto& metrics = trace.metrics;
    auto* decoder = trace.decoder;
    std::size_t size = raw.size();
    const auto metricCount = static_cast<std::uint32_t>(metrics.size());
    std::uint32_t sets = 0;
    std::uint32_t count = 0;
    const auto decodeSets = DRIVER_CALL(gpu, zetMetricTracerDecodeExp);
    ASSERT_OK(decodeSets(decoder, &size, raw.data(), metricCount, metrics.data(), &sets, nullptr, &count, nullptr));
    std::vector<std::uint32_t> counts(sets);
    std::vector<zet_metric_entry_exp_t> expected(count);
    ASSERT_OK(decodeSets(decoder, &size, raw.data(), metricCount, metrics.data(), &sets, counts.data(), &count,
                         expected.data()));
    ASSERT_GT(count, 6u);
    const auto decode = DRIVER_CALL(gpu, zetIntelMetricTracerDecodeExp2);
    auto scopes = scopesOf(gpu);
    const auto all = trace.decoded(scopes);
    ASSERT_EQ(all.size(), expected.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].value.ui64, expected[i].value.ui64);
        EXPECT_EQ(all[i].timeStamp, expected[i].timeStamp);
        EXPECT_EQ(all[i].metricIndex, expected[i].metricIndex);
        EXPECT_EQ(all[i].metricScopeID, 1 + expected[i].subdeviceId);
        EXPECT_EQ(all[i].duration, 0u);
    }
    EXPECT_EQ(trace.decoded({scopes[2]}).size(), counts[1]);
    EXPECT_EQ(trace.decoded({scopes[0]}).size(), 0u) << "an entry is of one tile";
    std::size_t used = 0;
    std::uint32_t none = 0;
    const auto answer = [&](std::size_t bytes, ScopeHandle* of) {
        return decode(decoder, bytes, raw.data(), metricCount, metrics.data(), 1, of, &used, &none, nullptr);
    };
    auto foreign = scopesOf(gpu.on(listOf(zeDeviceGetSubDevices, gpu.device()).at(0)));
    EXPECT_EQ(answer(raw.size(), foreign.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    auto* garbage = reinterpret_cast<ScopeHandle>(raw.data());
    EXPECT_EQ(answer(raw.size(), &garbage), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(answer(raw.size() - 1, scopes.data()));
    raw[0] ^= 0xff;
    EXPECT_EQ(answer(raw.size(), scopes.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);

    EXPECT_OK(DRIVER_CALL(gpu, zetMetricDecoderDestroyExp)(decoder));
    trace.decoder = nullptr;
    EXPECT_EQ(answer(raw.size(), scopes.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(IntelMetrics, TracesAreDecodedByScope) {
    EXPECT_RUNS(measured("tracesAreDecodedByScope", kTwoTiles).with("ZETL_METRIC_TRACERS", "1"));
}

/// A report for each entry, in the order of the data: its value, for its metric and its tile alone.
SCENARIO(tracesAreCalculated) {
    const Gpu gpu;
    Trace trace(gpu);
    const auto scopes = scopesOf(gpu);
    const Operation operation(gpu, trace.group(), {scopes[1], scopes[2]}, 5);
    const auto& calculate = DRIVER_CALL(gpu, zetIntelMetricTracerDecodeCalculateValuesExp);
    const auto width = operation.values();
    std::uint32_t reports = 0;
    std::size_t used = 9;
    ASSERT_OK(calculate(trace.decoder, trace.raw.size(), &used, trace.raw.data(), operation, &reports, nullptr));
    EXPECT_EQ(used, 0u) << "nothing was calculated";
    ASSERT_EQ(reports, trace.decoded(scopes).size());
    Results results;
    for (std::size_t at = 0; at < trace.raw.size(); at += used) {
        Results some(3 * width);
        std::uint32_t count = 3;
        ASSERT_OK(calculate(trace.decoder, trace.raw.size() - at, &used, trace.raw.data() + at, operation, &count,
                            some.data()));
        ASSERT_GT(used, 0u);
        results.insert(results.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count * width));
    }
    ASSERT_EQ(results.size(), reports * width);
    std::vector<std::uint64_t> valid[2];
    for (std::size_t report = 0; report < reports; ++report) {
        std::size_t there = 0;
        for (std::size_t i = 0; i < width; ++i) {
            const auto& one = results[report * width + i];
            if (one.resultStatus != ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_VALID) continue;
            ++there;
            valid[i / (width / 2)].push_back(one.value.ui64 << 8 | i % (width / 2));
        }
        EXPECT_EQ(there, 1u) << report;
    }
    for (std::size_t tile = 0; tile < 2; ++tile) {
        std::vector<std::uint64_t> expected;
        for (const auto& entry : trace.decoded({scopes[1 + tile]}))
            expected.push_back(entry.value.ui64 << 8 | entry.metricIndex);
        EXPECT_EQ(valid[tile], expected);
    }

    reports = 0;
    EXPECT_EQ(DRIVER_CALL(gpu, zetIntelMetricCalculateValuesExp)(trace.raw.size(), trace.raw.data(), operation, true,
                                                                 &used, &reports, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const Operation counted(gpu, group(gpu, "MemoryTraffic", kTimeBased), {scopes[1]});
    EXPECT_EQ(calculate(trace.decoder, trace.raw.size(), &used, trace.raw.data(), counted, &reports, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(calculate(trace.decoder, 1, &used, nullptr, operation, &reports, nullptr),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    trace.raw[0] ^= 0xff;
    EXPECT_EQ(calculate(trace.decoder, trace.raw.size(), &used, trace.raw.data(), operation, &reports, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(IntelMetrics, TracesAreCalculated) {
    EXPECT_RUNS(measured("tracesAreCalculated", kTwoTiles).with("ZETL_METRIC_TRACERS", "1"));
}

/// What is documented: a head, then the metrics, with the numbers of the raw data's records.
SCENARIO(tracersAreExported) {
    const Gpu gpu;
    Trace trace(gpu);
    const auto& exported = DRIVER_CALL(gpu, zetIntelMetricTracerExportExp);
    std::size_t size = 0;
    ASSERT_OK(exported(trace.tracer(), ZET_INTEL_METRIC_EXPORT_FORMAT_RAW, &size, nullptr));
    Bytes bytes(size + 1, 0xa5);
    std::size_t few = size - 1;
    EXPECT_EQ(exported(trace.tracer(), ZET_INTEL_METRIC_EXPORT_FORMAT_RAW, &few, bytes.data()),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(exported(trace.tracer(), static_cast<zet_intel_metric_export_format_t>(1), &size, bytes.data()),
              ZE_RESULT_ERROR_INVALID_ENUMERATION);
    std::size_t room = bytes.size();
    ASSERT_OK(exported(trace.tracer(), ZET_INTEL_METRIC_EXPORT_FORMAT_RAW, &room, bytes.data()));
    EXPECT_EQ(room, size);
    EXPECT_EQ(bytes.back(), 0xa5);
    const auto word = [](const Bytes& from, std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, from.data() + at, sizeof value);
        return value;
    };
    EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 4), "ZTTE");
    EXPECT_EQ(word(bytes, 4), 1u);
    EXPECT_GT(word(bytes, 8), 0u) << "ticks per second";
    EXPECT_EQ(word(bytes, 20), 2u) << "tiles";
    EXPECT_EQ(word(bytes, 24), 32u) << "bytes of a record";
    ASSERT_EQ(word(bytes, 28), trace.metrics.size());
    ASSERT_EQ(size, 32 + trace.metrics.size() * 272);
    const auto decoded = trace.decoded(scopesOf(gpu));
    const auto columns = columnsOf(trace.group());
    std::size_t kernels = 0;
    for (std::size_t at = 0; at < trace.raw.size(); at += 32)
        for (std::size_t i = 0; i < trace.metrics.size(); ++i) {
            const auto* const metric = bytes.data() + 32 + i * 272;
            if (word(trace.raw, at + 4) != word(bytes, 32 + i * 272)) continue;
            EXPECT_EQ(reinterpret_cast<const char*>(metric + 16), columns[i]);
            if (columns[i] == "KernelBegin") ++kernels;
        }
    EXPECT_EQ(kernels, 3u) << "one on the first tile, two on the second";
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(
                  decoded, [&](const auto& entry) { return columns[entry.metricIndex] == "KernelBegin"; })),
              kernels);
}
TEST(IntelMetrics, TracersAreExported) {
    EXPECT_RUNS(measured("tracersAreExported", kTwoTiles).with("ZETL_METRIC_TRACERS", "1"));
}

/// What is asked for, in whole reports of all tiles, unless a notification says it or it is more than there is.
SCENARIO(buffersHaveTheSizeThatIsAskedFor) {
    const Gpu gpu;
    auto* traffic = group(gpu, "MemoryTraffic", kTimeBased);
    activate(gpu, traffic);
    const auto opened = [&](zet_metric_group_handle_t of, std::size_t bytes, ze_event_handle_t event = nullptr) {
        zet_intel_metric_hw_buffer_size_exp_desc_t buffer{ZET_INTEL_STRUCTURE_TYPE_METRIC_HW_BUFFER_SIZE_EXP_DESC,
                                                          nullptr, bytes};
        zet_base_desc_t unknown{static_cast<zet_structure_type_t>(0x7ffffffe), &buffer};
        zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, &unknown, 100, 1'000'000};
        zet_metric_streamer_handle_t streamer = nullptr;
        EXPECT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), of, &description, event, &streamer));
        std::size_t size = 0;
        EXPECT_OK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, nullptr));
        EXPECT_GE(size, buffer.sizeInBytes) << "data of several tiles have heads";
        EXPECT_LE(size, buffer.sizeInBytes + 256);
        EXPECT_OK(zetMetricStreamerClose(streamer));
        return buffer.sizeInBytes;
    };
    const auto most = opened(traffic, SIZE_MAX);
    EXPECT_EQ(opened(traffic, 0), most);
    const auto report = opened(traffic, 1);
    EXPECT_EQ(most, 65536 * report) << "one report at least";
    EXPECT_EQ(opened(traffic, 100 * report + report / 2), 100 * report);
    const ze_event_pool_desc_t pool{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1};
    ze_event_pool_handle_t events = nullptr;
    ASSERT_OK(zeEventPoolCreate(gpu.context(), &pool, 0, nullptr, &events));
    const ze_event_desc_t one{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
    ze_event_handle_t event = nullptr;
    ASSERT_OK(zeEventCreate(events, &one, &event));
    EXPECT_EQ(opened(traffic, 100 * report, event), most);
    ASSERT_OK(zeEventDestroy(event));
    ASSERT_OK(zeEventPoolDestroy(events));
    auto* stalls = group(gpu, "EuStallSampling", kTimeBased);
    activate(gpu, stalls);
    EXPECT_EQ(opened(stalls, 1), opened(stalls, SIZE_MAX)) << "of samples there is one size";

    auto* traced = group(gpu, "CommandTrace", kTracerBased);
    activate(gpu, traced);
    const auto tracersBuffer = [&](std::size_t bytes) {
        zet_intel_metric_hw_buffer_size_exp_desc_t buffer{ZET_INTEL_STRUCTURE_TYPE_METRIC_HW_BUFFER_SIZE_EXP_DESC,
                                                          nullptr, bytes};
        zet_metric_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, &buffer, 0};
        zet_metric_tracer_exp_handle_t tracer = nullptr;
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerCreateExp)(gpu.context(), gpu.device(), 1, &traced, &description,
                                                             nullptr, &tracer));
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerDestroyExp)(tracer));
        return buffer.sizeInBytes;
    };
    EXPECT_EQ(tracersBuffer(0), 2u << 20);
    EXPECT_EQ(tracersBuffer(1000), 992u);
    EXPECT_EQ(tracersBuffer(SIZE_MAX), 2u << 20);
}
TEST(IntelMetrics, BuffersHaveTheSizeThatIsAskedFor) {
    EXPECT_RUNS(measured("buffersHaveTheSizeThatIsAskedFor", kTwoTiles).with("ZETL_METRIC_TRACERS", "1"));
}

}  // namespace
}  // namespace zetl::test
