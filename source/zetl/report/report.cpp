#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "text/xml.h"

namespace zetl::command {
namespace {

/// A path as part of a URI.
std::string encoded(std::string_view path) {
    std::string uri;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain =
            byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("-._~/").find(c) != std::string::npos);
        uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return uri;
}

const char* sarifLevel(check::Level level) {
    if (level == check::Level::info) return "note";
    return level == check::Level::warning ? "warning" : "error";
}

const std::string& messageOf(const Problem& problem, const Rule& rule) {
    return problem.text.empty() ? rule.summary : problem.text;
}

Json artifactOf(const std::string& file, const std::string& root) {
    if (file.starts_with(root + '/')) return {{"uri", encoded(file.substr(root.size() + 1))}, {"uriBaseId", "SRCROOT"}};
    if (file.starts_with('/')) return {{"uri", "file://" + encoded(file)}};
    return {{"uri", encoded(file)}, {"uriBaseId", "SRCROOT"}};
}

Json physicalLocation(const std::string& file, std::uint32_t line, const std::string& root) {
    return {{"artifactLocation", artifactOf(file, root)}, {"region", {{"startLine", std::max(line, 1u)}}}};
}

Json resultOf(const Problem& problem, const Report& report, const std::string& root) {
    const Rule& rule = report.rules[problem.rule];
    Json result{{"ruleId", rule.name},
                {"ruleIndex", problem.rule},
                {"level", sarifLevel(rule.level)},
                {"message", {{"text", messageOf(problem, rule)}}},
                {"locations", Json::array({sarifLocation(problem.source, problem.function, root)})},
                {"partialFingerprints", {{"zetlKey/v1", problem.key}}}};
    result.update(problem.more);
    if (report.program.empty()) return result;
    for (const char* const where : {"locations", "relatedLocations"})
        if (result.contains(where))
            for (Json& each : result[where])
                if (!each.contains("physicalLocation"))
                    each["physicalLocation"] = physicalLocation(report.program, 1, root);
    return result;
}

/// The data of a workflow command; in a property, colons and commas divide.
std::string workflowText(std::string_view text, bool property) {
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool divides = property && (c == ':' || c == ',');
        if (c == '%' || byte < ' ' || divides)
            result += fmt::format("%{:02X}", byte);
        else
            result += c;
    }
    return result;
}

std::string annotationOf(const Problem& problem, const Report& report, const std::string& root) {
    const Rule& rule = report.rules[problem.rule];
    std::string place;
    const std::string_view source = problem.source;
    if (const auto colon = source.rfind(':'); colon != std::string_view::npos) {
        std::string_view file = source.substr(0, colon);
        if (file.starts_with(root + '/')) file.remove_prefix(root.size() + 1);
        place = fmt::format("file={},line={},", workflowText(file, true), workflowText(source.substr(colon + 1), true));
    }
    const std::string kernel = problem.function.empty() ? std::string() : " in kernel " + problem.function;
    const std::string level = problem.more.value("level", sarifLevel(rule.level));
    const std::string command = level == "note" ? "notice" : level;
    return fmt::format("::{} {}title={}::{}\n", command, place, workflowText(rule.name, true),
                       workflowText(messageOf(problem, rule) + kernel, false));
}

std::string caseText(const TestCase& test) {
    const std::string begin =
        fmt::format(R"(    <testcase classname="{}" name="{}" time="0")", xmlText(test.suite), xmlText(test.name));
    if (!test.failure) return begin + "/>\n";
    return begin + fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
                               xmlText(test.failure->type), xmlText(test.failure->message),
                               xmlText(test.failure->text));
}

}  // namespace

std::string junitText(const Report& report) {
    std::string cases;
    for (const TestCase& each : report.cases) cases += caseText(each);
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\" time=\"0\">\n{}"
        "  </testsuite>\n</testsuites>\n",
        report.tool, report.cases.size(),
        std::ranges::count_if(report.cases, [](const TestCase& each) { return each.failure.has_value(); }), cases);
}

std::string sarifText(const Report& report, const std::string& root, const char* version) {
    auto rules = Json::array();
    for (const Rule& each : report.rules)
        rules.push_back({{"id", each.name},
                         {"shortDescription", {{"text", each.summary}}},
                         {"defaultConfiguration", {{"level", sarifLevel(each.level)}}}});
    auto results = Json::array();
    for (const Problem& each : report.problems) results.push_back(resultOf(each, report, root));
    const Json driver{{"name", report.tool}, {"version", version}, {"rules", rules}};
    const Json run{{"tool", {{"driver", driver}}},
                   {"originalUriBaseIds", {{"SRCROOT", {{"uri", "file://" + encoded(root) + "/"}}}}},
                   {"results", results}};
    const Json log{{"version", "2.1.0"},
                   {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"runs", Json::array({run})}};
    return log.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string githubText(const Report& report, const std::string& root) {
    std::string text;
    for (const Problem& each : report.problems) text += annotationOf(each, report, root);
    return text;
}

Json sarifLocation(const std::string& source, const std::string& function, const std::string& root) {
    Json location = Json::object();
    const auto colon = source.rfind(':');
    if (colon != std::string::npos) {
        std::uint32_t line = 0;
        std::from_chars(source.data() + colon + 1, source.data() + source.size(), line);
        location["physicalLocation"] = physicalLocation(source.substr(0, colon), line, root);
    }
    if (!function.empty()) location["logicalLocations"] = Json::array({{{"name", function}, {"kind", "function"}}});
    return location;
}

}  // namespace zetl::command
