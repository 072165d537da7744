// From a module back to what it was made of: the native binary (zeModuleGetNativeBinary) with its ELF sections and the
// machine code of each kernel, and the debug data (zetModuleGetDebugInfo) that connects code with source lines. The
// second needs the tools layer to be of use with old drivers; run it with `zetl run` or after eval "$(zetl env)".
//
// Exit code 0: both were read; the binary holds code of the kernel. 1: an error.
#include <elf.h>
#include <level_zero/zet_api.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "session/check.h"
#include "session/session.h"

namespace {

const char* const kSource = R"(
kernel void scale(global float* data, float factor) {
    data[get_global_id(0)] *= factor;
})";

using Bytes = std::vector<std::uint8_t>;

struct Section {
    std::string name;
    std::uint64_t offset;
    std::uint64_t bytes;
};

/// The sections of a 64-bit ELF file; none if it is no such file or its tables lie outside of it.
std::vector<Section> sectionsOf(const Bytes& file) {
    Elf64_Ehdr header{};
    if (file.size() < sizeof header) return {};
    std::memcpy(&header, file.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return {};
    if (header.e_shoff > file.size() || header.e_shnum > (file.size() - header.e_shoff) / sizeof(Elf64_Shdr)) return {};
    std::vector<Elf64_Shdr> table(header.e_shnum);
    if (!table.empty()) std::memcpy(table.data(), file.data() + header.e_shoff, table.size() * sizeof(Elf64_Shdr));
    if (header.e_shstrndx >= table.size()) return {};

    const auto& names = table[header.e_shstrndx];
    std::vector<Section> sections;
    for (const auto& entry : table) {
        if (names.sh_offset > file.size() || entry.sh_name >= file.size() - names.sh_offset) return {};
        const auto* name = reinterpret_cast<const char*>(file.data() + names.sh_offset + entry.sh_name);
        const auto room = file.size() - names.sh_offset - entry.sh_name;
        sections.push_back({std::string(name, strnlen(name, room)), entry.sh_offset, entry.sh_size});
    }
    return sections;
}

void print(const char* what, const Bytes& file, const std::vector<Section>& sections) {
    std::printf("%s: %zu bytes, %zu sections\n", what, file.size(), sections.size());
    for (const auto& section : sections)
        if (section.bytes) std::printf("  %-28s %8" PRIu64 " bytes\n", section.name.c_str(), section.bytes);
}

Bytes nativeBinary(ze_module_handle_t module) {
    std::size_t size = 0;
    CHECK(zeModuleGetNativeBinary(module, &size, nullptr));
    Bytes binary(size);
    CHECK(zeModuleGetNativeBinary(module, &size, binary.data()));
    return binary;
}

/// Empty if the driver has none.
Bytes debugInfo(ze_module_handle_t module) {
    std::size_t size = 0;
    const auto result = zetModuleGetDebugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, nullptr);
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE || size == 0) return {};
    CHECK(result);
    Bytes data(size);
    CHECK(zetModuleGetDebugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, data.data()));
    return data;
}

/// New drivers keep each kernel's code in a section of its name, old ones all in one program section.
bool hasCode(const std::vector<Section>& sections, const std::string& kernel) {
    for (const auto& section : sections)
        if (section.bytes &&
            (section.name == ".text." + kernel || section.name.find("Device Binary") != std::string::npos))
            return true;
    return false;
}

}  // namespace

int main() {
    const session::Session session;
    const session::Kernel scale(session, kSource, "scale", "-g");
    const auto binary = nativeBinary(scale.module);
    const auto sections = sectionsOf(binary);
    print("native binary", binary, sections);
    const auto debug = debugInfo(scale.module);
    print("debug data", debug, sectionsOf(debug));
    if (debug.empty()) std::printf("binary_correlation: the driver gives no debug data\n");
    const bool found = hasCode(sections, "scale");
    std::printf("binary_correlation: code of the kernel %s\n", found ? "found" : "NOT found");
    return found ? 0 : 1;
}
