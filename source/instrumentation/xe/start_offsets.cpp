#include "instrumentation/xe/start_offsets.h"

#include <charconv>
#include <string>

namespace zetl::instrumentation {
namespace {

constexpr std::string_view kKeys[] = {"offset_to_skip_per_thread_data_load:", "offset_to_skip_set_ffid_gp:"};

/// A line without what indents it and ends it.
std::string_view trimmed(std::string_view line) {
    const auto from = line.find_first_not_of(" \t");
    const auto to = line.find_last_not_of(" \t\r\n");
    return from == std::string_view::npos ? std::string_view() : line.substr(from, to - from + 1);
}

std::string_view withoutQuotes(std::string_view text) {
    const bool quoted =
        text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
    return quoted ? text.substr(1, text.size() - 2) : text;
}

/// The line with its number moved; as it is if it has no number.
std::string movedLine(std::string_view line, std::string_view key, const Movement& movement) {
    const auto value = line.find_first_of("0123456789", line.find(key) + key.size());
    std::uint32_t offset = 0;
    if (value == std::string_view::npos) return std::string(line);
    const auto read = std::from_chars(line.data() + value, line.data() + line.size(), offset);
    if (read.ec != std::errc()) return std::string(line);
    return std::string(line.substr(0, value)) + std::to_string(movement.target(offset)) +
           std::string(read.ptr, line.data() + line.size());
}

}  // namespace

void moveStartOffsets(std::vector<std::uint8_t>& zeInfo, std::string_view kernel, const Movement& movement) {
    const std::string text(zeInfo.begin(), zeInfo.end());
    constexpr std::string_view kItem = "- name:";
    std::string changed;
    bool ofKernel = false;
    for (std::size_t from = 0, end = 0; from < text.size(); from = end) {
        end = std::min(text.find('\n', from), text.size() - 1) + 1;
        const std::string_view line = std::string_view(text).substr(from, end - from);
        const std::string_view content = trimmed(line);
        if (content.starts_with(kItem)) ofKernel = withoutQuotes(trimmed(content.substr(kItem.size()))) == kernel;
        std::string replaced(line);
        for (const std::string_view key : kKeys)
            if (ofKernel && content.starts_with(key)) replaced = movedLine(line, key, movement);
        changed += replaced;
    }
    zeInfo.assign(changed.begin(), changed.end());
}

}  // namespace zetl::instrumentation
