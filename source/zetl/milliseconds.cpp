#include "milliseconds.h"

#include <charconv>

namespace zetl::command {

std::optional<std::uint64_t> milliseconds(std::string_view text) {
    struct Unit {
        std::string_view name;
        std::uint64_t milliseconds;
    };
    constexpr Unit kUnits[] = {{"ms", 1}, {"s", 1000}, {"", 1000}, {"min", 60'000}};
    constexpr std::uint64_t kMost = std::uint64_t(100) * 366 * 24 * 3600 * 1000;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    const std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const auto& unit : kUnits)
        if (unit.name == name && number <= kMost / unit.milliseconds) return number * unit.milliseconds;
    return std::nullopt;
}

}  // namespace zetl::command
