// Variables of cubins: by what NVIDIA's compiler writes (nvcc 13.0 -G, sm_90), in a module put together here.
#include <gtest/gtest.h>

#include "core/architecture.h"
#include "core/failure.h"
#include "core/inspector.h"
#include "core/memory.h"
#include "core/module.h"
#include "core/sass_registers.h"
#include "core/stopped_thread.h"
#include "core/work_items.h"
#include "stopped_warp.h"
#include "support/built_elf.h"

namespace zetl::debugger {
namespace {

using test::append;
using test::appendText;

constexpr std::uint64_t kFunctionBegin = 0x7f0000100000;
constexpr std::uint64_t kCounterAt = 0x7f0000300000;
constexpr std::uint64_t kPlacedAt = 0x7f0000400000;
struct RegisterRow {
    std::uint32_t part;
    const char* name;
    std::uint32_t place;
    std::uint32_t begin;
    std::uint32_t end;
};
constexpr RegisterRow kRegisterRows[] = {{0, "%f1", 0x05000003, 0x00, 0x50},
                                         {0, "%f1", 0x05000004, 0x50, 0xa0},
                                         {0, "%rd1", 0x05000010, 0x20, 0x90},
                                         {1, "%rd1", 0x05000002, 0x30, 0x90},
                                         {0, "%p1", 0x02000000, 0x00, 0x90}};

Bytes registerSection() {
    Bytes section;
    appendText(section, "_Z5scalef");
    append(section, static_cast<std::uint32_t>(std::size(kRegisterRows)));
    for (const RegisterRow& each : kRegisterRows) {
        append(section, each.part);
        appendText(section, each.name);
        for (const auto word : {each.place, each.begin, each.end}) append(section, word);
    }
    return section;
}

/// Of one function whose frame begins 32 bytes above R1.
Bytes frameSection() {
    constexpr std::uint64_t kBytes = 0x100;
    Bytes common(8, 0xff);
    for (const int byte : {3, 0, 4, 0x7c, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0c, 0x81, 0x80, 0x80, 0x28, 0x20})
        common.push_back(static_cast<std::uint8_t>(byte));
    Bytes entry;
    for (const auto word : {std::uint64_t{0}, kFunctionBegin, kBytes}) append(entry, word);
    Bytes section;
    for (const auto& each : {common, entry}) {
        append(section, std::uint32_t{0xffffffff});
        append(section, std::uint64_t{each.size()});
        section.insert(section.end(), each.begin(), each.end());
    }
    return section;
}

/// `struct Pair { int first; int second; }; __device__ int counter; __constant__ int factor` in DWARF 2.
struct DwarfOfPair {
    Bytes abbreviations = {1, 0x11, 1, 0, 0,                                      // compile unit, with children
                           2, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0,  // base type: name, size, encoding
                           3, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b, 0, 0,  // structure: name, size; with children
                           4, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0a, 0, 0,  // member: name, type, a block
                           // variable: name, type, address class, location
                           5, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x33, 0x0b, 0x02, 0x0a, 0, 0,
                           // the same without the last two
                           6, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0, 0, 0};
    Bytes info;

    DwarfOfPair() {
        constexpr std::uint32_t kIntAt = 12;  // behind the unit's head and its only byte
        Bytes unit;
        append(unit, std::uint16_t{2});
        append(unit, std::uint32_t{0});
        unit.insert(unit.end(), {8, 1, 2});
        appendText(unit, "int");
        unit.insert(unit.end(), {4, 5, 3});  // signed; and the structure
        appendText(unit, "Pair");
        unit.push_back(8);
        std::uint8_t offset = 0;
        for (const auto* name : {"first", "second"}) {
            unit.push_back(4);
            appendText(unit, name);
            append(unit, kIntAt);
            unit.insert(unit.end(), {2, 0x23, offset});  // two bytes: plus_uconst
            offset += 4;
        }
        unit.push_back(0);
        addVariable(unit, "counter", kIntAt, 5, kCounterAt);
        addVariable(unit, "factor", kIntAt, 4, 0);
        for (const auto* name : {"placed", "dropped"}) {
            unit.push_back(6);
            appendText(unit, name);
            append(unit, kIntAt);
        }
        unit.push_back(0);
        append(info, static_cast<std::uint32_t>(unit.size()));
        info.insert(info.end(), unit.begin(), unit.end());
    }

