// Periodic reports of counters.
#pragma once

#include "metrics/report_source.h"

namespace zetl::metrics {

class CounterSource final : public ReportSource {
  public:
    using ReportSource::ReportSource;
    ~CounterSource() override;

    zetl_status_t start(const StreamTerms& asked) override;
    std::uint64_t pending() const override;
    ze_result_t take(std::uint64_t reports, std::size_t* size, std::uint8_t* target) override;
    ze_result_t mark(ze_command_list_handle_t list, std::uint32_t value) override;

  private:
    const zetl_stream_functions_t& functions() const noexcept { return device().access().streams(); }
};

}  // namespace zetl::metrics
