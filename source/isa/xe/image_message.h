// Messages to the sampler and to the unit for typed memory (tgm). (Measured: kernels for bmg and ptl, ocloc 26.27.)
#pragma once

#include <cstdint>
#include <optional>

#include "isa/xe/instruction.h"

namespace zetl::isa::xe {

enum class ImageOperation : std::uint8_t {
    sample,          ///< at coordinates that are floats, from the first level
    sampleLevel,     ///< the same from a level that comes first in the payload
    sampleGradient,  ///< the same, with two gradients behind each coordinate
    load,            ///< at whole coordinates, by the sampler
    info,            ///< the sizes of the surface
    typedLoad,       ///< at whole coordinates
    typedStore,
    blockLoad,  ///< rows of bytes
    blockStore,
    fence,
};

/// A surface is named by a register: an offset of its state.
struct ImageMessage {
    ImageOperation operation = ImageOperation::sample;
    std::uint32_t lanes = 16;           ///< of the payload and of the result
    bool header = false;                ///< the payload begins with a register that names sampler and channels
    bool halfResults = false;           ///< channels have 16 bits
    std::uint8_t payloadRegisters = 0;  ///< of the first source, or of all where one register names them
    std::uint8_t replyRegisters = 0;
    std::uint8_t components = 15;  ///< of typed messages: one bit per channel

    /// Registers that one parameter takes, or one channel of 32 bits.
    std::uint32_t rowRegisters() const noexcept { return lanes / 16; }
    bool bySampler() const noexcept { return operation <= ImageOperation::info; }
    bool writes() const noexcept {
        return operation == ImageOperation::typedStore || operation == ImageOperation::blockStore;
    }
    bool samples() const noexcept { return operation <= ImageOperation::sampleGradient; }
};

/// Nothing for other messages, and for forms that compilers do not emit for these devices.
std::optional<ImageMessage> imageMessageOf(const Instruction& in) noexcept;

/// Parts of the header.
namespace image_header {
inline constexpr std::uint32_t kChannelsAt = 8;      ///< byte of the dword with the channels that are not wanted
inline constexpr std::uint32_t kChannelsShift = 12;  ///< its first bit, for red
inline constexpr std::uint32_t kSamplerAt = 12;      ///< byte of the dword with the offset of the sampler's state
inline constexpr std::uint32_t kSamplerMask = ~15u;
}  // namespace image_header

/// Part of the register that names a surface.
inline constexpr std::uint32_t kSurfaceMask = ~63u;

}  // namespace zetl::isa::xe
