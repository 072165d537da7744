// Which lines of a source text set a variable, as far as words show.
#pragma once

#include <set>
#include <string>

#include "core/source_text.h"

namespace zetl::debugger {

struct AssigningLines {
    std::set<int> lines;             ///< the declaration's is one of them
    bool hasText = false;            ///< otherwise only the line of the declaration is known
    bool isInitialised = false;      ///< by its declaration
    std::set<std::string> copies{};  ///< names that it is set to as they are: "x = y;"
    std::set<int> copied{};          ///< lines that set those, as far as somebody has looked for them
};

/// From the variable's declaration to the end of its block. A line counts if the name is assigned, incremented or
/// decremented there, or its address is taken; so do the lines up to the end of that statement.
AssigningLines assigningLines(SourceText& source, const std::string& file, int declared, const std::string& name);

}  // namespace zetl::debugger
