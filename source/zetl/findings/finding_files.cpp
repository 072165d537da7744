#include "findings/finding_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "findings/finding_text.h"
#include "findings/gathered.h"
#include "text/json.h"
#include "text/xml.h"
#include "timeline/source_lines.h"

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

Json locationOf(const check::Side& side, const std::string& root) {
    Json location;
    const auto colon = side.source.rfind(':');
    if (colon != std::string::npos) {
        const std::string file = side.source.substr(0, colon);
        std::uint32_t line = 0;
        std::from_chars(side.source.data() + colon + 1, side.source.data() + side.source.size(), line);
        Json artifact;
        if (file.starts_with(root + '/'))
            artifact = {{"uri", encoded(file.substr(root.size() + 1))}, {"uriBaseId", "SRCROOT"}};
        else if (file.starts_with('/'))
            artifact = {{"uri", "file://" + encoded(file)}};
        else
            artifact = {{"uri", encoded(file)}, {"uriBaseId", "SRCROOT"}};
        location["physicalLocation"] = {{"artifactLocation", artifact},
                                        {"region", {{"startLine", std::max(line, 1u)}}}};
    }
    location["logicalLocations"] = Json::array({{{"name", side.kernel}, {"kind", "function"}}});
    return location;
}

/// The instruction's line, and where its functions were inlined.
Json stackOf(const check::Side& side, const std::string& root) {
    Json frames = Json::array({{{"location", locationOf(side, root)}}});
    for (const std::string& place : side.inlinedAt) {
        check::Side caller;
        caller.source = place.substr(0, place.find(" ("));
        caller.kernel = side.kernel;
        frames.push_back({{"location", locationOf(caller, root)}});
    }
    return {{"frames", frames}};
}

const char* sarifLevel(check::Level level) {
    if (level == check::Level::info) return "note";
    return level == check::Level::warning ? "warning" : "error";
}

Json resultOf(const check::Finding& finding, const std::string& root) {
    const check::KindInfo& info = check::infoOf(finding.kind);
    Json result{{"ruleId", info.name},
                {"ruleIndex", static_cast<std::size_t>(finding.kind)},
                {"level", sarifLevel(info.level)},
                {"message", {{"text", finding.message.empty() ? std::string(info.summary) : finding.message}}},
                {"locations", Json::array()},
                {"partialFingerprints", {{"zetlKey/v1", fingerprint(finding)}}},
                {"occurrenceCount", std::clamp<std::uint64_t>(finding.count, 1, 0x7fffffff)}};
    if (!finding.sides.empty()) result["locations"].push_back(locationOf(finding.sides.front(), root));
    for (std::size_t i = 1; i < finding.sides.size(); ++i) {
        Json related = locationOf(finding.sides[i], root);
        related["id"] = i;
        related["message"] = {{"text", fmt::format("the other side: {}", nameOf(finding.sides[i].access))}};
        result["relatedLocations"].push_back(std::move(related));
    }
    for (const check::Side& side : finding.sides)
        if (!side.inlinedAt.empty()) result["stacks"].push_back(stackOf(side, root));
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

std::string annotationOf(const check::Finding& finding, const std::string& root) {
    const check::KindInfo& info = check::infoOf(finding.kind);
    std::string place;
    std::string kernel;
    if (!finding.sides.empty()) {
        const std::string& source = finding.sides.front().source;
        kernel = " in kernel " + finding.sides.front().kernel;
        if (const auto colon = source.rfind(':'); colon != std::string::npos) {
            std::string_view file = std::string_view(source).substr(0, colon);
            if (file.starts_with(root + '/')) file.remove_prefix(root.size() + 1);
            place = fmt::format("file={},line={},", workflowText(file, true),
                                workflowText(std::string_view(source).substr(colon + 1), true));
        }
    }
    const std::string text = finding.message.empty() ? std::string(info.summary) : finding.message;
    const char* const command = info.level == check::Level::info ? "notice" : sarifLevel(info.level);
    return fmt::format("::{} {}title={}::{}\n", command, place, workflowText(info.name, true),
                       workflowText(text + kernel, false));
}

std::string caseOf(const check::Finding& finding) {
    const check::KindInfo& info = check::infoOf(finding.kind);
    const std::string kernel = finding.sides.empty() ? std::string() : finding.sides.front().kernel;
    const std::string place = finding.sides.empty() ? std::string() : placeOf(finding.sides.front());
    return fmt::format(
        "    <testcase classname=\"{}\" name=\"{} {}\" time=\"0\">\n"
        "      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
        xmlText(std::string(info.name)), xmlText(kernel), xmlText(place), xmlText(std::string(info.name)),
        xmlText(finding.message), xmlText(blockOf(finding)));
}

}  // namespace

std::string jsonLines(std::span<const check::Finding> findings) {
    std::string text;
    for (const check::Finding& finding : findings) {
        Json line{{"schema", 1}, {"key", fingerprint(finding)}};
        line.update(Json::parse(check::toJson(finding)));
        text += line.dump() + '\n';
    }
    return text;
}

std::string sarif(std::span<const check::Finding> findings, const std::string& root, const char* version) {
    Json rules = Json::array();
    for (const check::KindInfo& info : check::allKinds())
        rules.push_back({{"id", info.name},
                         {"shortDescription", {{"text", info.summary}}},
                         {"defaultConfiguration", {{"level", sarifLevel(info.level)}}}});
    Json results = Json::array();
    for (const check::Finding& finding : findings) results.push_back(resultOf(finding, root));
    const Json driver{{"name", "zetl check"}, {"version", version}, {"rules", rules}};
    const Json run{{"tool", {{"driver", driver}}},
                   {"originalUriBaseIds", {{"SRCROOT", {{"uri", "file://" + encoded(root) + "/"}}}}},
                   {"results", results}};
    const Json log{{"version", "2.1.0"},
                   {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"runs", Json::array({run})}};
    return log.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string githubAnnotations(std::span<const check::Finding> findings, const std::string& root) {
    std::string text;
    for (const check::Finding& finding : findings) text += annotationOf(finding, root);
    return text;
}

std::string junit(std::span<const check::Finding> findings, check::Groups groups) {
    std::string cases;
    std::size_t tests = findings.size();
    for (const check::Finding& finding : findings) cases += caseOf(finding);
    for (const check::KindInfo& info : check::allKinds()) {
        const bool found =
            std::ranges::any_of(findings, [&](const check::Finding& finding) { return finding.kind == info.kind; });
        if (found || !groups.has(info.group)) continue;
        ++tests;
        cases += fmt::format("    <testcase classname=\"{0}\" name=\"{0}\" time=\"0\"/>\n", info.name);
    }
    return junitText("zetl check", tests, findings.size(), cases);
}

}  // namespace zetl::command
