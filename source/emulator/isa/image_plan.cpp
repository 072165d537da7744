#include "emulator/isa/image_plan.h"

#include <algorithm>
#include <bit>

namespace zetl::emulator::isa {

using zetl::isa::xe::ImageOperation;

std::optional<ImagePlan> ImagePlan::of(const Instruction& in) noexcept {
    const auto message = isSend(in.opcode) ? zetl::isa::xe::imageMessageOf(in) : std::nullopt;
    if (!message) return {};
    const bool stores = message->operation == ImageOperation::typedStore;
    if (!stores && message->operation != ImageOperation::load && message->operation != ImageOperation::typedLoad)
        return {};
    ImagePlan plan;
    plan.message_ = *message;
    plan.surfaceAt_ = layout::kAddress + in.message.extendedSub * std::uint32_t{sizeof(std::uint32_t)};
    plan.first_ = message->header ? 1 : 0;
    plan.behind_ = message->payloadRegisters;
    const bool gathered = in.source[0].isArf(ArchitectureRegister::scalar);
    std::uint32_t end = message->payloadRegisters;
    if (gathered) {
        plan.numbers_ = in.source[0].subByte;
        // The data of a store come behind its coordinates.
        const auto data = static_cast<std::uint32_t>(std::popcount(message->components)) * message->rowRegisters();
        if (stores) end -= std::min(end, data);
    } else {
        plan.sources_ = {std::uint32_t{in.source[0].number}, std::uint32_t{in.source[1].number}};
        if (!stores && in.source[1].isGrf())
            end += static_cast<std::uint32_t>(std::max<int>(in.message.src1Registers, 0));
    }
    plan.rows_ = (end - std::min(end, plan.first_)) / message->rowRegisters();
    return plan;
}

std::uint32_t ImagePlan::surface(const Thread& thread) const noexcept {
    return thread.at<std::uint32_t>(surfaceAt_) & zetl::isa::xe::kSurfaceMask;
}

/// Of a register of the payload. What s0 names, and what it has no room to name, stays within the registers.
std::uint32_t ImagePlan::placeOf(const Thread& thread, std::uint32_t number) const noexcept {
    constexpr std::uint32_t kLast = layout::kGrfRegisters - 1;
    std::uint32_t name = 0;
    if (numbers_ >= 0) {
        const std::uint32_t at = std::min(static_cast<std::uint32_t>(numbers_) + number, layout::kRegisterBytes - 1);
        name = thread.at<std::uint8_t>(layout::kScalar + at);
    } else {
        name = number < behind_ ? sources_[0] + number : sources_[1] + number - behind_;
    }
    return layout::kGrf + std::min(name, kLast) * layout::kRegisterBytes;
}

std::array<std::int64_t, 3> ImagePlan::coordinates(const Thread& thread, std::uint32_t lane) const noexcept {
    std::array<std::int64_t, 3> all{};
    for (std::uint32_t row = 0; row < std::min<std::uint32_t>(rows_, 3); ++row) {
        // Lanes fill the registers of their row.
        const std::uint32_t byte = lane * std::uint32_t{sizeof(std::int32_t)};
        const std::uint32_t number = first_ + row * message_.rowRegisters() + byte / layout::kRegisterBytes;
        all[row] = thread.at<std::int32_t>(placeOf(thread, number) + byte % layout::kRegisterBytes);
    }
    return all;
}

}  // namespace zetl::emulator::isa
