#include "binary/yaml_fields.h"

#include <fmt/format.h>

#include <charconv>

namespace zetl::binary {

YamlFields::YamlFields(const yaml::Node& node, std::string where, Problems& problems)
    : node_(node), where_(std::move(where)), problems_(&problems) {
    if (!node_.isMap()) report(Cause::damaged, "expected a map");
}

std::uint64_t YamlFields::parse(const yaml::Node& value, const char* key, std::uint64_t limit) const {
    const std::string& text = value.text();
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size()) {
        report(Cause::damaged, fmt::format("{} is not a whole number", key));
        return 0;
    }
    if (number > limit) {
        report(Cause::limit, fmt::format("{} is {}, the limit is {}", key, number, limit));
        return 0;
    }
    return number;
}

std::uint32_t YamlFields::number(const char* key, std::uint64_t limit, std::uint32_t absent) const {
    const yaml::Node value = child(key);
    return value.isNull() ? absent : static_cast<std::uint32_t>(parse(value, key, limit));
}

bool YamlFields::flag(const char* key) const { return child(key).text() == "true"; }

std::string YamlFields::text(const char* key) const { return child(key).text(); }

void YamlFields::tooMany(const char* key, std::size_t count, std::size_t limit) const {
    report(Cause::limit, fmt::format("{} has {} entries, the limit is {}", key, count, limit));
}

}  // namespace zetl::binary
