#include "core/location_code.h"

#include <dwarf.h>

#include <optional>

#include "core/byte_reader.h"
#include "core/failure.h"
#include "core/location.h"
#include "core/location_constant.h"
#include "core/xe_registers.h"
#include "isa/xe/architecture.h"

namespace zetl::debugger {
namespace {

constexpr std::uint32_t kBitsOfRegister = isa::xe::kRegisterBytes * 8;
constexpr std::uint32_t kBitsOfAddress = 64;
constexpr int kMostCoded = 1000;

class Coder {
  public:
    Coder(std::span<const std::uint8_t> expression, std::span<const std::uint8_t> frameBase)
        : in_(expression), frameBase_(frameBase) {}

    CodedPlace run() {
        for (int left = kMostCoded; !in_.atEnd(); --left) {
            if (left == 0) fail("the location's expression does not end");
            step(in_.u8());
        }
        return whole();
    }

  private:
    using Operation = Code::Operation;

    void push(Code code) {
        stack_.push_back(std::move(code));
        place_.reset();
    }
    void push(std::uint64_t value) { push(Code::number(value)); }
    Code pop() {
        if (stack_.empty()) fail("the location's expression uses a missing value");
        Code code = std::move(stack_.back());
        stack_.pop_back();
        return code;
    }
    std::uint32_t popBits() {
        const auto bits = pop().constant();
        if (!bits || *bits == 0 || *bits > kBitsOfAddress) fail("a location of unknown size");
        return static_cast<std::uint32_t>(*bits);
    }

    static Code firstBitOf(const Code& number) {
        return number.plus(0 - std::uint64_t{kFirstGeneralRegister}).times(kBitsOfRegister);
    }
    void name(const Code& number) {
        named_ = firstBitOf(number);
        place_ = CodedPlace{CodedPlace::Kind::registerBits, *named_, 0};
    }
    void takeBits(const Code& firstBit, std::uint32_t bits) {
        push(Code::registerBits(firstBit, bits));
        place_ = CodedPlace{CodedPlace::Kind::registerBits, firstBit, bits};  // the object itself, as far as is known
    }
    void relative(std::uint64_t number) {
        const auto offset = static_cast<std::uint64_t>(in_.sleb());
        const bool isGeneral = number >= kFirstGeneralRegister;
        if (!isGeneral && number != registers::kScratchBaseByDwarf) fail("a location in register {}", number);
        const Code base = isGeneral ? Code::registerBits(firstBitOf(Code::number(number)), kBitsOfAddress)
                                    : Code::base(registers::kScratchBase);
        push(base.plus(offset));
    }
    void dereference(std::uint32_t bytes) {
        if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) fail("a location that reads {} bytes", bytes);
        if (place_ && place_->bits == 0) return push(Code::registerBits(place_->where, bytes * 8));
        push(Code::memory(pop(), bytes));
    }
    void frameOffset() {
        const auto offset = static_cast<std::uint64_t>(in_.sleb());
        if (frameBase_.empty()) fail("there is no frame base");
        const auto base = Coder(frameBase_, {}).run();
        if (base.kind == CodedPlace::Kind::registerBits) fail("there is no frame base");
        push(base.where.plus(offset));
    }
    /// As Evaluation::whole() of location.cpp.
    CodedPlace whole() {
        const bool isAddress = !isValue_ && !stack_.empty() && place_ && place_->bits == kBitsOfAddress;
        if (place_ && !isAddress) return *place_;
        if (stack_.empty()) fail("optimised away");
        return {isValue_ ? CodedPlace::Kind::value : CodedPlace::Kind::memory, stack_.back(), 0};
    }

    void step(std::uint8_t op) {
        if (const auto constant = constantOf(op, in_)) return push(*constant);
        if (op == location_operation::kPushLane) return push(Code::lane());
        if (op >= DW_OP_reg0 && op <= DW_OP_reg31) return name(Code::number(std::uint64_t{op} - DW_OP_reg0));
        if (op >= DW_OP_breg0 && op <= DW_OP_breg31) return relative(std::uint64_t{op} - DW_OP_breg0);
        if (stackOperation(op) || arithmetic(op) || place(op)) return;
        fail("a location with the operation {:#x}", op);
    }
    bool stackOperation(std::uint8_t op) {
        switch (op) {
            case DW_OP_nop:
                return true;
            case DW_OP_dup: {
                const Code top = pop();
                push(top);
                push(top);
                return true;
            }
            case DW_OP_drop:
                pop();
                return true;
            case DW_OP_swap: {
                const Code upper = pop();
                const Code lower = pop();
                push(upper);
                push(lower);
                return true;
            }
            default:
                return false;
        }
    }
    bool arithmetic(std::uint8_t op) {
        if (op == DW_OP_plus_uconst) {
            const Code top = pop();
            push(top.plus(in_.uleb()));
            return true;
        }
        const auto operation = operationOf(op);
        if (!operation) return false;
        const Code right = pop();
        const Code left = pop();
        push(left.with(*operation, right));
        return true;
    }
    static std::optional<Operation> operationOf(std::uint8_t op) {
        switch (op) {
            case DW_OP_and:
                return Operation::bitAnd;
            case DW_OP_or:
                return Operation::bitOr;
            case DW_OP_xor:
                return Operation::bitXor;
            case DW_OP_plus:
                return Operation::add;
            case DW_OP_minus:
                return Operation::subtract;
            case DW_OP_mul:
                return Operation::multiply;
            case DW_OP_div:
                return Operation::divideSigned;
            case DW_OP_mod:
                return Operation::remainderUnsigned;
            case DW_OP_shl:
                return Operation::shiftLeft;
            case DW_OP_shr:
                return Operation::shiftRightUnsigned;
            default:
                return {};
        }
    }
    bool place(std::uint8_t op) {
        switch (op) {
            case DW_OP_regx:
                name(Code::number(in_.uleb()));
                return true;
            case DW_OP_bregx:
                relative(in_.uleb());
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
                name(pop());
                return true;
            case location_operation::kBitPieceFromStack: {
                const auto bits = popBits();
                const Code first = pop();
                if (!named_) fail("the location's expression takes bits outside a register");
                takeBits(named_->plus(first), bits);
                return true;
            }
            case location_operation::kRegisterBits: {
                const std::uint32_t bits = in_.u8();
                if (bits == 0 || bits > kBitsOfAddress) fail("a location of {} bits", bits);
                const Code first = pop();
                takeBits(firstBitOf(pop()).plus(first), bits);
                return true;
            }
            case DW_OP_stack_value:
                isValue_ = true;
                return true;
            default:
                return false;
        }
    }

    ByteReader in_;
    const std::span<const std::uint8_t> frameBase_;
    std::vector<Code> stack_;
    std::optional<Code> named_;        ///< the first bit of the register named last
    std::optional<CodedPlace> place_;  ///< until something is computed
    bool isValue_ = false;
};

}  // namespace

CodedPlace codedLocation(std::span<const std::uint8_t> expression, std::span<const std::uint8_t> frameBase) {
    return Coder(expression, frameBase).run();
}

}  // namespace zetl::debugger
