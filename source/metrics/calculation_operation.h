// A calculation operation of Intel's driver: which metrics of a group are calculated, for which scopes and times.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/synchronized.h"
#include "metrics/calculation/time_windows.h"
#include "metrics/measurement.h"
#include "metrics/metric.h"
#include "metrics/scope.h"

namespace zetl::metrics {

/// One row of the reports is one row of the group's calculator. Data of which no report was given yet are kept for the
/// next call. Thread-safe.
class CalculationOperation
    : public RoutedObject<CalculationOperation, zet_intel_metric_calculation_operation_exp_handle_t> {
  public:
    struct Content {
        std::shared_ptr<const Measurement> measured;   ///< null for traced metrics
        std::vector<std::shared_ptr<Metric>> metrics;  ///< of each scope, in the order of the group's columns
        std::vector<std::size_t> columns;              ///< of these metrics in the group
        std::vector<std::shared_ptr<Scope>> scopes;    ///< by their numbers
        std::size_t sets = 1;                          ///< of the raw data
        TimeWindows windows{};                         ///< of streams
    };
    explicit CalculationOperation(Content content) : content_(std::move(content)) {}

    const Content& content() const noexcept { return content_; }
    /// Its values come from a decoder (metrics/metric_decoder.h), not from calculate().
    bool traced() const noexcept { return !content_.measured; }
    /// The values of one report: of the first scope, then of the next.
    std::size_t valuesOfReport() const noexcept { return content_.metrics.size() * content_.scopes.size(); }

    /// Arguments and results of zetIntelMetricCalculateValuesExp.
    struct Request {
        std::span<const std::byte> raw;
        bool last;               ///< no data follow: what is kept is calculated, too
        std::size_t* used;       ///< bytes of `raw` that need not be given again
        std::uint32_t* reports;  ///< 0 asks for the number alone, as a null array does
        zet_intel_metric_result_exp_t* values;
    };
    /// NOT_READY without any data. INVALID_SIZE for bytes that are no whole reports, INVALID_ARGUMENT for data of
    /// another number of tiles. WARNING_DROPPED_DATA if samples were lost.
    ze_result_t calculate(const Request& request);

  private:
    /// Data that are not calculated yet, by tile.
    struct Kept {
        std::vector<std::vector<std::byte>> sets;
        std::vector<std::uint64_t> ticks;  ///< of the first report of each, since the data began
    };
    struct ScopeRows;

    ze_result_t calculate(const Request& request, Kept& kept) const;
    static std::vector<RowKey> completeKeys(std::span<const ScopeRows> scopes);
    Result<Kept> joined(const Kept& kept, std::span<const std::byte> raw) const;
    std::vector<std::uint64_t> ticksOf(const Kept& data, std::size_t set) const;
    ScopeRows rowsOf(const Kept& data, const Scope& scope, bool last) const;
    void addSamples(const Kept& data, const Scope& scope, ScopeRows& rows) const;
    void addQueries(const Kept& data, ScopeRows& rows) const;
    void addSections(const Kept& data, bool last, ScopeRows& rows) const;
    ze_result_t write(const ScopeRows& rows, std::span<const RowKey> keys, zet_intel_metric_result_exp_t* first) const;
    Result<std::vector<zet_typed_value_t>> valuesOf(const ScopeRows& rows) const;
    using IsGiven = std::function<bool(const RowKey&)>;  ///< whether the report of that key was given
    void dropSamples(Kept& data, const IsGiven& isGiven) const;
    void dropSections(Kept& data, std::span<const ScopeRows> scopes, const IsGiven& isGiven) const;
    Kept rest(Kept data, std::span<const ScopeRows> scopes, std::span<const RowKey> given, bool all) const;

    const Content content_;
    Synchronized<Kept> kept_;
};

}  // namespace zetl::metrics
