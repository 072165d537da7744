// Conditions of breakpoints as small programs, which a device evaluates where a thread comes to a breakpoint.
//
// Steps work on a stack of 64-bit values. There are no jumps, so a program ends after its last step, and how deep its
// stack becomes is known before it runs. A value that cannot be read is unknown, and so is all that is computed from
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace zetl::isa::xe {

/// The numbers cross processes (zetl_condition_operation_t).
enum class ConditionOperation : std::uint32_t {
    none,
    number,        ///< pushes `value`
    lane,          ///< pushes the lane's number
    base,          ///< pushes state base number `value`
    registerBits,  ///< pops a bit, counted from the beginning of r0, and pushes `bits` bits from there on
    memory,        ///< pops an address, and pushes `bits` bits of the memory there
    local,         ///< the same in local memory, by offset
    extend,        ///< the top value, whose sign is the highest of `bits` bits
    real,          ///< the top value, a floating-point number of `bits` bits, as one of 64 bits
    narrow,        ///< a floating-point number, rounded to `bits` bits, as one of 64 bits
    realOfSigned,
    realOfUnsigned,
    integerOfReal,
    below,  ///< the top value is unknown unless it is less than `value`
    // Of one value.
    negate,
    complement,
    isZero,
    negateReal,
    // Of two values, of which the second is on top.
    add,
    subtract,
    multiply,
    divideSigned,
    divideUnsigned,
    remainderSigned,
    remainderUnsigned,
    bitAnd,
    bitOr,
    bitXor,
    shiftLeft,
    shiftRightSigned,
    shiftRightUnsigned,
    equal,
    lessSigned,
    lessUnsigned,
    addReal,
    subtractReal,
    multiplyReal,
    divideReal,
    equalReal,
    lessReal,
    both,    ///< as && of C: if the first is zero, the second may be unknown
    either,  ///< as ||
};
inline constexpr std::uint32_t kConditionOperations = static_cast<std::uint32_t>(ConditionOperation::either) + 1;

/// Words of fixed size: it crosses processes.
struct ConditionStep {
    std::uint32_t operation = 0;
    std::uint32_t bits = 0;
    std::uint64_t value = 0;
};

inline constexpr std::size_t kMostConditionSteps = 1024;
inline constexpr std::size_t kMostConditionValues = 64;  ///< on the stack

/// What a program reads. Each function returns nothing if there is no such place.
class ConditionView {
  public:
    virtual std::optional<std::uint64_t> base(std::uint64_t number) const = 0;
    virtual std::optional<std::uint64_t> registerBits(std::uint64_t firstBit, std::uint32_t bits) const = 0;
    virtual std::optional<std::uint64_t> memory(std::uint64_t address, std::uint32_t bytes) const = 0;
    virtual std::optional<std::uint64_t> local(std::uint64_t offset, std::uint32_t bytes) const = 0;

  protected:
    ~ConditionView() = default;
};

/// Whether every step is known, finds its values, and has bits that it can read, and one value is left at the end.
bool isCondition(std::span<const ConditionStep> steps) noexcept;

/// The program's value for one lane; nothing if it is unknown. The program must have passed isCondition().
std::optional<std::uint64_t> conditionValue(std::span<const ConditionStep> steps, std::uint32_t lane,
                                            const ConditionView& view);

/// The value for the first of the lanes (a mask) for which it is not zero or is unknown; 0 if there is none.
std::optional<std::uint64_t> conditionOfLanes(std::span<const ConditionStep> steps, std::uint32_t lanes,
                                              const ConditionView& view);

}  // namespace zetl::isa::xe
