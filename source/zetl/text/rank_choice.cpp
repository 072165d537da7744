#include "text/rank_choice.h"

#include <algorithm>
#include <charconv>

namespace zetl::command {
namespace {

/// Takes a whole number from 0 on off the front of the text.
std::optional<std::int32_t> takeNumber(std::string_view& text) {
    if (text.empty() || text.front() < '0' || text.front() > '9') return {};
    std::int32_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc()) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

}  // namespace

std::optional<RankChoice> RankChoice::from(std::string_view text) {
    RankChoice choice;
    if (text == "none") return choice;
    while (true) {
        const auto first = takeNumber(text);
        auto last = first;
        if (first && text.starts_with('-')) {
            text.remove_prefix(1);
            last = takeNumber(text);
        }
        if (!first || !last || *last < *first) return {};
        choice.ranges_.emplace_back(*first, *last);
        if (text.empty()) return choice;
        if (text.front() != ',') return {};
        text.remove_prefix(1);
    }
}

bool RankChoice::has(std::int32_t rank) const {
    return std::ranges::any_of(ranges_,
                               [rank](const auto& range) { return range.first <= rank && rank <= range.second; });
}

}  // namespace zetl::command
