// Kernels, their resources and their source lines, from binaries of the compiler.
#include <gtest/gtest.h>
#include <ze_tools_layer/correlation.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "binary/elf_file.h"
#include "binary/intel_notes.h"
#include "correlation/iga.h"
#include "emulator/module/debug_image.h"
#include "module/compiled.h"
#include "module/emptied.h"
#include "support/effort.h"

namespace zetl::correlation {
namespace {

namespace module = emulator::module;
using Bytes = std::vector<std::uint8_t>;

std::unique_ptr<Binary> read(const Bytes& bytes) {
    std::string failure;
    auto binary = Binary::read(bytes, failure);
    EXPECT_TRUE(binary) << failure;
    return binary;
}

constexpr const char* kInlined =
    "inline __attribute__((always_inline)) int inner(int x) { return x * x + 7; }\n"  // line 1
    "inline __attribute__((always_inline)) int outer(int x) { return inner(x) - 3; }\n"
    "kernel void k(global int* a) {\n"
    "    int i = get_global_id(0);\n"
    "    a[i] = outer(a[i]);\n"
    "}\n";

constexpr const char* kTwoKernels =
    "kernel void one(global int* a) { a[get_global_id(0)] += 1; }\n"  // line 1
    "kernel void two(global int* a) {\n"
    "    int i = get_global_id(0);\n"
    "    a[i] *= 3;\n"
    "}\n";

constexpr const char* kShared =
    "kernel void turn(global int* a) { local int s[256]; int i = get_local_id(0);\n"
    "    s[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = s[255 - i]; }\n";

TEST(Correlation, ResourcesOfKernels) {
    for (const bool zebin : {true, false}) {
        const auto binary = read(module::compiled(kShared, "-cl-std=CL2.0", zebin));
        EXPECT_EQ(binary->container(), zebin ? "zebin" : "patch tokens");
        ASSERT_EQ(binary->kernels().size(), 1u);
        const Kernel& kernel = binary->kernels().front();
        EXPECT_EQ(kernel.name, "turn");
        EXPECT_TRUE(kernel.launchable);
        EXPECT_TRUE(kernel.simdWidth == 16 || kernel.simdWidth == 32);
        EXPECT_EQ(kernel.registers, 128u);
        EXPECT_EQ(kernel.localBytes, 1024u);
        EXPECT_EQ(kernel.barriers, 1u);
        EXPECT_GT(kernel.codeBytes, 100u);
        EXPECT_LE(kernel.codeBytes, binary->code(kernel).size());
    }
}

/// IGA's words without what ours leave out: scoreboard, compaction, and what a message says.
std::string comparable(std::string text) {
    const bool ends = text.find("EOT") != std::string::npos;
    text.resize(std::min({text.size(), text.find('{'), text.find("//")}));
    std::istringstream words(text);
    std::string joined;
    for (std::string word; words >> word;) joined += word + " ";
    if (const auto type = joined.find(":uw"); joined.find("sync.") != std::string::npos && type != std::string::npos)
        joined.erase(type, 3);  // of a constant that has none in ours
    return joined + (ends ? "{EOT}" : "");
}

std::string sourceOf(const std::filesystem::path& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return std::move(text).str();
}

/// Every instruction of the corpus, in our words and in Intel's. A sanitizer sees how words are made, not whether they
/// are the same: there, of every fourth file.
TEST(Correlation, OurWordsAreIgas) {
    ASSERT_EQ(read(module::compiled(module::kVectorAdd))->withoutIga(), "");
    std::size_t compared = 0;
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(ZETL_CORPUS)) {
        if (entry.path().extension() != ".cl" || files++ % test::effort(1, 4) != 0) continue;
        const auto binary = read(module::compiled(sourceOf(entry.path())));
        ASSERT_NE(binary, nullptr) << entry.path();
        for (const Kernel& kernel : binary->kernels()) {
            for (const auto& ours : binary->instructions(kernel)) {
                const auto iga = igaText(isa::xe::kXeHpc, binary->code(kernel).subspan(ours.offset), Reals::bits);
                EXPECT_EQ(comparable(ours.text), comparable(iga))
                    << entry.path().filename() << ", " << kernel.name << ", " << ours.offset << ": " << iga;
                ++compared;
            }
        }
    }
    RecordProperty("instructions", std::to_string(compared));
    EXPECT_GT(compared, test::effort(10'000u, 1'000u));
}

/// The compiler's binary for Xe-HPC with the notes of another product, and one instruction in front of its code.
Bytes disguised(const isa::xe::Product& product, std::uint64_t first) {
    Bytes binary = module::compiled(module::kVectorAdd);
    const auto put = [&](std::uint64_t offset, const auto& value) {
        std::memcpy(binary.data() + offset, &value, sizeof value);
    };
    const auto file = binary::readElf(binary);
    const auto* const notes = file->find(binary::kCompatibilityNotes);
    const auto& own = isa::xe::kPvc;
    for (std::uint64_t at = 0; at + 4 <= notes->content.size(); at += 4) {
        const auto word = *notes->content.read<std::uint32_t>(at);
        if (word == own.productFamily) put(notes->fileOffset + at, product.productFamily);
        if (word == own.coreFamily) put(notes->fileOffset + at, product.coreFamily);
    }
    put(std::ranges::find_if(file->sections, [](const auto& each) { return each.name.starts_with(".text."); })
            ->fileOffset,
        first);
    return binary;
}

TEST(Correlation, ReadsTheInstructionsOfTheProductThatTheBinaryNames) {
    constexpr std::uint64_t kWord = 0x0e000c0a202c0040;  // compacted, with index 11 of the controls
    const auto first = [&](const isa::xe::Product& product) {
        const auto binary = read(disguised(product, kWord));
        return binary->instructions(binary->kernels().front()).front().text;
    };
    EXPECT_EQ(first(isa::xe::kBmg), "add (16|M0) (sat)r10.0<1>:f r12.0<1;1,0>:f r14.0<1;1,0>:f");
    EXPECT_EQ(first(isa::xe::kLnl), first(isa::xe::kBmg));
    EXPECT_EQ(first(isa::xe::kPvc), "(W) add (1|M0) (ge)f0.0 r10.0<1>:q r12.0<1;1,0>:q r14.0<0;1,0>:q");
}

TEST(Correlation, IgasWordsHaveScoreboardAndMessages) {
    const auto binary = read(module::compiled(module::kVectorAdd));
    const auto igas = binary->igaInstructions(binary->kernels().front());
    EXPECT_EQ(igas.size(), binary->instructions(binary->kernels().front()).size());
    const auto code = binary->code(binary->kernels().front());
    EXPECT_EQ(Binary::igaText(code, isa::xe::kPvc.ip.packed()), igas.front().text);
    EXPECT_EQ(Binary::igaText(code, 1), "") << "of no product";
    EXPECT_TRUE(std::ranges::any_of(igas, [](const Instruction& each) {
        return each.text.find("{A@1,$") != std::string::npos && each.text.find("load.ugm") != std::string::npos;
    }));
}

TEST(Correlation, InstructionsCoverTheCode) {
    const auto binary = read(module::compiled(module::kVectorAdd));
    const Kernel& kernel = binary->kernels().front();
    std::uint32_t at = 0;
    for (const Instruction& instruction : binary->instructions(kernel)) {
        EXPECT_EQ(instruction.offset, at);
        EXPECT_FALSE(instruction.text.empty());
        at += instruction.bytes;
    }
    EXPECT_EQ(at, kernel.codeBytes);
}

TEST(Correlation, LinesThereAndBack) {
    const auto binary = read(module::compiled(module::kPrivate, "-cl-std=CL2.0 -g"));
    ASSERT_EQ(binary->withoutLines(), "");
    const Kernel& kernel = binary->kernels().front();
    std::set<int> lines;
    for (const Instruction& instruction : binary->instructions(kernel)) {
        const auto places = binary->sourceOf(kernel, instruction.offset);
        if (places.empty()) continue;
        lines.insert(places.front().line);
        EXPECT_EQ(places.back().function, "large");
        const auto back = binary->offsetsOf(kernel, places.front().file, places.front().line);
        EXPECT_TRUE(std::ranges::binary_search(back, instruction.offset));
    }
    EXPECT_TRUE(lines.contains(2)) << "the loops";
    EXPECT_TRUE(lines.contains(3)) << "the last store";
    EXPECT_TRUE(binary->offsetsOf(kernel, "no such file", 2).empty());
}

/// In both containers.
class DebugImages : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Containers, DebugImages, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "zebin" : "patchTokens"; });

