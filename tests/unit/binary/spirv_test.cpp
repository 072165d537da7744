#include "binary/spirv.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <initializer_list>

#include "compiler/process.h"
#include "module/compiled.h"

namespace zetl::emulator::module {
namespace {

using namespace zetl::binary;

using Word = std::uint32_t;

/// A kernel `k` that stores the constant with SpecId 7 (42 unless set); written by hand because OpenCL C has no such
/// constants.
std::vector<Word> storeConstant() {
    std::vector<Word> words{kSpirvMagic, 0x00010000, 0, 20, 0};
    const auto add = [&](Word opcode, std::initializer_list<Word> operands) {
        words.push_back(static_cast<Word>(operands.size() + 1) << 16 | opcode);
        words.insert(words.end(), operands);
    };
    enum Id : Word {
        kVoid = 1,
        kUint,
        kPointer,
        kSignature,
        kConstant,
        kKernel,
        kParameter,
        kLabel,
        kBool,
        kFlag,
        kLong,
        kWide
    };
    add(17, {4});                      // capability Addresses
    add(17, {6});                      // capability Kernel
    add(17, {11});                     // capability Int64
    add(14, {2, 2});                   // memory model: 64 bits, OpenCL
    add(15, {6, kKernel, Word{'k'}});  // entry point
    add(71, {kConstant, 1, 7});        // SpecId 7
    add(71, {kFlag, 1, 8});            // SpecId 8
    add(71, {kWide, 1, 9});            // SpecId 9
    add(19, {kVoid});
    add(20, {kBool});
    add(21, {kUint, 32, 0});
    add(21, {kLong, 64, 0});
    add(32, {kPointer, 5, kUint});
    add(33, {kSignature, kVoid, kPointer});
    add(50, {kUint, kConstant, 42});
    add(48, {kBool, kFlag});
    add(50, {kLong, kWide, 1, 2});
    add(54, {kVoid, kKernel, 0, kSignature});
    add(55, {kPointer, kParameter});
    add(248, {kLabel});
    add(62, {kParameter, kConstant, 2, 4});
    add(253, {});
    add(56, {});
    return words;
}

binary::Bytes bytesOf(const std::vector<Word>& words) {
    binary::Bytes bytes(words.size() * sizeof(Word));
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
}

TEST(Spirv, ReadsDeclarations) {
    const auto module = readSpirv(bytesOf(storeConstant()));
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ(module->entryPoints, std::vector<std::string>{"k"});
    EXPECT_EQ(module->capabilities, (std::vector<Word>{4, 6, 11}));
    ASSERT_EQ(module->specConstants.size(), 3u);
    EXPECT_EQ(module->specConstants[0].id, 7u);
    EXPECT_EQ(module->specConstants[0].bytes, 4u);
    EXPECT_EQ(module->specConstants[0].defaultValue, 42u);
    EXPECT_TRUE(module->specConstants[1].boolean);
    EXPECT_EQ(module->specConstants[2].defaultValue, 0x200000001u);
}

TEST(Spirv, ReadsBothByteOrders) {
    std::vector<Word> words = storeConstant();
    for (Word& word : words) word = __builtin_bswap32(word);
    const auto module = readSpirv(bytesOf(words));
    ASSERT_TRUE(module);
    EXPECT_EQ(module->words, storeConstant());
}

TEST(Spirv, ReadsLinkage) {
    const auto module = readSpirv(
        readCompiled("int f(int); int g(int x) { return f(x); }\nkernel void k(global int* o) { o[0] = g(o[1]); }")
            ->spirv);
    ASSERT_TRUE(module);
    EXPECT_EQ(module->imports, std::vector<std::string>{"f"});
    EXPECT_EQ(module->exports, (std::vector<std::string>{"g", "k"})) << "this front end exports kernels too";
}

TEST(Spirv, SpecializeChangesDefaults) {
    const auto module = readSpirv(bytesOf(storeConstant()));
    const SpecValue values[] = {{7, {0x78, 0x56, 0x34, 0x12}}, {8, {0}}, {9, {1, 2, 3, 4, 5, 6, 7, 8}}, {1234, {0}}};
    const auto bytes = specialize(*module, values);
    ASSERT_TRUE(bytes);
    const auto changed = readSpirv(*bytes);
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->specConstants[0].defaultValue, 0x12345678u);
    EXPECT_EQ(changed->specConstants[1].defaultValue, 0u);
    EXPECT_EQ(changed->specConstants[2].defaultValue, 0x0807060504030201u);
    const SpecValue wrong[] = {{7, {1, 2}}};
    const auto refused = specialize(*module, wrong);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, binary::Cause::badArgument);
}

