#include "emulator/peers/sampled_device.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <new>
#include <utility>

#include "base/mutex.h"
#include "emulator/machine/host_time.h"
#include "emulator/machine/model_detail.h"
#include "emulator/peers/introduction.h"
#include "emulator/peers/log_channel.h"
#include "emulator/peers/meeting_place.h"
#include "emulator/peers/stalls_since.h"

namespace zetl::emulator::peers {
namespace {

/// Host nanoseconds between looks at a batch that lasts.
constexpr std::uint64_t kBetweenSamples = 100'000'000;

StallsByTile stallsOf(machine::Device& device) {
    StallsByTile all;
    for (std::uint32_t tile = 0; tile < device.profile().tiles; ++tile) all.push_back(device.tile(tile).stalls());
    return all;
}

}  // namespace

/// What the machine's workers and the service share.
class SampledDevice::Feed final : public machine::CountsListener {
  public:
    explicit Feed(machine::Device& device) : device_(device) {}

    void counted() noexcept override try {
        const Lock guard(mutex_);
        const std::uint64_t found = foundSoFar();
        const std::uint64_t now = machine::HostTime::monotonicRaw();
        if (found == published_ && now - publishedAt_ < kBetweenSamples) return;
        const StallsByTile all = stallsOf(device_);
        for (auto& [name, reader] : seen_) reader.publish(all);
        published_ = found;
        publishedAt_ = now;
    } catch (const std::bad_alloc&) {
        log::debug(kLog, "samples are published later: there is no memory to read them");
    }

    bool introduceTo(const std::string& name, int socket) {
        auto shared = SharedStalls::create();
        if (!shared) {
            log::error(kLog, "nothing is sampled for another process: there is no memory to share ({})",
                       std::strerror(errno));
            throw std::bad_alloc();
        }
        const Lock guard(mutex_);
        const auto made = seen_.try_emplace(name, *std::move(shared), stallsOf(device_)).first;
        if (introduce(socket, made->second.shared())) return true;
        seen_.erase(made);
        return false;
    }
    void forget(const std::string& name) noexcept {
        const Lock guard(mutex_);
        if (const auto found = seen_.find(name); found != seen_.end()) seen_.erase(found);
    }

  private:
    std::uint64_t foundSoFar() const {
        std::uint64_t sum = 0;
        for (std::uint32_t tile = 0; tile < device_.profile().tiles; ++tile) sum += device_.tile(tile).stallsFound();
        return sum;
    }

    machine::Device& device_;
    Mutex mutex_;
    std::map<std::string, StallsSince> seen_ ZETL_GUARDED_BY(mutex_);  ///< by reader
    std::uint64_t published_ ZETL_GUARDED_BY(mutex_) = 0;              ///< Tile::stallsFound() of all tiles
    std::uint64_t publishedAt_ ZETL_GUARDED_BY(mutex_) = 0;            ///< host nanoseconds
};

SampledDevice::SampledDevice(machine::Device& device) : DeviceReaders(samplingKind(device)), device_(device) {}
SampledDevice::~SampledDevice() { end(); }

void SampledDevice::begin() {
    feed_ = std::make_shared<Feed>(device_);
    for (std::uint32_t tile = 0; tile < device_.profile().tiles; ++tile) {
        collecting_.push_back(device_.tile(tile).collect(machine::configuredModelDetail(machine::ModelDetail::full)));
        device_.tile(tile).listen(machine::Listening::stalls, feed_);
    }
}

void SampledDevice::end() noexcept {
    for (std::uint32_t tile = 0; feed_ && tile < device_.profile().tiles; ++tile)
        device_.tile(tile).listen(machine::Listening::stalls, nullptr);
    collecting_.clear();
    feed_.reset();
}

bool SampledDevice::welcome(const std::string& name, int socket) { return feed_->introduceTo(name, socket); }

void SampledDevice::forget(const std::string& name) noexcept {
    if (feed_) feed_->forget(name);
}

}  // namespace zetl::emulator::peers
