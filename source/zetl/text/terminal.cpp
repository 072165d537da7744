#include "text/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace zetl::command {
namespace {

constexpr std::string_view kEllipsis = "\u2026";

std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

/// 0: unknown.
std::size_t widthOf(int descriptor) {
    const auto columns = variable("COLUMNS");
    std::size_t width = 0;
    std::from_chars(columns.data(), columns.data() + columns.size(), width);
    winsize size{};
    if (width == 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) width = size.ws_col;
    return width;
}

/// The first of these that is set decides, as for setlocale(3).
bool writesUtf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const auto value = variable(name); !value.empty())
            return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
    return false;
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// The byte where character number `character` begins, or the end.
std::size_t byteOf(std::string_view text, std::size_t character) {
    std::size_t at = 0;
    while (character > 0 && at < text.size()) {
        ++at;
        while (at < text.size() && continues(text[at])) ++at;
        --character;
    }
    return at;
}

}  // namespace

Terminal Terminal::of(int descriptor) {
    Terminal made;
    const bool isOne = isatty(descriptor) != 0;
    if (const auto width = widthOf(descriptor)) made.width = std::max(width, kNarrowest);
    made.colours = isOne && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
    made.blocks = writesUtf8();
    return made;
}

std::size_t lengthOf(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return !continues(byte); }));
}

std::string cutInMiddle(const std::string& text, std::size_t most) {
    const auto length = lengthOf(text);
    if (length <= most) return text;
    const auto front = most / 2;
    const auto back = most - 1 - std::min(front, most - 1);
    return text.substr(0, byteOf(text, std::min(front, most - 1))) + std::string(kEllipsis) +
           text.substr(byteOf(text, length - back));
}

std::string cutAtEnd(const std::string& text, std::size_t most) {
    return lengthOf(text) <= most ? text : text.substr(0, byteOf(text, most - 1)) + std::string(kEllipsis);
}

std::vector<std::string> inLines(const std::string& text, std::size_t width) {
    std::vector<std::string> lines;
    std::string rest = text;
    while (lengthOf(rest) > width) {
        const auto end = byteOf(rest, width);
        const auto blank = rest.rfind(' ', end);
        const bool betweenWords = blank != std::string::npos && blank > 0;
        lines.push_back(rest.substr(0, betweenWords ? blank : end));
        rest.erase(0, betweenWords ? blank + 1 : end);
    }
    lines.push_back(std::move(rest));
    return lines;
}

std::string padded(std::string text, std::size_t width) {
    const auto length = lengthOf(text);
    if (length < width) text.append(width - length, ' ');
    return text;
}

std::string bar(double share, std::size_t width, const Terminal& terminal) {
    constexpr std::array<std::string_view, 8> kEighths{"",       "\u258f", "\u258e", "\u258d",
                                                       "\u258c", "\u258b", "\u258a", "\u2589"};
    const double length = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
    std::string drawn;
    if (terminal.blocks) {
        auto eighths = static_cast<std::size_t>(std::lround(length * 8));
        if (eighths == 0 && share > 0) eighths = 1;
        for (std::size_t i = 0; i < eighths / 8; ++i) drawn += "\u2588";
        drawn += kEighths[eighths % 8];
    } else {
        drawn.assign(static_cast<std::size_t>(std::lround(length)), '#');
    }
    return padded(std::move(drawn), width);
}

}  // namespace zetl::command
