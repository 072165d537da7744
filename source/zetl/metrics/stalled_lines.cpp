#include "metrics/stalled_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace zetl::command {

std::vector<StalledLine> linesOf(const StalledKernel& kernel) {
    std::map<std::pair<std::string, int>, StalledLine> lines;
    for (const auto& each : kernel.code) {
        if (sumOf(each.samples) == 0) continue;
        const auto place = each.places.empty() ? correlation::Place() : each.places.front();
        auto& line = lines[{place.file, place.line}];
        line.place = place;
        line.samples.resize(each.samples.size());
        for (std::size_t i = 0; i < each.samples.size(); ++i) line.samples[i] += each.samples[i];
    }
    std::vector<StalledLine> sorted;
    sorted.reserve(lines.size());
    for (auto& [key, line] : lines) sorted.push_back(std::move(line));
    std::ranges::stable_sort(sorted, std::ranges::greater(),
                             [](const StalledLine& each) { return sumOf(each.samples); });
    return sorted;
}

std::string whereOf(const correlation::Place& place) {
    return place.line == 0 ? "-" : fmt::format("{}:{}", place.file, place.line);
}

}  // namespace zetl::command
