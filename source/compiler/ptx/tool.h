// A tool of LLVM's, run in a process of its own with files in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/packing.h"

namespace zetl::compiler {

/// The file that a tool's arguments name as its input.
inline constexpr const char* kInputFile = "/proc/self/fd/0";

struct ToolResult {
    Bytes output;        ///< what it wrote to standard output
    std::string words;   ///< what it wrote to standard error
    std::string ending;  ///< empty if it ended well
};

/// Runs a program with `input` behind standard input, and waits for its end. It may take `seconds` of processor time;
/// 0: as much as it likes.
ToolResult runTool(const std::vector<std::string>& words, const Bytes& input, std::uint32_t seconds);

}  // namespace zetl::compiler
