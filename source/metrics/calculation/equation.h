// Equations of metrics, in the notation of Intel's metric sets: reverse Polish, words between spaces.
//
//   $Counter      value of the interval, an unsigned 64-bit integer       UADD USUB UMUL UDIV UMIN UMAX
//   $Symbol       the same for all rows                                   FADD FSUB FMUL FDIV FMIN FMAX
//   $$Metric      final value of a column further left                    AND OR XOR << >>
//   12  0x0c  1.5 constants                                               == != < > <= >=
//
// U operators, bits and comparisons are of unsigned 64-bit integers, which wrap; F operators are of float32, each
// rounded. An operand of the other kind is converted first: integers to the nearest float32, float32 by cutting off,
// to 0 or 2^64 - 1 beyond the range. A division by zero gives 0. A comparison gives 1 or 0, a shift by 64 or more 0.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::metrics {

/// An error in an equation, a layout or a descriptor, as text for people.
struct DescriptionError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class Operator : std::uint8_t {
    constant,  ///< `number`, or its float32 if `real`
    input,     ///< value number `left` of the interval
    toReal,
    toWhole,
    nanoseconds,  ///< of a number of ticks
    uadd,
    usub,
    umul,
    udiv,
    umin,
    umax,
    fadd,
    fsub,
    fmul,
    fdiv,
    fmin,
    fmax,
    bitAnd,
    bitOr,
    bitXor,
    shiftLeft,
    shiftRight,
    equal,
    notEqual,
    less,
    greater,
    lessOrEqual,
    greaterOrEqual,
};

/// A value that is computed once per row from values before it.
struct Node {
    Operator op = Operator::constant;
    bool real = false;  ///< the result is a float32
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    std::uint64_t number = 0;
    friend bool operator==(const Node&, const Node&) = default;
};

/// Values in an order in which each follows its operands. All are different: common parts of several equations are
/// computed once.
class Program {
  public:
    static constexpr std::size_t kMostNodes = 16384;

    /// The meaning of names with one dollar (inputs and symbols) and with two (columns further left).
    struct Names {
        std::function<std::optional<std::uint32_t>(std::string_view)> operand;
        std::function<std::optional<std::uint32_t>(std::string_view)> column;
    };

    /// Adds an equation; returns the number of the node with its result. Throws DescriptionError.
    std::uint32_t add(std::string_view equation, const Names& names);
    std::uint32_t add(const Node& node);
    /// The same value as a float32, or as an integer.
    std::uint32_t as(bool real, std::uint32_t node);

    const std::vector<Node>& nodes() const noexcept { return nodes_; }

  private:
    std::uint32_t apply(Operator op, std::uint32_t left, std::uint32_t right);

    std::vector<Node> nodes_;
    std::vector<std::vector<std::uint32_t>> buckets_;
};

/// The names with one dollar in an equation, each once.
std::vector<std::string> operandsOf(std::string_view equation);

}  // namespace zetl::metrics
