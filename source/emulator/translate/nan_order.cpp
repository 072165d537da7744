#include "emulator/translate/nan_order.h"

#include <array>
#include <bit>
#include <cstring>
#include <memory>

namespace zetl::emulator::translate {
namespace {

using isa::LaneType;
using isa::Opcode;
namespace layout = isa::layout;

constexpr uint16_t number(Opcode o) { return static_cast<uint16_t>(o); }

enum Operand : uint32_t { x = 1, y = 2, z = 4 };

/// Runs a row on lanes that are 1, or NaNs that say whose they are.
class Trial {
  public:
    Trial(isa::Handler handler, LaneType lanes)
        : handler_(handler), bytes_(isa::byteSize(lanes)), thread_(std::make_unique<isa::Thread>()) {}

    /// Whose NaN comes out if these operands are NaNs; 0 if nobody's, or not the same in all lanes.
    uint32_t survivor(uint32_t nans) {
        for (uint32_t k = 0; k < 3; ++k) fill(k, (nans >> k & 1) != 0);
        isa::Step step;
        for (uint32_t k = 0; k < 3; ++k) step.src[k] = layout::kLanes + k * layout::kLaneBytes;
        step.dst = layout::kResult, step.mask.lanes = ~0u, step.mask.noMask = true;
        handler_(*thread_, &step);
        uint32_t found = 0;
        for (uint32_t k = 0; k < 3; ++k) found |= uint32_t{holds(k)} << k;
        return std::has_single_bit(found) ? found : 0;
    }

  private:
    uint64_t nan(uint32_t k) const { return bytes_ == 4 ? 0x7fc00001 + k : 0x7ff8000000000001 + k; }
    void fill(uint32_t k, bool isNan) {
        const uint64_t one = bytes_ == 4 ? std::bit_cast<uint32_t>(1.0f) : std::bit_cast<uint64_t>(1.0);
        const uint64_t value = isNan ? nan(k) : one;
        for (uint32_t lane = 0; lane < 32; ++lane)
            std::memcpy(thread_->state + layout::kLanes + k * layout::kLaneBytes + lane * bytes_, &value, bytes_);
    }
    bool holds(uint32_t k) const {
        const uint64_t value = nan(k);
        return std::memcmp(thread_->state + layout::kResult, &value, bytes_) == 0;
    }

    isa::Handler handler_;
    uint32_t bytes_;
    std::unique_ptr<isa::Thread> thread_;
};

}  // namespace

bool hasNanOrder(uint16_t row, LaneType lanes) noexcept {
    constexpr Opcode kRows[] = {Opcode::add, Opcode::mul, Opcode::add3, Opcode::mac, Opcode::mad, Opcode::madm};
    for (const Opcode o : kRows)
        if (number(o) == row) return isa::isReal(lanes);
    return false;
}

std::optional<NanOrder> nanOrderOf(isa::Handler handler, uint16_t row, LaneType lanes) {
    Trial trial(handler, lanes);
    if (row == number(Opcode::mad) || row == number(Opcode::madm)) {
        if (trial.survivor(x | y) != y || trial.survivor(x | z) != z) return {};
        return NanOrder{.first = trial.survivor(y | z) == z};
    }
    NanOrder order{.first = trial.survivor(x | y) == y};
    if (row == number(Opcode::add3)) order.second = trial.survivor(x | z) == z;
    if (row == number(Opcode::mac)) order.second = trial.survivor(x | z) == x;
    return order;
}

}  // namespace zetl::emulator::translate
