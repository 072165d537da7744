// Random expressions of a wanted type. None has a side effect, and each is defined for every value of its operands:
// shifts are masked, divisors are not zero, reals become integers with saturation, and no NaN shows its bits.
#pragma once

#include <string>
#include <vector>

#include "chance.h"
#include "cl_type.h"
#include "parts.h"

namespace zetl::random_kernels {

struct Variable {
    std::string name;
    Type type;
};
/// Of `count` elements, a power of two.
struct Array {
    std::string name;
    Type type;
    int count;
};
struct Function {
    std::string name;
    Type result;
    std::vector<Type> parameters;
};
/// What an expression may name.
struct Scope {
    std::vector<Variable> variables;
    std::vector<Array> arrays;
    std::vector<Function> functions;
};

/// From here on a kernel's expressions are leaves: a few long kernels took half of the compilers' time.
inline constexpr int kMostExpressions = 500;

class Expressions {
  public:
    Expressions(Chance& chance, const Scope& scope, Numbering& numbering)
        : chance_(chance), scope_(scope), numbering_(numbering) {}

    std::string make(Type type, int depth);
    /// One that the compilers do not take for a vector of one constant (prelude.cl).
    std::string operand(Type type, int depth);
    std::string literal(Type type);
    /// A scalar integer that is true for some work-items.
    std::string condition(int depth);
    Type anyType(bool vectors = true);

  private:
    Chance& chance_;
    const Scope& scope_;
    Numbering& numbering_;

    std::string compound(Type type, int depth);
    std::string plainest(Type type) const;
    std::string leaf(Type type);
    std::string scalarLiteral(Base base);
    std::string operation(Type type, int depth);
    std::string conversion(Type type, int depth);
    std::string reinterpretation(Type type, int depth);
    std::string comparison(Type type, int depth);
    std::string choice(Type type, int depth);
    std::string gathered(Type type, int depth);
    std::string element(Type type, int depth);
    std::string called(Type type, int depth);
    std::string filled(const char* pattern, Type type, int depth);
};

}  // namespace zetl::random_kernels
