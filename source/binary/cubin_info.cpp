#include "binary/cubin_info.h"

#include <elf.h>

namespace zetl::binary {
namespace {

enum class Attribute : std::uint8_t { frameSize = 0x11, registerCount = 0x2f };

/// An attribute begins with its form, its name, and the size of what follows, or the value itself.
struct Head {
    std::uint8_t form;
    Attribute name;
    std::uint16_t size;
};
static_assert(sizeof(Head) == 4);
constexpr std::uint8_t kSized = 4;

/// What follows these two attributes.
struct OfFunction {
    std::uint32_t symbol;
    std::uint32_t value;
};

}  // namespace

std::map<std::string, CubinFunction, std::less<>> readCubinInfo(const ElfFile& file) {
    std::map<std::string, CubinFunction, std::less<>> functions;
    const auto* const info = file.find(".nv.info");
    const auto* const table = file.find(".symtab");
    if (!info || !table) return functions;
    const auto symbols = file.symbols(*table);
    if (!symbols) return functions;
    std::uint64_t at = 0;
    while (const auto head = info->content.read<Head>(at)) {
        at += sizeof(Head);
        if (head->form != kSized) continue;
        const auto told = info->content.read<OfFunction>(at);
        at += head->size;
        if (!told || head->size < sizeof(OfFunction) || told->symbol >= symbols->size()) continue;
        auto& function = functions[std::string((*symbols)[told->symbol].name)];
        if (head->name == Attribute::registerCount) function.registers = told->value;
        if (head->name == Attribute::frameSize) function.frameBytes = told->value;
    }
    return functions;
}

}  // namespace zetl::binary
