// Section "streams": periodic counter reports from the machine's timeline, for all processes of the user.
#include "provider/streams.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "emulator/access/counter_names.h"
#include "emulator/access/queries.h"
#include "emulator/access/sections.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/machine/timeline.h"
#include "emulator/peers/whole_device.h"

namespace zetl::emulator::access {
namespace {

/// Shared with markers that were recorded and may execute after it was closed.
class TimelineStream final : public provider::CounterStream, public std::enable_shared_from_this<TimelineStream> {
  public:
    TimelineStream(std::vector<CounterIndex> asked, driver::Device& device, std::uint64_t period, std::size_t capacity)
        : asked_(std::move(asked)),
          device_(device),
          counters_(peers::WholeDevice::of(device.machine())),
          timeline_(device.tile(), period, capacity, [this, tile = device.tile().index()](std::uint64_t since) {
              return counters_->counters(tile, since);
          }) {}

    std::uint64_t period() const { return timeline_.period(); }

    /// The timeline samples all its life: what came before the start is not asked for.
    zetl_status_t start() override {
        if (!running_.exchange(true)) timeline_.restart();
        return ZETL_OK;
    }
    zetl_status_t stop() override {
        running_ = false;
        return ZETL_OK;
    }
    std::uint64_t pending() override { return running_ ? timeline_.pending() : 0; }
    std::uint64_t drain(std::uint64_t capacity, void* reports, zetl_report_info_t* infos, zetl_loss_t& loss) override;
    zetl_status_t marker(ze_command_list_handle_t list, std::uint32_t value) override;
    void mark(std::uint32_t value) { timeline_.mark(value); }

  private:
    const std::vector<CounterIndex> asked_;  ///< what a report holds
    driver::Device& device_;
    const std::shared_ptr<peers::WholeDevice> counters_;
    machine::Timeline timeline_;
    std::atomic<bool> running_{false};
};

class MarkerOperation final : public driver::Operation {
  public:
    MarkerOperation(std::weak_ptr<TimelineStream> stream, std::uint32_t value)
        : stream_(std::move(stream)), value_(value) {}
    bool run(driver::Execution&) const override {
        const auto stream = stream_.lock();
        if (stream)
            mark(*stream);
        else
            log::warn(log::Channel::emulator,
                      "marker {} has no streamer any more: close it after the list has executed", value_);
        return true;
    }
    const char* name() const noexcept override { return "streamer marker"; }

  private:
    void mark(TimelineStream& stream) const {
        try {
            stream.mark(value_);
        } catch (const std::bad_alloc&) {
            log::error(log::Channel::emulator, "marker {} is lost: there is no memory for its report", value_);
        }
    }

    const std::weak_ptr<TimelineStream> stream_;
    const std::uint32_t value_;
};

std::byte* writeCounters(const std::vector<CounterIndex>& asked, const machine::Snapshot& snapshot, std::byte* to) {
    for (const auto counter : asked) {
        const auto value = valueOf(counter, snapshot);
        std::memcpy(to, &value, sizeof value);
        to += sizeof value;
    }
    return to;
}

zetl_report_reason_t reasonOf(const machine::Sample& sample) {
    if (sample.marker) return ZETL_REPORT_MARKER;
    return sample.interpolated ? ZETL_REPORT_INTERPOLATED : ZETL_REPORT_TIMER;
}

zetl_loss_t lossOf(const machine::SampleLoss& lost, machine::TickWidth width) {
    constexpr zetl_loss_t kNone = {.size = sizeof kNone, .kind = ZETL_LOSS_NONE, .begin = 0, .end = 0, .reports = 0};
    if (lost.samples == 0) return kNone;
    if (lost.markers > 0) log::warn(log::Channel::emulator, "{} of the reports lost were markers", lost.markers);
    return {.size = sizeof kNone,
            .kind = ZETL_LOSS_GAP,
            .begin = width.cut(lost.begin),
            .end = width.cut(lost.end),
            .reports = lost.samples};
}

std::uint64_t TimelineStream::drain(std::uint64_t capacity, void* reports, zetl_report_info_t* infos,
                                    zetl_loss_t& loss) {
    machine::SampleLoss lost;
    const auto samples = running_ ? timeline_.drain(capacity, &lost) : std::vector<machine::Sample>();
    const auto width = device_.profile().reportTimeWidth();
    auto* word = static_cast<std::byte*>(reports);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        word = writeCounters(asked_, samples[i].snapshot, word);
        infos[i] = {width.cut(samples[i].snapshot.timestamp), reasonOf(samples[i]), samples[i].value};
    }
    loss = lossOf(lost, width);
    return samples.size();
}

zetl_status_t TimelineStream::marker(ze_command_list_handle_t handle, std::uint32_t value) {
    const auto list = driver::find<driver::CommandList>(handle);
    if (!list) return ZETL_GONE;
    const auto result = (*list)->append(std::make_unique<MarkerOperation>(weak_from_this(), value), {});
    return result == ZE_RESULT_SUCCESS ? ZETL_OK : ZETL_MISUSE;
}

class EmulatedStreams final : public provider::Streams<Backend> {
  public:
    provider::Made<provider::CounterStream> open(const std::shared_ptr<Lease>& lease, provider::WordPlan plan,
                                                 zetl_stream_options_t& options) const override {
        auto asked = countersOf(plan);
        if (!asked) return ZETL_MISUSE;
        auto& device = *lease->device;
        if (device.tiles() > 1) {
            log::warn(log::Channel::emulator, "a stream samples one tile: open it on a sub-device");
            return ZETL_UNSUPPORTED;
        }
        auto stream = std::make_shared<TimelineStream>(*std::move(asked), device, options.period_ns, options.capacity);
        options.period_ns = stream->period();
        return stream;
    }
};

}  // namespace

const zetl_stream_functions_t kStreamFunctions = provider::StreamTable<EmulatedStreams>::kFunctions;

}  // namespace zetl::emulator::access
