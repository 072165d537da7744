// Exported data are calculated without the device; damaged ones are refused by documented codes.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "metrics/calculation/export_data.h"
#include "metrics_fixture.h"

namespace zetl::metrics {
namespace {

namespace fake = test::fake;

constexpr auto kType = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;

struct Answer {
    ze_result_t code = ZE_RESULT_SUCCESS;
    std::uint32_t sets = 0;
    std::vector<zet_typed_value_t> values;
};

Answer calculate(const std::vector<std::uint8_t>& data, std::uint32_t skip = 0) {
    static int anyDriver;
    const auto driver = reinterpret_cast<ze_driver_handle_t>(&anyDriver);
    zet_metric_calculate_exp_desc_t desc{};
    desc.rawReportSkipCount = skip;
    Answer answer;
    std::uint32_t total = 0;
    answer.code = Metrics::calculateMetricExportDataExp(driver, kType, data.size(), data.data(), &desc, &answer.sets,
                                                        &total, nullptr, nullptr);
    if (answer.code != ZE_RESULT_SUCCESS || total == 0) return answer;
    answer.values.resize(total);
    std::vector<std::uint32_t> counts(answer.sets);
    answer.code = Metrics::calculateMetricExportDataExp(driver, kType, data.size(), data.data(), &desc, &answer.sets,
                                                        &total, counts.data(), answer.values.data());
    answer.values.resize(total);
    return answer;
}

class Export : public MetricsTest {
  protected:
    std::vector<std::uint8_t> stream(std::uint32_t reports) {
        const auto group = timeGroup();
        EXPECT_EQ(activate({group}), ZE_RESULT_SUCCESS);
        zet_metric_streamer_desc_t desc{};
        desc.notifyEveryNReports = 1;
        desc.samplingPeriod = 1000;
        zet_metric_streamer_handle_t streamer = nullptr;
        EXPECT_EQ(metrics_.streamerOpen(context_, device_, group, &desc, nullptr, &streamer), ZE_RESULT_SUCCESS);
        for (std::uint32_t i = 0; i < reports; ++i) {
            fake::setTime(1000 * (i + 1));
            fake::count("XVE_ACTIVE_CYCLES", i);
            fake::count("GpuCoreClocks", 100);
            fake::streamReports();
        }
        std::size_t size = 0;
        EXPECT_EQ(metrics_.streamerReadData(streamer, UINT32_MAX, &size, nullptr), ZE_RESULT_SUCCESS);
        std::vector<std::uint8_t> raw(size);
        EXPECT_EQ(metrics_.streamerReadData(streamer, UINT32_MAX, &size, raw.data()), ZE_RESULT_SUCCESS);
        raw.resize(size);
        EXPECT_EQ(metrics_.streamerClose(streamer), ZE_RESULT_SUCCESS);
        return raw;
    }
    std::vector<std::uint8_t> exported(const std::vector<std::uint8_t>& raw) {
        std::size_t size = 0;
        EXPECT_EQ(metrics_.groupGetExportDataExp(timeGroup(), raw.data(), raw.size(), &size, nullptr),
                  ZE_RESULT_SUCCESS);
        std::vector<std::uint8_t> data(size + 10);
        auto larger = data.size();
        EXPECT_EQ(metrics_.groupGetExportDataExp(timeGroup(), raw.data(), raw.size(), &larger, data.data()),
                  ZE_RESULT_SUCCESS);
        EXPECT_EQ(larger, size);
        data.resize(larger);
        --size;
        EXPECT_EQ(metrics_.groupGetExportDataExp(timeGroup(), raw.data(), raw.size(), &size, data.data()),
                  ZE_RESULT_ERROR_INVALID_SIZE);
        return data;
    }
    std::vector<zet_typed_value_t> live(const std::vector<std::uint8_t>& raw) {
        std::uint32_t count = 0;
        EXPECT_EQ(metrics_.groupCalculateMetricValues(timeGroup(), kType, raw.size(), raw.data(), &count, nullptr),
                  ZE_RESULT_SUCCESS);
        std::vector<zet_typed_value_t> values(count);
        EXPECT_EQ(
            metrics_.groupCalculateMetricValues(timeGroup(), kType, raw.size(), raw.data(), &count, values.data()),
            ZE_RESULT_SUCCESS);
        values.resize(count);
        return values;
    }
};

bool same(const std::vector<zet_typed_value_t>& one, const std::vector<zet_typed_value_t>& other) {
    return std::ranges::equal(one, other, [](const auto& left, const auto& right) {
        return left.type == right.type && left.value.ui64 == right.value.ui64;
    });
}

TEST_F(Export, GivesTheValuesThatTheDeviceGives) {
    const auto raw = stream(100);
    const auto answer = calculate(exported(raw));
    ASSERT_EQ(answer.code, ZE_RESULT_SUCCESS);
    EXPECT_EQ(answer.sets, 1u);
    ASSERT_EQ(answer.values.size(), 99 * properties(timeGroup()).metricCount);
    EXPECT_TRUE(same(answer.values, live(raw)));
}

/// A device that does not say where its reports hold what is asked before the data leave.
struct ExportOfOpaqueReports : Export {
    ExportOfOpaqueReports() { fake::describeReports(false); }
};
TEST_F(ExportOfOpaqueReports, GivesTheValuesThatTheDeviceGives) {
    const auto raw = stream(100);
    const auto answer = calculate(exported(raw));
    ASSERT_EQ(answer.code, ZE_RESULT_SUCCESS);
    ASSERT_EQ(answer.values.size(), 99 * properties(timeGroup()).metricCount);
    EXPECT_TRUE(same(answer.values, live(raw)));
}

TEST_F(Export, ReportsCanBeSkipped) {
    const auto raw = stream(10);
    const auto data = exported(raw);
    const auto columns = properties(timeGroup()).metricCount;
    const auto all = live(raw);
    const auto rest = calculate(data, 4);
    ASSERT_EQ(rest.values.size(), 5 * columns);
    EXPECT_TRUE(same(rest.values, {all.begin() + 4 * columns, all.end()}));
    EXPECT_EQ(calculate(data, UINT32_MAX).code, ZE_RESULT_SUCCESS);
    EXPECT_TRUE(calculate(data, UINT32_MAX).values.empty());
}

TEST_F(Export, TilesAreSets) {
    const auto one = stream(5);
    std::vector<std::uint8_t> raw;
    for (const std::uint32_t set : {1u, 0u, 1u}) {
        const TileHead head{.set = set, .sets = 2, .bytes = one.size()};
        raw.insert(raw.end(), reinterpret_cast<const std::uint8_t*>(&head),
                   reinterpret_cast<const std::uint8_t*>(&head + 1));
        raw.insert(raw.end(), one.begin(), one.end());
    }
    const auto answer = calculate(exported(raw));
    ASSERT_EQ(answer.code, ZE_RESULT_SUCCESS);
    EXPECT_EQ(answer.sets, 2u);
    EXPECT_EQ(answer.values.size(), (4 + 9) * properties(timeGroup()).metricCount);
    std::uint32_t count = 0;
    EXPECT_EQ(metrics_.groupCalculateMetricValues(timeGroup(), kType, raw.size(), raw.data(), &count, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Export, EveryTruncationIsRefused) {
    const auto data = exported(stream(3));
    for (std::size_t size = 1; size < data.size(); size += size < 64 ? 1 : 37) {
        const auto code = calculate({data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size)}).code;
        EXPECT_EQ(code, ZE_RESULT_ERROR_INVALID_SIZE) << size;
    }
}

TEST_F(Export, ForeignDataAndOtherVersionsAreRefused) {
    auto data = exported(stream(3));
    EXPECT_EQ(calculate(std::vector<std::uint8_t>(500)).code, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    data[8] = 9;
    EXPECT_EQ(calculate(data).code, ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Export, HostileLengthsAreRefused) {
    const auto data = exported(stream(3));
    for (const std::size_t at : {16u, 24u})
        for (const std::uint64_t length : {std::uint64_t{0}, UINT64_MAX, UINT64_MAX - 31, std::uint64_t{1} << 63}) {
            auto spoiled = data;
            std::memcpy(spoiled.data() + at, &length, sizeof length);
            const auto code = calculate(spoiled).code;
            EXPECT_TRUE(code == ZE_RESULT_ERROR_INVALID_SIZE || code == ZE_RESULT_ERROR_INVALID_ARGUMENT ||
                        code == ZE_RESULT_NOT_READY)
                << at << ' ' << length << ' ' << code;
        }
}

TEST_F(Export, MutationsGiveDocumentedCodes) {
    const auto data = exported(stream(3));
    std::mt19937 random(4711);
    for (int turn = 0; turn < 3000; ++turn) {
        auto spoiled = data;
        for (int i = 0; i < 3; ++i) spoiled[random() % spoiled.size()] = static_cast<std::uint8_t>(random());
        const auto code = calculate(spoiled).code;
        EXPECT_TRUE(code == ZE_RESULT_SUCCESS || code == ZE_RESULT_ERROR_INVALID_SIZE ||
                    code == ZE_RESULT_ERROR_INVALID_ARGUMENT || code == ZE_RESULT_NOT_READY)
            << turn << ' ' << code;
    }
}

TEST_F(Export, ArgumentsAreChecked) {
    const auto raw = stream(2);
    const auto data = exported(raw);
    zet_metric_calculate_exp_desc_t desc{};
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    int any;
    const auto driver = reinterpret_cast<ze_driver_handle_t>(&any);
    EXPECT_EQ(Metrics::calculateMetricExportDataExp(driver, static_cast<zet_metric_group_calculation_type_t>(7),
                                                    data.size(), data.data(), &desc, &sets, &total, nullptr, nullptr),
              ZE_RESULT_ERROR_INVALID_ENUMERATION);
    sets = total = 1;
    EXPECT_EQ(Metrics::calculateMetricExportDataExp(driver, kType, data.size(), data.data(), &desc, &sets, &total,
                                                    nullptr, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace zetl::metrics
