#include "compiler/ptx/global_offset.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ptx/ir_text.h"
#include "compiler/ptx_symbols.h"

namespace zetl::compiler {
namespace {

constexpr std::string_view kSetOffset = "@zetl.offset.set(";

/// Where the list of parameters ends that begins behind `open`.
std::size_t endOfParameters(std::string_view line, std::size_t open) {
    int depth = 0;
    for (auto at = open; at < line.size(); ++at) {
        depth += line[at] == '(' ? 1 : line[at] == ')' ? -1 : 0;
        if (depth == 0) return at;
    }
    return line.size();
}

std::string withParameters(std::string_view line) {
    const auto open = line.find('(', line.find('@'));
    const auto end = endOfParameters(line, open);
    return fmt::format("{}{}i32 %zetl.x, i32 %zetl.y, i32 %zetl.z{}", line.substr(0, end), end == open + 1 ? "" : ", ",
                       line.substr(end));
}

}  // namespace

bool hasOffsetParameters(std::string_view module) { return module.find(kSetOffset) != std::string_view::npos; }

std::string withOffsetParameters(std::string_view module) {
    if (!hasOffsetParameters(module)) return std::string(module);
    std::string all;
    bool begins = false;
    eachLine(module, [&](std::string_view line) {
        const bool isLabel =
            line.substr(0, line.find(';')).find(':') != std::string_view::npos && !line.starts_with(' ');
        if (begins && !isLabel)
            all += fmt::format("  call void {}i32 %zetl.x, i32 %zetl.y, i32 %zetl.z)\n", kSetOffset);
        const bool isKernel = !kernelsOf(line).empty();
        all += (isKernel ? withParameters(line) : std::string(line)) + "\n";
        if (begins && isLabel) all += fmt::format("  call void {}i32 %zetl.x, i32 %zetl.y, i32 %zetl.z)\n", kSetOffset);
        begins = isKernel;
    });
    return all;
}

std::string withOffsetMark(std::string ptx) {
    return ptx + fmt::format("\n.visible .const .align 4 .u32 {} = 1;\n", kTakesGlobalOffset);
}

}  // namespace zetl::compiler
