#include "files/pattern_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

#include "files/file_content.h"
#include "text/blanks.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

/// The recorder gets the list in an environment variable, which Linux limits to 128 KB.
constexpr std::size_t kMostBytes = 100'000;

void appendTo(std::string& list, std::string_view pattern) {
    if (!list.empty()) list += ',';
    list += pattern;
}

void appendFile(std::string& list, const char* option, const std::string& file, std::string_view mark) {
    const auto content = std::filesystem::is_directory(file) ? std::nullopt : contentOf(file);
    if (!content) throw UsageError(fmt::format("{} @{}: the file cannot be read", option, file));
    std::istringstream lines(*content);
    for (std::string line; std::getline(lines, line) && list.size() <= kMostBytes;) {
        if (line.ends_with('\r')) line.pop_back();
        const auto pattern = withoutBlanks(line);
        if (!pattern.empty() && pattern.front() != '#') appendTo(list, std::string(mark) + std::string(pattern));
    }
}

}  // namespace

std::string withPatternFiles(const char* option, const std::string& list) {
    std::string expanded;
    for (std::string_view rest = list; !rest.empty();) {
        const auto end = rest.find(',');
        const auto pattern = withoutBlanks(rest.substr(0, end));
        if (pattern.starts_with('@') || pattern.starts_with("!@"))
            appendFile(expanded, option, std::string(pattern.substr(pattern.find('@') + 1)),
                       pattern.substr(0, pattern.find('@')));
        else
            appendTo(expanded, pattern);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    if (expanded.size() > kMostBytes)
        throw UsageError(fmt::format("{}: the list is longer than {} bytes; use fewer patterns", option, kMostBytes));
    return expanded;
}

}  // namespace zetl::command
