#include "binary/ze_info_local_pointers.h"

#include <elf.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "binary/elf_file.h"

namespace zetl::binary {
namespace local_pointers {
namespace {

using Arguments = std::map<std::string, std::set<std::uint32_t>>;
using Lines = std::vector<std::string_view>;

constexpr std::string_view kDescription = ".ze_info";
constexpr std::string_view kItem = "- ";  ///< begins an element of a list

struct Field {
    std::string_view key;
    std::string_view value;
};

std::string_view trimmed(std::string_view text, std::string_view unwanted) {
    const std::size_t begin = text.find_first_not_of(unwanted);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(unwanted) + 1 - begin);
}
std::size_t indentOf(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }
bool beginsItem(std::string_view line) { return line.substr(indentOf(line)).starts_with(kItem); }

/// `key: value`, perhaps the first of a list's element.
Field fieldOf(std::string_view line) {
    std::string_view text = line.substr(indentOf(line));
    if (text.starts_with(kItem)) text.remove_prefix(kItem.size());
    const std::size_t colon = std::min(text.find(':'), text.size());
    return {text.substr(0, colon), trimmed(text.substr(std::min(colon + 1, text.size())), " '\"")};
}

Lines linesOf(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, length));
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    return lines;
}

/// Writes the description anew, line by line; what is between the lines of a list's element stays together.
class Writer {
  public:
    Writer(std::string_view text, const Arguments& arguments) : arguments_(arguments) {
        const Lines lines = linesOf(text);
        for (std::size_t at = 0; at < lines.size();) {
            const std::size_t end = endOfItem(lines, at);
            note(lines[at]);
            const auto first = lines.begin() + static_cast<std::ptrdiff_t>(at);
            const Lines item(first, first + static_cast<std::ptrdiff_t>(end - at));
            if (isForgotten(item))
                writePointer(item);
            else
                for (const std::string_view line : item) write(line);
            at = end;
        }
    }
    bool changed() const { return changed_; }
    const std::string& text() const { return out_; }

  private:
    const Arguments& arguments_;
    const std::set<std::uint32_t>* wanted_ = nullptr;  ///< of the kernel that is being described
    bool changed_ = false;
    std::string out_;

    /// Of an argument's lines; any other line is on its own.
    static std::size_t endOfItem(const Lines& lines, std::size_t at) {
        if (!beginsItem(lines[at]) || fieldOf(lines[at]).key != "arg_type") return at + 1;
        std::size_t end = at + 1;
        while (end < lines.size() && indentOf(lines[end]) > indentOf(lines[at]) && !beginsItem(lines[end])) ++end;
        return end;
    }
    void note(std::string_view line) {
        const Field field = fieldOf(line);
        if (!beginsItem(line) || field.key != "name") return;
        const auto kernel = arguments_.find(std::string(field.value));
        wanted_ = kernel == arguments_.end() ? nullptr : &kernel->second;
    }
    static std::string_view valueOf(const Lines& item, std::string_view key) {
        for (const std::string_view line : item)
            if (const Field field = fieldOf(line); field.key == key) return field.value;
        return {};
    }
    bool isForgotten(const Lines& item) const {
        if (!wanted_ || valueOf(item, "arg_type") != "arg_byvalue" || valueOf(item, "size") != "8") return false;
        const std::string_view index = valueOf(item, "arg_index");
        std::uint32_t number = 0;
        const auto read = std::from_chars(index.data(), index.data() + index.size(), number);
        return read.ec == std::errc() && wanted_->contains(number);
    }
    void writePointer(const Lines& item) {
        changed_ = true;
        write(std::string(indentOf(item[0]), ' ').append("- arg_type: arg_bypointer"));
        const std::string indent(indentOf(item[0]) + kItem.size(), ' ');
        for (const std::string_view key : {"offset", "size", "arg_index"})
            write(indent + std::string(key).append(": ").append(valueOf(item, key)));
        for (const std::string_view line : {"addrmode: slm", "addrspace: local", "access_type: readwrite"})
            write(indent + std::string(line));
    }
    void write(std::string_view line) { out_.append(line).append("\n"); }
};

/// The place of the description's section header in the file.
std::optional<std::size_t> headerOf(const Bytes& elf, const ElfFile& file, const ElfFile::Section& section) {
    const auto header = ByteView(elf).read<Elf64_Ehdr>(0);
    const std::size_t index = &section - file.sections.data();
    if (!header) return std::nullopt;
    const std::uint64_t at = header->e_shoff + index * sizeof(Elf64_Shdr);
    return ByteView(elf).holds(at, sizeof(Elf64_Shdr)) ? std::optional<std::size_t>(at) : std::nullopt;
}

Bytes rewritten(Bytes zebin, const Arguments& arguments) {
    const auto file = arguments.empty() ? std::nullopt : std::optional(readElf(zebin));
    const ElfFile::Section* section = file && *file ? (*file)->find(kDescription) : nullptr;
    const auto headerAt = section ? headerOf(zebin, **file, *section) : std::nullopt;
    if (!headerAt) return zebin;
    const Writer writer({reinterpret_cast<const char*>(section->content.begin()), section->content.size()}, arguments);
    if (!writer.changed()) return zebin;
    Elf64_Shdr header;
    std::memcpy(&header, &zebin[*headerAt], sizeof header);
    header.sh_offset = zebin.size();
    header.sh_size = writer.text().size();
    std::memcpy(&zebin[*headerAt], &header, sizeof header);
    zebin.insert(zebin.end(), writer.text().begin(), writer.text().end());
    return zebin;
}

}  // namespace
}  // namespace local_pointers

Bytes withLocalPointers(Bytes zebin, const std::map<std::string, std::set<std::uint32_t>>& arguments) {
    return local_pointers::rewritten(std::move(zebin), arguments);
}

}  // namespace zetl::binary
