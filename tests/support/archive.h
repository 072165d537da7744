// Archives of binaries, as `ocloc -device a,b` writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace zetl::test {

/// `field` is the name as it stands in the header.
inline std::string archiveMember(std::string_view field, std::string_view content) {
    std::string member;
    const auto write = [&member](std::size_t width, std::string_view text) {
        member.append(text).append(width - text.size(), ' ');
    };
    write(16, field);
    write(12, "0");   // when it was made
    write(6, "0");    // by which user
    write(6, "0");    // and group
    write(8, "644");  // mode
    write(10, std::to_string(content.size()));
    member += "`\n";
    member += content;
    if (content.size() % 2) member += '\0';
    return member;
}

/// With the fillers in front of members that ocloc puts in.
class Archive {
  public:
    Archive& add(std::string_view name, std::string_view content) {
        text_ += archiveMember("pad_" + std::to_string(fillers_++) + '/', "    ");
        text_ += archiveMember(std::string(name) + '/', content);
        return *this;
    }
    std::span<const std::uint8_t> bytes() const {
        return {reinterpret_cast<const std::uint8_t*>(text_.data()), text_.size()};
    }
    const std::string& text() const { return text_; }

  private:
    std::string text_ = "!<arch>\n";
    int fillers_ = 0;
};

}  // namespace zetl::test
