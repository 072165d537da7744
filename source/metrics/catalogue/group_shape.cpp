#include "metrics/catalogue/group_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/yaml.h"
#include "metrics/calculation/equation.h"
#include "metrics/calculation/value_names.h"
#include "metrics/catalogue/embedded_groups.h"

namespace zetl::metrics {
namespace {

template <class T>
T known(std::optional<T> value, std::string_view what) {
    if (!value) throw DescriptionError(fmt::format("{} is not known", what));
    return *value;
}

/// The file's text for that sampling type, if it has several.
std::string textFor(const yaml::Node& node, std::string_view sampling) {
    return node.isMap() ? node[sampling].text() : node.text();
}

Column columnFrom(const std::string& name, const yaml::Node& node, std::string_view sampling) {
    if (!node.isMap()) throw DescriptionError(fmt::format("metric {} is not in the vocabulary", name));
    Column column{.name = name,
                  .description = node["description"].text(),
                  .units = node["units"].text(),
                  .component = node["component"].text(),
                  .equation = textFor(node["equation"], sampling),
                  .maximum = {},
                  .error = node["error"].text()};
    if (column.units == "percent") {
        column.type = ZET_METRIC_TYPE_DURATION;
        column.value = ZET_VALUE_TYPE_FLOAT32;
        column.maximum = "100";
    }
    if (const auto type = node["type"]; !type.isNull()) column.type = known(metricTypeFrom(type.text()), type.text());
    if (const auto value = node["value"]; !value.isNull())
        column.value = known(valueTypeFrom(value.text()), value.text());
    if (const auto tier = node["tier"].number()) column.tier = static_cast<std::uint32_t>(*tier);
    if (column.equation.empty()) column.equation = "$" + name;
    return column;
}

struct SourceName {
    std::string_view name;
    GroupSource source;
};
constexpr SourceName kSources[] = {{"", GroupSource::counters},
                                   {"counters", GroupSource::counters},
                                   {"instruction-sampling", GroupSource::instructionSampling},
                                   {"events", GroupSource::events},
                                   {"event-memory", GroupSource::eventMemory}};

GroupSource sourceFrom(const std::string& name) {
    const auto* const found = std::ranges::find(kSources, name, &SourceName::name);
    if (found == std::end(kSources)) throw DescriptionError(fmt::format("source {} is not known", name));
    return found->source;
}

/// Reads groups against one vocabulary.
class Reader {
  public:
    explicit Reader(std::string_view metrics) : vocabulary_(yaml::parse(metrics)) {}

    /// One shape for each of the group's sampling types.
    std::vector<GroupShape> read(std::string_view text) const {
        const auto node = yaml::parse(text);
        const auto samplings = node["sampling"].isNull() ? yaml::parse("[time, event]") : node["sampling"];
        std::vector<GroupShape> shapes;
        for (const auto& sampling : samplings.elements()) shapes.push_back(read(node, sampling.text()));
        return shapes;
    }

    GroupFrame frame(std::string_view sampling) const {
        GroupFrame frame;
        append(frame.first, vocabulary_["first"], sampling);
        append(frame.last, vocabulary_["last"], sampling);
        return frame;
    }

  private:
    GroupShape read(const yaml::Node& node, const std::string& sampling) const {
        GroupShape shape{.name = node["name"].text(),
                         .description = node["description"].text(),
                         .domain = static_cast<std::uint32_t>(known(node["domain"].number(), "domain")),
                         .source = sourceFrom(node["source"].text()),
                         .sampling = known(samplingFrom(sampling), sampling),
                         .needs = {},
                         .columns = {}};
        const yaml::Node needs = node["needs"];
        for (const auto& name : needs.elements()) shape.needs.push_back(name.text());
        const bool counters = shape.source == GroupSource::counters;
        if (counters) append(shape.columns, vocabulary_["first"], sampling);
        append(shape.columns, node["columns"], sampling);
        if (counters) append(shape.columns, vocabulary_["last"], sampling);
        return shape;
    }
    void append(std::vector<Column>& columns, const yaml::Node& names, std::string_view sampling) const {
        for (const auto& name : names.elements()) {
            const auto metric = vocabulary_["metrics"][name.text()];
            auto column = columnFrom(name.text(), metric, sampling);
            if (metric["only"].isNull() || metric["only"].text() == sampling) columns.push_back(std::move(column));
        }
    }

    const yaml::Node vocabulary_;
};

std::map<std::string, std::string, std::less<>> readErrors() {
    std::map<std::string, std::string, std::less<>> errors;
    for (const auto& shape : groupShapes())
        for (const auto& column : shape.columns)
            if (!column.error.empty() && column.equation == "$" + column.name) errors[column.name] = column.error;
    return errors;
}

std::vector<GroupShape> readEmbedded() {
    std::vector<GroupShape> all;
    try {
        const Reader reader(embeddedMetrics());
        for (const char* text : embeddedGroups())
            for (auto& shape : reader.read(text)) all.push_back(std::move(shape));
    } catch (const std::runtime_error& error) {
        log::error(log::Channel::metrics, "the library's own metric groups cannot be read: {}", error.what());
    }
    return all;
}

}  // namespace

std::span<const GroupShape> groupShapes() {
    static NeverDestroyed<std::vector<GroupShape>> shapes(readEmbedded());
    return *shapes;
}

std::string errorOfCounter(std::string_view counter) {
    static NeverDestroyed<std::map<std::string, std::string, std::less<>>> errors(readErrors());
    const auto found = (*errors).find(counter);
    return found == (*errors).end() ? std::string() : found->second;
}

GroupFrame groupFrame(zet_metric_group_sampling_type_flag_t sampling) {
    try {
        return Reader(embeddedMetrics()).frame(nameOf(sampling));
    } catch (const std::runtime_error&) {
        return {};  // groupShapes() has said what is wrong
    }
}

}  // namespace zetl::metrics