bool containsWord(const binary::Bytes& bytes, Word word) {
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4)
        if (std::memcmp(&bytes[at], &word, 4) == 0) return true;
    return false;
}

TEST(Spirv, SpecializedValueReachesTheCode) {
    const binary::Bytes source = bytesOf(storeConstant());
    const SpecValue values[] = {{7, {0x78, 0x56, 0x34, 0x12}}};
    const CompileResult plain = compile({.source = source, .buildFlags = "", .constants = {}});
    const CompileResult changed = compile({.source = source, .buildFlags = "", .constants = values});
    ASSERT_TRUE(plain) << plain.log;
    ASSERT_TRUE(changed) << changed.log;
    EXPECT_FALSE(containsWord((*binary::readNative(plain.binary))->code.at(0).bytes, 0x12345678));
    EXPECT_TRUE(containsWord((*binary::readNative(changed.binary))->code.at(0).bytes, 0x12345678));
}

// Built by a compiler from before the extension, they would be halves.
TEST(Spirv, Bfloat16IsRefusedWhereTheCompilerOverlooksIt) {
    const std::string compiler = compiler::run({.library = "libocloc.so"}).compiler;
    if (compiler.find(", version 22.") == std::string::npos) GTEST_SKIP() << compiler << " knows bfloat16";
    constexpr std::size_t kHeaderWords = 5;
    std::vector<Word> words = storeConstant();
    words.insert(words.begin() + kHeaderWords, {2 << 16 | 17, 5116});  // capability BFloat16TypeKHR
    const binary::Bytes source = bytesOf(words);
    const binary::Bytes other = readCompiled(kVectorAdd)->spirv;
    const ProgramPart parts[] = {{source, "", {}}, {other, "", {}}};
    for (const CompileResult& result :
         {compile({.source = source, .buildFlags = "", .constants = {}}), compileProgram(parts)}) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.outcome.error().cause, binary::Cause::buildFailed);
        EXPECT_NE(result.log.find("bfloat16"), std::string::npos) << result.log;
    }
}

TEST(DamagedSpirv, IsRefused) {
    const binary::Bytes whole = bytesOf(storeConstant());
    EXPECT_FALSE(readSpirv({}));
    EXPECT_FALSE(readSpirv(std::span(whole).first(16)));
    EXPECT_FALSE(readSpirv(std::span(whole).first(whole.size() - 2)));
    binary::Bytes magic = whole;
    magic[0] = 0;
    EXPECT_FALSE(readSpirv(magic));
    binary::Bytes zeroLength = whole;
    std::memset(&zeroLength[20], 0, 4);
    EXPECT_FALSE(readSpirv(zeroLength));
    binary::Bytes longInstruction = whole;
    longInstruction[23] = 0xff;
    EXPECT_FALSE(readSpirv(longInstruction));
    for (std::size_t at = 0; at < whole.size(); ++at) {
        binary::Bytes damaged = whole;
        damaged[at] ^= 0xff;
        const auto module = readSpirv(damaged);
        EXPECT_TRUE(module || module.error().cause == binary::Cause::damaged) << at;
    }
}

}  // namespace
}  // namespace zetl::emulator::module
