// A message to images, as its step finds it: where its parameters lie, and where its results go.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/step.h"
#include "isa/xe/image_message.h"

namespace zetl::emulator::isa {

/// Constant once lowered. Places are byte offsets in Thread::state.
struct ImageAccess {
    static constexpr std::size_t kMostRows = 16;

    zetl::isa::xe::ImageMessage message;
    std::uint32_t surfaceAt = 0;                  ///< place of the register that names the surface
    std::uint32_t headerAt = 0;                   ///< with message.header
    std::array<std::uint32_t, kMostRows> rows{};  ///< parameters of all lanes, in their order
    std::uint32_t rowCount = 0;
    std::uint32_t data = 0;    ///< of a store
    std::uint32_t result = 0;  ///< of everything else
};

/// The offset of the surface's state, and with a header that of the sampler's and the channels that are wanted, red
/// lowest.
std::uint32_t surfaceOf(const Thread& thread, const ImageAccess& access) noexcept;
std::uint32_t samplerOf(const Thread& thread, const ImageAccess& access) noexcept;
std::uint32_t channelsWanted(const Thread& thread, const ImageAccess& access) noexcept;
/// The row of the payload with a coordinate of a sample: behind a level, or each with two gradients behind it.
std::uint32_t coordinateRow(const ImageAccess& access, unsigned dimension) noexcept;

/// src[0]: the address of an ImageAccess.
const Step* imageMessage(Thread& thread, const Step* step);

}  // namespace zetl::emulator::isa
