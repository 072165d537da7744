#include "gdb/target_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/instruction.h"

namespace zetl::debugger::gdb {
namespace {

constexpr const char* kNames[] = {"", "r", "a", "f", "ce", "sr", "cr", "tdr", "acc", "mme", "sp", "sba", "dbg"};

std::string typeOf(const Register& each) {
    if (each.isAddress) return "code_ptr";
    switch (each.bytes) {
        case 4:
            return "uint32";
        case 8:
            return "uint64";
        case 16:
            return "uint128";
        default:
            return fmt::format("words{}", each.bytes / 4);
    }
}

}  // namespace

std::vector<Register> registersOf(const Link& link) {
    std::vector<Register> all;
    for (const auto& set : link.registerSets()) {
        const std::string name = set.type < std::size(kNames) ? kNames[set.type] : fmt::format("set{}_", set.type);
        const bool writable = (set.generalFlags & ZET_DEBUG_REGSET_FLAG_WRITEABLE) != 0;
        for (std::uint32_t i = 0; i < set.count; ++i)
            all.push_back({fmt::format("{}{}", name, i), set.type, i, set.byteSize, writable, false});
    }
    all.push_back({"pc", registers::kControl, 0, 8, false, true});
    return all;
}

std::string describe(const std::vector<Register>& registers) {
    std::string text =
        "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
        "<target version=\"1.0\"><feature name=\"org.zetl.xe-hpc\">";
    std::vector<std::uint32_t> vectors;
    for (const auto& each : registers) {
        if (each.bytes <= 16 || std::ranges::find(vectors, each.bytes) != vectors.end()) continue;
        vectors.push_back(each.bytes);
        text += fmt::format("<vector id=\"words{}\" type=\"uint32\" count=\"{}\"/>", each.bytes / 4, each.bytes / 4);
    }
    for (std::size_t i = 0; i < registers.size(); ++i)
        text += fmt::format("<reg name=\"{}\" bitsize=\"{}\" type=\"{}\" regnum=\"{}\"/>", registers[i].name,
                            registers[i].bytes * 8, typeOf(registers[i]), i);
    return text + "</feature></target>";
}

}  // namespace zetl::debugger::gdb
