// Runs one of LLVM's tools in a process of its own, with files in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/packing.h"

namespace zetl::compiler {

/// The name of the input file in a tool's arguments.
inline constexpr const char* kInputFile = "/proc/self/fd/0";

struct ToolResult {
    Bytes output;        ///< its standard output
    std::string words;   ///< its standard error
    std::string ending;  ///< empty if it ended well
};

/// Runs a program with `input` as standard input, and waits for its end. It may take `seconds` of processor time; 0:
/// unlimited.
ToolResult runTool(const std::vector<std::string>& words, const Bytes& input, std::uint32_t seconds);

}  // namespace zetl::compiler
