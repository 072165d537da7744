#include "emulator/peers/peer.h"

#include <algorithm>

namespace zetl::emulator::peers {
namespace {

/// No counter comes so far in the life of a process: sums of very many stay within 64 bits.
constexpr std::uint64_t kMost = std::uint64_t{1} << 52;

/// Adds what was counted since the begin; never decreases. Returns false if the value cannot be a counter's.
bool follow(std::uint64_t& counted, std::uint64_t begin, std::uint64_t now) noexcept {
    if (now > kMost) return false;
    counted = std::max(counted, now - std::min(begin, now));
    return true;
}

bool follow(TileCounts& counted, const TileCounts& begin, const TileCounts& now) noexcept {
    bool good = follow(counted.workTime, begin.workTime, now.workTime);
    for (std::size_t i = 0; good && i < machine::kCounters; ++i)
        good = follow(counted.counts.values[i], begin.counts.values[i], now.counts.values[i]);
    counted.settledAt = now.settledAt;
    counted.inFlight = now.inFlight;
    return good;
}

void addGrowth(TileCounts& sum, const TileCounts& before, const TileCounts& now) noexcept {
    sum.workTime += now.workTime - before.workTime;
    sum.settledAt = std::max(sum.settledAt, now.settledAt);
    for (std::size_t i = 0; i < machine::kCounters; ++i)
        sum.counts.values[i] += now.counts.values[i] - before.counts.values[i];
}

}  // namespace

bool Peer::serve() {
    if (seen_) return false;  // after its introduction, the only further event is its end
    return hear(socket(), seen_) != Heard::nonsense;
}

bool Peer::addNext(DeviceCounts& sum) noexcept {
    DeviceCounts now;
    if (!seen_ || !sound_ || !seen_->counts.changed() || !seen_->counts.read(now)) return false;
    DeviceCounts counted = counted_;
    for (std::size_t tile = 0; tile < now.size(); ++tile)
        sound_ = sound_ && follow(counted[tile], seen_->begin[tile], now[tile]);
    if (!sound_) return false;
    for (std::size_t tile = 0; tile < now.size(); ++tile) addGrowth(sum[tile], counted_[tile], counted[tile]);
    counted_ = counted;
    return true;
}

}  // namespace zetl::emulator::peers