/// The native binary and the debug image of the same module agree.
TEST_P(DebugImages, HaveAddressesAndTheSameLines) {
    const Bytes& native = module::compiled(module::kPrivate, "-cl-std=CL2.0 -g", GetParam());
    const auto placed = module::placed(*binary::readNative(native));
    const auto image = module::makeDebugImage(placed);
    ASSERT_TRUE(image);
    const auto before = read(native);
    const auto after = read(*image);
    EXPECT_EQ(after->container(), "debug image");
    EXPECT_EQ(after->buildOptions(), before->buildOptions());
    const Kernel& kernel = before->kernels().front();
    const Kernel& moved = after->kernels().front();
    EXPECT_EQ(moved.address, placed.kernelAddress((*binary::readNative(native))->kernels[0]));
    EXPECT_EQ(moved.simdWidth, kernel.simdWidth);
    EXPECT_EQ(moved.registers, kernel.registers);
    EXPECT_EQ(moved.localBytes, kernel.localBytes);
    EXPECT_EQ(moved.privateBytes, kernel.privateBytes);
    EXPECT_EQ(moved.barriers, kernel.barriers);
    EXPECT_EQ(moved.codeBytes, kernel.codeBytes);
    std::size_t compared = 0;
    for (const Instruction& instruction : before->instructions(kernel)) {
        const auto places = before->sourceOf(kernel, instruction.offset);
        EXPECT_EQ(places, after->sourceOf(moved, instruction.offset)) << instruction.offset;
        compared += !places.empty();
    }
    EXPECT_GT(compared, 20u);
}

