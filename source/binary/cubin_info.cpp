#include "binary/cubin_info.h"

#include <elf.h>

namespace zetl::binary {
namespace {

/// An attribute begins with its form, its name, and the size of its data, or the value itself.
struct Head {
    std::uint8_t form;
    CubinAttributeName name;
    std::uint16_t size;
};
static_assert(sizeof(Head) == 4);
constexpr std::uint8_t kSized = 4;

/// The attributes of functions.
struct OfFunction {
    std::uint32_t symbol;
    std::uint32_t value;
};

}  // namespace

std::vector<CubinAttribute> cubinAttributes(ByteView section) {
    std::vector<CubinAttribute> attributes;
    std::uint64_t at = 0;
    while (const auto head = section.read<Head>(at)) {
        at += sizeof(Head);
        if (head->form != kSized) continue;
        if (!section.holds(at, head->size)) break;
        attributes.push_back({head->name, at, head->size});
        at += head->size;
    }
    return attributes;
}

std::map<std::string, CubinFunction, std::less<>> readCubinInfo(const ElfFile& file) {
    std::map<std::string, CubinFunction, std::less<>> functions;
    const auto* const info = file.find(".nv.info");
    const auto* const table = file.find(".symtab");
    if (!info || !table) return functions;
    const auto symbols = file.symbols(*table);
    if (!symbols) return functions;
    for (const CubinAttribute& attribute : cubinAttributes(info->content)) {
        if (attribute.bytes < sizeof(OfFunction)) continue;
        const auto told = *info->content.read<OfFunction>(attribute.offset);
        if (told.symbol >= symbols->size()) continue;
        auto& function = functions[std::string((*symbols)[told.symbol].name)];
        if (attribute.name == CubinAttributeName::registerCount) function.registers = told.value;
        if (attribute.name == CubinAttributeName::frameSize) function.frameBytes = told.value;
    }
    return functions;
}

}  // namespace zetl::binary
