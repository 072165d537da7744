// A streamer of the emulated GPU as the tests use it.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "emulated_gpu/measured_gpu.h"
#include "support/wait_for.h"

namespace zetl::test {

constexpr std::uint64_t kPeriod = 1'000'000;  // nanoseconds

/// Open from its construction on.
class Stream {
  public:
    explicit Stream(const Gpu& gpu, std::uint32_t notify = 1000, std::uint32_t period = kPeriod,
                    const char* group = "MemoryTraffic")
        : Stream(gpu, activated(gpu, group), notify, period) {}
    /// Of a group that is active.
    Stream(const Gpu& gpu, zet_metric_group_handle_t group, std::uint32_t notify = 1000, std::uint32_t period = kPeriod)
        : group_(group) {
        description_.notifyEveryNReports = notify;
        description_.samplingPeriod = period;
        EXPECT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), group_, &description_, nullptr, &streamer_));
        EXPECT_EQ(description_.samplingPeriod, period);
    }
    ~Stream() { EXPECT_OK(zetMetricStreamerClose(streamer_)); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    operator zet_metric_streamer_handle_t() const { return streamer_; }
    std::uint32_t notify() const { return description_.notifyEveryNReports; }
    std::size_t capacity() const { return sizeFor(UINT32_MAX) / sizeFor(1); }

    ze_result_t read() {
        std::size_t size = sizeFor(UINT32_MAX);
        const auto old = raw_.size();
        raw_.resize(old + size);
        const auto result = zetMetricStreamerReadData(streamer_, UINT32_MAX, &size, raw_.data() + old);
        raw_.resize(old + size);
        return result;
    }
    /// Reads until that many periods have ended since now; of a device with several tiles each has its reports.
    void pass(std::size_t periods, std::size_t tiles = 1) {
        EXPECT_OK(read());
        const auto enough = reports() + periods * tiles;
        const auto readsEnough = [&] {
            EXPECT_OK(read());
            return reports() >= enough;
        };
        const auto pause = periods * std::chrono::nanoseconds(description_.samplingPeriod);
        EXPECT_TRUE(waitFor(readsEnough, pause + std::chrono::seconds(30), pause));
    }
    std::size_t reports() const { return raw_.size() / sizeFor(1); }
    /// All that was read.
    const std::vector<std::uint8_t>& raw() const { return raw_; }
    /// Of all that was read.
    std::vector<Row> rows() const { return rowsOf(group_, raw_); }
    /// What that column adds up to, two whole periods after the last count.
    std::uint64_t settled(const char* column) {
        pass(3);
        return sumOf(column);
    }
    /// The same of what came since the last time.
    std::uint64_t settledSince(const char* column) {
        pass(3);
        const auto sum = sumOf(column);
        if (reports() > 0) raw_.erase(raw_.begin(), raw_.end() - static_cast<std::ptrdiff_t>(sizeFor(1)));
        return sum;
    }
    /// Of what was read since the last time.
    std::vector<Row> newRows() {
        auto rows = raw_.empty() ? std::vector<Row>() : rowsOf(group_, raw_);
        raw_.clear();
        return rows;
    }

  private:
    std::uint64_t sumOf(const char* column) const {
        std::uint64_t sum = 0;
        for (const auto& row : rows()) sum += row.at(column).value.ui64;
        return sum;
    }
    static zet_metric_group_handle_t activated(const Gpu& gpu, const char* name) {
        auto* const group = test::group(gpu, name, ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED);
        activate(gpu, group);
        return group;
    }
    std::size_t sizeFor(std::uint32_t reports) const {
        std::size_t size = 0;
        EXPECT_OK(zetMetricStreamerReadData(streamer_, reports, &size, nullptr));
        return size;
    }

    zet_metric_group_handle_t group_;
    zet_metric_streamer_desc_t description_{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 0, 0};
    zet_metric_streamer_handle_t streamer_ = nullptr;
    std::vector<std::uint8_t> raw_;
};

}  // namespace zetl::test
