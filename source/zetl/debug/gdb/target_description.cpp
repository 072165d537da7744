#include "gdb/target_description.h"

#include <fmt/format.h>

#include <iterator>
#include <span>

namespace zetl::debugger::gdb {
namespace {

using Kind = Register::Kind;

/// Registers of x86-64 of one type, "eax" to "eflags".
struct Group {
    const char* const* names;
    std::size_t count;
    const char* valueType;
    std::uint32_t bytes;
};
constexpr const char* kGeneral[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8",
                                    "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
constexpr const char* kSegments[] = {"eflags", "cs", "ss", "ds", "es", "fs", "gs"};
constexpr const char* kFloat[] = {"st0", "st1", "st2", "st3", "st4", "st5", "st6", "st7"};
constexpr const char* kFloatControl[] = {"fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop"};
constexpr Group kExpected[] = {{kGeneral, std::size(kGeneral), "int64", 8},
                               {kSegments, std::size(kSegments), "int32", 4},
                               {kFloat, std::size(kFloat), "i387_ext", 10},
                               {kFloatControl, std::size(kFloatControl), "int", 4}};

/// Indexed by the type of the set. None of these names exists on x86-64.
constexpr const char* kSets[] = {"",   "grf", "addr", "flag", "ce", "sr", "cr", "tdr", "acc",   "mme",
                                 "sp", "sba", "dbg",  "",     "",   "",   "",   "",    "scalar"};

Kind kindOf(std::string_view name) {
    if (name == "rip") return Kind::programCounter;
    return name == "rsp" || name == "rbp" ? Kind::stackPointer : Kind::absent;
}

const char* typeOf(std::uint32_t bytes) {
    switch (bytes) {
        case 4:
            return "uint32";
        case 8:
            return "uint64";
        case 16:
            return "words4";
        case 32:
            return "words8";
        default:
            return "words16";
    }
}

std::string textOf(std::span<const Register> registers, std::size_t first) {
    std::string text;
    for (const auto& each : registers)
        text += fmt::format(R"(<reg name="{}" bitsize="{}" type="{}" regnum="{}"/>)", each.name, each.bytes * 8,
                            each.valueType, first++);
    return text;
}

}  // namespace

std::size_t expectedRegisters() {
    std::size_t count = 0;
    for (const auto& group : kExpected) count += group.count;
    return count;
}

std::vector<Register> registersOf(const Link& link) {
    std::vector<Register> all;
    for (const auto& group : kExpected)
        for (const auto* name : std::span(group.names, group.count)) {
            const auto kind = kindOf(name);
            all.push_back({name, kind == Kind::programCounter ? "code_ptr" : group.valueType, group.bytes, kind});
        }
    for (const auto& set : link.registerSets()) {
        const bool isNamed = set.type < std::size(kSets) && *kSets[set.type] != '\0';
        const std::string name = isNamed ? kSets[set.type] : fmt::format("set{}_", set.type);
        const bool writable = (set.generalFlags & ZET_DEBUG_REGSET_FLAG_WRITEABLE) != 0;
        const auto count = link.architecture().mostRegisters(set.type, set.count);
        for (std::uint32_t i = 0; i < count; ++i)
            all.push_back({fmt::format("{}{}", name, i), typeOf(set.byteSize), set.byteSize, Kind::device, set.type, i,
                           writable});
    }
    return all;
}

std::string describe(const std::vector<Register>& registers, const std::string& feature) {
    const auto expected = expectedRegisters();
    const std::span all(registers);
    std::string text = R"(<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">)"
                       R"(<architecture>i386:x86-64</architecture><feature name="org.gnu.gdb.i386.core">)";
    text += textOf(all.first(expected), 0) + fmt::format(R"(</feature><feature name="{}">)", feature);
    for (const int words : {4, 8, 16})
        text += fmt::format(R"(<vector id="words{0}" type="uint32" count="{0}"/>)", words);
    return text + textOf(all.subspan(expected), expected) + "</feature></target>";
}

}  // namespace zetl::debugger::gdb
