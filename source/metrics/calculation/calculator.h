// Calculates typed values from raw reports.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "metrics/calculation/descriptor.h"

namespace zetl::metrics {

/// The equations of one descriptor, compiled once. Immutable, so any number of threads can use one calculator at the
/// same time; nothing is kept from call to call.
class Calculator {
  public:
    static constexpr std::size_t kMostFields = 4096;
    static constexpr std::size_t kMostColumns = 4096;
    static constexpr std::size_t kMostReportBytes = 1 << 20;

    /// Throws DescriptionError if the layout or an equation is not sound.
    explicit Calculator(Descriptor descriptor);
    ~Calculator();

    const Descriptor& descriptor() const noexcept { return descriptor_; }
    std::size_t columns() const noexcept { return descriptor_.columns.size(); }
    std::size_t reports(std::size_t rawBytes) const noexcept { return rawBytes / descriptor_.reportBytes; }
    /// One row per report; of cumulative reports one fewer, since the first is only the reference for the second.
    std::size_t rows(std::size_t reports) const noexcept;

    /// The first `rows` rows, row by row, in column order. `raw` must hold that many, and `values` have room for them.
    void calculate(zet_metric_group_calculation_type_t type, std::span<const std::byte> raw, std::size_t rows,
                   zet_typed_value_t* values) const;

  private:
    struct Compiled;

    const Descriptor descriptor_;
    std::unique_ptr<const Compiled> values_;
    std::unique_ptr<const Compiled> maxima_;
};

}  // namespace zetl::metrics
