// Values of variables and expressions, their places, and their text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/location.h"
#include "core/type.h"

namespace zetl::debugger {

/// The place of a value that can be changed.
struct Place {
    std::vector<Piece> pieces;
    bool isLocal = false;  ///< memory pieces are offsets in the work-group's memory

    /// The part of an object with this size, from a bit on.
    Place part(std::uint64_t firstBit, std::uint64_t bits) const;
};

struct Value {
    const Type* type = nullptr;
    Bytes data;
    std::optional<Place> place;
    bool leadsToLocal = false;                   ///< a pointer into the work-group's memory
    std::string missing;                         ///< why there is no data: "optimised away"
    std::shared_ptr<const Type> made = nullptr;  ///< owns the type, if an expression made it
};

/// A number of an expression.
using Scalar = std::variant<std::int64_t, std::uint64_t, double>;

/// Throws Failure if the value is not a number.
Scalar scalarOf(const Value& value);
double asDouble(const Scalar& scalar);
std::uint64_t asBits(const Scalar& scalar);  ///< as an integer, rounded towards zero
bool isTrue(const Scalar& scalar);
/// The number as bytes of the type. Throws Failure if the type cannot hold numbers.
Bytes bytesFor(const Type& type, const Scalar& scalar);
/// The value as bytes of the type: a number, a vector from a vector or from a number for each component, or a whole of
/// the same type. Throws Failure for others.
Bytes bytesAs(const Type& type, const Value& value);
/// Components of vectors, one after the other; other values as they are.
std::vector<Value> componentsOf(const Value& value);
Value valueOf(const Scalar& scalar);
/// A pointer to a type; null: void.
Value pointerValue(std::uint64_t address, const Type* element, std::shared_ptr<const Type> made = nullptr);

/// "{first = 1, second = 0.5}", at most so many elements of an array, and half as many each level deeper: types of a
/// hostile image may contain themselves.
std::string textOf(const Value& value, unsigned mostElements = 200);
/// With all numbers in it in a format.
std::string textOf(const Value& value, char format, unsigned mostElements);
/// As a number in base 16, 10, 8 or 2 ('x', 'd', 'o', 't'), or as a character, a float, an address ('c', 'f', 'a').
std::string textOf(const Scalar& scalar, char format);

double halfToDouble(std::uint16_t half);

/// Basic types of expressions.
namespace types {
extern const Type kSigned;
extern const Type kUnsigned;
extern const Type kReal;
extern const Type kWord;
extern const Type kRegister;
extern const Type kByte;
}  // namespace types

}  // namespace zetl::debugger
