#include "core/source_text.h"

#include <filesystem>
#include <fstream>

namespace zetl::debugger {

std::string SourceText::pathOf(const std::string& file) const {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return file;
    for (const auto& directory : directories_) {
        // Tries the longest end of the file's path first.
        for (auto rest = std::filesystem::path(file).relative_path(); !rest.empty();) {
            const auto candidate = std::filesystem::path(directory) / rest;
            if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
            const auto first = rest.begin();
            std::filesystem::path shorter;
            for (auto part = std::next(first); part != rest.end(); ++part) shorter /= *part;
            rest = shorter;
        }
    }
    return "";
}

const std::vector<std::string>& SourceText::textOf(const std::string& file) {
    const auto [entry, isNew] = files_.try_emplace(file);
    if (!isNew && !entry->second.empty()) return entry->second;
    std::ifstream in(pathOf(file));
    for (std::string line; std::getline(in, line);) entry->second.push_back(line);
    return entry->second;
}

std::string SourceText::line(const std::string& file, int number) {
    const auto& lines = textOf(file);
    return number > 0 && static_cast<std::size_t>(number) <= lines.size() ? lines[static_cast<std::size_t>(number) - 1]
                                                                          : "";
}

}  // namespace zetl::debugger
