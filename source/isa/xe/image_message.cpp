#include "isa/xe/image_message.h"

#include <algorithm>
#include <iterator>

#include "isa/xe/lsc_descriptor.h"

namespace zetl::isa::xe {
namespace {

constexpr std::uint64_t kBindless = 252;
constexpr std::uint64_t kReplyShift = 20;
constexpr std::uint64_t kPayloadShift = 25;
constexpr std::uint64_t kReplyMask = 31;
constexpr std::uint64_t kPayloadMask = 15;

struct SamplerType {
    std::uint8_t number;
    ImageOperation operation;
};
constexpr SamplerType kSamplerTypes[] = {
    {0x02, ImageOperation::sampleLevel}, {0x04, ImageOperation::sampleGradient}, {0x0a, ImageOperation::info},
    {0x18, ImageOperation::sample},      {0x1a, ImageOperation::load},
};

struct TypedOperation {
    std::uint8_t number;
    ImageOperation operation;
};
constexpr TypedOperation kTypedOperations[] = {
    {lsc::kLoadQuad, ImageOperation::typedLoad},    {lsc::kStoreQuad, ImageOperation::typedStore},
    {lsc::kLoadBlock2d, ImageOperation::blockLoad}, {lsc::kStoreBlock2d, ImageOperation::blockStore},
    {lsc::kFence, ImageOperation::fence},
};

std::uint8_t field(std::uint64_t descriptor, std::uint64_t shift, std::uint64_t mask) noexcept {
    return static_cast<std::uint8_t>(descriptor >> shift & mask);
}

std::optional<ImageMessage> samplerMessage(const Message& m) noexcept {
    constexpr std::uint64_t kSurfaceMaskBits = 0xff;
    constexpr std::uint64_t kHeaderBit = std::uint64_t{1} << 19;
    constexpr std::uint64_t kShortParameters = std::uint64_t{1} << 29;
    constexpr std::uint64_t kShortResults = std::uint64_t{1} << 30;
    constexpr std::uint8_t kSixteenLanes = 1;
    constexpr std::uint8_t k32Lanes = 2;
    const std::uint64_t d = m.descriptor;
    const auto* const type = std::ranges::find(kSamplerTypes, field(d, 12, 31), &SamplerType::number);
    const std::uint8_t lanes = field(d, 17, 3);
    const bool known = type != std::end(kSamplerTypes) && (lanes == kSixteenLanes || lanes == k32Lanes) &&
                       (d & kSurfaceMaskBits) == kBindless && (d & kShortParameters) == 0;
    if (!known) return {};
    ImageMessage message{.operation = type->operation, .lanes = lanes == k32Lanes ? 32u : 16u};
    message.header = (d & kHeaderBit) != 0;
    message.halfResults = (d & kShortResults) != 0;
    message.payloadRegisters = field(d, kPayloadShift, kPayloadMask);
    message.replyRegisters = field(d, kReplyShift, kReplyMask);
    if (message.samples() && !message.header) return {};
    return message;
}

std::optional<ImageMessage> typedMessage(const Instruction& in) noexcept {
    const std::uint64_t d = in.message.descriptor;
    const auto* const operation = std::ranges::find(kTypedOperations, field(d, 0, 63), &TypedOperation::number);
    if (operation == std::end(kTypedOperations)) return {};
    ImageMessage message{.operation = operation->operation, .lanes = in.width > 16 ? 32u : 16u};
    if (message.operation == ImageOperation::fence) return message;
    message.payloadRegisters = field(d, kPayloadShift, kPayloadMask);
    message.replyRegisters = field(d, kReplyShift, kReplyMask);
    const bool block =
        message.operation == ImageOperation::blockLoad || message.operation == ImageOperation::blockStore;
    if (block) return message;
    message.components = field(d, 12, 15);
    const bool known = field(d, 7, 3) == lsc::kAddress32 && field(d, 9, 7) == lsc::kD32 &&
                       field(d, 29, 3) == lsc::kBindless && message.components != 0;
    if (!known) return {};
    return message;
}

}  // namespace

std::optional<ImageMessage> imageMessageOf(const Instruction& in) noexcept {
    const Message& m = in.message;
    if (m.general || m.descriptorInRegister) return {};
    const bool fence = m.function == SharedFunction::tgm && (m.descriptor & 63) == lsc::kFence;
    if (!m.extendedInRegister && !fence) return {};
    if (m.function == SharedFunction::sampler) return samplerMessage(m);
    if (m.function == SharedFunction::tgm) return typedMessage(in);
    return {};
}

}  // namespace zetl::isa::xe