  private:
    static void addVariable(Bytes& unit, const char* name, std::uint32_t type, std::uint8_t space,
                            std::uint64_t address) {
        unit.push_back(5);
        appendText(unit, name);
        append(unit, type);
        unit.insert(unit.end(), {space, 9, 0x03});  // nine bytes: an address
        append(unit, address);
    }
};

/// One of data.
Bytes symbolSection(std::uint64_t address) {
    Elf64_Sym symbol{};
    symbol.st_name = 1;
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbol.st_shndx = 1;
    symbol.st_value = address;
    symbol.st_size = sizeof(int);
    Bytes section(sizeof symbol);
    append(section, symbol);
    return section;
}

Bytes cubinImage(const Bytes& registers) {
    const DwarfOfPair types;
    test::BuiltElf file;
    file.add(".text._Z5scalef", SHT_PROGBITS, Bytes(0x100), 0, 0, 0, kFunctionBegin);
    file.add(".nv_debug_info_reg_sass", SHT_PROGBITS, registers);
    file.add(".debug_frame", SHT_PROGBITS, frameSection());
    file.add(".debug_abbrev", SHT_PROGBITS, types.abbreviations);
    file.add(".debug_info", SHT_PROGBITS, types.info);
    Bytes names(1);
    appendText(names, "placed");
    const auto strings = file.add(".strtab", SHT_STRTAB, names);
    file.add(".symtab", SHT_SYMTAB, symbolSection(kPlacedAt), strings, 1, sizeof(Elf64_Sym));
    return file.finished();
}

class CudaVariables : public testing::Test {
  protected:
    Value read(const Variable& variable, std::uint64_t offset) { return inspector(offset).read(variable); }
    /// At an offset of the function.
    Inspector& inspector(std::uint64_t offset) {
        frame_ = Frame{};
        frame_.address = kFunctionBegin + offset;
        frame_.module = &module_;
        inspector_ = std::make_unique<Inspector>(frame_, thread_, memory_, items_, kWarpLane, history_, locations_);
        return *inspector_;
    }
    static Variable variable(const Type& type, Bytes location, std::uint64_t addressClass) {
        Variable made;
        made.name = "x";
        made.type = &type;
        made.location = std::move(location);
        made.addressClass = addressClass;
        return made;
    }
    /// DW_OP_regx of "%f1" and "%rd1".
    static Bytes inF1() { return {0x90, 0xb1, 0xcc, 0x95, 0x01}; }
    static Bytes inRd1() { return {0x90, 0xb1, 0xc8, 0xc9, 0xab, 0x02}; }
    static Bytes atAddress(std::uint64_t address) {
        Bytes location{0x03};
        append(location, address);
        return location;
    }

