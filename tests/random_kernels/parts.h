// The parts of a program that a reduction may leave out, by their number in the order in which they are made. They are
// made all the same and then dropped: the choices behind them stay what they were.
#pragma once

#include <set>

namespace zetl::random_kernels {

struct Parts {
    std::set<int> statements;
    std::set<int> expressions;
};

class Numbering {
  public:
    explicit Numbering(const Parts& omitted) : omitted_(omitted) {}

    bool omitsStatement() { return omitted_.statements.contains(statements_++); }
    bool omitsExpression() { return omitted_.expressions.contains(expressions_++); }
    int statements() const { return statements_; }
    int expressions() const { return expressions_; }

  private:
    const Parts& omitted_;
    int statements_ = 0;
    int expressions_ = 0;
};

}  // namespace zetl::random_kernels
