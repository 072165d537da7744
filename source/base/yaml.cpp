#include "base/yaml.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/never_destroyed.h"

namespace zetl::yaml {

struct Node::Content {
    enum class Kind { text, list, map } kind;
    std::string text{};
    std::vector<Node> elements{};
    std::vector<Entry> entries{};
};

Node Node::text(std::string text) {
    return Node(std::make_shared<Content>(Content{.kind = Content::Kind::text, .text = std::move(text)}));
}
Node Node::list(std::vector<Node> elements) {
    return Node(std::make_shared<Content>(Content{.kind = Content::Kind::list, .elements = std::move(elements)}));
}
Node Node::map(std::vector<Entry> entries) {
    return Node(std::make_shared<Content>(Content{.kind = Content::Kind::map, .entries = std::move(entries)}));
}

bool Node::isText() const noexcept { return content_ && content_->kind == Content::Kind::text; }
bool Node::isList() const noexcept { return content_ && content_->kind == Content::Kind::list; }
bool Node::isMap() const noexcept { return content_ && content_->kind == Content::Kind::map; }

const std::string& Node::text() const noexcept {
    static NeverDestroyed<std::string> none;
    return content_ ? content_->text : *none;
}

const std::vector<Node>& Node::elements() const noexcept {
    static NeverDestroyed<std::vector<Node>> none;
    return content_ ? content_->elements : *none;
}

const std::vector<Node::Entry>& Node::entries() const noexcept {
    static NeverDestroyed<std::vector<Entry>> none;
    return content_ ? content_->entries : *none;
}

Node Node::operator[](std::string_view key) const {
    const auto found = std::ranges::find(entries(), key, &Entry::key);
    return found == entries().end() ? Node() : found->value;
}

std::optional<std::uint64_t> Node::number() const noexcept {
    std::string_view digits = text();
    const bool hexadecimal = digits.starts_with("0x");
    if (hexadecimal) digits.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

namespace {

constexpr int kDeepest = 100;

/// libyaml's events, one after the other.
class Events {
  public:
    explicit Events(std::string_view text) {
        if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
        // libyaml aborts where an empty text has no address.
        const char* const input = text.empty() ? "" : text.data();
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(input), text.size());
        try {
            next();
        } catch (...) {
            yaml_parser_delete(&parser_);
            throw;
        }
    }
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;
    ~Events() {
        yaml_event_delete(&event_);
        yaml_parser_delete(&parser_);
    }

    const yaml_event_t& event() const noexcept { return event_; }
    void next() {
        yaml_event_delete(&event_);
        event_ = {};
        if (yaml_parser_parse(&parser_, &event_) != 0) return;
        if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
        fail(parser_.problem_mark, parser_.problem);
    }
    [[noreturn]] void refuse(const char* problem) const { fail(event_.start_mark, problem); }

  private:
    [[noreturn]] static void fail(const yaml_mark_t& where, const char* problem) {
        throw Error(fmt::format("line {}, column {}: {}", where.line + 1, where.column + 1,
                                problem ? problem : "cannot be read"));
    }

    yaml_parser_t parser_{};
    yaml_event_t event_{};
};

std::string named(const yaml_char_t* name) { return name ? reinterpret_cast<const char*>(name) : ""; }

class Builder {
  public:
    explicit Builder(std::string_view text) : events_(text) {}

    Node document() {
        while (kind() == YAML_STREAM_START_EVENT || kind() == YAML_DOCUMENT_START_EVENT) events_.next();
        return kind() == YAML_STREAM_END_EVENT ? Node() : value(0);
    }

  private:
    yaml_event_type_t kind() const noexcept { return events_.event().type; }

    /// The node whose first event is the current one; afterwards the event behind the node is current.
    Node value(int depth) {
        if (depth > kDeepest) events_.refuse("nested too deeply");
        switch (kind()) {
            case YAML_SCALAR_EVENT:
                return text(named(events_.event().data.scalar.anchor));
            case YAML_SEQUENCE_START_EVENT:
                return list(named(events_.event().data.sequence_start.anchor), depth);
            case YAML_MAPPING_START_EVENT:
                return map(named(events_.event().data.mapping_start.anchor), depth);
            case YAML_ALIAS_EVENT:
                return alias();
            default:
                events_.refuse("a value is missing");
        }
    }

    Node scalar() {
        const auto& data = events_.event().data.scalar;
        std::string text(reinterpret_cast<const char*>(data.value), data.length);
        const bool nothing = data.style == YAML_PLAIN_SCALAR_STYLE && (text.empty() || text == "~" || text == "null");
        events_.next();
        return nothing ? Node() : Node::text(std::move(text));
    }

    Node text(const std::string& anchor) { return keep(anchor, scalar()); }

    Node list(const std::string& anchor, int depth) {
        std::vector<Node> elements;
        events_.next();
        while (kind() != YAML_SEQUENCE_END_EVENT) elements.push_back(value(depth + 1));
        events_.next();
        return keep(anchor, Node::list(std::move(elements)));
    }

    Node map(const std::string& anchor, int depth) {
        std::vector<Node::Entry> entries;
        events_.next();
        while (kind() != YAML_MAPPING_END_EVENT) {
            if (kind() != YAML_SCALAR_EVENT) events_.refuse("a key is no text");
            std::string key = scalar().text();
            entries.push_back({std::move(key), value(depth + 1)});
        }
        events_.next();
        return keep(anchor, Node::map(std::move(entries)));
    }

    Node alias() {
        const auto found = anchors_.find(named(events_.event().data.alias.anchor));
        if (found == anchors_.end()) events_.refuse("an alias of nothing that ended before it");
        events_.next();
        return found->second;
    }

    Node keep(const std::string& anchor, Node node) {
        if (!anchor.empty()) anchors_[anchor] = node;
        return node;
    }

    Events events_;
    std::map<std::string, Node> anchors_;
};

}  // namespace

Node parse(std::string_view text) { return Builder(text).document(); }

}  // namespace zetl::yaml
