#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.h"
#include "binary/native_binary.h"
#include "binary/spirv.h"
#include "binary/spirv_builtins.h"
#include "binary/spirv_local_pointers.h"
#include "binary/spirv_logic.h"
#include "binary/spirv_merging_loads.h"
#include "binary/spirv_pointers.h"
#include "binary/ze_info_local_pointers.h"
#include "emulator/module/compiler.h"

namespace zetl::emulator::module::rewrites_test {
namespace {

namespace fs = std::filesystem;
using binary::Bytes;
using Word = std::uint32_t;

enum Opcode : Word {
    kName = 5,
    kLoad = 61,
    kStore = 62,
    kAccessChain = 65,
    kInBoundsPtrAccessChain = 70,
    kExtract = 81,
    kBitcast = 124
};
enum Id : Word {
    kVoid = 1,
    kUint,
    kLong,
    kVector,
    kToVector,
    kToLong,
    kToGlobal,
    kSignature,
    kZero,
    kOne,
    kFour,
    kGlobalId,
    kKernel,
    kOut,
    kLabel,
    kByte,
    kToByte,
    kSixteen,
    kSeven,
    kBool,
    kBody,
    kBound = 40
};

struct Writer {
    std::vector<Word> words{binary::kSpirvMagic, 0x00010000, 0, kBound, 0};
    void add(Word opcode, std::initializer_list<Word> operands) {
        words.push_back(static_cast<Word>(operands.size() + 1) << 16 | opcode);
        words.insert(words.end(), operands);
    }
    Bytes bytes() const {
        Bytes made(words.size() * sizeof(Word));
        std::memcpy(made.data(), words.data(), made.size());
        return made;
    }
};

/// A kernel `k` of a pointer to longs in global memory, and the built-in variable of the global id.
Bytes kernelOf(const std::function<void(Writer&)>& body) {
    Writer out;
    out.add(17, {4});   // capability Addresses
    out.add(17, {5});   // capability Linkage
    out.add(17, {6});   // capability Kernel
    out.add(17, {11});  // capability Int64
    out.add(17, {39});  // capability Int8
    out.add(14, {2, 2});
    out.add(15, {6, kKernel, Word{'k'}, kGlobalId});
    out.add(kName, {kBody, Word{'p'}});
    out.add(71, {kGlobalId, 41, Word{'g'}, 1});  // import linkage
    out.add(71, {kGlobalId, 22});                // Constant
    out.add(71, {kGlobalId, 11, 28});            // BuiltIn GlobalInvocationId
    out.add(19, {kVoid});
    out.add(20, {kBool});
    out.add(21, {kUint, 32, 0});
    out.add(21, {kLong, 64, 0});
    out.add(21, {kByte, 8, 0});
    out.add(23, {kVector, kLong, 3});
    out.add(32, {kToByte, 1, kByte});
    out.add(32, {kToVector, 1, kVector});
    out.add(32, {kToLong, 1, kLong});
    out.add(32, {kToGlobal, 5, kLong});
    out.add(33, {kSignature, kVoid, kToGlobal});
    out.add(43, {kUint, kZero, 0});
    out.add(43, {kUint, kOne, 1});
    out.add(43, {kUint, kFour, 4});
    out.add(43, {kLong, kSixteen, 16, 0});
    out.add(43, {kLong, kSeven, 7, 0});
    out.add(59, {kToVector, kGlobalId, 1});
    out.add(54, {kVoid, kKernel, 0, kSignature});
    out.add(55, {kToGlobal, kOut});
    out.add(248, {kLabel});
    body(out);
    out.add(253, {});
    out.add(56, {});
    return out.bytes();
}

/// The instructions with that opcode, each without its first word.
std::vector<std::vector<Word>> all(const Bytes& bytes, Word opcode) {
    std::vector<Word> words(bytes.size() / sizeof(Word));
    std::memcpy(words.data(), bytes.data(), bytes.size());
    std::vector<std::vector<Word>> found;
    for (std::size_t at = 5; at < words.size(); at += words[at] >> 16)
        if ((words[at] & 0xffff) == opcode)
            found.emplace_back(words.begin() + at + 1, words.begin() + at + (words[at] >> 16));
    return found;
}

void readElements(Writer& out) {
    out.add(kInBoundsPtrAccessChain, {kToLong, kBody, kGlobalId, kZero, kZero});
    out.add(kLoad, {kLong, kBody + 1, kBody, 2, 8});
    out.add(kAccessChain, {kToLong, kBody + 2, kGlobalId, kOne});
    out.add(kLoad, {kLong, kBody + 3, kBody + 2});
    out.add(128, {kLong, kBody + 4, kBody + 1, kBody + 3});  // sum
    out.add(kStore, {kOut, kBody + 4, 2, 8});
}

/// As the same front ends do where they count bytes.
void readBytes(Writer& out) {
    out.add(kBitcast, {kToByte, kBody, kGlobalId});
    out.add(kInBoundsPtrAccessChain, {kToByte, kBody + 1, kBody, kSixteen});
    out.add(kBitcast, {kToLong, kBody + 2, kBody + 1});
    out.add(kLoad, {kLong, kBody + 3, kBody + 2, 2, 16});
    out.add(kBitcast, {kToLong, kBody + 4, kGlobalId});
    out.add(kLoad, {kLong, kBody + 5, kBody + 4});
    out.add(128, {kLong, kBody + 6, kBody + 3, kBody + 5});  // sum
    out.add(kStore, {kOut, kBody + 6, 2, 8});
}

TEST(SpirvBuiltins, BytesInsideAreElements) {
    const Bytes after = binary::withBuiltinsReadWhole(kernelOf(readBytes));
    EXPECT_TRUE(all(after, kInBoundsPtrAccessChain).empty());
    EXPECT_TRUE(all(after, kBitcast).empty());
    EXPECT_EQ(all(after, kExtract),
              (std::vector<std::vector<Word>>{{kLong, kBody + 3, kBound, 2}, {kLong, kBody + 5, kBound + 1, 0}}));
}

TEST(SpirvBuiltins, ElementsAreTakenOutOfWholeVectors) {
    const Bytes after = binary::withBuiltinsReadWhole(kernelOf(readElements));
    EXPECT_TRUE(all(after, kInBoundsPtrAccessChain).empty());
    EXPECT_TRUE(all(after, kAccessChain).empty());
    EXPECT_TRUE(all(after, kName).empty()) << "of a pointer that is gone";
    EXPECT_EQ(all(after, kLoad),
              (std::vector<std::vector<Word>>{{kVector, kBound, kGlobalId}, {kVector, kBound + 1, kGlobalId}}));
    EXPECT_EQ(all(after, kExtract),
              (std::vector<std::vector<Word>>{{kLong, kBody + 1, kBound, 0}, {kLong, kBody + 3, kBound + 1, 1}}));
    ASSERT_TRUE(binary::readSpirv(after));
}

// Compiler 22.43 ended by a segmentation fault.
TEST(SpirvBuiltins, CompilersBuildThem) {
    for (const auto& body : {readElements, readBytes}) {
        const Bytes spirv = kernelOf(body);
        const CompileResult result = compile({.source = spirv, .buildFlags = "", .constants = {}});
        EXPECT_TRUE(result) << result.log;
    }
}

TEST(SpirvBuiltins, WhatIsNoSuchReadStays) {
    const auto stays = [](const std::function<void(Writer&)>& body) {
        const Bytes before = kernelOf(body);
        EXPECT_EQ(binary::withBuiltinsReadWhole(before), before);
    };
    stays([](Writer&) {});
    stays([](Writer& out) {  // beyond the vector
        out.add(kAccessChain, {kToLong, kBody, kGlobalId, kFour});
        out.add(kLoad, {kLong, kBody + 1, kBody});
    });
    stays([](Writer& out) {  // of another vector than the first behind the pointer
        out.add(kInBoundsPtrAccessChain, {kToLong, kBody, kGlobalId, kOne, kZero});
        out.add(kLoad, {kLong, kBody + 1, kBody});
    });
    stays([](Writer& out) {  // through a pointer that is no built-in variable
        out.add(kInBoundsPtrAccessChain, {kToLong, kBody, kOut, kZero, kOne});
        out.add(kLoad, {kLong, kBody + 1, kBody});
    });
    stays([](Writer& out) {  // across elements
        out.add(kBitcast, {kToByte, kBody, kGlobalId});
        out.add(kInBoundsPtrAccessChain, {kToByte, kBody + 1, kBody, kSeven});
        out.add(kBitcast, {kToLong, kBody + 2, kBody + 1});
        out.add(kLoad, {kLong, kBody + 3, kBody + 2});
    });
    stays([](Writer& out) {  // volatile
        out.add(kAccessChain, {kToLong, kBody, kGlobalId, kOne});
        out.add(kLoad, {kLong, kBody + 1, kBody, 1});
    });
    stays([](Writer& out) {  // of another type
        out.add(kAccessChain, {kToLong, kBody, kGlobalId, kOne});
        out.add(kLoad, {kUint, kBody + 1, kBody});
    });
}

TEST(SpirvBuiltins, PointersThatHaveOtherUsesStay) {
    const Bytes after = binary::withBuiltinsReadWhole(kernelOf([](Writer& out) {
        out.add(kAccessChain, {kToLong, kBody, kGlobalId, kOne});
        out.add(kLoad, {kLong, kBody + 1, kBody});
        out.add(117, {kLong, kBody + 2, kBody});  // to an integer
    }));
    EXPECT_EQ(all(after, kAccessChain).size(), 1u);
    EXPECT_EQ(all(after, kName).size(), 1u);
    EXPECT_EQ(all(after, kExtract).size(), 1u);

    const Bytes derived = binary::withBuiltinsReadWhole(kernelOf([](Writer& out) {
        out.add(kBitcast, {kToByte, kBody, kGlobalId});
        out.add(kInBoundsPtrAccessChain, {kToByte, kBody + 1, kBody, kSixteen});
        out.add(117, {kLong, kBody + 2, kBody + 1});
    }));
    EXPECT_EQ(all(derived, kBitcast).size(), 1u) << "what a used pointer is made of";
}

/// Of a comparison of two numbers.
void negate(Writer& out) {
    out.add(61, {kLong, kBody, kOut, 2, 8});
    out.add(170, {kBool, kBody + 1, kBody, kSixteen});              // equal
    out.add(168, {kBool, kBody + 2, kBody + 1});                    // not
    out.add(169, {kLong, kBody + 3, kBody + 2, kSixteen, kSeven});  // select
    out.add(kStore, {kOut, kBody + 3, 2, 8});
}

// Compiler 22.43 ended its process without a word.
TEST(SpirvLogic, NotIsAComparisonWithFalse) {
    const Bytes spirv = kernelOf(negate);
    const Bytes after = binary::withoutLogicalNot(spirv);
    EXPECT_TRUE(all(after, 168).empty());
    EXPECT_EQ(all(after, 42), (std::vector<std::vector<Word>>{{kBool, kBound}}));
    EXPECT_EQ(all(after, 164), (std::vector<std::vector<Word>>{{kBool, kBody + 2, kBody + 1, kBound}}));
    const CompileResult result = compile({.source = spirv, .buildFlags = "", .constants = {}});
    EXPECT_TRUE(result) << result.log;
    const Bytes without = kernelOf(readElements);
    EXPECT_EQ(binary::withoutLogicalNot(without), without);
}

enum PointerInstruction : Word { kEqual = 401, kNotEqual = 402, kDifference = 403 };

/// Compares and subtracts two pointers of the kernel's.
void comparePointers(Writer& out) {
    out.add(67, {kToGlobal, kBody, kOut, kFour});  // the fourth behind
    out.add(kEqual, {kBool, kBody + 1, kBody, kOut});
    out.add(169, {kLong, kBody + 2, kBody + 1, kSixteen, kSeven});  // select
    out.add(kNotEqual, {kBool, kBody + 3, kBody, kOut});
    out.add(169, {kLong, kBody + 4, kBody + 3, kBody + 2, kSeven});
    out.add(kDifference, {kLong, kBody + 5, kBody, kOut});
    out.add(128, {kLong, kBody + 6, kBody + 4, kBody + 5});  // sum
    out.add(kDifference, {kUint, kBody + 7, kBody, kOut});
    out.add(113, {kLong, kBody + 8, kBody + 7});  // to a long
    out.add(128, {kLong, kBody + 9, kBody + 6, kBody + 8});
    out.add(kStore, {kOut, kBody + 9, 2, 8});
}

// Compiler 22.43 does not know these instructions of SPIR-V 1.4.
TEST(SpirvPointers, AreComparedAndSubtractedAsIntegers) {
    const Bytes spirv = kernelOf(comparePointers);
    const Bytes after = binary::withPointersAsIntegers(spirv);
    for (const Word opcode : {kEqual, kNotEqual, kDifference}) EXPECT_TRUE(all(after, opcode).empty());
    EXPECT_EQ(all(after, 117).size(), 8u);  // two of each
    ASSERT_EQ(all(after, 170).size(), 1u);
    EXPECT_EQ(all(after, 170)[0][1], Word{kBody + 1});
    ASSERT_EQ(all(after, 171).size(), 1u);
    EXPECT_EQ(all(after, 171)[0][1], Word{kBody + 3});
    EXPECT_EQ(all(after, 43).back(), (std::vector<Word>{kLong, kBound, 8, 0})) << "the size of a long";
    ASSERT_EQ(all(after, 135).size(), 2u);
    EXPECT_EQ(all(after, 135)[0][1], Word{kBody + 5});
    ASSERT_EQ(all(after, 114).size(), 1u) << "to as many bits as were asked for";
    EXPECT_EQ(all(after, 114)[0][1], Word{kBody + 7});
    ASSERT_TRUE(binary::readSpirv(after));
    const CompileResult result = compile({.source = spirv, .buildFlags = "", .constants = {}});
    EXPECT_TRUE(result) << result.log;
}

TEST(SpirvPointers, ModulesWithoutThemStay) {
    const Bytes without = kernelOf(negate);
    EXPECT_EQ(binary::withPointersAsIntegers(without), without);
}

/// A difference of two pointers to a type, which `declare` makes the last id but one of.
Bytes differenceOf(const std::function<void(Writer&)>& declare) {
    constexpr Word kPointee = kBound - 2;
    constexpr Word kPointer = kBound - 1;
    Writer out;
    out.add(17, {6});
    out.add(21, {kUint, 32, 0});
    out.add(21, {kByte, 8, 0});
    out.add(43, {kUint, kFour, 4});
    declare(out);
    out.add(32, {kPointer, 5, kPointee});
    out.add(33, {kSignature, kUint, kPointer, kPointer});
    out.add(54, {kUint, kKernel, 0, kSignature});
    out.add(55, {kPointer, kOut});
    out.add(55, {kPointer, kBody});
    out.add(248, {kLabel});
    out.add(kDifference, {kUint, kBody + 1, kOut, kBody});
    out.add(254, {kBody + 1});
    out.add(56, {});
    return out.bytes();
}

TEST(SpirvPointers, DifferencesAreDividedByTheSizeInMemory) {
    constexpr Word kPointee = kBound - 2;
    const auto size = [](const std::function<void(Writer&)>& declare) {
        const Bytes after = binary::withPointersAsIntegers(differenceOf(declare));
        EXPECT_EQ(all(after, 17).front(), std::vector<Word>{11}) << "the module had no integers of 64 bits";
        EXPECT_TRUE(all(after, kDifference).empty());
        return all(after, 43).back().at(2);
    };
    EXPECT_EQ(size([](Writer& out) { out.add(21, {kPointee, 16, 0}); }), 2u);
    EXPECT_EQ(size([](Writer& out) { out.add(23, {kPointee, kUint, 3}); }), 16u) << "three are as long as four";
    EXPECT_EQ(size([](Writer& out) { out.add(28, {kPointee, kUint, kFour}); }), 16u) << "an array";
    EXPECT_EQ(size([](Writer& out) { out.add(30, {kPointee, kByte, kUint, kByte}); }), 12u) << "a struct";
    EXPECT_EQ(size([](Writer& out) {
                  out.add(71, {kPointee, 10});  // CPacked
                  out.add(30, {kPointee, kByte, kUint, kByte});
              }),
              6u);
    const Bytes opaque = binary::withPointersAsIntegers(differenceOf([](Writer& out) {
        out.add(31, {kPointee, 'o'});
    }));
    EXPECT_EQ(all(opaque, kDifference).size(), 1u);
}

TEST(Spirv, AddressesOf32BitsAreAFailedBuild) {
    Bytes spirv = kernelOf(negate);
    const std::array<Word, 3> model{3u << 16 | 14, 2, 2};
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(model.data());
    const auto found = std::search(spirv.begin(), spirv.end(), bytes, bytes + sizeof model);
    ASSERT_NE(found, spirv.end());
    found[4] = 1;
    const CompileResult result = compile({.source = spirv, .buildFlags = "", .constants = {}});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.outcome.error().cause, binary::Cause::buildFailed);
    EXPECT_NE(result.log.find("Physical32"), std::string::npos) << result.log;
}

/// Vector code that stores in local memory, which is its second argument.
Bytes storeInLocalMemory() {
    constexpr Word kVectorCompute = 5617;
    constexpr Word kVectorFunction = 5626;
    constexpr Word kLocalBytes = 5618;
    Writer out;
    for (const Word capability : {4u, 5u, 6u, 11u, kVectorCompute}) out.add(17, {capability});
    // "SPV_INTEL_vector_compute"
    out.add(10, {0x5f565053, 0x45544e49, 0x65765f4c, 0x726f7463, 0x6d6f635f, 0x65747570, 0});
    out.add(14, {2, 2});
    out.add(15, {6, kKernel, Word{'k'}});
    out.add(16, {kKernel, 35, 1});  // one work-item a sub-group
    out.add(16, {kKernel, kLocalBytes, 0});
    out.add(71, {kKernel, kVectorFunction});
    out.add(19, {kVoid});
    out.add(21, {kUint, 32, 0});
    out.add(32, {kToGlobal, 5, kUint});
    out.add(32, {kToLong, 4, kUint});
    out.add(33, {kSignature, kVoid, kToGlobal, kToLong});
    out.add(43, {kUint, kSeven, 7});
    out.add(54, {kVoid, kKernel, 0, kSignature});
    out.add(55, {kToGlobal, kOut});
    out.add(55, {kToLong, kBody});
    out.add(248, {kLabel});
    out.add(kStore, {kBody, kSeven, 3, 4});
    out.add(kLoad, {kUint, kBody + 1, kBody, 3, 4});
    out.add(kStore, {kOut, kBody + 1, 2, 4});
    out.add(253, {});
    out.add(56, {});
    return out.bytes();
}

// To compiler 22.43 the second was a value, and the launch had no local memory.
TEST(SpirvLocalPointers, AreArgumentsOfVectorCode) {
    const Bytes spirv = storeInLocalMemory();
    const auto found = binary::localPointerArguments(spirv);
    EXPECT_EQ(found, (std::map<std::string, std::set<std::uint32_t>>{{"k", {1}}}));
    EXPECT_TRUE(binary::localPointerArguments(kernelOf(negate)).empty());
    EXPECT_TRUE(binary::localPointerArguments({}).empty());
    const CompileResult result = compile({.source = spirv, .buildFlags = "-vc-codegen", .constants = {}});
    ASSERT_TRUE(result) << result.log;
    const auto image = binary::readNative(result.binary);
    ASSERT_TRUE(image) << image.error().message;
    const binary::KernelImage& kernel = (*image)->kernels.at(0);
    ASSERT_EQ(kernel.arguments.size(), 2u);
    EXPECT_EQ(kernel.arguments[1].kind, binary::KernelArgument::Kind::localPointer);
    EXPECT_EQ(kernel.arguments[1].space, binary::AddressSpace::local);
    const auto piece = std::ranges::find(kernel.payload, 1u, &binary::PayloadArgument::argument);
    ASSERT_NE(piece, kernel.payload.end());
    EXPECT_EQ(piece->kind, binary::PayloadKind::localPointer);
    EXPECT_EQ(binary::withLocalPointers(result.binary, found), result.binary) << "once is enough";
}

TEST(SpirvLocalPointers, OtherDescriptionsStay) {
    constexpr std::string_view kSource =
        "kernel void other(long v, global long* o) { *o = v; } kernel void k(long v, int i, global long* o) { *o = v + "
        "i; }";
    const CompileResult built =
        compile({.language = CompileRequest::Language::openclC,
                 .source = {reinterpret_cast<const std::uint8_t*>(kSource.data()), kSource.size()},
                 .buildFlags = "",
                 .constants = {}});
    ASSERT_TRUE(built) << built.log;
    for (const auto& arguments : {std::map<std::string, std::set<std::uint32_t>>{}, {{"k", {1, 2}}}, {{"nobody", {0}}}})
        EXPECT_EQ(binary::withLocalPointers(built.binary, arguments), built.binary);
    const auto image = binary::readNative(binary::withLocalPointers(built.binary, {{"k", {0}}}));
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ((*image)->kernel("k")->arguments[0].kind, binary::KernelArgument::Kind::localPointer);
    EXPECT_EQ((*image)->kernel("k")->arguments[1].kind, binary::KernelArgument::Kind::value);
    EXPECT_EQ((*image)->kernel("other")->arguments[0].kind, binary::KernelArgument::Kind::value);
    for (std::size_t size = 0; size < built.binary.size(); size += 7) {
        const Bytes cut(built.binary.begin(), built.binary.begin() + size);
        EXPECT_EQ(binary::withLocalPointers(cut, {{"nobody", {0}}}), cut);
        (void)binary::withLocalPointers(cut, {{"k", {0}}});
    }
}

enum Load : Word { kLoadType = kBody + 1, kFunctionOfVectorCode, kNothing, kAddress, kFormer, kResult };

/// A call of the function of that name, with an address and what to merge into.
Bytes loadOf(std::string_view name, Word former) {
    std::vector<Word> literal(name.size() / sizeof(Word) + 1);
    std::memcpy(literal.data(), name.data(), name.size());
    Writer out;
    std::vector<Word> decoration{kFunctionOfVectorCode, 41};
    decoration.insert(decoration.end(), literal.begin(), literal.end());
    decoration.push_back(1);  // import
    out.words.push_back(static_cast<Word>(decoration.size() + 1) << 16 | 71);
    out.words.insert(out.words.end(), decoration.begin(), decoration.end());
    out.add(21, {kLong, 64, 0});
    out.add(33, {kLoadType, kLong, kLong, kLong});
    out.add(1, {kLong, kNothing});
    out.add(54, {kLong, kFunctionOfVectorCode, 0, kLoadType});
    out.add(55, {kLong, kBody});
    out.add(55, {kLong, kZero});
    out.add(56, {});
    out.add(54, {kLong, kKernel, 0, kLoadType});
    out.add(57, {kLong, kResult, kFunctionOfVectorCode, kAddress, former});
    out.add(56, {});
    return out.bytes();
}

// Of the merging ones compiler 22.43 makes instructions without lanes.
TEST(SpirvMergingLoads, ThoseThatMergeIntoNothingArePlain) {
    const Bytes after = binary::withPlainLoads(loadOf("llvm.genx.lsc.load.merge.slm.v16i64", kNothing));
    EXPECT_EQ(all(after, 57), (std::vector<std::vector<Word>>{{kLong, kResult, kFunctionOfVectorCode, kAddress}}));
    EXPECT_EQ(all(after, 33).back(), (std::vector<Word>{kBound, kLong, kLong}));
    EXPECT_EQ(all(after, 54).front(), (std::vector<Word>{kLong, kFunctionOfVectorCode, 0, kBound}));
    EXPECT_EQ(all(after, 55).size(), 1u);
    std::vector<Word> linkage = all(after, 71).at(0);
    const std::string name(reinterpret_cast<const char*>(&linkage.at(2)));
    EXPECT_EQ(name, "llvm.genx.lsc.load.slm.v16i64");
    EXPECT_EQ(linkage.back(), 1u);
    ASSERT_TRUE(binary::readSpirv(after));
}

TEST(SpirvMergingLoads, OthersStay) {
    for (const Bytes& each : {loadOf("llvm.genx.lsc.load.merge.slm.v16i64", kFormer),
                              loadOf("llvm.genx.lsc.load.slm.v16i64", kNothing), loadOf("merge.slm", kNothing)})
        EXPECT_EQ(binary::withPlainLoads(each), each);
}

/// Builds by a compiler that fails at merging loads, with a cache of builds of its own.
class OlderCompiler : public testing::Test {
  protected:
    OlderCompiler() : place_(mkdtemp(pattern_.data())) {
        setenv(settings::kCompilerLibrary, ZETL_FAULTY_COMPILER, 1);
        setenv(settings::kBuildCache, (place_ / "builds").c_str(), 1);
        setenv(kTold, (place_ / "told").c_str(), 1);
    }
    ~OlderCompiler() override {
        for (const char* each : {settings::kCompilerLibrary, settings::kBuildCache, kTold}) unsetenv(each);
        fs::remove_all(place_);
    }

