#include "emulator/peers/others_stalls.h"

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "emulator/peers/peer_set.h"

namespace zetl::emulator::peers {
namespace {

class StallsReader final : public OthersStalls {
  public:
    explicit StallsReader(const machine::Device& device)
        : peers_(PeerSet<SampledPeer>::meet(samplingKind(device), "samples are those of this process alone")) {}

    void addTo(StallsOfTile& sum, std::uint32_t tile) override {
        const Lock guard(mutex_);
        if (!peers_) return;
        peers_->serve([this](SampledPeer& peer) ZETL_NOT_ANALYSED { return peer.addTo(all_); });
        for (const auto& [address, cycles] : all_[tile])
            for (std::size_t i = 0; i < cycles.size(); ++i) sum[address][i] += cycles[i];
    }

  private:
    Mutex mutex_;
    const std::unique_ptr<PeerSet<SampledPeer>> peers_ ZETL_GUARDED_BY(mutex_);
    DeviceStalls all_ ZETL_GUARDED_BY(mutex_);
};

using StallsReaders = Synchronized<std::map<const machine::Device*, std::weak_ptr<OthersStalls>>>;

StallsReaders& stallsReaders() {
    static NeverDestroyed<StallsReaders> all;
    return *all;
}

}  // namespace

std::shared_ptr<OthersStalls> OthersStalls::of(machine::Device& device) {
    return stallsReaders().write([&](auto& all) {
        auto found = all[&device].lock();
        if (!found) all[&device] = found = std::make_shared<StallsReader>(device);
        return found;
    });
}

}  // namespace zetl::emulator::peers
