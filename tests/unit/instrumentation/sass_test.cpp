// NVIDIA's machine code, instrumented: where lanes go, what stands in the file, and what is refused. That a GPU
// executes and counts it is tests/nvidia/instrumentation_test.cpp's to say.
#include "support/sass.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <ze_tools_layer/instrumentation.h>

#include <array>
#include <map>
#include <random>

#include "binary/cubin_info.h"
#include "binary/elf_file.h"
#include "isa/sass/instruction.h"

namespace zetl::instrumentation {
namespace {

using test::Bytes;
using namespace test::sass;
using SassInstruction = isa::sass::Instruction;
constexpr auto& kHopperCode = isa::sass::kHopper;
const isa::sass::Generation& ada() { return *isa::sass::generationOf(89); }

std::unique_ptr<Program> read(const Bytes& binary) {
    std::string failure;
    auto program = Program::read(binary, failure);
    EXPECT_TRUE(program) << failure;
    return program;
}

Bytes write(const Program& program) {
    std::string failure;
    Bytes bytes = program.write(failure);
    EXPECT_EQ(failure, "");
    return bytes;
}

binary::ElfFile elfOf(const Bytes& bytes) {
    auto file = binary::readElf(bytes);
    EXPECT_TRUE(file);
    return file ? *std::move(file) : binary::ElfFile();
}

InsertedCode inserted(const std::vector<Word>& words) {
    Bytes bytes;
    for (const Word& word : words) test::append(bytes, word);
    return {InstructionSet::sass, bytes};
}

TEST(Sass, KnowsWhereInstructionsLead) {
    // As nvdisasm of CUDA 13.0 reads them: the words, and the distance from the instruction's end.
    struct Case {
        SassInstruction instruction;
        std::int64_t displacement;
        bool always;
    };
    constexpr Case kCases[] = {
        {{0x0000000400009947, 0x000fec0003800000}, 0x400, false},    // @!P1 BRA
        {{0xfffffffc00fc7947, 0x000fc0000383ffff}, -0x10, true},     // BRA
        {{0xffffffe800700947, 0x000fec000383ffff}, -0x1640, false},  // @P0 BRA
        {{0x0000001604f87947, 0x000fea000b800000}, 0x17e0, false},   // BRA.DIV UR4
        {{0x0000060000007945, 0x000fd80003800000}, 0x600, true},     // BSSY B0
        {{0x0000056000017945, 0x000fe20003800000}, 0x560, true},     // BSSY B1
        {{0xfffffffc06c47344, 0x023fea0003c3ffff}, -0xf0, true},     // CALL.REL.NOINC R6
        {{0x0000002400dc7944, 0x000fea0003c00000}, 0x2770, true},    // CALL.REL.NOINC
        {{0xfffffff80a187950, 0x000fea0003c3ffff}, -0x7a0, true},    // RET.REL.NODEC R10
        {{0x0000000008087348, 0x000fea0003c00000}, 0x20, true},      // WARPSYNC.COLLECTIVE R8
    };
    for (const Case& each : kCases) {
        SassInstruction instruction = each.instruction;
        EXPECT_EQ(instruction.displacement(kHopperCode), each.displacement);
        EXPECT_EQ(instruction.always(), each.always) << each.displacement;
        instruction.setDisplacement(-0x12340, kHopperCode);
        EXPECT_EQ(instruction.displacement(kHopperCode), -0x12340);
        instruction.setDisplacement(each.displacement, kHopperCode);
        EXPECT_EQ(instruction, each.instruction);
    }
    constexpr SassInstruction kAbsoluteReturn{0x0000000014007950, 0x001fec0003e00000};  // RET.ABS.NODEC R20
    EXPECT_EQ(kAbsoluteReturn.displacement(kHopperCode), std::nullopt);
    EXPECT_EQ(isa::sass::branchBy(-0x10, kHopperCode).displacement(kHopperCode), -0x10);
}

TEST(Sass, KnowsWhereInstructionsOfAmpereAndAdaLead) {
    // As nvdisasm reads sm_80 and sm_89 of nvcc 13.0.
    struct Case {
        SassInstruction instruction;
        std::int64_t displacement;
    };
    constexpr Case kCases[] = {
        {{0x000000d000000947, 0x000fea0003800000}, 0xd0},    // @P0 BRA
        {{0xfffffff000007947, 0x000fc0000383ffff}, -0x10},   // BRA
        {{0xffffff5000008947, 0x000fea000083ffff}, -0xb0},   // @!P0 BRA P1
        {{0x0000006306007947, 0x001fea000b800000}, 0x60},    // BRA.CONV UR6
        {{0x0000012000007945, 0x000fe20003800000}, 0x120},   // BSSY B0
        {{0x0000009000007944, 0x021fea0003c00000}, 0x90},    // CALL.REL.NOINC
        {{0xfffffea004007950, 0x000fea0003c3ffff}, -0x160},  // RET.REL.NODEC R4
    };
    for (const std::uint32_t chip : {80, 86, 89}) {
        const auto& generation = *isa::sass::generationOf(chip);
        for (const Case& each : kCases) {
            SassInstruction instruction = each.instruction;
            EXPECT_EQ(instruction.displacement(generation), each.displacement) << chip;
            instruction.setDisplacement(-0x12340, generation);
            EXPECT_EQ(instruction.displacement(generation), -0x12340) << chip;
            instruction.setDisplacement(each.displacement, generation);
            EXPECT_EQ(instruction, each.instruction) << chip;
        }
    }
    EXPECT_EQ(isa::sass::branchBy(-0x10, ada()), (SassInstruction{0xfffffff000007947, 0x000fea000383ffff}));
    EXPECT_EQ(isa::sass::generationOf(75), nullptr);
}

TEST(Sass, BlocksEndWhereLanesPartAndMeet) {
    const Kernel kernel{.code = {straight(0), convergenceSet(0x30), branchIf(0x10), straight(3), convergenceSync(),
                                 straight(5), exitIf(), call(0x10), exit(), leave()}};
    const auto program = read(cubinOf(kernel));
    ASSERT_EQ(program->sections().size(), 1u);
    const Section& section = program->sections().front();
    EXPECT_EQ(section.name(), "k");
    EXPECT_EQ(section.instructionSet(), InstructionSet::sass);
    EXPECT_TRUE(section.isKernel());
    EXPECT_EQ(section.simdWidth(), 32u);
    EXPECT_EQ(section.registerCount(), 12u);
    EXPECT_EQ(section.obstacle(), "");
    EXPECT_EQ(section.instructions().size(), kernel.code.size());
    struct Expected {
        std::uint32_t begin;
        std::vector<std::uint32_t> successors;
        bool leaves;
    };
    const Expected expected[] = {
        {0x00, {1, 2}, false}, {0x30, {2}, false}, {0x40, {3}, false}, {0x50, {4}, true},
        {0x70, {5}, true},     {0x80, {}, true},   {0x90, {}, true},
    };
    ASSERT_EQ(section.blocks().size(), std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        const Block& block = section.blocks()[i];
        EXPECT_EQ(block.begin, expected[i].begin);
        EXPECT_EQ(block.successors, expected[i].successors) << block.begin;
        EXPECT_EQ(block.leaves, expected[i].leaves) << block.begin;
    }
}

TEST(Sass, SaysWhatItCannotChange) {
    const std::vector<Word> code{straight(0), exit()};
    const auto obstacle = [](const Bytes& binary) { return read(binary)->sections().front().obstacle(); };
    EXPECT_EQ(obstacle(cubinOf({.code = code})), "");
    EXPECT_NE(obstacle(cubinOf({.code = code}, 0x6004b04)).find("sm_75"), std::string::npos);
    EXPECT_NE(obstacle(cubinOf({.code = code}, kHopper, 7)).find("ABI version 7"), std::string::npos);
    EXPECT_NE(obstacle(cubinOf({.code = code, .registers = 252})).find("252 registers"), std::string::npos);
    EXPECT_NE(obstacle(cubinOf({.code = {straight(0), branchAnywhere()}})).find("0x10"), std::string::npos);
    EXPECT_NE(obstacle(cubinOf({.code = {branch(0x1000), exit()}})).find("out of the section"), std::string::npos);
    constexpr Word kExclusive{0x0000000400007348, 0x000fea0003c00000};  // WARPSYNC.EXCLUSIVE R4
    EXPECT_NE(obstacle(cubinOf({.code = {kExclusive, exit()}}, kAda)).find("steers the program"), std::string::npos);
    const auto refused = read(cubinOf({.code = code}, 0x6004b04));
    Section& section = refused->sections().front();
    EXPECT_FALSE(section.insertBefore(0, inserted({straight(1)})));
    EXPECT_FALSE(countingCode(section, 0, 0x1000));
    const auto program = read(cubinOf({.code = code}));
    Section& first = program->sections().front();
    EXPECT_FALSE(first.insertBefore(0, InsertedCode().load(1, 2))) << "code of Intel's";
    EXPECT_FALSE(first.insertBefore(8, inserted({straight(1)})));
    EXPECT_FALSE(first.insertBefore(0x20, inserted({straight(1)})));
    EXPECT_FALSE(first.insertBefore(0, InsertedCode(InstructionSet::sass, Bytes(8))));
}

TEST(Sass, CountsWithRegistersOfItsOwn) {
    const auto program = read(cubinOf({.code = {straight(0), exit()}, .registers = 13}));
    const Section& section = program->sections().front();
    const auto code = countingCode(section, 0, 0x123456789abc);
    ASSERT_TRUE(code);
    const auto instructions = isa::sass::instructionsIn(code->bytes());
    const auto has = [&](std::uint64_t low) {
        return std::any_of(instructions.begin(), instructions.end(),
                           [&](const SassInstruction& each) { return each.low == low; });
    };
    EXPECT_TRUE(has(0x00000001ff107803)) << "P2R R16, PR, RZ, 0x1";
    EXPECT_TRUE(has(0x56789abc000e7802)) << "MOV R14, 0x56789abc";
    EXPECT_TRUE(has(0x00001234000f7802)) << "MOV R15, 0x1234";
    EXPECT_TRUE(has(0x00008200003c7ab9)) << "ULDC.64 UR60, c[0x0][0x208]";
    EXPECT_TRUE(has(0x0000000c0e00098e)) << "@P0 REDG.E.ADD.64.STRONG.GPU desc[UR60][R14.64], R12";
}

TEST(Sass, CountsOnAdaByTheDescriptorThatIsThere) {
    const auto program = read(cubinOf({.code = {straight(0), exit()}, .registers = 13}, kAda));
    Section& section = program->sections().front();
    EXPECT_EQ(section.obstacle(), "");
    const auto code = countingCode(section, 0, 0x1000);
    ASSERT_TRUE(code);
    const auto instructions = isa::sass::instructionsIn(code->bytes());
    EXPECT_TRUE(std::any_of(instructions.begin(), instructions.end(), [](const SassInstruction& each) {
        return each.low == 0x00004600003c7ab9;
    })) << "ULDC.64 UR60, c[0x0][0x118]";
    ASSERT_TRUE(section.insertBefore(0, *code));
    const Bytes written = write(*program);
    const auto file = elfOf(written);
    const auto text = file.find(".text.k")->content;
    const SassInstruction there{*text.read<std::uint64_t>(0), *text.read<std::uint64_t>(8)};
    EXPECT_EQ(there.displacement(ada()), 0x70) << "to the end of the section";
}

TEST(Sass, TakesUniformRegistersThatNobodyWrites) {
    constexpr Word kWritesUr60{0x00008200003c7ab9, 0x000fe20000000a00};  // ULDC.64 UR60, c[0x0][0x208]
    const auto program = read(cubinOf({.code = {kWritesUr60, exit()}}));
    const auto code = countingCode(program->sections().front(), 0, 0x1000);
    ASSERT_TRUE(code);
    const auto instructions = isa::sass::instructionsIn(code->bytes());
    EXPECT_TRUE(std::any_of(instructions.begin(), instructions.end(),
                            [](const SassInstruction& each) { return each.low == 0x00008200003a7ab9; }));
}

TEST(Sass, TellsTheDriverWhatMoved) {
    const Bytes before = cubinOf({.code = {straight(0), straight(1), exit(), exit()},
                                  .registers = 13,
                                  .exits = {0x20, 0x30},
                                  .relocations = {0x10, 0x20}});
    const auto program = read(before);
    Section& section = program->sections().front();
    ASSERT_TRUE(section.insertBefore(0x10, inserted({straight(100)})));
    ASSERT_TRUE(section.insertBefore(0x20, inserted({straight(101), straight(102)})));
    const Bytes after = write(*program);
    const auto file = elfOf(after);
    EXPECT_EQ(section.movedTo(0), 0u);
    EXPECT_EQ(section.movedTo(0x10), 0x90u);
    EXPECT_EQ(section.movedTo(0x20), 0xd0u);
    const auto& text = *file.find(".text.k");
    EXPECT_EQ(text.content.size(), 0x100u);
    const auto relocations = file.relocations(*file.find(".rela.text.k"));
    ASSERT_TRUE(relocations);
    EXPECT_EQ(relocations->at(0).offset, 0x90u);
    EXPECT_EQ(relocations->at(1).offset, 0xd0u);
    const auto& exits = file.find(".nv.info.k")->content;
    EXPECT_EQ(exits.read<std::uint32_t>(8), 0xd0u);
    EXPECT_EQ(exits.read<std::uint32_t>(12), 0x30u);
    EXPECT_EQ(binary::readCubinInfo(file).at("k").registers, 12u + 5 + 2);
    const auto symbols = file.symbols(*file.find(".symtab"));
    ASSERT_TRUE(symbols);
    EXPECT_EQ(symbols->at(1).size, 0x100u);
    const auto header = *binary::ByteView(after).read<Elf64_Ehdr>(0);
    ASSERT_EQ(header.e_phnum, 2u);
    const auto loaded = *binary::ByteView(after).read<Elf64_Phdr>(header.e_phoff);
    const auto& constants = *file.find(".nv.constant0.k");
    EXPECT_EQ(loaded.p_offset, constants.fileOffset);
    EXPECT_EQ(loaded.p_filesz, text.fileOffset + text.content.size() - constants.fileOffset);
    EXPECT_EQ(loaded.p_memsz, loaded.p_filesz);
    const auto behind = *binary::ByteView(after).read<Elf64_Phdr>(header.e_phoff + sizeof(Elf64_Phdr));
    EXPECT_EQ(behind.p_offset, file.find(".nv.global.init")->fileOffset);
    EXPECT_EQ(behind.p_filesz, 8u);
    EXPECT_EQ(write(*read(before)), before) << "nothing was inserted";
}

/// One lane's way through code, by a machine that knows no more than where instructions lead. What a branch under a
/// predicate does, and a call's return, comes from outside.
class Lane {
  public:
    Lane(const Bytes& code, const std::map<std::uint32_t, std::uint32_t>& origins, std::uint32_t seed)
        : code_(isa::sass::instructionsIn(code)), origins_(origins), random_(seed) {}

