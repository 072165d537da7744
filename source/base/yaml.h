// YAML documents as trees, read by libyaml. Compilers and people write them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zetl::yaml {

/// The reason why a text is not YAML, with line and column.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A part of a document: nothing, a text, a list or a map. Immutable, cheap to copy. A question to the wrong kind of
/// node gets an empty answer; a missing part is a node of nothing.
class Node {
  public:
    struct Entry;

    Node() = default;
    static Node text(std::string text);
    static Node list(std::vector<Node> elements);
    static Node map(std::vector<Entry> entries);

    bool isNull() const noexcept { return !content_; }
    bool isText() const noexcept;
    bool isList() const noexcept;
    bool isMap() const noexcept;

    const std::string& text() const noexcept;
    const std::vector<Node>& elements() const noexcept;
    const std::vector<Entry>& entries() const noexcept;
    /// The value of a key. If the key is given twice, the first value counts.
    Node operator[](std::string_view key) const;
    /// The text as a whole number, decimal or with 0x in front.
    std::optional<std::uint64_t> number() const noexcept;

  private:
    struct Content;
    explicit Node(std::shared_ptr<const Content> content) noexcept : content_(std::move(content)) {}
    std::shared_ptr<const Content> content_;
};

struct Node::Entry {
    std::string key;
    Node value;
};

/// The first document of a text; nothing if it has none. Aliases share the node that they name, so that the tree is
/// never much larger than the text. Throws Error, also for nesting that is deeper than any reasonable file.
Node parse(std::string_view text);

}  // namespace zetl::yaml
