// What Intel's metric functions refuse: through the stock loader, without any layer.
#include <algorithm>
#include <random>
#include <set>

#include "emulated_gpu/tools/intel_metrics.h"
#include "support/effort.h"

namespace zetl::test {
namespace {

struct NamedRow {
    std::string function;
    std::string arguments;
};
const NamedRow kNamedRows[] = {
#define NAMED(name, arguments, ...) {#name, arguments},
#include "tools/named_functions.def"
#undef NAMED
};

using AnyFunction = std::uint64_t(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*);

/// Null or zeroes everywhere, but for one argument.
SCENARIO(badArgumentsOfIntelsAreRefused) {
    const Gpu gpu;
    static long zeroes[512];
    int rows = 0;
    for (const NamedRow& row : kNamedRows) {
        auto* const function = gpu.function<AnyFunction>(row.function.c_str());
        ASSERT_NE(function, nullptr) << row.function;
        const auto call = [&](std::size_t null, void* counted) {
            void* a[10] = {};
            for (std::size_t i = 0; i < row.arguments.size(); ++i)
                if (row.arguments[i] != '.') a[i] = i == null ? nullptr : row.arguments[i] == 'h' ? zeroes : counted;
            return static_cast<ze_result_t>(function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]));
        };
        for (std::size_t i = 0; i < row.arguments.size(); ++i) {
            const auto expected =
                row.arguments[i] == 'h' ? ZE_RESULT_ERROR_INVALID_NULL_HANDLE : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
            if (row.arguments[i] == '.') continue;
            EXPECT_EQ(call(i, zeroes), expected) << row.function << ", argument " << i;
        }
        std::vector<std::uint64_t> huge(512, UINT64_MAX);
        for (void* memory : {static_cast<void*>(zeroes), static_cast<void*>(huge.data())}) {
            const auto code = call(SIZE_MAX, memory);
            EXPECT_TRUE(code == ZE_RESULT_ERROR_INVALID_ARGUMENT || code == ZE_RESULT_ERROR_INVALID_NULL_HANDLE ||
                        code == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
                << row.function << ": " << std::hex << code;
        }
        ++rows;
    }
    EXPECT_EQ(rows, 13);
}
TEST(IntelMetrics, BadArgumentsAreRefused) { EXPECT_RUNS(measured("badArgumentsOfIntelsAreRefused")); }

SCENARIO(badDescriptionsAreRefused) {
    const Gpu gpu;
    const auto create = DRIVER_CALL(gpu, zetIntelMetricCalculationOperationCreateExp);
    const auto tile = gpu.on(listOf(zeDeviceGetSubDevices, gpu.device()).at(0));
    auto scopes = scopesOf(gpu);
    auto tileScopes = scopesOf(tile);
    zet_metric_group_handle_t groups[] = {group(gpu, "MemoryTraffic", kTimeBased),
                                          group(gpu, "MemoryTraffic", kEventBased)};
    auto* foreign = group(tile, "MemoryTraffic", kTimeBased);
    auto metrics = listOf(zetMetricGet, groups[0]);
    auto others = listOf(zetMetricGet, groups[1]);
    zet_intel_metric_calculation_time_window_exp_t windows[] = {{0, 10}, {5, 10}};
    const Desc good{kDescType, nullptr, 1, groups, 0, nullptr, 0, nullptr, 1, 1, &scopes[1]};
    const auto refused = [&](auto&& change, ze_result_t code = ZE_RESULT_ERROR_INVALID_ARGUMENT) {
        Desc desc = good;
        change(desc);
        auto* operation = reinterpret_cast<OperationHandle>(&desc);
        EXPECT_EQ(create(gpu.context(), gpu.device(), &desc, &operation), code);
        EXPECT_EQ(operation, nullptr);
    };
    refused([&](Desc& desc) { desc.metricScopesCount = 0; });
    refused([&](Desc& desc) { desc.phMetricScopes = scopes.data(); });  // a stream has no sum of tiles
    refused([&](Desc& desc) { desc.phMetricScopes = tileScopes.data(); });
    refused([&](Desc& desc) { desc.phMetricScopes = reinterpret_cast<ScopeHandle*>(windows); });
    refused([&](Desc& desc) {
        desc.metricScopesCount = UINT32_MAX;
        desc.phMetricScopes = tileScopes.data();
    });
    refused([&](Desc& desc) { desc.metricGroupCount = 2; });
    refused([&](Desc& desc) { desc.phMetricGroups = &foreign; });
    refused([&](Desc& desc) { desc.metricGroupCount = 0; });
    refused([&](Desc& desc) {
        desc.metricCount = 1;
        desc.phMetrics = others.data();
    });
    refused([&](Desc& desc) { desc.timeAggregationWindow = 0; });
    refused([&](Desc& desc) {
        desc.timeWindowsCount = 2;
        desc.pCalculationTimeWindows = windows;
    });
    refused([&](Desc& desc) { desc.phMetricGroups = nullptr; }, ZE_RESULT_ERROR_INVALID_SIZE);
    refused([&](Desc& desc) { desc.metricCount = 1; }, ZE_RESULT_ERROR_INVALID_SIZE);
    refused([&](Desc& desc) { desc.timeWindowsCount = UINT32_MAX; }, ZE_RESULT_ERROR_INVALID_SIZE);
    refused([&](Desc& desc) { desc.phMetricScopes = nullptr; }, ZE_RESULT_ERROR_INVALID_SIZE);
    zet_metric_handle_t mixed[] = {metrics[0], others[0]};
    refused([&](Desc& desc) {
        desc.metricGroupCount = 0;
        desc.metricCount = 2;
        desc.phMetrics = mixed;
    });

    Desc queried = good;
    queried.phMetricGroups = &groups[1];
    queried.phMetricScopes = scopes.data();
    queried.timeAggregationWindow = 5;
    OperationHandle operation = nullptr;
    EXPECT_EQ(create(gpu.context(), gpu.device(), &queried, &operation),
              ZE_INTEL_RESULT_WARNING_TIME_PARAMS_IGNORED_EXP);
    EXPECT_EQ(queried.timeAggregationWindow, 0u);
    const auto destroy = DRIVER_CALL(gpu, zetIntelMetricCalculationOperationDestroyExp);
    EXPECT_OK(destroy(operation));
    EXPECT_EQ(destroy(operation), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "stale";
    std::uint32_t count = 0;
    std::size_t used = 9;
    std::uint8_t byte = 0;
    EXPECT_EQ(DRIVER_CALL(gpu, zetIntelMetricCalculateValuesExp)(1, &byte, operation, true, &used, &count, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(used, 0u);
}
TEST(IntelMetrics, BadDescriptionsAreRefused) { EXPECT_RUNS(measured("badDescriptionsAreRefused", kTwoTiles)); }

/// Cut, of other devices, and with random bytes in it.
SCENARIO(damagedDataAreAnswered) {
    const Gpu gpu;
    const auto raw = streamed(gpu, 3);
    auto* const traffic = group(gpu, "MemoryTraffic", kTimeBased);
    auto* const stalls = group(gpu, "EuStallSampling", kTimeBased);
    const auto samples = sampled(gpu, stalls);
    const Operation counted(gpu, traffic, scopesOf(gpu), 1000);
    const Operation waiting(gpu, stalls, scopesOf(gpu), 0);
    EXPECT_EQ(counted.answer({raw.begin(), raw.end() - 1}), ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_EQ(waiting.answer({samples.begin(), samples.end() - 1}), ZE_RESULT_ERROR_INVALID_SIZE);
    std::uint32_t count = 0;
    std::size_t used = 0;
    const auto calculate = DRIVER_CALL(gpu, zetIntelMetricCalculateValuesExp);
    EXPECT_EQ(calculate(8, nullptr, counted, true, &used, &count, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(calculate(0, nullptr, counted, false, &used, &count, nullptr), ZE_RESULT_NOT_READY);
    std::mt19937 random(7);
    const std::set<ze_result_t> documented{ZE_RESULT_SUCCESS, ZE_RESULT_NOT_READY, ZE_RESULT_ERROR_INVALID_SIZE,
                                           ZE_RESULT_ERROR_INVALID_ARGUMENT, ZE_RESULT_WARNING_DROPPED_DATA};
    for (int i = 0; i < effort(400, 40); ++i) {
        auto bytes = i % 2 == 0 ? raw : samples;
        bytes.resize(std::min<std::size_t>(bytes.size(), 1 + random() % 4096));
        for (int changed = 0; changed < 16; ++changed)
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        if (i % 3 == 0) std::ranges::generate(bytes, [&] { return static_cast<std::uint8_t>(random()); });
        EXPECT_TRUE(documented.contains(counted.answer(bytes)));
        EXPECT_TRUE(documented.contains(waiting.answer(bytes)));
    }
}
TEST(IntelMetrics, DamagedDataAreAnswered) { EXPECT_RUNS(measured("damagedDataAreAnswered")); }

SCENARIO(dataOfAnotherDeviceAreRefused) {
    const Gpu gpu;
    const auto scopes = scopesOf(gpu);
    const auto tile = gpu.on(listOf(zeDeviceGetSubDevices, gpu.device()).at(0));
    const auto raw = streamed(tile, 2);
    const Operation operation(gpu, group(gpu, "MemoryTraffic", kTimeBased), {scopes[1], scopes[2]});
    EXPECT_EQ(operation.answer(raw), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(IntelMetrics, DataOfAnotherDeviceAreRefused) { EXPECT_RUNS(measured("dataOfAnotherDeviceAreRefused", kTwoTiles)); }

}  // namespace
}  // namespace zetl::test
