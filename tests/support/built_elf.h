// ELF files put together in tests: no compiler of NVIDIA's is at hand.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace zetl::test {

using Bytes = std::vector<std::uint8_t>;

template <class T>
void append(Bytes& bytes, const T& value) {
    const auto* const data = reinterpret_cast<const std::uint8_t*>(&value);
    bytes.insert(bytes.end(), data, data + sizeof value);
}

inline void appendText(Bytes& bytes, const std::string& text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    bytes.push_back(0);
}

/// A cubin: sections one behind the other, then their headers, then those of one segment if there is one.
class BuiltElf {
  public:
    BuiltElf() : file_(sizeof(Elf64_Ehdr)), headers_(1), names_(1) {}

    std::uint32_t add(const std::string& name, std::uint32_t type, const Bytes& content, std::uint32_t link = 0,
                      std::uint32_t info = 0, std::uint64_t entry = 0, std::uint64_t address = 0) {
        Elf64_Shdr header{};
        header.sh_name = static_cast<Elf64_Word>(names_.size());
        header.sh_type = type;
        header.sh_addr = address;
        header.sh_offset = file_.size();
        header.sh_size = content.size();
        header.sh_link = link;
        header.sh_info = info;
        header.sh_entsize = entry;
        headers_.push_back(header);
        appendText(names_, name);
        file_.insert(file_.end(), content.begin(), content.end());
        return static_cast<std::uint32_t>(headers_.size() - 1);
    }

    /// A segment from one section's begin to another one's end.
    void addSegment(std::uint32_t first, std::uint32_t last) {
        Elf64_Phdr segment{};
        segment.p_type = PT_LOAD;
        segment.p_offset = headers_[first].sh_offset;
        segment.p_filesz = headers_[last].sh_offset + headers_[last].sh_size - segment.p_offset;
        segment.p_memsz = segment.p_filesz;
        segments_.push_back(segment);
    }

    /// e_flags, and the version of the layout.
    Bytes finished(std::uint32_t flags = 0, std::uint8_t version = 0) {
        const auto last = add(".shstrtab", SHT_STRTAB, {});
        headers_[last].sh_size = names_.size();
        file_.insert(file_.end(), names_.begin(), names_.end());
        Elf64_Ehdr head{};
        std::memcpy(head.e_ident, ELFMAG, SELFMAG);
        head.e_ident[EI_CLASS] = ELFCLASS64;
        head.e_ident[EI_DATA] = ELFDATA2LSB;
        head.e_ident[EI_VERSION] = EV_CURRENT;
        head.e_ident[EI_ABIVERSION] = version;
        head.e_type = ET_EXEC;
        head.e_machine = 190;
        head.e_version = EV_CURRENT;
        head.e_flags = flags;
        head.e_ehsize = sizeof head;
        head.e_shoff = file_.size();
        head.e_shentsize = sizeof(Elf64_Shdr);
        head.e_shnum = static_cast<Elf64_Half>(headers_.size());
        head.e_shstrndx = static_cast<Elf64_Half>(last);
        for (const auto& header : headers_) append(file_, header);
        head.e_phoff = segments_.empty() ? 0 : file_.size();
        head.e_phentsize = sizeof(Elf64_Phdr);
        head.e_phnum = static_cast<Elf64_Half>(segments_.size());
        for (const auto& segment : segments_) append(file_, segment);
        std::memcpy(file_.data(), &head, sizeof head);
        return file_;
    }

  private:
    Bytes file_;
    std::vector<Elf64_Shdr> headers_;
    std::vector<Elf64_Phdr> segments_;
    Bytes names_;
};

}  // namespace zetl::test
