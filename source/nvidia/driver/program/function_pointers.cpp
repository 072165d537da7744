#include "nvidia/driver/program/function_pointers.h"

#include <fmt/format.h>

#include "compiler/ptx_symbols.h"

namespace zetl::nvidia {

std::string pointerTo(std::string_view function) { return fmt::format("zetl_pointer_to_{}", function); }

std::string withFunctionPointers(std::string_view ptx) {
    std::string text(ptx);
    for (const auto& name : compiler::symbolsOf(ptx).functions)
        text += fmt::format("\n.visible .global .align 8 .u64 {} = {};\n", pointerTo(name), name);
    return text;
}

}  // namespace zetl::nvidia
