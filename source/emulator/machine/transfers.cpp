#include "emulator/machine/transfers.h"

#include <algorithm>

#include "emulator/machine/host_time.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::machine {
namespace {

std::uint64_t kernelTimeOf(const Tile& tile) { return static_cast<std::uint64_t>(tile.busyTime().count()); }

}  // namespace

void Transfers::begin(const Tile& tile) {
    const Lock guard(mutex_);
    if (running_++ != 0) return;
    began_ = HostTime::monotonicRaw();
    kernelsBefore_ = kernelTimeOf(tile);
}

void Transfers::end(const Tile& tile) {
    const Lock guard(mutex_);
    if (running_ == 1) done_ = now(tile);
    --running_;
}

Transfers::Reading Transfers::now(const Tile& tile) const {
    Reading reading = done_;
    reading.kernelTime = kernelTimeOf(tile);
    if (running_ == 0) return reading;
    const std::uint64_t copied = HostTime::monotonicRaw() - began_;
    reading.copyTime += copied;
    reading.bothTime += std::min(reading.kernelTime - kernelsBefore_, copied);
    return reading;
}

void Transfers::moved(Side from, Side to, std::uint64_t bytes) {
    const Lock guard(mutex_);
    if (from == Side::device) done_.bytesRead += bytes;
    if (to == Side::device) done_.bytesWritten += bytes;
    if (from == Side::host && to == Side::device) done_.bytesIn += bytes;
    if (from == Side::device && to == Side::host) done_.bytesOut += bytes;
}

Transfers::Reading Transfers::read(const Tile& tile) const {
    const Lock guard(mutex_);
    return now(tile);
}

}  // namespace zetl::emulator::machine
