#include "text/byte_count.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace zetl::command {
namespace {

/// The power of 1024 that a unit stands for.
std::optional<unsigned> powerOf(std::string_view unit) {
    std::string name;
    for (const char each : unit)
        if (each != ' ') name += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    constexpr std::string_view kLetters = "kmgt";
    if (name.empty() || name == "b") return 0;
    const auto letter = kLetters.find(name.front());
    const auto rest = name.substr(1);
    if (letter == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) return std::nullopt;
    return static_cast<unsigned>(letter) + 1;
}

}  // namespace

std::optional<std::uint64_t> byteCount(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    const auto power = powerOf({end, static_cast<std::size_t>(text.data() + text.size() - end)});
    if (!power || number > ((UINT64_MAX >> 1) >> 10 * *power)) return std::nullopt;
    return number << 10 * *power;
}

}  // namespace zetl::command
