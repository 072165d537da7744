#include "coverage/report.h"

#include <algorithm>
#include <limits>

namespace zetl::command {

void addTo(std::uint64_t& sum, std::uint64_t more) noexcept {
    sum += std::min(more, std::numeric_limits<std::uint64_t>::max() - sum);
}

void SourceCoverage::addLine(std::uint32_t line, std::uint64_t count) { addTo(lines[line], count); }

void SourceCoverage::addFunction(const CoveredFunction& function) {
    for (CoveredFunction& known : functions) {
        if (known.name != function.name || known.first > function.last || function.first > known.last) continue;
        known.first = std::min(known.first, function.first);
        known.last = std::max(known.last, function.last);
        addTo(known.count, function.count);
        return;
    }
    functions.push_back(function);
}

void SourceCoverage::addBranch(const BranchPlace& place, std::optional<std::uint64_t> count) {
    std::optional<std::uint64_t>& known = branches[place];
    if (!count) return;
    if (!known) known = 0;
    addTo(*known, *count);
}

void SourceCoverage::add(const SourceCoverage& other) {
    for (const auto& [line, count] : other.lines) addLine(line, count);
    for (const CoveredFunction& function : other.functions) addFunction(function);
    for (const auto& [place, count] : other.branches) addBranch(place, count);
}

void SourceCoverage::addNamed(const SourceCoverage& other) {
    for (const auto& [line, count] : other.lines) addLine(line, count);
    for (const auto& [place, count] : other.branches) addBranch(place, count);
    for (const CoveredFunction& function : other.functions) {
        const auto known = std::ranges::find(functions, function.name, &CoveredFunction::name);
        if (known == functions.end()) {
            functions.push_back(function);
            continue;
        }
        known->first = std::min(known->first, function.first);
        zetl::command::addTo(known->count, function.count);
    }
}

void Totals::add(const SourceCoverage& source) {
    for (const auto& [line, count] : source.lines) {
        ++lines.found;
        lines.hit += count > 0 ? 1 : 0;
    }
    for (const CoveredFunction& function : source.functions) {
        ++functions.found;
        functions.hit += function.count > 0 ? 1 : 0;
    }
    for (const auto& [place, count] : source.branches) {
        ++branches.found;
        branches.hit += count.value_or(0) > 0 ? 1 : 0;
    }
}

Totals totalsOf(const Sources& sources) {
    Totals totals;
    for (const auto& [file, source] : sources) totals.add(source);
    return totals;
}

}  // namespace zetl::command
