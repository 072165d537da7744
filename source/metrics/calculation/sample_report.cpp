#include "metrics/calculation/sample_report.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace zetl::metrics {
namespace {

using Words = std::vector<std::uint64_t>;
constexpr std::size_t kKey = 0;
constexpr std::size_t kTime = 1;
constexpr std::size_t kLost = 2;

/// Calls `visit` with the words of each report; zeroes are the rest of a buffer that was not filled.
template <class F>
void forEachReport(std::span<const std::byte> set, std::size_t reportBytes, F&& visit) {
    Words words(reportBytes / sizeof(std::uint64_t));
    for (; set.size() >= reportBytes; set = set.subspan(reportBytes)) {
        std::memcpy(words.data(), set.data(), words.size() * sizeof(std::uint64_t));
        if (!std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; })) visit(std::as_const(words));
    }
}

void add(Words& sum, const Words& report) {
    for (std::size_t i = kLost; i < sum.size(); ++i) sum[i] += report[i];
    sum[kTime] = std::max(sum[kTime], report[kTime]);
}

std::vector<std::byte> summed(std::span<const std::byte> set, std::size_t reportBytes) {
    std::map<std::uint64_t, Words> sums;
    forEachReport(set, reportBytes, [&](const Words& report) {
        if (const auto [at, fresh] = sums.try_emplace(report[kKey], report); !fresh) add(at->second, report);
    });
    std::vector<std::byte> bytes(sums.size() * reportBytes);
    auto* to = bytes.data();
    for (const auto& [key, words] : sums) {
        std::memcpy(to, words.data(), words.size() * sizeof(std::uint64_t));
        to += reportBytes;
    }
    return bytes;
}

}  // namespace

RawSets summedByInstruction(const RawSets& raw, std::size_t reportBytes) {
    std::vector<std::vector<std::byte>> sets;
    for (std::size_t i = 0; i < raw.size(); ++i) sets.push_back(summed(raw[i], reportBytes));
    return RawSets::together(std::move(sets));
}

bool tellsLoss(const RawSets& raw, std::size_t reportBytes) {
    bool lost = false;
    for (std::size_t i = 0; i < raw.size(); ++i)
        forEachReport(raw[i], reportBytes, [&](const Words& report) { lost = lost || report[kLost] != 0; });
    return lost;
}

}  // namespace zetl::metrics