    /// Instructions in the order in which they come, those of the original by their offset, others as they are.
    std::vector<std::string> walk() {
        constexpr std::size_t kMost = 400;
        std::vector<std::string> way;
        std::uint32_t at = 0;
        while (way.size() < kMost && at / kBytes < code_.size()) {
            const SassInstruction& in = code_[at / kBytes];
            const auto origin = origins_.find(at);
            const bool original = origin != origins_.end();
            if (original)
                way.push_back("original " + std::to_string(origin->second));
            else if (in.flow() == isa::sass::Flow::straight)
                way.push_back("inserted " + std::to_string(in.low));
            const bool taken = in.flow() == isa::sass::Flow::straight || in.always() || random_() % 2 == 0;
            const auto next = taken ? behind(in, at, original ? origin->second : at) : std::optional(at + kBytes);
            if (!next) break;
            at = *next;
        }
        return way;
    }

  private:
    std::vector<SassInstruction> code_;
    const std::map<std::uint32_t, std::uint32_t>& origins_;
    std::minstd_rand random_;
    std::uint32_t barrier_ = 0;
    std::vector<std::uint32_t> returns_;

    std::optional<std::uint32_t> behind(const SassInstruction& in, std::uint32_t at, std::uint32_t origin) {
        const auto target = static_cast<std::uint32_t>(at + kBytes + in.displacement(kHopperCode).value_or(0));
        if (in.opcode() == isa::sass::Opcode::convergenceSet) barrier_ = target;
        switch (in.flow()) {
            case isa::sass::Flow::branches:
                return target;
            case isa::sass::Flow::reconverges:
                return barrier_;
            case isa::sass::Flow::calls:
                returns_.push_back(origin + kBytes);
                return target;
            case isa::sass::Flow::leaves:
                break;
            default:
                return at + kBytes;
        }
        if (returns_.empty()) return std::nullopt;
        const std::uint32_t back = returns_.back();
        returns_.pop_back();
        return back;
    }
};

std::vector<Word> randomCode(std::minstd_rand& random, std::uint32_t count) {
    std::vector<Word> code;
    const auto anywhere = [&] {
        return (static_cast<std::int64_t>(random() % count) - static_cast<std::int64_t>(code.size()) - 1) * kBytes;
    };
    while (code.size() < count) {
        switch (random() % 12) {
            case 0:
                code.push_back(branch(anywhere()));
                break;
            case 1:
            case 2:
                code.push_back(branchIf(anywhere()));
                break;
            case 3:
                code.push_back(convergenceSet(anywhere()));
                break;
            case 4:
                code.push_back(convergenceSync());
                break;
            case 5:
                code.push_back(call(anywhere()));
                break;
            case 6:
                code.push_back(random() % 2 ? leave() : exitIf());
                break;
            default:
                code.push_back(straight(static_cast<std::uint32_t>(code.size())));
        }
    }
    return code;
}

TEST(Sass, EveryWayStaysAndLeadsThroughWhatIsInserted) {
    std::minstd_rand random(1);
    for (std::uint32_t round = 0; round < 300; ++round) {
        const auto code = randomCode(random, 8 + random() % 40);
        const auto program = read(cubinOf({.code = code}));
        Section& section = program->sections().front();
        ASSERT_EQ(section.obstacle(), "");
        std::map<std::uint32_t, std::string> mark;
        for (const Block& block : section.blocks()) {
            const Word word = straight(100000 + block.begin);
            ASSERT_TRUE(section.insertBefore(block.begin, inserted({word})));
            mark[block.begin] = "inserted " + std::to_string(word.low);
        }
        std::map<std::uint32_t, std::uint32_t> origins;
        std::map<std::uint32_t, std::uint32_t> itself;
        for (const std::uint32_t offset : section.instructions()) {
            origins[section.movedTo(offset)] = offset;
            itself[offset] = offset;
        }
        const Bytes after = write(*program);
        const auto file = elfOf(after);
        const auto changed = file.find(".text.k")->content.bytes();
        const Bytes before(section.code().begin(), section.code().end());
        for (std::uint32_t seed = 1; seed < 6; ++seed) {
            std::vector<std::string> expected;
            for (const std::string& step : Lane(before, itself, seed).walk()) {
                const auto offset = static_cast<std::uint32_t>(std::stoul(step.substr(step.find(' '))));
                if (mark.contains(offset)) expected.push_back(mark[offset]);
                expected.push_back(step);
            }
            auto way = Lane(Bytes(changed.begin(), changed.end()), origins, seed).walk();
            expected.resize(std::min(expected.size(), way.size()));
            way.resize(expected.size());
            ASSERT_FALSE(way.empty());
            ASSERT_EQ(way, expected) << "round " << round << ", seed " << seed;
        }
    }
}

TEST(Sass, DamagedFilesGiveAFailureOrAProgram) {
    const Bytes whole =
        cubinOf({.code = {straight(0), convergenceSet(0x20), branchIf(0x10), straight(3), convergenceSync(), exit()},
                 .exits = {0x50},
                 .relocations = {0x30}});
    const auto survive = [](const Bytes& bytes) {
        std::string failure;
        const auto program = Program::read(bytes, failure);
        EXPECT_EQ(program == nullptr, !failure.empty());
        if (!program) return;
        for (Section& section : program->sections())
            for (const Block& block : section.blocks())
                if (const auto code = countingCode(section, block.begin, 0x1000))
                    section.insertBefore(block.begin, *code);
        const bool written = !program->write(failure).empty();
        EXPECT_EQ(written, failure.empty());
    };
    for (std::size_t size = 0; size < whole.size(); ++size)
        survive(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const std::uint8_t mask : {0x01, 0x80, 0xff}) {
            Bytes damaged = whole;
            damaged[at] ^= mask;
            survive(damaged);
        }
}

}  // namespace
}  // namespace zetl::instrumentation
