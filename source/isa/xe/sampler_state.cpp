#include "isa/xe/sampler_state.h"

#include <cstring>

namespace zetl::isa::xe {
namespace {

constexpr std::uint32_t kFilterMask = 7;
constexpr std::uint32_t kMagnifyShift = 17;
constexpr std::uint32_t kMinifyShift = 14;
constexpr std::uint32_t kNearestLevel = 1u << 20;
constexpr std::uint32_t kPreclamp = 2u << 27;
constexpr std::uint32_t kLargestLevel = 14u << 16;  // U4.8 at bit 8
constexpr std::uint32_t kUnnormalized = 1u << 10;
constexpr std::uint32_t kRounding = 0x3fu << 13;
constexpr std::uint32_t kShiftX = 6;
constexpr std::uint32_t kShiftY = 3;
constexpr std::uint32_t kAddressMask = 7;

AddressMode modeOf(std::uint32_t number) noexcept {
    const auto mode = static_cast<AddressMode>(number);
    const bool known = mode == AddressMode::wrap || mode == AddressMode::mirror || mode == AddressMode::clamp;
    return known ? mode : AddressMode::border;
}

}  // namespace

SamplerState SamplerState::read(ConstBytes bytes) noexcept {
    std::uint32_t d[kBytes / sizeof(std::uint32_t)];
    std::memcpy(d, bytes.data(), sizeof d);
    SamplerState s;
    s.linear = (d[0] >> kMagnifyShift & kFilterMask) != 0;
    s.normalized = (d[3] & kUnnormalized) == 0;
    s.address = {modeOf(d[3] >> kShiftX & kAddressMask), modeOf(d[3] >> kShiftY & kAddressMask),
                 modeOf(d[3] & kAddressMask)};
    return s;
}

void SamplerState::write(Bytes bytes) const noexcept {
    std::uint32_t d[kBytes / sizeof(std::uint32_t)] = {kPreclamp | kNearestLevel, kLargestLevel, 0, 0};
    if (linear) d[0] |= 1u << kMagnifyShift | 1u << kMinifyShift;
    if (linear) d[3] |= kRounding;
    if (!normalized) d[3] |= kUnnormalized;
    const auto number = [&](std::size_t axis) { return static_cast<std::uint32_t>(address[axis]); };
    d[3] |= number(0) << kShiftX | number(1) << kShiftY | number(2);
    std::memcpy(bytes.data(), d, sizeof d);
}

}  // namespace zetl::isa::xe
