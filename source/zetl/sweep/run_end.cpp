#include "sweep/run_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

/// The first line in which they differ.
std::string differentLine(std::string_view expected, std::string_view found) {
    for (std::size_t line = 1; !expected.empty() || !found.empty(); ++line) {
        const auto next = [](std::string_view& rest) {
            const auto end = std::min(rest.find('\n'), rest.size());
            const std::string_view first = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            return std::string(first);
        };
        const bool longer = found.empty();
        const bool shorter = expected.empty();
        const std::string one = next(expected);
        const std::string other = next(found);
        if (shorter) return fmt::format("line {} is more than the first printed: {}", line, printable(other));
        if (longer) return fmt::format("line {} is missing: {}", line, printable(one));
        if (one != other)
            return fmt::format("line {} is: {}\n         instead of: {}", line, printable(other), printable(one));
    }
    return "the last line ends in another way";
}

}  // namespace

std::string differenceOf(const RunEnd& expected, const RunEnd& found) {
    if (found.code != expected.code) return fmt::format("the program ended with {}, not {}", found.code, expected.code);
    return found.output == expected.output ? std::string() : differentLine(expected.output, found.output);
}

}  // namespace zetl::command