    const Type float_{Type::Kind::floating, "float", 4, 0, nullptr, {}, {}};
    StoppedWarp link_;
    StoppedThread thread_{link_, kWarpThread};
    Memory memory_{link_};
    WorkItems items_;
    ValueHistory history_;
    SourceText source_;
    LocationCheck locations_{source_};
    Module module_{1, {}, cubinImage(registerSection())};
    Frame frame_;
    std::unique_ptr<Inspector> inspector_;
};

TEST_F(CudaVariables, AreInRegistersThatChange) {
    link_.words = {{{kGeneralSet, 3}, 0x40490fdb}, {{kGeneralSet, 4}, 0x3f800000}};
    const auto f1 = variable(float_, inF1(), 2);
    EXPECT_EQ(textOf(read(f1, 0x10)), "3.1415927");
    EXPECT_EQ(textOf(read(f1, 0x60)), "1");
    EXPECT_EQ(read(f1, 0xb0).missing, "not available here: no register holds it");
}

TEST_F(CudaVariables, MayTakeTwoRegisters) {
    link_.words = {{{kGeneralSet, 16}, 0x89abcdef}, {{kGeneralSet, 2}, 0x01234567}};
    const auto rd1 = variable(types::kUnsigned, inRd1(), 2);
    EXPECT_EQ(bitsOf(read(rd1, 0x40).data, 0, 64), 0x0123456789abcdefu);
    EXPECT_NE(read(rd1, 0x28).missing, "") << "its upper half is nowhere yet";
}

TEST_F(CudaVariables, OfRegistersCanBeWritten) {
    auto& at = inspector(0x40);
    at.assign(at.read(variable(types::kUnsigned, inRd1(), 2)), valueOf(Scalar(std::uint64_t{0x1111222233334444})));
    EXPECT_EQ((link_.words[{kGeneralSet, 16}]), 0x33334444u);
    EXPECT_EQ((link_.words[{kGeneralSet, 2}]), 0x11112222u);
    at.assign(evaluateExpression("$R7", at), valueOf(Scalar(std::uint64_t{9})));
    EXPECT_EQ((link_.words[{kGeneralSet, 7}]), 9u);
    EXPECT_THROW(evaluateExpression("$R7x", at), Failure);
}

TEST_F(CudaVariables, AreInTheMemoryThatTheirClassNames) {
    const auto word = [](std::uint32_t value) {
        Bytes bytes;
        append(bytes, value);
        return bytes;
    };
    link_.words = {{{kGeneralSet, 1}, 0xfff000}};
    link_.memory = {{{ZETL_DEBUG_MEMORY_SPACE_PARAMETERS, 0x210}, word(1)},
                    {{ZETL_DEBUG_MEMORY_SPACE_PRIVATE, ZETL_PRIVATE_ADDRESS(kWarpLane, 0xfff008)}, word(2)},
                    {{ZET_DEBUG_MEMORY_SPACE_TYPE_SLM, 0x10000400}, word(3)},
                    {{ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, 0x7f0000200000}, word(4)}};
    const auto value = [&](Bytes location, std::uint64_t space) {
        return textOf(read(variable(types::kWord, std::move(location), space), 0x10));
    };
    EXPECT_EQ(value(atAddress(0x210), 7), "1") << "an argument";
    const Bytes onStack{0x91, 0x60, 0x96, 0x96, 0x96, 0x96, 0x96, 0x96, 0x96, 0x23, 0x08};
    EXPECT_EQ(value(onStack, 6), "2") << "fbreg -32 + 8, from R1 + 32 on";
    EXPECT_EQ(value(atAddress(0x400), 8), "3") << "of the group";
    EXPECT_EQ(value(atAddress(0x7f0000200000), 5), "4");
    auto& at = inspector(0x10);
    at.assign(at.read(variable(types::kWord, onStack, 6)), valueOf(Scalar(std::uint64_t{5})));
    EXPECT_EQ(value(onStack, 6), "5");
}

TEST_F(CudaVariables, HaveMembersWhereExpressionsSay) {
    const auto* const pair = module_.debug().typeNamed("Pair");
    ASSERT_TRUE(pair);
    Bytes both;
    append(both, std::uint32_t{3});
    append(both, std::uint32_t{4});
    const std::pair place{ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, std::uint64_t{0x7f0000200000}};
    link_.memory[place] = both;
    link_.memory[{place.first, place.second + 4}] = Bytes(both.begin() + 4, both.end());
    const auto& at = inspector(0x10);
    const auto value = at.read(variable(*pair, atAddress(place.second), 5));
    EXPECT_EQ(textOf(at.member(value, "first")), "3");
    EXPECT_EQ(textOf(at.member(value, "second")), "4");
}

TEST_F(CudaVariables, OutsideFunctionsHaveNames) {
    Bytes word;
    append(word, std::uint32_t{41});
    link_.memory[{ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, kCounterAt}] = word;
    auto& at = inspector(0x10);
    EXPECT_EQ(textOf(evaluateExpression("counter + 1", at)), "42");
    at.assign(at.named("counter"), valueOf(Scalar(std::uint64_t{7})));
    EXPECT_EQ(textOf(at.named("counter")), "7");
    link_.memory[{ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, kPlacedAt}] = word;
    EXPECT_EQ(textOf(at.named("placed")), "41") << "where its symbol is";
    EXPECT_EQ(at.named("dropped").missing, "optimised away");
    EXPECT_NE(at.named("factor").missing.find("constant memory"), std::string::npos);
    EXPECT_THROW(at.named("absent"), Failure);
}

TEST_F(CudaVariables, SayWhyTheyCannotBeRead) {
    const auto problem = [&](Bytes location, std::uint64_t space, std::uint64_t offset = 0x10) {
        return read(variable(types::kWord, std::move(location), space), offset).missing;
    };
    EXPECT_EQ(problem({}, 2), "optimised away");
    EXPECT_EQ(problem({0x90}, 2), "debug data end in the middle of an item");
    EXPECT_EQ(problem({0x90, 0x05}, 2), "the compiler does not say where it is");
    EXPECT_EQ(problem({0x90, 0xb1, 0xe0, 0x95, 0x01}, 2), "not available here: no register holds it") << "%p1";
    EXPECT_EQ(problem({0x9c}, 0), "its location is not one of NVIDIA's compiler");
    EXPECT_EQ(problem({0x91, 0x60, 0x1c}, 6), "its location is not one of NVIDIA's compiler");
    EXPECT_EQ(problem({0x91, 0x60}, 6, 0x1000), "its frame is not described");
    EXPECT_EQ(problem(atAddress(1), 9), "it lies in a memory that zetl does not know");
    EXPECT_EQ(problem(atAddress(0x210), 7), "cannot read memory at 0x210: no allocation is there; check the pointer");
}

TEST(SassRegisters, StopAtDamage) {
    const auto whole = registerSection();
    EXPECT_EQ(SassRegisters(whole).at("_Z5scalef", "%f1", 0), std::vector{3u});
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
        const SassRegisters registers(std::span<const std::uint8_t>(whole).first(bytes));
        EXPECT_LE(registers.at("_Z5scalef", "%f1", 0).size(), 1u);
    }
    EXPECT_TRUE(SassRegisters(whole).at("_Z5other", "%f1", 0).empty());
    EXPECT_TRUE(SassRegisters(whole).at("_Z5scalef", "%f1", UINT64_MAX).empty());
    EXPECT_EQ(SassRegisters::nameOf(0x25723132), "%r12");
    EXPECT_EQ(SassRegisters::nameOf(5), "");
    EXPECT_EQ(SassRegisters::nameOf(0), "");
}

}  // namespace
}  // namespace zetl::debugger
