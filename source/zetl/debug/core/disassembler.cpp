#include "core/disassembler.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

namespace zetl::debugger {

// libiga64 comes with the compiler (Debian: libigc1) but without its header: the three functions and two structures
// that are used, as it has had them since its first version.
struct Disassembler::Library {
    struct ContextOptions {
        std::size_t bytes = sizeof(ContextOptions);
        std::uint32_t platform = (1u << 24) | 4u;  // Xe-HPC
    };
    struct DisassembleOptions {
        std::uint32_t bytes = sizeof(DisassembleOptions);
        std::uint32_t formatting = 1;  // labels as numbers
        std::uint32_t reserved[2] = {};
        std::uint32_t decoding = 0;
        std::uint32_t base = 0;
    };
    int (*create)(const ContextOptions*, void**) = nullptr;
    int (*release)(void*) = nullptr;
    int (*disassemble)(void*, const DisassembleOptions*, const void*, const char* (*)(std::int32_t, void*), void*,
                       char**) = nullptr;
    void* context = nullptr;
};

Disassembler::Disassembler() {
    void* const handle = dlopen("libiga64.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    auto library = std::make_unique<Library>();
    library->create = reinterpret_cast<decltype(library->create)>(dlsym(handle, "iga_context_create"));
    library->release = reinterpret_cast<decltype(library->release)>(dlsym(handle, "iga_context_release"));
    library->disassemble =
        reinterpret_cast<decltype(library->disassemble)>(dlsym(handle, "iga_context_disassemble_instruction"));
    const Library::ContextOptions options;
    if (library->create && library->release && library->disassemble &&
        library->create(&options, &library->context) == 0)
        library_ = std::move(library);
}

Disassembler::~Disassembler() {
    if (library_) library_->release(library_->context);
}

std::string Disassembler::text(const Instruction& instruction) const {
    const Library::DisassembleOptions options;
    char* text = nullptr;
    const std::uint64_t words[] = {instruction.low, instruction.high};
    if (library_ && library_->disassemble(library_->context, &options, words, nullptr, nullptr, &text) == 0 && text) {
        std::string line(text);
        line.resize(line.find_last_not_of(" \n") + 1);
        std::ranges::replace(line, '\n', ' ');
        return line;
    }
    return instruction.compacted() ? fmt::format("{:#018x}", instruction.low)
                                   : fmt::format("{:#018x} {:#018x}", instruction.low, instruction.high);
}

}  // namespace zetl::debugger
