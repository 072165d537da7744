#include "baseline/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/json.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

constexpr int kSchema = 1;

/// Shares and rates follow from other columns, and the rest depends on the host's time.
bool isTheSameInEveryRun(std::string_view heading) {
    return heading == kLaunches || heading == kModelledTimeOf || heading == "XVE_COMPUTE_THREAD_COUNT[threads]" ||
           (heading.ends_with("[events]") && heading != "GpuSliceClocksCount[events]") ||
           (heading.ends_with("[bytes]") && !heading.starts_with("local memory"));
}

[[noreturn]] void refuseBaseline(const std::string& name, const std::string& why) {
    throw UsageError(fmt::format("{} is no baseline: {}; zetl baseline save makes one", name, why));
}

std::string textIn(const Json& object, const char* key, const std::string& name) {
    if (!object.contains(key) || !object[key].is_string()) refuseBaseline(name, fmt::format("it has no {}", key));
    return object[key].get<std::string>();
}

/// What differs in one kernel.
void addChanges(const std::string& kernel, const KernelCost& before, const KernelCost& now, const Tolerance& tolerance,
                std::vector<CostChange>& changes) {
    const auto first = changes.size();
    const auto valueIn = [](const KernelCost& cost, const std::string& counter) {
        const auto found = cost.find(counter);
        return found == cost.end() ? std::nullopt : std::optional(found->second);
    };
    KernelCost all = before;
    all.insert(now.begin(), now.end());
    for (const auto& [counter, value] : all) {
        const auto old = valueIn(before, counter);
        const auto current = valueIn(now, counter);
        const double allowed = counter == kModelledTimeOf ? tolerance.time
                               : counter == kLaunches     ? 0
                                                          : tolerance.counters;
        if (old && current && std::abs(*current - *old) <= std::abs(*old) * allowed / 100) continue;
        changes.push_back({kernel, counter, old, current});
    }
    std::stable_partition(changes.begin() + static_cast<std::ptrdiff_t>(first), changes.end(),
                          [](const CostChange& each) { return each.counter == kModelledTimeOf; });
}

}  // namespace

std::map<std::string, KernelCost> costsIn(const Table& table) {
    std::map<std::string, KernelCost> kernels;
    for (const auto& row : table.rows) {
        if (row.empty() || !row.front().is_string()) continue;
        KernelCost& cost = kernels[row.front().get<std::string>()];
        for (std::size_t i = 1; i < std::min(row.size(), table.headings.size()); ++i)
            if (row[i].is_number() && isTheSameInEveryRun(table.headings[i]))
                cost[table.headings[i]] += row[i].get<double>();
    }
    return kernels;
}

std::string baselineText(const Baseline& baseline) {
    Json kernels = Json::object();
    for (const auto& [name, cost] : baseline.kernels)
        for (const auto& [counter, value] : cost) kernels[name][counter] = value;
    const Json all{{"schema", kSchema},
                   {"zetl", baseline.version},
                   {"device", baseline.device},
                   {"compiler", baseline.compiler},
                   {"kernels", kernels}};
    return all.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Baseline readBaseline(const std::string& text, const std::string& name) {
    const Json all = Json::parse(text, nullptr, false);
    if (!all.is_object()) refuseBaseline(name, "it is no JSON object");
    if (!all.contains("schema") || all["schema"] != kSchema) refuseBaseline(name, "its schema is unknown");
    Baseline baseline{textIn(all, "zetl", name), textIn(all, "device", name), textIn(all, "compiler", name), {}};
    if (!all.contains("kernels") || !all["kernels"].is_object()) refuseBaseline(name, "it has no kernels");
    for (const auto& [kernel, cost] : all["kernels"].items()) {
        if (!cost.is_object()) refuseBaseline(name, fmt::format("{} has no counters", kernel));
        for (const auto& [counter, value] : cost.items()) {
            if (!value.is_number()) refuseBaseline(name, fmt::format("{} of {} is no number", counter, kernel));
            baseline.kernels[kernel][counter] = value.get<double>();
        }
    }
    return baseline;
}

std::string mismatch(const Baseline& there, const Baseline& here) {
    std::string text;
    const auto compare = [&](const char* what, const std::string& before, const std::string& now) {
        if (before != now) text += fmt::format("{}{} {} there, {} here", text.empty() ? "" : "; ", what, before, now);
    };
    compare("zetl", there.version, here.version);
    compare("device", there.device, here.device);
    compare("compiler", there.compiler, here.compiler);
    return text;
}

std::optional<double> CostChange::percent() const {
    if (!before || !now || *before == 0) return std::nullopt;
    return 100 * (*now - *before) / *before;
}

std::vector<CostChange> changesBetween(const Baseline& before, const Baseline& now, const Tolerance& tolerance) {
    std::vector<CostChange> changes;
    std::map<std::string, KernelCost> all = before.kernels;
    all.insert(now.kernels.begin(), now.kernels.end());
    for (const auto& [name, cost] : all) {
        const auto old = before.kernels.find(name);
        const auto current = now.kernels.find(name);
        if (old != before.kernels.end() && current != now.kernels.end())
            addChanges(name, old->second, current->second, tolerance, changes);
        else if (current == now.kernels.end())
            changes.push_back(
                {name, "", old->second.contains(kLaunches) ? old->second.at(kLaunches) : 0, std::nullopt});
        else
            changes.push_back({name, "", std::nullopt, cost.contains(kLaunches) ? cost.at(kLaunches) : 0});
    }
    return changes;
}

}  // namespace zetl::command
