#include "text/milliseconds.h"

#include <charconv>
#include <span>

namespace zetl::command {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

std::optional<std::uint64_t> timeFrom(std::string_view text, std::span<const Unit> units, std::uint64_t most) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    const std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const auto& unit : units)
        if (unit.name == name && number <= most / unit.factor) return number * unit.factor;
    return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> milliseconds(std::string_view text) {
    constexpr Unit kUnits[] = {{"ms", 1}, {"s", 1000}, {"", 1000}, {"min", 60'000}};
    constexpr std::uint64_t kMost = std::uint64_t(100) * 366 * 24 * 3600 * 1000;
    return timeFrom(text, kUnits, kMost);
}

std::optional<std::uint32_t> samplingPeriod(std::string_view text) {
    constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
    const auto period = timeFrom(text, kUnits, UINT32_MAX);
    if (!period || *period == 0) return std::nullopt;
    return static_cast<std::uint32_t>(*period);
}

}  // namespace zetl::command
