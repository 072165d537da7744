// Where a message to an image has its coordinates, for those who look at it before it executes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/thread.h"
#include "isa/xe/image_message.h"

namespace zetl::emulator::isa {

/// A message with whole coordinates: what kernels read without a sampler, and what they write.
class ImagePlan {
  public:
    /// Nothing for other instructions, and for messages with other coordinates.
    static std::optional<ImagePlan> of(const Instruction& in) noexcept;

    const zetl::isa::xe::ImageMessage& message() const noexcept { return message_; }
    /// The offset of the surface's state.
    std::uint32_t surface(const Thread& thread) const noexcept;
    /// Those that the message lacks are 0.
    std::array<std::int64_t, 3> coordinates(const Thread& thread, std::uint32_t lane) const noexcept;

  private:
    zetl::isa::xe::ImageMessage message_;
    std::uint32_t surfaceAt_ = 0;  ///< place of the register that names the surface
    std::uint32_t first_ = 0;      ///< register of the payload at which coordinates begin
    std::uint32_t rows_ = 0;       ///< how many coordinates there are
    std::uint32_t behind_ = 0;     ///< the payload's register with which the second source begins
    std::array<std::uint32_t, 2> sources_{};
    std::int32_t numbers_ = -1;  ///< byte of s0 from which on it has the numbers of the payload's registers instead

    std::uint32_t placeOf(const Thread& thread, std::uint32_t number) const noexcept;
};

}  // namespace zetl::emulator::isa
