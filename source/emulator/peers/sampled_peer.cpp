#include "emulator/peers/sampled_peer.h"

namespace zetl::emulator::peers {

bool SampledPeer::serve() {
    if (seen_) return false;  // after its introduction, the only further event is its end
    return hear(socket(), seen_) != Heard::nonsense;
}

bool SampledPeer::addTo(DeviceStalls& sum) {
    if (!seen_ || !seen_->changed()) return true;
    if (!seen_->take(growth_)) return false;
    for (const StallRow& row : growth_) {
        StallsOfTile& tile = sum[row.tile];
        if (tile.size() >= kMostAddresses && !tile.contains(row.address)) continue;
        machine::StallCycles& cycles = tile[row.address];
        for (std::size_t i = 0; i < cycles.size(); ++i) cycles[i] += row.cycles[i];
    }
    return true;
}

}  // namespace zetl::emulator::peers
