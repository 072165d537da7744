// Operations of atomic messages.
#pragma once

#include <cstdint>

namespace zetl::isa::xe {

/// Numbered as in LSC messages; the last two exist at the older data port only.
enum class AtomicOperation : std::uint8_t {
    increment = 0x08,
    decrement,
    load,
    exchange,
    add,
    subtract,
    minSigned,
    maxSigned,
    minUnsigned,
    maxUnsigned,
    compareExchange,
    addReal,
    subtractReal,
    minReal,
    maxReal,
    compareExchangeReal,
    bitAnd,
    bitOr,
    bitXor,
    addBrain = 0x21,  // on bf, in the order of those on other real numbers
    subtractBrain,
    minBrain,
    maxBrain,
    compareExchangeBrain,
    reverseSubtract = 0x40,
    preDecrement,
};

constexpr bool hasOperands(AtomicOperation o) noexcept {
    return o != AtomicOperation::increment && o != AtomicOperation::decrement && o != AtomicOperation::load &&
           o != AtomicOperation::preDecrement;
}
constexpr bool isOnBrain(AtomicOperation o) noexcept {
    return o >= AtomicOperation::addBrain && o <= AtomicOperation::compareExchangeBrain;
}
constexpr bool hasTwoOperands(AtomicOperation o) noexcept {
    return o == AtomicOperation::compareExchange || o == AtomicOperation::compareExchangeReal ||
           o == AtomicOperation::compareExchangeBrain;
}

}  // namespace zetl::isa::xe
