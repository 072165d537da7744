#include "text/result_name.h"

#include <fmt/format.h>
#include <ze_tools_layer/result_name.h>

namespace zetl::command {

std::string resultName(std::uint64_t code) {
    const char* name = zetlResultName(code);
    return name ? std::string(name) : fmt::format("{:#x}", code);
}

}  // namespace zetl::command
