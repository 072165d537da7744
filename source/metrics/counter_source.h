// Reports of counters at a period.
#pragma once

#include "metrics/report_source.h"

namespace zetl::metrics {

class CounterSource final : public ReportSource {
  public:
    /// Null, and the device's status, if it refuses. `measured` must outlive the source.
    static std::unique_ptr<CounterSource> open(const device::Device& device, const Measurement& measured,
                                               std::shared_ptr<const zetl_lease_t> lease,
                                               std::chrono::nanoseconds period, zetl_status_t& status);
    ~CounterSource() override;

    std::uint64_t pending() const override;
    ze_result_t take(std::uint64_t reports, std::size_t* size, std::uint8_t* target) override;
    ze_result_t mark(ze_command_list_handle_t list, std::uint32_t value) override;

  private:
    CounterSource(const device::Device& device, const Measurement& measured, std::shared_ptr<const zetl_lease_t> lease)
        : ReportSource(device), measured_(measured), lease_(std::move(lease)) {}
    zetl_status_t start(std::chrono::nanoseconds period);
    const zetl_stream_functions_t& functions() const noexcept { return device().access().streams(); }

    const Measurement& measured_;
    const std::shared_ptr<const zetl_lease_t> lease_;
    zetl_stream_t stream_ = 0;
};

}  // namespace zetl::metrics
