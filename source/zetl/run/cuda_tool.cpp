#include "run/cuda_tool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace zetl::command {

std::string cudaTool(std::string_view name) {
    const char* const path = std::getenv("PATH");
    const auto directories = fmt::format("{}:/usr/local/cuda/bin", path ? path : "");
    for (std::size_t begin = 0; begin < directories.size();) {
        const auto end = std::min(directories.find(':', begin), directories.size());
        auto file = fmt::format("{}/{}", directories.substr(begin, end - begin), name);
        if (end > begin && access(file.c_str(), X_OK) == 0) return file;
        begin = end + 1;
    }
    return {};
}

}  // namespace zetl::command
