#include "emulator/peers/counted_device.h"

#include <cerrno>
#include <cstring>
#include <new>

#include "base/mutex.h"
#include "emulator/peers/introduction.h"
#include "emulator/peers/log_channel.h"
#include "emulator/peers/meeting_place.h"
#include "emulator/peers/shared_counts.h"

namespace zetl::emulator::peers {

DeviceCounts countsOf(machine::Device& device) {
    DeviceCounts counts{};
    for (std::uint32_t tile = 0; tile < device.profile().tiles; ++tile) {
        const auto now = device.tile(tile).countersSoFar();
        counts[tile] = {now.workTime, now.counts, now.settledAt, now.inFlight};
    }
    return counts;
}

/// What the machine's workers and the service share.
class CountedDevice::Feed final : public machine::CountsListener {
  public:
    Feed(machine::Device& device, SharedCounts shared) : device_(device), shared_(std::move(shared)) {}

    void counted() noexcept override try { publish(); } catch (const std::bad_alloc&) {
        log::debug(kLog, "counts are published later: there is no memory to read them");
    }

    /// Reads inside the lock, so that readings follow each other.
    DeviceCounts publish() {
        const Lock guard(mutex_);
        const auto now = countsOf(device_);
        if (now != published_) shared_.publish(now);
        published_ = now;
        return now;
    }
    bool introduceTo(int socket) { return introduce(socket, shared_, publish()); }

  private:
    machine::Device& device_;
    Mutex mutex_;
    SharedCounts shared_;
    DeviceCounts published_{};
};

CountedDevice::CountedDevice(machine::Device& device) : DeviceReaders(readingKind(device)), device_(device) {}
CountedDevice::~CountedDevice() { end(); }

void CountedDevice::begin() {
    auto shared = SharedCounts::create();
    if (!shared) {
        log::error(kLog, "nothing is counted for other processes: there is no memory to share ({})",
                   std::strerror(errno));
        throw std::bad_alloc();
    }
    feed_ = std::make_shared<Feed>(device_, *std::move(shared));
    for (std::uint32_t tile = 0; tile < device_.profile().tiles; ++tile) {
        collecting_.push_back(
            device_.tile(tile).collect(machine::configuredModelDetail(machine::ModelDetail::sampled)));
        device_.tile(tile).listen(machine::Listening::counts, feed_);
    }
}

void CountedDevice::end() noexcept {
    for (std::uint32_t tile = 0; feed_ && tile < device_.profile().tiles; ++tile)
        device_.tile(tile).listen(machine::Listening::counts, nullptr);
    collecting_.clear();
    feed_.reset();
}

bool CountedDevice::welcome(const std::string&, int socket) { return feed_->introduceTo(socket); }

}  // namespace zetl::emulator::peers