TEST(Correlation, InlinedCalls) {
    const auto binary = read(module::compiled(kInlined, "-cl-std=CL2.0 -g"));
    const Kernel& kernel = binary->kernels().front();
    std::vector<Place> longest;
    for (const Instruction& instruction : binary->instructions(kernel)) {
        const auto places = binary->sourceOf(kernel, instruction.offset);
        if (places.size() > longest.size()) longest = places;
    }
    // The compiler gives the inner one of two nested calls no addresses, so the outer one stands for both.
    ASSERT_EQ(longest.size(), 2u);
    EXPECT_EQ(longest[0].function, "outer");
    EXPECT_TRUE(longest[0].line == 1 || longest[0].line == 2);
    EXPECT_EQ(longest[1].function, "k");
    EXPECT_EQ(longest[1].line, 5);
    EXPECT_EQ(longest[1].file, longest[0].file);
}

std::set<int> linesOf(const Binary& binary, const Kernel& kernel) {
    std::set<int> lines;
    for (const Instruction& instruction : binary.instructions(kernel)) {
        const auto places = binary.sourceOf(kernel, instruction.offset);
        if (!places.empty() && places.back().function == kernel.name) lines.insert(places.back().line);
    }
    return lines;
}

/// The debug data beside the device binary in patch tokens.
Bytes debugDataOf(const Bytes& tokens) {
    const auto file = binary::readElf(tokens);
    const auto* const section = file ? file->find("Intel(R) OpenCL Device Debug") : nullptr;
    return section ? Bytes(section->content.begin(), section->content.end()) : Bytes();
}

TEST(Correlation, LinesOfEachKernelInPatchTokens) {
    const Bytes& bytes = module::compiled(kTwoKernels, "-cl-std=CL2.0 -g", false);
    const auto tokens = read(bytes);
    ASSERT_EQ(tokens->withoutLines(), "");
    ASSERT_EQ(tokens->kernels().size(), 2u);
    EXPECT_EQ(linesOf(*tokens, tokens->kernels()[0]), (std::set<int>{1}));
    EXPECT_EQ(linesOf(*tokens, tokens->kernels()[1]), (std::set<int>{2, 3, 4, 5}));

    const auto data = read(debugDataOf(bytes));
    EXPECT_EQ(data->container(), "debug data of patch tokens");
    EXPECT_EQ(data->withoutLines(), "");
    ASSERT_EQ(data->kernels().size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        const Kernel& kernel = tokens->kernels()[i];
        const Kernel& alone = data->kernels()[i];
        EXPECT_EQ(alone.name, kernel.name);
        EXPECT_TRUE(alone.launchable);
        EXPECT_EQ(alone.codeBytes, kernel.codeBytes);
        for (const Instruction& instruction : tokens->instructions(kernel))
            EXPECT_EQ(data->sourceOf(alone, instruction.offset), tokens->sourceOf(kernel, instruction.offset));
    }
}

/// Without the directory that the compiler was in, which is another one each time.
std::vector<Place> placesOf(const Binary& binary, std::uint32_t offset) {
    auto places = binary.sourceOf(binary.kernels().front(), offset);
    for (Place& place : places) place.file = std::filesystem::path(place.file).filename();
    return places;
}

