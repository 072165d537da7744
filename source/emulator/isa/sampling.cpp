#include "emulator/isa/sampling.h"

#include "emulator/isa/sampling_axis.h"

namespace zetl::emulator::isa {
namespace {

template <bool linear>
Taps tapsBy(AddressMode mode, bool normalized, float coordinate, std::uint32_t size) noexcept {
    switch (mode) {
        case AddressMode::wrap:
            return tapsOf<AddressMode::wrap, linear>(normalized, coordinate, size);
        case AddressMode::mirror:
            return tapsOf<AddressMode::mirror, linear>(normalized, coordinate, size);
        case AddressMode::clamp:
            return tapsOf<AddressMode::clamp, linear>(normalized, coordinate, size);
        default:
            return tapsOf<AddressMode::border, linear>(normalized, coordinate, size);
    }
}

}  // namespace

Taps nearestTap(AddressMode mode, bool normalized, float coordinate, std::uint32_t size) noexcept {
    return tapsBy<false>(mode, normalized, coordinate, size);
}

Taps linearTaps(AddressMode mode, bool normalized, float coordinate, std::uint32_t size) noexcept {
    return tapsBy<true>(mode, normalized, coordinate, size);
}

std::uint32_t layerOf(float index, std::uint32_t layers) noexcept {
    if (!(index > 0)) return 0;
    const float last = static_cast<float>(layers) - 1;
    return index >= last ? layers - 1 : static_cast<std::uint32_t>(nearestWhole(index));
}

}  // namespace zetl::emulator::isa
