#include "emulator/isa/work.h"

#include <algorithm>

#include "emulator/isa/register_descriptor.h"
#include "isa/xe/access_shape.h"

namespace zetl::emulator::isa {
namespace {

/// Elements that one instruction may as well compute with, or move: those of a line of 32 lanes.
constexpr std::uint32_t kUsualElements = 32;

std::uint32_t chargeForMessage(const Instruction& in) {
    constexpr std::uint32_t kElementBytes = 8;
    constexpr std::uint32_t kElementsAtOnce = 8;
    const auto shape = isDeferred(in.message) ? std::nullopt : accessShapeOf(in);
    if (!shape || shape->block || shape->block2d) return 0;
    // One after the other, and each waits for the host's memory.
    if (shape->atomic) return in.width;
    const std::uint32_t elements = in.width * std::max((shape->bytes + kElementBytes - 1) / kElementBytes, 1u);
    return (std::max(elements, kUsualElements) - kUsualElements) / kElementsAtOnce;
}

}  // namespace

std::uint32_t chargeFor(const Instruction& in) noexcept {
    const OpcodeInfo* info = findOpcode(static_cast<std::uint8_t>(in.opcode));
    if (info == nullptr) return 0;
    if (info->format == Format::send) return chargeForMessage(in);
    constexpr std::uint32_t kDepth = 8;
    return info->format == Format::systolic ? in.repeatCount * kDepth : 0;
}

}  // namespace zetl::emulator::isa
