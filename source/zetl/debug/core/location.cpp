#include "core/location.h"

#include <dwarf.h>

#include <algorithm>
#include <cstring>

#include "core/byte_reader.h"
#include "core/failure.h"
#include "core/location_constant.h"

namespace zetl::debugger {
namespace {

constexpr std::uint64_t kAddressBits = 64;
constexpr int kMostOperations = 10'000;
constexpr std::size_t kMostValues = 1024;
constexpr std::uint64_t kMostNamed = 1024;

class Evaluation {
  public:
    Evaluation(std::span<const std::uint8_t> expression, const Surroundings& surroundings)
        : in_(expression), around_(surroundings) {}

    Location run() {
        for (int left = kMostOperations; !in_.atEnd(); --left) {
            if (left == 0) fail("the location's expression does not end");
            step(in_.u8());
        }
        if (location_.pieces.empty()) location_.pieces.push_back(whole());
        return std::move(location_);
    }

  private:
    void push(std::uint64_t value) {
        if (stack_.size() >= kMostValues) fail("the location's expression needs too many values");
        stack_.push_back(value);
        place_.reset();
    }
    std::uint64_t pop() {
        if (stack_.empty()) fail("the location's expression uses a missing value");
        const auto value = stack_.back();
        stack_.pop_back();
        return value;
    }
    std::uint64_t peek(std::size_t depth) const {
        if (depth >= stack_.size()) fail("the location's expression uses a missing value");
        return stack_[stack_.size() - 1 - depth];
    }

    Bytes registerBytes(unsigned number) const {
        auto bytes = around_.readRegister(number);
        if (!bytes) fail("cannot read register {}", number);
        return *std::move(bytes);
    }
    std::uint64_t memory(std::uint64_t address, std::size_t bytes) const {
        const auto read = bytes <= 8 ? around_.readMemory(address, bytes) : std::nullopt;
        if (!read) fail("cannot read memory at {:#x}", address);
        return bitsOf(*read, 0, static_cast<unsigned>(bytes * 8));
    }

    /// Names a register; the next operation says which part of it.
    void name(unsigned number) {
        named_ = Piece{Piece::Kind::registerBits, 0, number, 0, 0, 0};
        place_ = named_;
    }
    void takeBits() {
        const auto bits = pop();
        const auto first = pop();
        if (!named_) fail("the location's expression takes bits outside a register");
        takeBits(named_->number, first, bits);
    }
    void takeBitsOfNumber(std::uint64_t bits) {
        const auto first = pop();
        const auto number = pop();
        if (number > kMostNamed) fail("a location in register {}", number);
        takeBits(static_cast<unsigned>(number), first, bits);
    }
    void takeBits(unsigned number, std::uint64_t first, std::uint64_t bits) {
        if (bits > 64 || first > 512 * 256) fail("a location of {} bits in a register", bits);
        const Piece place{
            Piece::Kind::registerBits, 0, number + static_cast<unsigned>(first / 512), first % 512, bits, 0};
        push(bitsOf(registerBytes(place.number), place.firstBit, static_cast<unsigned>(bits)));
        location_.used.push_back(place);
        place_ = place;  // until something is computed from it, it is the object itself
    }
    void dereference(std::size_t bytes) {
        if (place_ && place_->bits == 0) {
            const auto data = registerBytes(place_->number);
            return push(bitsOf(data, place_->firstBit, static_cast<unsigned>(std::min<std::size_t>(bytes, 8) * 8)));
        }
        push(memory(pop(), bytes));
    }

    Piece whole() {
        // 64 bits of a register are the object's address unless they are declared to be its value.
        const bool isAddress = !isValue_ && !stack_.empty() && place_ && place_->bits == kAddressBits;
        if (place_ && !isAddress) return *place_;
        if (stack_.empty()) return {};
        return {isValue_ ? Piece::Kind::value : Piece::Kind::memory, peek(0), 0, 0, 0, peek(0)};
    }
    void endPiece(std::uint64_t bits, std::uint64_t offset) {
        auto piece = whole();
        piece.bits = bits;
        piece.firstBit += offset;
        if (piece.kind == Piece::Kind::registerBits) {
            piece.number += static_cast<unsigned>(piece.firstBit / 512);
            piece.firstBit %= 512;
        }
        location_.pieces.push_back(piece);
        stack_.clear();
        place_.reset();
        isValue_ = false;
    }

    void frameOffset() {
        const auto offset = in_.sleb();
        auto inner = around_;
        inner.frameBase.clear();
        const auto base = Evaluation(around_.frameBase, inner).run().pieces.front();
        if (base.kind == Piece::Kind::gone || base.kind == Piece::Kind::registerBits) fail("there is no frame base");
        push(base.address + static_cast<std::uint64_t>(offset));
    }

    void step(std::uint8_t op) {
        if (const auto constant = constantOf(op, in_)) return push(*constant);
        if (op == location_operation::kPushLane) return push(around_.lane);
        if (op >= DW_OP_reg0 && op <= DW_OP_reg31) return name(op - DW_OP_reg0);
        if (op >= DW_OP_breg0 && op <= DW_OP_breg31) return relative(op - DW_OP_breg0);
        if (stackOperation(op) || arithmetic(op) || place(op)) return;
        fail("a location with the unknown operation {:#x}", op);
    }
    void relative(unsigned number) {
        const auto base = bitsOf(registerBytes(number), 0, 64);
        push(base + static_cast<std::uint64_t>(in_.sleb()));
    }

