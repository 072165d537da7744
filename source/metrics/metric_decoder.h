// Turns the raw data of a tracer into entries.
#pragma once

#include "metrics/metric_tracer.h"
#include "metrics/scope.h"

namespace zetl::metrics {

/// Immutable. Once it is made it does not depend on the tracer for which it was made.
class MetricDecoder : public RoutedObject<MetricDecoder, zet_metric_decoder_exp_handle_t> {
  public:
    explicit MetricDecoder(std::shared_ptr<const TraceContent> content) : content_(std::move(content)) {}

    const std::vector<std::shared_ptr<Metric>>& metrics() const noexcept { return content_->metrics; }

    /// Arguments and results of zetMetricTracerDecodeExp.
    struct Request {
        std::span<const std::uint8_t> raw;
        std::span<const zet_metric_handle_t> metrics;  ///< entries of others are left out
        std::size_t* consumed;                         ///< bytes of `raw` that were decoded: whole records
        std::uint32_t* sets;
        std::uint32_t* entriesOfSet;  ///< may be null
        std::uint32_t* entries;       ///< 0 asks for the number alone, as a null array does
        zet_metric_entry_exp_t* target;
    };
    /// Decodes set after set, each in the order of the data. INVALID_ARGUMENT for a metric that this does not decode,
    /// and for data that come from no tracer.
    ze_result_t decode(const Request& request) const;

    /// Arguments and results of zetIntelMetricTracerDecodeExp2, in the same sense.
    struct ScopedRequest {
        std::span<const std::uint8_t> raw;
        std::span<const zet_metric_handle_t> metrics;
        std::span<const std::shared_ptr<Scope>> scopes;  ///< entries of other tiles are left out
        std::size_t* consumed;
        std::uint32_t* entries;
        zet_metric_entry_exp2_t* target;
    };
    /// Decodes tile after tile. INVALID_ARGUMENT also for a scope of another device.
    ze_result_t decode(const ScopedRequest& request) const;

    /// Arguments and results of zetIntelMetricTracerDecodeCalculateValuesExp.
    struct CalculationRequest {
        std::span<const std::uint8_t> raw;
        std::span<const zet_metric_handle_t> metrics;    ///< the values of one scope in a report
        std::span<const std::shared_ptr<Scope>> scopes;  ///< the order of their values
        std::size_t* consumed;                           ///< 0 if the number alone is asked for
        std::uint32_t* reports;                          ///< 0 asks for the number alone, as a null array does
        zet_intel_metric_result_exp_t* values;
    };
    /// One report for each record, in the order of the data. Its only valid value is that of the record's metric, for
    /// the record's tile.
    ze_result_t calculate(const CalculationRequest& request) const;

  private:
    struct Decoded;
    struct TilesOfScopes;
    /// INVALID_ARGUMENT for a scope of another device.
    Result<TilesOfScopes> tilesOf(std::span<const std::shared_ptr<Scope>> scopes) const;
    /// Calls `visit(record, place of its metric among `asked`, set)` for at most so many records of the tiles whose bit
    /// is set in `tiles`. Returns how many bytes were read.
    template <class V>
    Result<std::size_t> forEachRecord(std::span<const std::uint8_t> raw, std::span<const zet_metric_handle_t> asked,
                                      std::uint64_t tiles, std::size_t most, V&& visit) const;
    Result<Decoded> entriesIn(std::span<const std::uint8_t> raw, std::span<const zet_metric_handle_t> asked,
                              std::uint64_t tiles, std::size_t most) const;
    zet_metric_entry_exp_t entryOf(const TraceRecord& record, std::uint32_t metric) const;

    const std::shared_ptr<const TraceContent> content_;
};

}  // namespace zetl::metrics
