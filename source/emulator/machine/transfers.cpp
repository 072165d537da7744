#include "emulator/machine/transfers.h"

#include <algorithm>
#include <utility>

#include "emulator/machine/host_time.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::machine {

void Transfers::begin(const Tile& tile, Engine engine) {
    const Lock guard(mutex_);
    advance(tile);
    ++running(engine);
}

void Transfers::end(const Tile& tile, Engine engine) {
    const Lock guard(mutex_);
    advance(tile);
    --running(engine);
}

void Transfers::advance(const Tile& tile) {
    const std::uint64_t now = HostTime::monotonicRaw();
    const auto loaded = static_cast<std::uint64_t>(tile.busyTime().count());
    const std::uint64_t passed = now - std::exchange(counted_, now);
    const std::uint64_t kernels = loaded - std::exchange(loaded_, loaded);
    const std::uint64_t computed = running(Engine::compute) != 0 ? passed : kernels;
    done_.computeTime += computed;
    if (running(Engine::copy) == 0) return;
    done_.copyTime += passed;
    done_.bothTime += std::min(computed, passed);
}

void Transfers::moved(Side from, Side to, std::uint64_t bytes) {
    const Lock guard(mutex_);
    if (from == Side::device) done_.bytesRead += bytes;
    if (to == Side::device) done_.bytesWritten += bytes;
    if (from == Side::host && to == Side::device) done_.bytesIn += bytes;
    if (from == Side::device && to == Side::host) done_.bytesOut += bytes;
}

Transfers::Reading Transfers::read(const Tile& tile) {
    const Lock guard(mutex_);
    advance(tile);
    return done_;
}

}  // namespace zetl::emulator::machine