TEST(Correlation, FunctionsAreNoKernels) {
    const Bytes& tokens = module::compiled(module::kFunctions, "-cl-std=CL2.0 -cl-opt-disable -g", false);
    for (const Bytes& bytes :
         {module::compiled(module::kFunctions, "-cl-std=CL2.0 -cl-opt-disable -g"), tokens, debugDataOf(tokens)}) {
        const auto binary = read(bytes);
        ASSERT_EQ(binary->kernels().size(), 2u) << binary->container();
        EXPECT_EQ(binary->kernels()[0].name, "scope");
        EXPECT_TRUE(binary->kernels()[0].launchable);
        EXPECT_FALSE(binary->kernels()[1].launchable);
        EXPECT_GT(binary->kernels()[1].codeBytes, 0u);
        EXPECT_EQ(binary->kernels()[1].simdWidth, 0u);
    }
}

/// The same source gives the same lines in both containers.
TEST(Correlation, InlinedCallsInPatchTokens) {
    const auto tokens = read(module::compiled(kInlined, "-cl-std=CL2.0 -g", false));
    const auto zebin = read(module::compiled(kInlined, "-cl-std=CL2.0 -g"));
    std::size_t inlined = 0;
    for (const Instruction& instruction : zebin->instructions(zebin->kernels().front())) {
        const auto places = placesOf(*tokens, instruction.offset);
        EXPECT_EQ(places, placesOf(*zebin, instruction.offset)) << instruction.offset;
        inlined += places.size() == 2;
    }
    EXPECT_GT(inlined, 2u);
}

TEST(Correlation, WithoutLinesItSaysWhy) {
    for (const bool zebin : {true, false}) {
        const auto binary = read(module::compiled(module::kVectorAdd, "-cl-std=CL2.0", zebin));
        EXPECT_NE(binary->withoutLines().find("without -g"), std::string::npos);
        EXPECT_TRUE(binary->sourceOf(binary->kernels().front(), 0).empty());
    }
}

TEST(Correlation, DebugDataOfOlderCompilersHaveNoLines) {
    Bytes data = debugDataOf(module::compiled(module::kVectorAdd, "-cl-std=CL2.0 -g", false));
    constexpr std::size_t kElfBytes = 32;
    ASSERT_GT(data.size(), kElfBytes + 8);
    std::swap_ranges(&data[kElfBytes], &data[kElfBytes + 4], &data[kElfBytes + 4]);  // no ELF file, but data of ours
    const auto binary = read(data);
    EXPECT_TRUE(binary->kernels().empty());
    EXPECT_NE(binary->withoutLines(), "");
}

TEST(Correlation, QuestionsBesideTheCode) {
    const auto binary = read(module::compiled(module::kPrivate, "-cl-std=CL2.0 -g"));
    EXPECT_TRUE(binary->sourceOf(binary->kernels().front(), 1u << 30).empty());
    Kernel other;
    other.name = "other";
    EXPECT_TRUE(binary->code(other).empty());
    EXPECT_TRUE(binary->instructions(other).empty());
    EXPECT_TRUE(binary->sourceOf(other, 0).empty());
}

class DamagedFiles : public testing::TestWithParam<Bytes (*)()> {};

Bytes zebin() { return module::compiled(module::kPrivate, "-cl-std=CL2.0 -g"); }
Bytes patchTokens() { return module::compiled(module::kPrivate, "-cl-std=CL2.0 -g", false); }
Bytes debugData() { return debugDataOf(patchTokens()); }

TEST_P(DamagedFiles, AreRefusedOrRead) {
    constexpr std::size_t kPlaces = test::effort(499, 31);  // the fuzz harness goes further under a sanitizer
    const Bytes whole = GetParam()();
    ASSERT_GT(whole.size(), 1000u);
    const auto survive = [](const Bytes& bytes) {
        std::string failure;
        const auto binary = Binary::read(bytes, failure);
        EXPECT_NE(binary == nullptr, failure.empty());
        if (!binary) return;
        for (const Kernel& kernel : binary->kernels()) {
            (void)binary->instructions(kernel);
            for (std::uint32_t at = 0; at < kernel.codeBytes; at += 64) (void)binary->sourceOf(kernel, at);
        }
    };
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 31)
        survive(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    for (std::size_t at = 0; at < whole.size(); at += at < 128 ? 1 : 1 + whole.size() / kPlaces)
        for (const std::uint8_t mask : {0x01, 0x80, 0xff}) {
            Bytes damaged = whole;
            damaged[at] ^= mask;
            survive(damaged);
        }
    for (const Bytes& damaged : module::emptied(whole)) survive(damaged);
}

INSTANTIATE_TEST_SUITE_P(Correlation, DamagedFiles, testing::Values(zebin, patchTokens, debugData));

}  // namespace
}  // namespace zetl::correlation
