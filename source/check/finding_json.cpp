#include <algorithm>
#include <nlohmann/json.hpp>

#include "check/finding.h"

namespace zetl::check {
namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 4> kAccesses{"none", "read", "write", "atomic"};

Json jsonOf(const Side& side) {
    Json json{{"access", kAccesses[static_cast<std::size_t>(side.access)]},
              {"kernel", side.kernel},
              {"ip", side.ip},
              {"source", side.source},
              {"group", side.group},
              {"thread", side.thread}};
    if (side.item) json["item"] = *side.item;
    if (!side.inlinedAt.empty()) json["inlinedAt"] = side.inlinedAt;
    if (!side.command.empty()) json["command"] = side.command;
    return json;
}

Side sideOf(const Json& json) {
    Side side;
    const auto* const access = std::ranges::find(kAccesses, json.at("access").get<std::string>());
    if (access != kAccesses.end()) side.access = static_cast<Access>(access - kAccesses.begin());
    if (json.contains("command")) json.at("command").get_to(side.command);
    json.at("kernel").get_to(side.kernel);
    json.at("ip").get_to(side.ip);
    json.at("source").get_to(side.source);
    json.at("group").get_to(side.group);
    json.at("thread").get_to(side.thread);
    if (json.contains("inlinedAt")) json.at("inlinedAt").get_to(side.inlinedAt);
    if (json.contains("item")) side.item = json.at("item").get<std::array<std::uint32_t, 3>>();
    return side;
}

Json jsonOf(const Call& call) {
    Json json{{"function", call.function}, {"thread", call.thread}};
    if (!call.threadName.empty()) json["threadName"] = call.threadName;
    if (!call.from.empty()) json["from"] = call.from;
    return json;
}

Call callOf(const Json& json) {
    return {json.at("function"), json.at("thread"), json.value("threadName", std::string()),
            json.value("from", std::string())};
}

Finding findingOf(const Json& json, Kind kind) {
    Finding finding;
    finding.kind = kind;
    json.at("message").get_to(finding.message);
    for (const Json& side : json.at("sides")) finding.sides.push_back(sideOf(side));
    json.at("address").get_to(finding.address);
    json.at("bytes").get_to(finding.bytes);
    json.at("hint").get_to(finding.hint);
    json.at("count").get_to(finding.count);
    finding.onlyWarns = json.value("level", std::string()) == nameOf(Level::warning);
    if (json.contains("chain")) json.at("chain").get_to(finding.chain);
    if (json.contains("object")) {
        const Json& object = json.at("object");
        finding.object = Object{object.at("kind"),
                                object.at("begin"),
                                object.at("bytes"),
                                object.at("offset"),
                                object.value("argument", std::string()),
                                object.value("made", std::string())};
        if (object.contains("freed")) finding.object->freed = callOf(object.at("freed"));
    }
    return finding;
}

}  // namespace

std::string toJson(const Finding& finding) {
    Json json{{"kind", infoOf(finding.kind).name},
              {"level", nameOf(levelOf(finding))},
              {"message", finding.message},
              {"sides", Json::array()},
              {"address", finding.address},
              {"bytes", finding.bytes},
              {"hint", finding.hint},
              {"count", finding.count}};
    for (const Side& side : finding.sides) json["sides"].push_back(jsonOf(side));
    if (finding.object)
        json["object"] = {{"kind", finding.object->kind},
                          {"begin", finding.object->begin},
                          {"bytes", finding.object->bytes},
                          {"offset", finding.object->offset}};
    if (finding.object && !finding.object->argument.empty()) json["object"]["argument"] = finding.object->argument;
    if (!finding.chain.empty()) json["chain"] = finding.chain;
    if (finding.schedules) json["schedules"] = {{"first", finding.schedules->first}, {"seen", finding.schedules->seen}};
    if (finding.object && !finding.object->made.empty()) json["object"]["made"] = finding.object->made;
    if (finding.object && finding.object->freed) json["object"]["freed"] = jsonOf(*finding.object->freed);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Finding> fromJson(const std::string& line) try {
    const Json json = Json::parse(line);
    const auto kind = kindNamed(json.at("kind").get<std::string>());
    return kind ? std::optional(findingOf(json, *kind)) : std::nullopt;
} catch (const Json::exception&) {
    return std::nullopt;
}

}  // namespace zetl::check
