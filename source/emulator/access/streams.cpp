// Section "streams": periodic counter reports from the machine's timeline, for all processes of the user.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "emulator/access/counter_names.h"
#include "emulator/access/on_stream.h"
#include "emulator/access/queries.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/machine/timeline.h"
#include "emulator/peers/whole_device.h"

namespace zetl::emulator::access {
namespace {

/// Shared with markers that were recorded and may execute after it was closed.
struct Stream {
    const std::vector<CounterIndex> asked;  ///< what a report holds
    driver::Device& device;
    std::shared_ptr<peers::WholeDevice> counters;
    machine::Timeline timeline;
    std::atomic<bool> running{false};

    Stream(std::vector<CounterIndex> given, driver::Device& sampled, std::uint64_t period, std::size_t capacity)
        : asked(std::move(given)),
          device(sampled),
          counters(peers::WholeDevice::of(sampled.machine())),
          timeline(sampled.tile(), period, capacity,
                   [this, tile = sampled.tile().index()] { return counters->counters(tile); }) {}

    /// In a forked child: its locks may be held by threads that the child does not have.
    bool lost() const { return device.machine().machine().lost(); }
    machine::TickWidth timeWidth() const { return device.profile().reportTimeWidth(); }
};

using Streams = IdTable<Stream>;

class MarkerOperation final : public driver::Operation {
  public:
    MarkerOperation(std::weak_ptr<Stream> stream, std::uint32_t value) : stream_(std::move(stream)), value_(value) {}
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
    void mark(Stream& stream) const {
        try {
            stream.timeline.mark(value_);
        } catch (const std::bad_alloc&) {
            log::error(log::Channel::emulator, "marker {} is lost: there is no memory for its report", value_);
        }
    }

    const std::weak_ptr<Stream> stream_;
    const std::uint32_t value_;
};

zetl_status_t open(zetl_lease_t lease, const void* planBytes, std::uint64_t size, zetl_stream_options_t* options,
                   zetl_stream_t* id) noexcept {
    return guarded([&] {
        auto* const device = deviceOfLease(lease, ZETL_SOURCE_STREAM);
        if (!device) return ZETL_GONE;
        const auto plan = provider::WordPlan::parse(planBytes, size);
        auto asked = plan ? countersOf(*plan) : std::nullopt;
        if (!asked || plan->source != ZETL_SOURCE_STREAM || !options || !id) return ZETL_MISUSE;
        if (device->tiles() > 1) {
            log::warn(log::Channel::emulator, "a stream samples one tile: open it on a sub-device");
            return ZETL_UNSUPPORTED;
        }
        auto stream = std::make_shared<Stream>(*std::move(asked), *device, options->period_ns, options->capacity);
        options->period_ns = stream->timeline.period();
        *id = Streams::instance().add(std::move(stream));
        return ZETL_OK;
    });
}

zetl_status_t start(zetl_stream_t id) noexcept {
    return onStream<Streams>(id, [](Stream& stream) {
        // The timeline samples all its life: what came before the start is not asked for.
        if (!stream.running.exchange(true)) stream.timeline.restart();
        return ZETL_OK;
    });
}
zetl_status_t stop(zetl_stream_t id) noexcept {
    return onStream<Streams>(id, [](Stream& stream) {
        stream.running = false;
        return ZETL_OK;
    });
}

zetl_status_t pending(zetl_stream_t id, std::uint64_t* count) noexcept {
    return onStream<Streams>(id, [=](Stream& stream) {
        if (!count) return ZETL_MISUSE;
        *count = stream.running ? stream.timeline.pending() : 0;
        return ZETL_OK;
    });
}

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

zetl_loss_t describe(const machine::SampleLoss& lost, machine::TickWidth width) {
    constexpr zetl_loss_t kNone = {.size = sizeof kNone, .kind = ZETL_LOSS_NONE, .begin = 0, .end = 0, .reports = 0};
    if (lost.samples == 0) return kNone;
    if (lost.markers > 0) log::warn(log::Channel::emulator, "{} of the reports lost were markers", lost.markers);
    return {.size = sizeof kNone,
            .kind = ZETL_LOSS_GAP,
            .begin = width.cut(lost.begin),
            .end = width.cut(lost.end),
            .reports = lost.samples};
}

zetl_status_t drain(zetl_stream_t id, std::uint64_t capacity, void* reports, zetl_report_info_t* infos,
                    std::uint64_t* count, zetl_loss_t* loss) noexcept {
    return onStream<Streams>(id, [=](Stream& stream) {
        if (!count || !loss || (capacity > 0 && (!reports || !infos))) return ZETL_MISUSE;
        machine::SampleLoss lost;
        const auto samples = stream.running ? stream.timeline.drain(capacity, &lost) : std::vector<machine::Sample>();
        auto* word = static_cast<std::byte*>(reports);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            word = writeCounters(stream.asked, samples[i].snapshot, word);
            infos[i] = {stream.timeWidth().cut(samples[i].snapshot.timestamp), reasonOf(samples[i]), samples[i].value};
        }
        *count = samples.size();
        *loss = describe(lost, stream.timeWidth());
        return ZETL_OK;
    });
}

zetl_status_t marker(zetl_stream_t id, ze_command_list_handle_t handle, std::uint32_t value) noexcept {
    return guarded([&] {
        const auto stream = Streams::instance().find(id);
        const auto list = driver::find<driver::CommandList>(handle);
        if (!stream || !list) return ZETL_GONE;
        return (*list)->append(std::make_unique<MarkerOperation>(stream, value), {}) == ZE_RESULT_SUCCESS ? ZETL_OK
                                                                                                          : ZETL_MISUSE;
    });
}

zetl_status_t closeStream(zetl_stream_t id) noexcept {
    return guarded([&] {
        // The timeline ends outside the lock: it joins a thread.
        auto stream = Streams::instance().remove(id);
        if (!stream) return ZETL_GONE;
        // A forked child has nothing to join.
        if (stream->lost()) new std::shared_ptr<Stream>(std::move(stream));
        return ZETL_OK;
    });
}

}  // namespace

const zetl_stream_functions_t kStreamFunctions = {
    .size = sizeof kStreamFunctions,
    .reserved = 0,
    .open = open,
    .start = start,
    .stop = stop,
    .pending = pending,
    .drain = drain,
    .marker = marker,
    .close = closeStream,
};

}  // namespace zetl::emulator::access
