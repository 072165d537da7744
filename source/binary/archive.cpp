#include "binary/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "binary/byte_view.h"

namespace zetl::binary {
namespace {

constexpr std::string_view kArchiveMagic = "!<arch>\n";
constexpr std::string_view kFormat = "archive";
constexpr std::string_view kLongNames = "//";  ///< the member that has the names of the others
constexpr std::string_view kFillers = "pad_";  ///< begins the names of members without content of interest
constexpr char kNameEnd = '/';                 ///< or, at the beginning of a name, of a place among the long names

struct MemberHeader {
    char name[16];
    char unused[32];  ///< when it was made, by whom, and who may read it
    char bytes[10];   ///< decimal
    char magic[2];
};
static_assert(sizeof(MemberHeader) == 60);

template <std::size_t n>
std::string_view fieldOf(const char (&field)[n]) {
    const std::string_view text(field, n);
    return text.substr(0, std::min(text.find_last_not_of(' ') + 1, n));
}

std::optional<std::uint64_t> decimal(std::string_view text) {
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The short form, in the header itself, or one of the long names.
std::string_view memberName(std::string_view field, std::string_view longNames) {
    if (field.empty() || field.front() != kNameEnd) return field.substr(0, field.find(kNameEnd));
    const auto place = decimal(field.substr(1));
    if (!place || *place >= longNames.size()) return {};
    const std::string_view name = longNames.substr(*place);
    return name.substr(0, name.find_first_of("/\n"));
}

}  // namespace

bool isArchive(std::span<const std::uint8_t> bytes) noexcept {
    return bytes.size() >= kArchiveMagic.size() &&
           std::equal(kArchiveMagic.begin(), kArchiveMagic.end(), bytes.begin());
}

Outcome<std::vector<ArchiveMember>> readArchive(std::span<const std::uint8_t> bytes) {
    if (!isArchive(bytes)) return damaged(kFormat, "it does not begin like one");
    const ByteView view(bytes);
    std::vector<ArchiveMember> members;
    std::string_view longNames;
    std::uint64_t at = kArchiveMagic.size();
    while (const auto header = view.read<MemberHeader>(at)) {
        at += sizeof *header;
        const std::string_view field = fieldOf(header->name);
        const auto size = decimal(fieldOf(header->bytes));
        const auto content = size ? view.part(at, *size) : std::nullopt;
        if (!content) return damaged(kFormat, fmt::format("member '{}' ends behind its end", field));
        at += *size + *size % 2;
        if (field == kLongNames) {
            longNames = {reinterpret_cast<const char*>(content->begin()), content->size()};
            continue;
        }
        const std::string_view name = memberName(field, longNames);
        if (name.empty()) return damaged(kFormat, fmt::format("member {} has no name", members.size()));
        if (!name.starts_with(kFillers)) members.push_back({std::string(name), content->bytes()});
    }
    return members;
}

}  // namespace zetl::binary
