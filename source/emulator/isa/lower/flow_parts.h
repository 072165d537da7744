// Which lines of a program flow into each other: a kernel with the functions that it calls is a part of its own.
#pragma once

#include <vector>

#include "emulator/isa/code.h"

namespace zetl::emulator::isa {

class FlowParts {
  public:
    explicit FlowParts(const Program::Code& code);

    /// The same number for all lines of a part: that of one of its lines.
    Line of(Line line);

  private:
    void follow(const Program::Code& code, Line line);
    void join(Line a, Line b);

    std::vector<Line> parent_;
};

}  // namespace zetl::emulator::isa
