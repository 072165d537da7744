// Reports of instruction sampling: what was seen at one instruction for one reason since the last read.
#pragma once

#include <atomic>
#include <chrono>

#include "metrics/report_source.h"

namespace zetl::metrics {

class SampleSource final : public ReportSource {
  public:
    /// Null, and the device's status, if it refuses. `measured` must outlive the source.
    static std::unique_ptr<SampleSource> open(const device::Device& device, const Measurement& measured,
                                              std::shared_ptr<const zetl_lease_t> lease,
                                              std::chrono::nanoseconds period, zetl_status_t& status);
    ~SampleSource() override;

    /// How many periods have passed since the last read, if anything was seen in them: how often each thread was looked
    /// at. What they saw is put together, so there are fewer reports to read.
    std::uint64_t pending() const override;
    /// Looks that were lost are told by the reports, and so by whoever calculates with them.
    ze_result_t take(std::uint64_t reports, std::size_t* size, std::uint8_t* target) override;
    ze_result_t mark(ze_command_list_handle_t list, std::uint32_t value) override;

  private:
    SampleSource(const device::Device& device, const Measurement& measured, std::shared_ptr<const zetl_lease_t> lease)
        : ReportSource(device), measured_(measured), lease_(std::move(lease)) {}
    zetl_status_t start(std::chrono::nanoseconds period);
    const zetl_sampling_functions_t& functions() const noexcept { return device().access().sampling(); }

    const Measurement& measured_;
    const std::shared_ptr<const zetl_lease_t> lease_;
    zetl_stream_t stream_ = 0;
    std::uint64_t lost_ = 0;  ///< and not told yet
    std::atomic<std::chrono::steady_clock::time_point> taken_{};
};

}  // namespace zetl::metrics
