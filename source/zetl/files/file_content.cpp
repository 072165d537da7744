#include "files/file_content.h"

#include <unistd.h>

#include <fstream>
#include <iterator>

namespace zetl::command {

std::optional<std::string> contentOf(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::string readAll(int pipe) {
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(pipe, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    return text;
}

}  // namespace zetl::command
