#include "metrics/listing.h"

#include <fmt/format.h>
#include <level_zero/zet_api.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "metrics/loader_calls.h"
#include "metrics/screen_table.h"
#include "run/probe.h"
#include "text/json.h"
#include "text/spelling.h"
#include "text/terminal.h"
#include "text/usage_error.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

const char* samplingName(std::uint32_t sampling) {
    if (sampling & ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED) return "time";
    return sampling & ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED ? "event" : "other";
}

constexpr const char* kTypeNames[] = {"duration", "event", "event with range", "throughput", "timestamp", "flag",
                                      "ratio",    "raw"};
constexpr const char* kValueNames[] = {"uint32", "uint64", "float32", "float64", "bool8", "string", "uint8", "uint16"};

template <std::size_t N>
std::string nameIn(const char* const (&names)[N], std::uint32_t value) {
    return value < N ? names[value] : fmt::format("{:#x}", value);
}

Json described(const Functions& functions, zet_metric_handle_t metric) {
    zet_metric_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES;
    if (CALL(zetMetricGetProperties)(metric, &properties) != ZE_RESULT_SUCCESS) return {};
    return {{"name", properties.name},
            {"units", properties.resultUnits},
            {"type", nameIn(kTypeNames, static_cast<std::uint32_t>(properties.metricType))},
            {"value", nameIn(kValueNames, static_cast<std::uint32_t>(properties.resultType))},
            {"component", properties.component},
            {"description", properties.description}};
}

Json groupOf(const Functions& functions, const std::string& device, zet_metric_group_handle_t group) {
    zet_metric_group_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
    if (CALL(zetMetricGroupGetProperties)(group, &properties) != ZE_RESULT_SUCCESS) return {};
    Json result{{"device", device},
                {"name", properties.name},
                {"sampling", samplingName(properties.samplingType)},
                {"domain", properties.domain},
                {"description", properties.description},
                {"metrics", Json::array()}};
    for (auto* metric : handles<zet_metric_handle_t>(CALL(zetMetricGet), group))
        result["metrics"].push_back(described(functions, metric));
    return result;
}

void addDevice(const Functions& functions, ze_device_handle_t device, Json& all) {
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    CALL(zeDeviceGetProperties)(device, &properties);
    for (auto* group : handles<zet_metric_group_handle_t>(CALL(zetMetricGroupGet), device))
        all["groups"].push_back(groupOf(functions, properties.name, group));
}

/// In the child.
std::string groupsHere() {
    const Functions functions;
    Json all{{"result", -1}, {"groups", Json::array()}};
    if (!functions.loader) return all.dump();
    const auto result = CALL(zeInit)(0);
    all["result"] = static_cast<std::uint32_t>(result);
    if (result != ZE_RESULT_SUCCESS) return all.dump();
    for (auto* driver : driversOf(functions))
        for (auto* device : handles<ze_device_handle_t>(CALL(zeDeviceGet), driver)) addDevice(functions, device, all);
    return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Each name once, in the order of the groups.
std::vector<std::string> namesOf(const Json& groups, const char* sampling) {
    std::vector<std::string> names;
    for (const auto& group : groups) {
        const auto name = group["name"].get<std::string>();
        if ((!sampling || group["sampling"] == sampling) && std::ranges::find(names, name) == names.end())
            names.push_back(name);
    }
    return names;
}

[[noreturn]] void refuse(const std::string& name, const char* kind, const std::vector<std::string>& known) {
    throw UsageError(fmt::format("there is no {}metric group {}{}", kind, name, alternatives(name, known)));
}

/// The groups; empty, with a line on standard error, if there are none.
Json askFor(const Installation& installation, Choice choice) {
    choice.metrics = true;
    const auto answer = probe(variablesFor(installation, choice), groupsHere);
    if (!answer.finished) {
        fmt::print(stderr, "zetl: listing metric groups {}\n", answer.how);
        return Json::array();
    }
    const auto all = Json::parse(answer.text);
    if (all["groups"].empty())
        fmt::print(stderr, "zetl: no device here has metric groups; `zetl doctor` lists the devices{}\n",
                   choice.emulated ? "" : ", and `zetl metrics list --emulated` lists the groups of the emulated GPU");
    return all["groups"];
}

/// A row for each metric, whose description takes as many lines as it needs. Of csv and json, this is a part.
std::string metricRows(const Json& group) {
    Table table{{"metric", "description"}, {}};
    for (const auto& metric : group["metrics"]) {
        if (!metric.is_object()) continue;
        auto text = metric["description"].get<std::string>() + " (";
        if (const auto units = metric["units"].get<std::string>(); !units.empty()) text += units + ", ";
        text += metric["type"].get<std::string>() + ")";
        table.rows.push_back({metric["name"], std::move(text)});
    }
    const auto title = fmt::format("{}, {}-based: {}", group["name"].get<std::string>(),
                                   group["sampling"].get<std::string>(), group["description"].get<std::string>());
    std::string text;
    for (const auto& line : inLines(printable(title), Terminal::of(STDOUT_FILENO).width)) text += line + '\n';
    return text + '\n' + screenTable(table);
}

/// The groups with that name; all, if it is empty.
std::string metricRows(const Json& groups, const std::string& name) {
    std::string text;
    for (const auto& group : groups)
        if (name.empty() || group["name"] == name) text += (text.empty() ? "" : "\n") + metricRows(group);
    return text;
}

}  // namespace

int listGroups(const Installation& installation, const Choice& choice, const TableOptions& tables) {
    TableOutputs outputs(tables);
    const auto groups = askFor(installation, choice);
    Table table{{"device", "group", "sampling", "domain", "metrics", "description"}, {}};
    for (const auto& group : groups)
        table.rows.push_back({group["device"], group["name"], group["sampling"], group["domain"],
                              group["metrics"].size(), group["description"]});
    if (groups.empty()) return 1;
    outputs.write(table);
    outputs.show(screenTable(table), stdout);
    return 0;
}

int describeMetrics(const Installation& installation, const Choice& choice, const std::string& name,
                    const TableOptions& tables) {
    TableOutputs outputs(tables);
    const auto groups = askFor(installation, choice);
    if (groups.empty()) return 1;
    Table table{{"group", "sampling", "metric", "units", "type", "value", "component", "description"}, {}};
    for (const auto& group : groups)
        for (const auto& metric : group["metrics"])
            if (metric.is_object() && (name.empty() || group["name"] == name))
                table.rows.push_back({group["name"], group["sampling"], metric["name"], metric["units"], metric["type"],
                                      metric["value"], metric["component"], metric["description"]});
    if (table.rows.empty()) refuse(name, "", namesOf(groups, nullptr));
    outputs.write(table);
    outputs.show(metricRows(groups, name), stdout);
    return 0;
}

void requireGroup(const Installation& installation, Choice choice, const std::string& name, const char* sampling) {
    choice.metrics = true;
    const auto answer = probe(variablesFor(installation, choice), groupsHere);
    if (!answer.finished) return;
    const auto known = namesOf(Json::parse(answer.text)["groups"], sampling);
    if (!known.empty() && std::ranges::find(known, name) == known.end())
        refuse(name, fmt::format("{}-based ", sampling).c_str(), known);
}

}  // namespace zetl::command
