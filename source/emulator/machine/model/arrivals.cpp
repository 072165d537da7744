#include "emulator/machine/model/arrivals.h"

#include <algorithm>

namespace zetl::emulator::machine {

void Arrivals::restart() noexcept { base_ = latest_; }

void Arrivals::expect(std::uint32_t line, std::uint64_t asked, std::uint64_t arrives) {
    if (places_.empty()) places_.resize(kPlaces);
    places_[line % kPlaces] = {line, static_cast<std::uint32_t>(arrives - asked), base_ + asked};
    latest_ = std::max(latest_, base_ + arrives);
}

std::uint64_t Arrivals::awaitOnItsWay(std::uint32_t line, std::uint64_t asked, std::uint64_t ready) noexcept {
    Place& place = places_[line % kPlaces];
    if (place.line != line || place.asked + place.takes <= base_ + ready) return ready;
    place.asked = std::min(place.asked, base_ + asked);
    return std::max(ready, place.asked + place.takes - base_);
}

}  // namespace zetl::emulator::machine
