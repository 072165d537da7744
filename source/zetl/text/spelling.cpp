#include "text/spelling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace zetl::command {
namespace {

/// The number of inserted, removed and changed letters (Levenshtein distance).
std::size_t distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < to.size(); ++j) {
            const auto exchanged = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({exchanged, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
    const auto best = std::min_element(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
        return distance(word, a) < distance(word, b);
    });
    if (best == candidates.end() || distance(word, *best) > std::max<std::size_t>(2, word.size() / 5)) return {};
    return *best;
}

std::string suggestion(const std::string& nearest) {
    return nearest.empty() ? std::string() : "; did you mean " + nearest + "?";
}

std::string alternatives(std::string_view word, std::span<const std::string> candidates) {
    constexpr std::size_t kMost = 30;
    if (candidates.empty()) return {};
    const auto shown = candidates.first(std::min(kMost, candidates.size()));
    const auto meant = suggestion(nearest(word, candidates));
    return fmt::format("{}{} known: {}{}", meant, meant.empty() ? ";" : "", fmt::join(shown, ", "),
                       candidates.size() > kMost ? fmt::format(" and {} more", candidates.size() - kMost) : "");
}

}  // namespace zetl::command