    bool stackOperation(std::uint8_t op) {
        switch (op) {
            case DW_OP_nop:
                return true;
            case DW_OP_dup:
                push(peek(0));
                return true;
            case DW_OP_drop:
                pop();
                return true;
            case DW_OP_over:
                push(peek(1));
                return true;
            case DW_OP_pick:
                push(peek(in_.u8()));
                return true;
            case DW_OP_swap: {
                const auto upper = pop();
                const auto lower = pop();
                push(upper);
                push(lower);
                return true;
            }
            default:
                return false;
        }
    }

    bool arithmetic(std::uint8_t op) {
        switch (op) {
            case DW_OP_plus_uconst:
                push(pop() + in_.uleb());
                return true;
            case DW_OP_neg:
                push(0 - pop());
                return true;
            case DW_OP_not:
                push(~pop());
                return true;
            case DW_OP_and:
            case DW_OP_or:
            case DW_OP_xor:
            case DW_OP_plus:
            case DW_OP_minus:
            case DW_OP_mul:
            case DW_OP_div:
            case DW_OP_mod:
            case DW_OP_shl:
            case DW_OP_shr:
            case DW_OP_shra: {
                const auto right = pop();
                const auto left = pop();
                push(combined(op, left, right));
                return true;
            }
            default:
                return false;
        }
    }
    static std::uint64_t combined(std::uint8_t op, std::uint64_t left, std::uint64_t right) {
        if ((op == DW_OP_div || op == DW_OP_mod) && right == 0) fail("a location that divides by zero");
        switch (op) {
            case DW_OP_and:
                return left & right;
            case DW_OP_or:
                return left | right;
            case DW_OP_xor:
                return left ^ right;
            case DW_OP_plus:
                return left + right;
            case DW_OP_minus:
                return left - right;
            case DW_OP_mul:
                return left * right;
            case DW_OP_div:
                return right == UINT64_MAX ? 0 - left : std::uint64_t(std::int64_t(left) / std::int64_t(right));
            case DW_OP_mod:
                return left % right;
            case DW_OP_shl:
                return right < 64 ? left << right : 0;
            case DW_OP_shr:
                return right < 64 ? left >> right : 0;
            default:
                return static_cast<std::uint64_t>(static_cast<std::int64_t>(left) >>
                                                  std::min<std::uint64_t>(right, 63));
        }
    }

    bool place(std::uint8_t op) {
        switch (op) {
            case DW_OP_regx:
                name(static_cast<unsigned>(in_.uleb()));
                return true;
            case DW_OP_bregx:
                relative(static_cast<unsigned>(in_.uleb()));
                return true;
            case DW_OP_fbreg:
                frameOffset();
                return true;
            case DW_OP_deref:
                dereference(8);
                return true;
            case DW_OP_deref_size:
                dereference(in_.u8());
                return true;
            case location_operation::kRegisterFromStack:
                name(static_cast<unsigned>(pop()));
                return true;
            case location_operation::kBitPieceFromStack:
                takeBits();
                return true;
            case location_operation::kRegisterBits:
                takeBitsOfNumber(in_.u8());
                return true;
            case DW_OP_piece:
                endPiece(in_.uleb() * 8, 0);
                return true;
            case DW_OP_bit_piece: {
                const auto bits = in_.uleb();
                const auto offset = in_.uleb();
                endPiece(bits, offset);
                return true;
            }
            case DW_OP_stack_value:
                isValue_ = true;
                return true;
            case DW_OP_implicit_value:
                implicitValue();
                return true;
            default:
                return false;
        }
    }
    void implicitValue() {
        const auto data = in_.take(in_.uleb());
        push(bitsOf(data, 0, static_cast<unsigned>(std::min<std::size_t>(data.size(), 8) * 8)));
        isValue_ = true;
    }

    ByteReader in_;
    const Surroundings& around_;
    std::vector<std::uint64_t> stack_;
    std::optional<Piece> named_;  ///< the register named last
    std::optional<Piece> place_;  ///< the register or a part of it, until something is computed
    bool isValue_ = false;
    Location location_;
};

}  // namespace

Location evaluate(std::span<const std::uint8_t> expression, const Surroundings& surroundings) try {
    return Evaluation(expression, surroundings).run();
} catch (const Failure& failure) {
    return {{}, failure.what(), {}};
}

std::uint64_t bitsOf(std::span<const std::uint8_t> data, std::uint64_t first, unsigned count) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < std::min(count, 64u); ++i) {
        const auto bit = first + i;
        if (bit / 8 >= data.size()) break;
        value |= std::uint64_t{static_cast<unsigned>(data[bit / 8]) >> (bit % 8) & 1u} << i;
    }
    return value;
}

void setBits(std::span<std::uint8_t> data, std::uint64_t first, unsigned count, std::uint64_t value) {
    for (unsigned i = 0; i < std::min(count, 64u); ++i) {
        const auto bit = first + i;
        if (bit / 8 >= data.size()) break;
        const auto mask = static_cast<std::uint8_t>(1u << (bit % 8));
        data[bit / 8] = static_cast<std::uint8_t>((value >> i & 1) != 0 ? data[bit / 8] | mask : data[bit / 8] & ~mask);
    }
}

}  // namespace zetl::debugger
