#include "timeline/source_lines.h"

#include <fstream>

namespace zetl::command {

std::string printable(std::string text) {
    for (char& c : text)
        if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7f) c = '?';
    return text;
}

std::string SourceLines::line(const correlation::Place& place) {
    auto& lines = files_.try_emplace(place.file).first->second;
    if (!lines) lines = read(place.file);
    const auto index = static_cast<std::size_t>(place.line);
    return index >= 1 && index <= lines->size() ? (*lines)[index - 1] : std::string();
}

std::vector<std::string> SourceLines::read(const std::string& name) {
    std::vector<std::string> lines;
    std::ifstream file(name);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

}  // namespace zetl::command
