// Typed reads from one YAML map that keep the first problem, so that a reader of many keys needs no error branches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/yaml.h"
#include "binary/outcome.h"

namespace zetl::binary {

/// The first problem found while reading a document.
class Problems {
  public:
    void add(Cause cause, std::string message) {
        if (!first_) first_ = Error{cause, std::move(message)};
    }
    const std::optional<Error>& first() const noexcept { return first_; }

  private:
    std::optional<Error> first_;
};

/// One map. Missing keys give the default; values of the wrong form or beyond their limit are reported.
class YamlFields {
  public:
    YamlFields(const yaml::Node& node, std::string where, Problems& problems);

    std::uint32_t number(const char* key, std::uint64_t limit = UINT32_MAX, std::uint32_t absent = 0) const;
    bool flag(const char* key) const;
    std::string text(const char* key) const;
    /// Up to three whole numbers; missing values stay as given.
    template <class T>
    void triple(const char* key, T& values, std::uint64_t limit) const {
        const yaml::Node list = child(key);
        if (!list.isList()) return;
        for (std::size_t i = 0; i < values.size() && i < list.elements().size(); ++i)
            values[i] = static_cast<typename T::value_type>(parse(list.elements()[i], key, limit));
    }
    /// The value of a key; null if absent.
    yaml::Node child(const char* key) const { return node_[key]; }
    /// Calls function(YamlFields) for each map of the list under the key. Reports more than `limit` entries.
    template <class F>
    void each(const char* key, std::size_t limit, F&& function) const {
        const yaml::Node list = child(key);
        if (!list.isList()) return;
        if (list.elements().size() > limit) return tooMany(key, list.elements().size(), limit);
        for (const yaml::Node& entry : list.elements()) function(YamlFields(entry, where_ + key + ": ", *problems_));
    }

    Problems& problems() const noexcept { return *problems_; }
    void report(Cause cause, const std::string& message) const { problems_->add(cause, where_ + message); }

  private:
    const yaml::Node node_;
    std::string where_;
    Problems* problems_;

    std::uint64_t parse(const yaml::Node& value, const char* key, std::uint64_t limit) const;
    void tooMany(const char* key, std::size_t count, std::size_t limit) const;
};

}  // namespace zetl::binary