    /// What it was asked since the last time.
    std::string asked() const {
        std::string line;
        std::getline(std::ifstream(place_ / "told"), line);
        fs::remove(place_ / "told");
        return line;
    }

  private:
    static constexpr const char* kTold = "IGC_FAULTY_TOLD";
    std::string pattern_ = (fs::temp_directory_path() / "zetl-older-XXXXXX").string();
    fs::path place_;
};

Bytes mergingLoads() { return loadOf("llvm.genx.lsc.load.merge.slm.v16i64", kNothing); }

TEST_F(OlderCompiler, GetsPlainLoadsWhereItFailed) {
    const Bytes spirv = mergingLoads();
    const CompileRequest request{.source = spirv, .buildFlags = "", .constants = {}};
    const CompileResult first = compile(request);
    ASSERT_TRUE(first) << first.log;
    EXPECT_EQ(first.binary, binary::withPlainLoads(spirv));
    EXPECT_EQ(asked(), "compile compile ");
    EXPECT_EQ(compile(request).binary, first.binary);
    EXPECT_EQ(asked(), "") << "it fails at the same again";
}

TEST_F(OlderCompiler, GetsThemInProgramsToo) {
    const Bytes spirv = mergingLoads();
    const Bytes other = kernelOf(negate);
    const ProgramPart parts[] = {{other, "", {}}, {spirv, "", {}}};
    const CompileResult first = compileProgram(parts);
    ASSERT_TRUE(first) << first.log;
    Bytes linked = binary::withoutLogicalNot(other);
    const Bytes plain = binary::withPlainLoads(spirv);
    linked.insert(linked.end(), plain.begin(), plain.end());
    EXPECT_EQ(first.binary, linked);
    EXPECT_EQ(asked(), "link compile link compile ");
    EXPECT_EQ(compileProgram(parts).binary, first.binary);
    EXPECT_EQ(asked(), "");
}

TEST_F(OlderCompiler, FailsWhereThereIsNoOtherForm) {
    const Bytes spirv = loadOf("llvm.genx.lsc.load.merge.slm.v16i64", kFormer);
    const CompileResult result = compile({.source = spirv, .buildFlags = "", .constants = {}});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.outcome.error().cause, binary::Cause::buildFailed);
    EXPECT_EQ(asked(), "compile ");
}

}  // namespace
}  // namespace zetl::emulator::module::rewrites_test
