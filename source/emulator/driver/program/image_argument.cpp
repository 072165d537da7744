#include "emulator/driver/program/image_argument.h"

#include "emulator/driver/memory/image.h"
#include "emulator/driver/memory/sampler.h"

namespace zetl::emulator::driver {
namespace {

// As compiled code numbers them, by ze_sampler_address_mode_t.
constexpr std::uint32_t kAddressNumbers[] = {0, 3, 2, 1, 4};
constexpr std::uint32_t kNormalized = 8;

}  // namespace

binary::ImageArgument argumentOf(Image& image) noexcept {
    const ImageDescription& of = image.description();
    binary::ImageArgument told;
    told.state = image.stateOffset();
    told.width = static_cast<std::uint32_t>(of.width);
    told.height = of.height;
    told.depth = of.isLayered() ? 1 : of.depth;
    told.layers = of.isLayered() ? of.depth : 0;
    told.channelType = of.format.channelType();
    told.channelOrder = of.format.channelOrder();
    told.levels = of.levels;
    told.handle = reinterpret_cast<std::uint64_t>(image.handle());
    return told;
}

binary::SamplerArgument argumentOf(Sampler& sampler) noexcept {
    const ze_sampler_desc_t& of = sampler.description();
    binary::SamplerArgument told;
    told.state = sampler.stateOffset();
    told.address = kAddressNumbers[of.addressMode];
    told.normalized = of.isNormalized ? kNormalized : 0;
    const bool snaps =
        of.addressMode == ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER && of.filterMode == ZE_SAMPLER_FILTER_MODE_NEAREST;
    told.snap = snaps ? ~0u : 0;
    told.handle = reinterpret_cast<std::uint64_t>(sampler.handle());
    return told;
}

}  // namespace zetl::emulator::driver
