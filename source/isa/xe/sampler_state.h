// SAMPLER_STATE of Xe2 and Xe3: how a message reads its surface. (compute-runtime,
// shared/source/generated/xe2_hpg_core.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace zetl::isa::xe {

enum class AddressMode : std::uint8_t {
    wrap = 0,
    mirror = 1,
    clamp = 2,   ///< to the edge
    border = 4,  ///< beyond the edge everything is zero
};

struct SamplerState {
    static constexpr std::uint32_t kBytes = 16;
    using Bytes = std::span<std::byte, kBytes>;
    using ConstBytes = std::span<const std::byte, kBytes>;

    bool linear = false;      ///< otherwise the nearest texel
    bool normalized = false;  ///< coordinates are fractions of the size
    std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};

    /// Any bytes are a state. Modes that the emulator does not have are as `border`.
    static SamplerState read(ConstBytes bytes) noexcept;
    void write(Bytes bytes) const noexcept;
};

}  // namespace zetl::isa::xe
