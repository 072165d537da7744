// The text of an expression, from its beginning to its end.
#pragma once

#include <string>
#include <string_view>

#include "core/operators.h"
#include "core/value.h"

namespace zetl::debugger {

/// Throws Failure for text that is not as it has to be.
class Scanner {
  protected:
    Scanner(std::string_view text, int deepest) : rest_(text), deepest_(deepest) {}
    ~Scanner() = default;

    void skip();
    bool take(std::string_view token);
    void need(std::string_view token);
    /// A name, or nothing.
    std::string word();
    /// Without a blank before it.
    bool isAtName() const noexcept;
    /// Takes the next operator if it binds more tightly; null, and nothing is taken, if it does not, or is none.
    const Operator* takeOperator(int weakest);
    bool isAtNumber() const noexcept;
    /// 12, 0x1f, 1.5e-3f.
    Scalar number();

    void deeper();
    void shallower() noexcept { --depth_; }

    std::string_view rest_;

  private:
    const int deepest_;  ///< how deep an expression may be nested
    int depth_ = 0;
};

}  // namespace zetl::debugger
