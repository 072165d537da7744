// Binaries of the compiler, changed: what lies behind the insertions moves with them.
#include <gtest/gtest.h>
#include <ze_tools_layer/instrumentation.h>

#include "binary/native_binary.h"
#include "module/compiled.h"

namespace zetl::instrumentation {
namespace {

namespace module = emulator::module;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kCounting = 80;  ///< bytes of countingCode() where a register is free

constexpr const char* kBranches =
    "__attribute__((noinline)) int helper(int x) { return x * 3 + 1; }\n"
    "kernel void scale(global int* data, int factor) {\n"
    "    int i = get_global_id(0), v = data[i];\n"
    "    if (v > 10) v = helper(v) * factor; else v -= factor;\n"
    "    for (int k = 0; k < v; ++k) data[i] += k;\n"
    "}\n";

std::unique_ptr<Program> programOf(const Bytes& binary) {
    std::string failure;
    auto program = Program::read(binary, failure);
    EXPECT_TRUE(program) << failure;
    return program;
}

Bytes written(const Program& program) {
    std::string failure;
    Bytes bytes = program.write(failure);
    EXPECT_EQ(failure, "");
    return bytes;
}

TEST(Program, UnchangedItKeepsItsMeaning) {
    const Bytes& binary = module::compiled(kBranches);
    const auto before = binary::readNative(binary);
    const auto after = binary::readNative(written(*programOf(binary)));
    ASSERT_TRUE(before && after);
    EXPECT_EQ((*before)->code[0].bytes, (*after)->code[0].bytes);
    EXPECT_EQ((*before)->kernels[0].payload.size(), (*after)->kernels[0].payload.size());
    EXPECT_EQ((*before)->buildOptions, (*after)->buildOptions);
}

TEST(Program, BlocksCoverTheCodeAndLeadToEachOther) {
    const auto program = programOf(module::compiled(kBranches));
    const Section& section = program->sections().front();
    EXPECT_EQ(section.name(), "scale");
    EXPECT_TRUE(section.isKernel());
    EXPECT_EQ(section.obstacle(), "");
    ASSERT_GT(section.blocks().size(), 4u);
    std::uint32_t at = 0;
    for (const Block& block : section.blocks()) {
        EXPECT_EQ(block.begin, at);
        at = block.end;
        for (const std::uint32_t successor : block.successors) EXPECT_LT(successor, section.blocks().size());
    }
    EXPECT_LE(at, section.code().size());
}

TEST(Program, EveryInsertionMovesWhatIsBehindIt) {
    const Bytes& binary = module::compiled(kBranches);
    const auto program = programOf(binary);
    Section& section = program->sections().front();
    const auto offsets = section.instructions();
    std::vector<std::string> before;
    for (const std::uint32_t offset : offsets) before.push_back(section.text(offset));
    for (const Block& block : section.blocks())
        ASSERT_TRUE(section.insertBefore(block.begin, *countingCode(section, block.begin, 0x1000)));
    EXPECT_EQ(section.movedTo(0), kCounting);

    const auto changed = programOf(written(*program));
    const Section& moved = changed->sections().front();
    EXPECT_EQ(moved.obstacle(), "") << "every branch leads to an instruction";
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        // Branches say other distances.
        const bool branches =
            before[i].find("goto") != std::string::npos || before[i].find("join") != std::string::npos ||
            before[i].find("jmpi") != std::string::npos || before[i].find("call") != std::string::npos;
        const std::string after = moved.text(section.movedTo(offsets[i]));
        EXPECT_EQ(after.substr(0, branches ? 10 : after.size()), before[i].substr(0, branches ? 10 : before[i].size()));
    }
}

TEST(Program, StartOffsetsMove) {
    const Bytes& binary = module::compiled(kBranches);
    const auto program = programOf(binary);
    Section& section = program->sections().front();
    const auto skip = (*binary::readNative(binary))->kernels[0].environment.skipPerThreadLoad;
    ASSERT_GT(skip, 0u);
    ASSERT_TRUE(section.insertBefore(0, InsertedCode().load(100, 1)));
    EXPECT_EQ((*binary::readNative(written(*program)))->kernels[0].environment.skipPerThreadLoad, skip + 16);
}

TEST(Program, RelocationsMove) {
    const Bytes& binary = module::compiled(module::kFunctions, "-cl-std=CL2.0 -cl-opt-disable");
    const auto before = *binary::readNative(binary);
    const auto program = programOf(binary);
    for (Section& section : program->sections())
        ASSERT_EQ(section.insertBefore(0, InsertedCode().load(100, 1)), !section.blocks().empty());
    const auto after = *binary::readNative(written(*program));
    ASSERT_EQ(before->relocations.size(), after->relocations.size());
    std::size_t inCode = 0;
    for (std::size_t i = 0; i < before->relocations.size(); ++i) {
        const bool code = before->relocations[i].place.kind == binary::Place::Kind::code;
        EXPECT_EQ(after->relocations[i].place.offset, before->relocations[i].place.offset + (code ? 16 : 0));
        inCode += code;
    }
    EXPECT_GT(inCode, 0u);
}

TEST(Program, RefusesWhatIsNotAnInstruction) {
    const auto program = programOf(module::compiled(kBranches));
    Section& section = program->sections().front();
    EXPECT_FALSE(section.insertBefore(4, InsertedCode().load(100, 1)));
    EXPECT_FALSE(section.insertBefore(1 << 20, InsertedCode().load(100, 1)));
    EXPECT_FALSE(section.insertBefore(0, InsertedCode()));
    EXPECT_TRUE(section.freeBefore(4).empty());
    EXPECT_FALSE(section.message(4));
    EXPECT_EQ(section.text(4), "");
}

TEST(Program, PatchTokensAreReadAndNotChanged) {
    const auto program = programOf(module::compiled(kBranches, "-cl-std=CL2.0", false));
    EXPECT_GT(program->sections().front().blocks().size(), 4u);
    std::string failure;
    EXPECT_TRUE(program->write(failure).empty());
    EXPECT_NE(failure.find("patch-token"), std::string::npos);
    EXPECT_NE(failure.find("-ze-intel-allow-zebin"), std::string::npos) << "what to do";
    for (Section& section : program->sections()) {
        EXPECT_EQ(section.obstacle(), failure);
        EXPECT_FALSE(section.insertBefore(0, InsertedCode().waitForMessages()));
    }
}

TEST(Program, RefusesOtherBytesByName) {
    std::string failure;
    EXPECT_FALSE(Program::read({}, failure));
    EXPECT_NE(failure, "");
    const Bytes text(100, 'x');
    EXPECT_FALSE(Program::read(text, failure));
}

}  // namespace
}  // namespace zetl::instrumentation
