// Which program runs a command, and with which compiler: the system's, or one with a C library of its own.
#pragma once

#include <string>
#include <vector>

#include "compiler/command.h"

namespace zetl::compiler {

struct Start {
    std::vector<std::string> words;  ///< the program and its arguments
    std::string bundle = {};         ///< directory of the compiler that has all its libraries; empty: the system's
    std::string refusal = {};        ///< why nothing can be started; there are no words then

    /// The compiler is chosen by the environment variable of the program (settings::kOcloc) and by ZETL_COMPILER:
    /// `system`, `newest` (the one that lies beside the program, if there is one), or a directory. If neither is set,
    /// the newest.
    static Start of(const Command& command);
};

}  // namespace zetl::compiler
