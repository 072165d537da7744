// Scopes and calculation operations of Intel's driver, on devices of either kind: one whose reports the calculator
// reads, and one that evaluates its reports itself.
#include <algorithm>

#include "metrics_fixture.h"

namespace zetl::metrics {
namespace {

namespace fake = test::fake;
using Operation = zet_intel_metric_calculation_operation_exp_handle_t;
using Results = std::vector<zet_intel_metric_result_exp_t>;

struct Operations : MetricsTest {
    explicit Operations(const fake::Character& character = {}) : MetricsTest(true, character) {}

    zet_intel_metric_scope_exp_handle_t scope() {
        std::uint32_t count = 1;
        zet_intel_metric_scope_exp_handle_t scope = nullptr;
        EXPECT_EQ(metrics_.scopesGetExp(context_, device_, &count, &scope), ZE_RESULT_SUCCESS);
        EXPECT_EQ(count, 1u);
        return scope;
    }
    Operation operation(zet_metric_group_handle_t group, std::uint64_t section, ze_result_t expected) {
        auto* one = scope();
        zet_intel_metric_calculation_exp_desc_t desc{};
        desc.metricGroupCount = 1;
        desc.phMetricGroups = &group;
        desc.timeAggregationWindow = section;
        desc.metricScopesCount = 1;
        desc.phMetricScopes = &one;
        Operation operation = nullptr;
        EXPECT_EQ(metrics_.operationCreateExp(context_, device_, &desc, &operation), expected);
        std::uint32_t values = 0;
        EXPECT_EQ(metrics_.operationGetReportFormatExp(operation, &values, nullptr, nullptr), ZE_RESULT_SUCCESS);
        values_ = values;
        return operation;
    }
    Results calculate(Operation operation, const std::vector<std::uint8_t>& raw, bool last, std::uint32_t most = 100) {
        std::size_t used = 0;
        std::uint32_t count = most;
        Results results(most * values_);
        code_ = metrics_.calculateValuesExp(raw.size(), raw.data(), operation, last, &used, &count, results.data());
        results.resize(code_ == ZE_RESULT_SUCCESS || code_ == ZE_RESULT_WARNING_DROPPED_DATA ? count * values_ : 0);
        return results;
    }
    /// The fake device takes a report at each of these times.
    std::vector<std::uint8_t> stream(zet_metric_group_handle_t group, const char* counter,
                                     std::initializer_list<std::uint64_t> times) {
        EXPECT_EQ(activate({group}), ZE_RESULT_SUCCESS);
        zet_metric_streamer_desc_t desc{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 100, 100'000};
        zet_metric_streamer_handle_t streamer = nullptr;
        EXPECT_EQ(metrics_.streamerOpen(context_, device_, group, &desc, nullptr, &streamer), ZE_RESULT_SUCCESS);
        double events = 1;
        for (const auto time : times) {
            fake::setTime(time);
            fake::count(counter, events *= 2);
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
    /// Every interval for itself, and all of them as one, as the specification's function has them.
    void expectRowsOf(zet_metric_group_handle_t group, const std::vector<std::uint8_t>& raw, std::size_t reports) {
        const auto names = columns(group);
        const auto compare = [&](const Results& results, const std::vector<std::uint8_t>& of) {
            const auto expected = rows(group, of);
            ASSERT_EQ(results.size(), expected.size() * names.size());
            for (std::size_t i = 0; i < results.size(); ++i) {
                const auto& value = expected[i / names.size()].at(names[i % names.size()]);
                EXPECT_EQ(results[i].value.ui64, value.value.ui64) << names[i % names.size()];
                EXPECT_EQ(results[i].resultStatus, ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_VALID);
            }
        };
        auto* const each = operation(group, 1, ZE_RESULT_SUCCESS);
        compare(calculate(each, raw, true), raw);
        auto* const all = operation(group, UINT64_MAX, ZE_RESULT_SUCCESS);
        const auto bytes = static_cast<std::ptrdiff_t>(raw.size() / reports);
        std::vector<std::uint8_t> ends(raw.begin(), raw.begin() + bytes);
        ends.insert(ends.end(), raw.end() - bytes, raw.end());
        compare(calculate(all, raw, true), ends);
    }

    std::size_t values_ = 0;
    ze_result_t code_ = ZE_RESULT_SUCCESS;
};

struct OperationsElsewhere : Operations {
    OperationsElsewhere() : Operations(fake::otherVendors()) {}
};
struct OperationsOfSamples : Operations {
    OperationsOfSamples() : Operations({.samples = true}) {}
};

TEST_F(Operations, StreamsAreCalculatedAsTheyAre) {
    auto* const group = timeGroup();
    const auto raw = stream(group, "XVE_INST_EXECUTED_SEND_ALL", {1000, 2000, 3500, 4000});
    expectRowsOf(group, raw, rows(group, raw).size() + 1);
}

TEST_F(OperationsElsewhere, StreamsAreEvaluatedByTheDevice) {
    auto* const group = timeGroup("sm");
    const auto raw = stream(group, "sm__cycles", {1000, 2000, 3500, 4000});
    expectRowsOf(group, raw, rows(group, raw).size() + 1);
}

TEST_F(Operations, TheLastReportIsTheBeginningOfTheNextInterval) {
    auto* const group = timeGroup();
    const auto raw = stream(group, "XVE_INST_EXECUTED_SEND_ALL", {1000, 2000, 3000, 4000, 5000});
    const auto whole = calculate(operation(group, 1, ZE_RESULT_SUCCESS), raw, true);
    auto* const parts = operation(group, 1, ZE_RESULT_SUCCESS);
    const auto bytes = static_cast<std::ptrdiff_t>(raw.size() / 5);
    Results got = calculate(parts, {raw.begin(), raw.begin() + 3 * bytes}, false);
    EXPECT_EQ(got.size(), 2 * values_);
    const auto more = calculate(parts, {raw.begin() + 3 * bytes, raw.end()}, true);
    EXPECT_EQ(more.size(), 2 * values_);
    got.insert(got.end(), more.begin(), more.end());
    ASSERT_EQ(got.size(), whole.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].value.ui64, whole[i].value.ui64);
    EXPECT_TRUE(calculate(parts, {}, true).empty());
    EXPECT_EQ(code_, ZE_RESULT_SUCCESS);
    calculate(parts, {}, false);
    EXPECT_EQ(code_, ZE_RESULT_NOT_READY) << "nothing is kept after the last call";
}

TEST_F(OperationsOfSamples, AnInstructionIsAReport) {
    auto* const group = timeGroup("EuStallSampling");
    ASSERT_EQ(activate({group}), ZE_RESULT_SUCCESS);
    zet_metric_streamer_desc_t desc{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 100, 100'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    ASSERT_EQ(metrics_.streamerOpen(context_, device_, group, &desc, nullptr, &streamer), ZE_RESULT_SUCCESS);
    fake::sample(0x80, 0, 7);
    fake::sample(0x40, 0, 2);
    fake::sample(0x90, 0, 1);
    fake::loseSamples(3);
    std::size_t size = 0;
    ASSERT_EQ(metrics_.streamerReadData(streamer, UINT32_MAX, &size, nullptr), ZE_RESULT_SUCCESS);
    std::vector<std::uint8_t> raw(size);
    ASSERT_EQ(metrics_.streamerReadData(streamer, UINT32_MAX, &size, raw.data()), ZE_RESULT_SUCCESS);
    raw.resize(size);
    auto* const samples = operation(group, 5, ZE_INTEL_RESULT_WARNING_TIME_PARAMS_IGNORED_EXP);
    auto results = calculate(samples, raw, false, 1);
    EXPECT_EQ(code_, ZE_RESULT_WARNING_DROPPED_DATA);
    ASSERT_EQ(results.size(), values_);
    EXPECT_EQ(results[0].value.ui64, 0x40u >> 3);
    results = calculate(samples, {}, false);
    ASSERT_EQ(results.size(), 2 * values_) << "what was not given is kept";
    EXPECT_EQ(results[0].value.ui64, 0x80u >> 3);
    EXPECT_EQ(results[values_].value.ui64, 0x90u >> 3);
    calculate(samples, {}, false);
    EXPECT_EQ(code_, ZE_RESULT_NOT_READY);
    EXPECT_EQ(metrics_.streamerClose(streamer), ZE_RESULT_SUCCESS);
}

/// Lengths and contents that no streamer gives.
TEST_F(Operations, AnyBytesAreAnswered) {
    auto* const group = timeGroup();
    const auto raw = stream(group, "XVE_INST_EXECUTED_SEND_ALL", {1000, 2000, 3000});
    auto* const some = operation(group, 500, ZE_RESULT_SUCCESS);
    for (std::size_t size = 0; size <= raw.size(); ++size) {
        calculate(some, {raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size)}, true);
        const bool whole = size % (raw.size() / 3) == 0;
        EXPECT_EQ(code_, whole ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_SIZE) << size;
    }
    auto backwards = raw;
    std::ranges::reverse(backwards);
    calculate(some, backwards, true);
    EXPECT_EQ(code_, ZE_RESULT_SUCCESS);
    calculate(some, std::vector<std::uint8_t>(raw.size(), 0xff), true);
    EXPECT_EQ(code_, ZE_RESULT_SUCCESS);
}

/// A user's group that was opened again has no reports.
TEST_F(Operations, HandlesAreChecked) {
    auto* const group = timeGroup();
    auto* const made = operation(group, 1, ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.operationDestroyExp(made), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.operationDestroyExp(made), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    std::uint32_t count = 0;
    EXPECT_EQ(metrics_.operationGetReportFormatExp(made, &count, nullptr, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.operationGetExcludedMetricsExp(made, &count, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    calculate(made, {}, true);
    EXPECT_EQ(code_, ZE_RESULT_ERROR_INVALID_ARGUMENT);

    zet_metric_group_handle_t open = nullptr;
    ASSERT_EQ(metrics_.groupCreateExp(device_, "mine", "", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED, &open),
              ZE_RESULT_SUCCESS);
    auto* one = scope();
    zet_intel_metric_calculation_exp_desc_t desc{};
    desc.metricGroupCount = 1;
    desc.phMetricGroups = &open;
    desc.timeAggregationWindow = 1;
    desc.metricScopesCount = 1;
    desc.phMetricScopes = &one;
    Operation none = nullptr;
    EXPECT_EQ(metrics_.operationCreateExp(context_, device_, &desc, &none), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.groupDestroyExp(open), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.operationCreateExp(context_, device_, &desc, &none), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace zetl::metrics
