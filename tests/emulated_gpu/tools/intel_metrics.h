// For tests of the metric functions that Intel's driver has beside the specification's: scopes, operations, and data to
// calculate.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulated_gpu/counted_work.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/queries.h"
#include "emulated_gpu/stream.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero/intel_metrics.h"

namespace zetl::test {

using Bytes = std::vector<std::uint8_t>;
using ScopeHandle = zet_intel_metric_scope_exp_handle_t;
using OperationHandle = zet_intel_metric_calculation_operation_exp_handle_t;
using Desc = zet_intel_metric_calculation_exp_desc_t;
using Results = std::vector<zet_intel_metric_result_exp_t>;

inline constexpr const char* kTwoTiles = "small-two-by-two";
inline constexpr auto kDescType = ZET_INTEL_STRUCTURE_TYPE_METRIC_CALCULATION_DESC_EXP;

inline std::vector<ScopeHandle> scopesOf(const Gpu& gpu) {
    const auto get = DRIVER_CALL(gpu, zetIntelMetricScopesGetExp);
    std::uint32_t count = 0;
    EXPECT_OK(get(gpu.context(), gpu.device(), &count, nullptr));
    std::vector<ScopeHandle> scopes(count);
    EXPECT_OK(get(gpu.context(), gpu.device(), &count, scopes.data()));
    return scopes;
}

/// "number name" of each.
inline std::vector<std::string> namesOf(const Gpu& gpu, const std::vector<ScopeHandle>& scopes) {
    std::vector<std::string> names;
    for (auto* const scope : scopes) {
        zet_intel_metric_scope_properties_exp_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_INTEL_METRIC_SCOPE_PROPERTIES_EXP;
        EXPECT_OK(DRIVER_CALL(gpu, zetIntelMetricScopeGetPropertiesExp)(scope, &properties));
        EXPECT_NE(properties.description[0], '\0');
        names.push_back(std::to_string(properties.iD) + " " + properties.name);
    }
    return names;
}

/// A device under load may lose samples, which both ways to calculate them say.
inline bool isGood(ze_result_t result) {
    return result == ZE_RESULT_SUCCESS || result == ZE_RESULT_WARNING_DROPPED_DATA;
}

/// An operation of all metrics of a group.
class Operation {
  public:
    Operation(const Gpu& gpu, zet_metric_group_handle_t group, std::vector<ScopeHandle> scopes,
              std::uint64_t section = UINT64_MAX,
              std::vector<zet_intel_metric_calculation_time_window_exp_t> windows = {})
        : gpu_(gpu), columns_(columnsOf(group).size()), scopes_(scopes.size()) {
        Desc desc{kDescType,
                  nullptr,
                  1,
                  &group,
                  0,
                  nullptr,
                  static_cast<std::uint32_t>(windows.size()),
                  windows.data(),
                  section,
                  static_cast<std::uint32_t>(scopes.size()),
                  scopes.data()};
        const auto result =
            DRIVER_CALL(gpu, zetIntelMetricCalculationOperationCreateExp)(gpu.context(), gpu.device(), &desc, &handle_);
        EXPECT_TRUE(result == ZE_RESULT_SUCCESS || result == ZE_INTEL_RESULT_WARNING_TIME_PARAMS_IGNORED_EXP) << result;
    }
    ~Operation() { EXPECT_OK(DRIVER_CALL(gpu_, zetIntelMetricCalculationOperationDestroyExp)(handle_)); }
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    operator OperationHandle() const { return handle_; }
    std::size_t values() const { return columns_ * scopes_; }
    std::uint32_t reportsIn(const Bytes& raw, bool last = true) const {
        std::uint32_t count = 0;
        std::size_t used = 0;
        EXPECT_OK(function()(raw.size(), raw.data(), handle_, last, &used, &count, nullptr));
        EXPECT_EQ(used, 0u) << "nothing was calculated";
        return count;
    }
    Results calculate(const Bytes& raw, bool last = true) const { return calculate(raw, reportsIn(raw, last), last); }
    Results calculate(const Bytes& raw, std::uint32_t most, bool last) const {
        if (most == 0) return {};
        Results results(most * values());
        std::uint32_t count = most;
        std::size_t used = 0;
        EXPECT_TRUE(isGood(function()(raw.size(), raw.data(), handle_, last, &used, &count, results.data())));
        EXPECT_EQ(used, raw.size());
        EXPECT_LE(count, most);
        results.resize(count * values());
        return results;
    }
    ze_result_t answer(const Bytes& raw) const {
        std::uint32_t count = 0;
        std::size_t used = 0;
        const auto result = function()(raw.size(), raw.data(), handle_, true, &used, &count, nullptr);
        if (result != ZE_RESULT_SUCCESS || count == 0) return result;
        Results results(count * values());
        return function()(raw.size(), raw.data(), handle_, true, &used, &count, results.data());
    }

  private:
    decltype(zetIntelMetricCalculateValuesExp)* function() const {
        return DRIVER_CALL(gpu_, zetIntelMetricCalculateValuesExp);
    }

    const Gpu& gpu_;
    std::size_t columns_;
    std::size_t scopes_;
    OperationHandle handle_ = nullptr;
};

/// What the specification's function calculates, set after set.
inline std::vector<std::vector<zet_typed_value_t>> setsOf(const Gpu& gpu, zet_metric_group_handle_t group,
                                                          const Bytes& raw) {
    const auto calculate = DRIVER_CALL(gpu, zetMetricGroupCalculateMultipleMetricValuesExp);
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    EXPECT_OK(calculate(group, kMetricValues, raw.size(), raw.data(), &sets, &total, nullptr, nullptr));
    std::vector<std::uint32_t> counts(sets);
    std::vector<zet_typed_value_t> values(total);
    EXPECT_TRUE(
        isGood(calculate(group, kMetricValues, raw.size(), raw.data(), &sets, &total, counts.data(), values.data())));
    std::vector<std::vector<zet_typed_value_t>> all;
    auto from = values.begin();
    for (const auto count : counts) {
        all.emplace_back(from, from + count);
        from += count;
    }
    return all;
}

/// The bits of a value that its type has.
inline std::uint64_t bitsOf(const zet_value_t& value, zet_value_type_t type) {
    if (type == ZET_VALUE_TYPE_BOOL8) return value.b8;
    if (type == ZET_VALUE_TYPE_UINT32 || type == ZET_VALUE_TYPE_FLOAT32) return value.ui32;
    return value.ui64;
}

inline void expectSame(const Results& results, const std::vector<zet_typed_value_t>& values) {
    ASSERT_EQ(results.size(), values.size());
    ASSERT_FALSE(values.empty());
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(results[i].resultStatus, ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_VALID) << i;
        ASSERT_EQ(bitsOf(results[i].value, values[i].type), bitsOf(values[i].value, values[i].type)) << i;
    }
}

inline Bytes streamed(const Gpu& gpu, std::size_t periods = 8) {
    Stream stream(gpu);
    stream.pass(1);
    CountedWork(gpu).launch(3);
    stream.pass(periods);
    return stream.raw();
}

inline Bytes sampled(const Gpu& gpu, zet_metric_group_handle_t stalls) {
    activate(gpu, stalls);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 32768, 20'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    EXPECT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), stalls, &description, nullptr, &streamer));
    CountedWork(gpu).launch(16);
    std::size_t size = 0;
    EXPECT_OK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, nullptr));
    Bytes raw(size);
    EXPECT_OK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, raw.data()));
    raw.resize(size);
    EXPECT_OK(zetMetricStreamerClose(streamer));
    return raw;
}

}  // namespace zetl::test
