// Ranks as text: for people, and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/demangled.h"
#include "timeline/rank_totals.h"
#include "timeline/source_lines.h"
#include "timeline/summary.h"

namespace zetl::command {
namespace {

constexpr std::size_t kMostRanksShown = 16;    // of ranks, half of them the slowest
constexpr std::size_t kMostKernelsShown = 10;  // of those that differ
constexpr std::size_t kHostWidth = 16;

}  // namespace

std::string RankSummary::nameOf(std::int32_t rank) const {
    const auto& host = ranks_.at(rank).host;
    return fmt::format("rank {}{}", rank, host.empty() ? "" : " on " + printable(host));
}

std::string RankSummary::table(const Terminal& terminal, bool mangled) const {
    if (ranks_.empty()) return "";
    if (ranks_.size() > 1) return '\n' + rows(terminal) + sums() + kernelRows(terminal, mangled);
    const auto rank = ranks_.begin()->first;
    return fmt::format("\n{}{}\n", nameOf(rank), expected_ > 1 ? fmt::format(", of {} ranks", expected_) : "");
}

std::string RankSummary::rows(const Terminal& terminal) const {
    const auto value = measure().value;
    const auto mean = static_cast<double>(spreadOf(value).mean);
    std::vector<std::pair<std::int32_t, const RankTotals*>> shown;
    shown.reserve(ranks_.size());
    for (const auto& [rank, totals] : ranks_) shown.emplace_back(rank, &totals);
    const auto beyond = shown.size() > kMostRanksShown ? shown.size() - kMostRanksShown : 0;
    if (beyond != 0) {
        std::ranges::stable_sort(shown, std::greater<>(), [&](const auto& each) { return value(*each.second); });
        shown.erase(shown.begin() + kMostRanksShown / 2,
                    shown.begin() + static_cast<std::ptrdiff_t>(kMostRanksShown / 2 + beyond));
    }
    auto text = fmt::format("{:>6} {} {:>8} {:>10} {:>8} {:>10} {:>12}\n", "rank", padded("host", kHostWidth), "calls",
                            "in calls", "commands", "on devices", "against mean");
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto& [rank, totals] = shown[i];
        if (beyond != 0 && i == kMostRanksShown / 2)
            text += fmt::format("       {} ranks between them (--json and --csv have all)\n", beyond);
        const auto ratio = mean > 0 ? static_cast<double>(value(*totals)) / mean : 0;
        text += fmt::format("{:>6} {} {:>8} {:>10} {:>8} {:>10} {:>11.2f}x {}\n", rank,
                            padded(cutInMiddle(printable(totals->host), kHostWidth), kHostWidth), totals->calls,
                            durationText(totals->inLevelZero), totals->commands, durationText(totals->onDevice), ratio,
                            terminal.width > Terminal::kNarrowest + 16 ? bar(ratio / 4, 16, terminal) : "");
        text.erase(text.find_last_not_of(" \n") + 1);
        text += '\n';
    }
    return text;
}

std::string RankSummary::sums() const {
    const auto [name, value] = measure();
    const auto spread = spreadOf(value);
    auto text =
        fmt::format("{} ranks on {} host{}; {}: min {} (rank {}), mean {}, max {}, imbalance {:.1f}%\n", ranks_.size(),
                    hosts(), hosts() == 1 ? "" : "s", name, durationText(spread.least), spread.leastRank,
                    durationText(spread.mean), durationText(spread.most), spread.imbalance() * 100);
    text += fmt::format("slowest: {}\n", nameOf(spread.mostRank));
    if (expected_ > ranks_.size())
        text += fmt::format("{} of {} ranks recorded nothing\n", expected_ - ranks_.size(), expected_);
    return text;
}

std::string RankSummary::kernelRows(const Terminal& terminal, bool mangled) const {
    const auto all = kernels();
    if (all.empty()) return "";
    constexpr std::size_t kOthers = 4 * 10 + 9;
    std::size_t width = lengthOf("per rank, on devices");
    const auto shown = std::min(all.size(), kMostKernelsShown);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shown; ++i) {
        names.push_back(printable(mangled ? all[i].name : demangled(all[i].name)));
        width = std::max(width, lengthOf(names.back()));
    }
    width = std::min(width, terminal.width - kOthers);
    auto text = fmt::format("\n{} {:>9} {:>9} {:>9} {:>9} {:>8}\n", padded("per rank, on devices", width), "min",
                            "mean", "max", "imbalance", "slowest");
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& spread = all[i].spread;
        text += fmt::format("{} {:>9} {:>9} {:>9} {:>8.1f}% {:>8}\n", padded(cutInMiddle(names[i], width), width),
                            durationText(spread.least), durationText(spread.mean), durationText(spread.most),
                            spread.imbalance() * 100, spread.mostRank);
    }
    if (shown < all.size()) text += fmt::format("{} more in --json\n", all.size() - shown);
    return text;
}

void RankSummary::addTo(Table& table) const {
    double sum = 0;
    for (const auto& [rank, totals] : ranks_) sum += static_cast<double>(totals.onDevice);
    const auto average = [](std::uint64_t total, std::uint64_t count) { return count ? total / count : 0; };
    for (const auto& [rank, totals] : ranks_) {
        const auto name = nameOf(rank);
        table.rows.push_back({"rank-calls", name, totals.calls, totals.errors, totals.inLevelZero,
                              average(totals.inLevelZero, totals.calls), "", "", ""});
        table.rows.push_back({"rank-device", name, totals.commands, "", totals.onDevice,
                              average(totals.onDevice, totals.commands), "", "",
                              fmt::format("{:.4f}", sum > 0 ? static_cast<double>(totals.onDevice) / sum : 0)});
    }
}

namespace {

Json jsonOf(const Spread& spread) {
    return {{"min_ns", spread.least},          {"mean_ns", spread.mean},       {"max_ns", spread.most},
            {"imbalance", spread.imbalance()}, {"min_rank", spread.leastRank}, {"max_rank", spread.mostRank}};
}

}  // namespace

Json RankSummary::json(std::size_t mostKernels) const {
    if (ranks_.empty()) return nullptr;
    Json ranks = Json::array();
    for (const auto& [rank, totals] : ranks_)
        ranks.push_back({{"rank", rank},
                         {"host", totals.host},
                         {"processes", totals.processes},
                         {"calls", totals.calls},
                         {"errors", totals.errors},
                         {"calls_ns", totals.inLevelZero},
                         {"commands", totals.commands},
                         {"device_ns", totals.onDevice}});
    Json kernels = Json::array();
    const auto all = this->kernels();
    for (const auto& [name, spread] : all) {
        if (kernels.size() == mostKernels) break;
        auto row = jsonOf(spread);
        row["name"] = name;
        kernels.push_back(std::move(row));
    }
    const auto leftOut = all.size() - kernels.size();
    Json json = {{"expected", expected_},
                 {"hosts", hosts()},
                 {"ranks", std::move(ranks)},
                 {"calls_ns", jsonOf(spreadOf([](const RankTotals& rank) { return rank.inLevelZero; }))},
                 {"device_ns", jsonOf(spreadOf([](const RankTotals& rank) { return rank.onDevice; }))},
                 {"kernels", std::move(kernels)}};
    if (leftOut != 0) json["kernels_left_out"] = leftOut;
    return json;
}

}  // namespace zetl::command
