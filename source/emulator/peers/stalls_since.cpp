#include "emulator/peers/stalls_since.h"

#include <algorithm>

#include "emulator/peers/log_channel.h"

namespace zetl::emulator::peers {

StallsSince::StallsSince(SharedStalls shared, const StallsByTile& now) : shared_(std::move(shared)) {
    for (std::uint32_t tile = 0; tile < now.size(); ++tile)
        for (const auto& each : now[tile]) places_[{tile, each.address}] = {kNowhere, each.cycles};
}

void StallsSince::publish(const StallsByTile& now) {
    for (std::uint32_t tile = 0; tile < now.size(); ++tile)
        for (const auto& each : now[tile]) raise(tile, each);
    shared_.publish();
}

void StallsSince::raise(std::uint32_t tile, const machine::InstructionStalls& now) {
    Place& place = places_[{tile, now.address}];
    machine::StallCycles grown;
    for (std::size_t i = 0; i < grown.size(); ++i)
        grown[i] = std::max(now.cycles[i], place.before[i]) - place.before[i];
    if (std::ranges::all_of(grown, [](std::uint64_t cycles) { return cycles == 0; })) return;
    if (place.row == kNowhere) place.row = shared_.add(tile, now.address);
    if (place.row < SharedStalls::kMostRows)
        shared_.raise(place.row, grown);
    else if (!std::exchange(warned_, true))
        log::warn(kLog, "samples of more than {} instructions are not shared with other processes",
                  SharedStalls::kMostRows);
}

}  // namespace zetl::emulator::peers
