#include "emulator/translate/plan/nan_order.h"

#include <array>
#include <bit>
#include <cstring>
#include <memory>

namespace zetl::emulator::translate {
namespace {

using isa::LaneType;
using isa::Opcode;
namespace layout = isa::layout;

constexpr std::uint16_t rowOf(Opcode o) { return static_cast<std::uint16_t>(o); }

enum Operand : std::uint32_t { x = 1, y = 2, z = 4 };

std::uint8_t allVectors(LaneType lanes, bool wide) {
    return !wide ? 1 : isa::byteSize(lanes) == 4 ? 3 : 15;  // of 32 lanes
}

/// Runs a row on lanes that are 1, or NaNs that identify their operand.
class Trial {
  public:
    Trial(isa::Handler handler, LaneType lanes, bool wide)
        : handler_(handler), wide_(wide), bytes_(isa::byteSize(lanes)), thread_(std::make_unique<isa::Thread>()) {}

    /// For which vectors the NaN of `turned` comes out if `usual` is one, too; nothing if a third operand's does, if
    /// lanes of a vector differ, or if it depends on the rowOf of lanes.
    std::optional<std::uint8_t> turned(Operand usual, Operand turned) {
        std::uint8_t vectors = 0;
        for (const std::uint32_t chunks : {2u, 1u}) {
            run(usual | turned, chunks);
            const std::uint32_t count = wide_ ? chunks * kLanes : 1;
            const std::uint32_t perVector = kVectorBytes / bytes_;
            for (std::uint32_t lane = 0; lane < count; ++lane) {
                const bool isTurned = holds(lane, turned);
                if (!isTurned && !holds(lane, usual)) return {};
                const auto bit = static_cast<std::uint8_t>(1u << lane / perVector);
                if (lane % perVector == 0 && chunks == 2 && isTurned) vectors |= bit;
                if (isTurned != ((vectors & bit) != 0)) return {};
            }
            if (!wide_) break;
        }
        return vectors;
    }

  private:
    static constexpr std::uint32_t kLanes = 16;
    static constexpr std::uint32_t kVectorBytes = 64;

    void run(std::uint32_t nans, std::uint32_t chunks) {
        for (std::uint32_t k = 0; k < 3; ++k) fill(k, (nans >> k & 1) != 0);
        isa::Step step;
        for (std::uint32_t k = 0; k < 3; ++k) step.src[k] = layout::kLanes + k * layout::kLaneBytes;
        step.dst = layout::kResult;
        step.chunks = static_cast<std::uint8_t>(chunks);
        step.mask.lanes = ~0u;
        step.mask.noMask = true;
        handler_(*thread_, &step);
    }
    std::uint64_t nan(std::uint32_t k) const { return bytes_ == 4 ? 0x7fc00001 + k : 0x7ff8000000000001 + k; }
    void fill(std::uint32_t k, bool isNan) {
        const std::uint64_t one = bytes_ == 4 ? std::bit_cast<std::uint32_t>(1.0f) : std::bit_cast<std::uint64_t>(1.0);
        const std::uint64_t value = isNan ? nan(k) : one;
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            std::memcpy(thread_->state + layout::kLanes + k * layout::kLaneBytes + lane * bytes_, &value, bytes_);
    }
    bool holds(std::uint32_t lane, Operand operand) const {
        const std::uint64_t value =
            nan(static_cast<std::uint32_t>(std::countr_zero(static_cast<std::uint32_t>(operand))));
        return std::memcmp(thread_->state + layout::kResult + lane * bytes_, &value, bytes_) == 0;
    }

    isa::Handler handler_;
    bool wide_;
    std::uint32_t bytes_;
    std::unique_ptr<isa::Thread> thread_;
};

}  // namespace

bool hasNanOrder(std::uint16_t row, LaneType lanes) noexcept {
    constexpr Opcode kRows[] = {Opcode::add, Opcode::mul, Opcode::add3, Opcode::mac, Opcode::mad, Opcode::madm};
    for (const Opcode o : kRows)
        if (rowOf(o) == row) return isa::isReal(lanes);
    return false;
}

std::optional<NanOrder> nanOrderOf(isa::Handler handler, std::uint16_t row, LaneType lanes, bool wide) {
    Trial trial(handler, lanes, wide);
    const bool fused = row == rowOf(Opcode::mad) || row == rowOf(Opcode::madm);
    // The host looks at factors first.
    if (fused && (trial.turned(x, y) != allVectors(lanes, wide) || trial.turned(x, z) != allVectors(lanes, wide)))
        return {};
    const auto first = fused ? trial.turned(y, z) : trial.turned(x, y);
    std::optional<std::uint8_t> second = std::uint8_t{0};
    if (row == rowOf(Opcode::add3)) second = trial.turned(x, z);
    if (row == rowOf(Opcode::mac)) second = trial.turned(z, x);
    if (!first || !second) return {};
    return NanOrder{*first, *second};
}

}  // namespace zetl::emulator::translate
