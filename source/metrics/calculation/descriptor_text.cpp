#include "metrics/calculation/descriptor_text.h"

#include <fmt/format.h>

#include "base/yaml.h"
#include "metrics/calculation/equation.h"
#include "metrics/calculation/value_names.h"

namespace zetl::metrics {
namespace {

/// Writes one JSON object, pair by pair. Of texts, which users may have written, only printable ASCII stays.
class Writer {
  public:
    void text(std::string_view key, std::string_view value) {
        name(key);
        quote(value);
    }
    void number(std::string_view key, std::uint64_t value) {
        name(key);
        text_ += fmt::to_string(value);
    }
    void flag(std::string_view key, bool value) {
        name(key);
        text_ += value ? "true" : "false";
    }
    void object(std::string_view key, const Writer& value) {
        name(key);
        text_ += value.finished();
    }
    template <class L, class F>
    void list(std::string_view key, const L& elements, F&& write) {
        name(key);
        const char* between = "[";
        for (const auto& element : elements) {
            Writer one;
            write(one, element);
            text_ += between + one.finished();
            between = ",\n";
        }
        text_ += elements.empty() ? "[]" : "]";
    }
    std::string finished() const { return "{" + text_ + "}"; }

  private:
    void name(std::string_view key) {
        if (!text_.empty()) text_ += ", ";
        quote(key);
        text_ += ": ";
    }
    void quote(std::string_view value) {
        text_ += '"';
        for (const char c : value) {
            if (c == '"' || c == '\\')
                text_ += {'\\', c};
            else
                text_ += c < ' ' || c > '~' ? '?' : c;
        }
        text_ += '"';
    }

    std::string text_;
};

void write(Writer& writer, const Field& field) {
    writer.text("name", field.name);
    writer.flag("delta", field.kind == Kind::delta);
    writer.number("bits", field.bits);
    writer.number("offset", field.offset);
    writer.number("bytes", field.bytes);
    if (field.highBytes == 0) return;
    writer.number("high_offset", field.highOffset);
    writer.number("high_bytes", field.highBytes);
}

void write(Writer& writer, const Symbol& symbol) {
    writer.text("name", symbol.name);
    writer.number("value", symbol.value);
}

void write(Writer& writer, const Column& column) {
    writer.text("name", column.name);
    writer.text("description", column.description);
    writer.text("units", column.units);
    writer.text("component", column.component);
    writer.number("tier", column.tier);
    writer.text("type", nameOf(column.type));
    writer.text("value", nameOf(column.value));
    writer.text("equation", column.equation);
    if (!column.maximum.empty()) writer.text("maximum", column.maximum);
}

constexpr auto kEach = [](Writer& writer, const auto& element) { write(writer, element); };

Writer written(const Field& field) {
    Writer writer;
    write(writer, field);
    return writer;
}

template <class T>
T required(std::optional<T> value, std::string_view key) {
    if (!value) throw DescriptionError(fmt::format("the description has no proper \"{}\"", key));
    return *value;
}

std::uint64_t number(const yaml::Node& node, std::string_view key) { return required(node[key].number(), key); }

std::uint32_t small(const yaml::Node& node, std::string_view key) {
    const auto value = number(node, key);
    return required(value <= UINT32_MAX ? std::optional(static_cast<std::uint32_t>(value)) : std::nullopt, key);
}
std::uint32_t smallOr(const yaml::Node& node, std::string_view key, std::uint32_t otherwise) {
    return node[key].isNull() ? otherwise : small(node, key);
}

Field fieldFrom(const yaml::Node& node) {
    return {.name = node["name"].text(),
            .kind = node["delta"].text() == "true" ? Kind::delta : Kind::last,
            .bits = small(node, "bits"),
            .offset = small(node, "offset"),
            .bytes = small(node, "bytes"),
            .highOffset = smallOr(node, "high_offset", 0),
            .highBytes = smallOr(node, "high_bytes", 0)};
}

Symbol symbolFrom(const yaml::Node& node) { return {node["name"].text(), number(node, "value")}; }

Column columnFrom(const yaml::Node& node) {
    return {.name = node["name"].text(),
            .description = node["description"].text(),
            .units = node["units"].text(),
            .component = node["component"].text(),
            .tier = smallOr(node, "tier", 0),
            .type = required(metricTypeFrom(node["type"].text()), "type"),
            .value = required(valueTypeFrom(node["value"].text()), "value"),
            .equation = node["equation"].text(),
            .maximum = node["maximum"].text()};
}

template <class F>
auto listFrom(const yaml::Node& node, F&& read) {
    std::vector<decltype(read(node))> all;
    for (const auto& element : node.elements()) all.push_back(read(element));
    return all;
}

yaml::Node parsed(std::string_view text) {
    try {
        return yaml::parse(text);
    } catch (const yaml::Error& error) {
        throw DescriptionError(fmt::format("the description cannot be read: {}", error.what()));
    }
}

}  // namespace

std::string textOf(const Descriptor& descriptor) {
    Writer writer;
    Writer clock;
    clock.number("ticks_per_second", descriptor.clock.ticksPerSecond);
    clock.number("valid_bits", descriptor.clock.validBits);
    writer.text("name", descriptor.name);
    writer.text("description", descriptor.description);
    writer.text("device", descriptor.device);
    writer.number("domain", descriptor.domain);
    writer.text("sampling", nameOf(descriptor.sampling));
    writer.flag("cumulative", descriptor.cumulative);
    writer.flag("samples", descriptor.samples);
    writer.number("report_bytes", descriptor.reportBytes);
    writer.object("clock", clock);
    writer.object("time", written(descriptor.time));
    if (descriptor.begin) writer.object("begin", written(*descriptor.begin));
    writer.list("fields", descriptor.fields, kEach);
    writer.list("symbols", descriptor.symbols, kEach);
    writer.list("columns", descriptor.columns, kEach);
    return writer.finished();
}

Descriptor descriptorFrom(std::string_view text) {
    const auto node = parsed(text);
    Descriptor descriptor;
    descriptor.name = node["name"].text();
    descriptor.description = node["description"].text();
    descriptor.device = node["device"].text();
    descriptor.domain = small(node, "domain");
    descriptor.sampling = required(samplingFrom(node["sampling"].text()), "sampling");
    descriptor.cumulative = node["cumulative"].text() == "true";
    descriptor.samples = node["samples"].text() == "true";
    descriptor.reportBytes = small(node, "report_bytes");
    descriptor.clock = {number(node["clock"], "ticks_per_second"), small(node["clock"], "valid_bits")};
    descriptor.time = fieldFrom(node["time"]);
    if (node["begin"].isMap()) descriptor.begin = fieldFrom(node["begin"]);
    descriptor.fields = listFrom(node["fields"], fieldFrom);
    descriptor.symbols = listFrom(node["symbols"], symbolFrom);
    descriptor.columns = listFrom(node["columns"], columnFrom);
    return descriptor;
}

}  // namespace zetl::metrics
