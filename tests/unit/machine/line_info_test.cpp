// What an instruction counts as: a message by what it does to memory, whichever port it is sent to, arithmetic by its
// types.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/machine/code/loaded_program.h"
#include "kernel_bench.h"

namespace zetl::emulator::machine::bench {
namespace {

constexpr Counter kNothing = Counter::count_;

struct Case {
    const char* assembly;
    Counter counter;
};

/// Of a kernel of these instructions, one line each.
template <class Cases>
std::vector<LineInfo> linesOf(const Cases& cases) {
    std::string text;
    for (const auto& each : cases) text += each.assembly + std::string("\n");
    KernelBench bench("tiny");
    return bench.assemble(text).code->program()->lines;
}

constexpr Case kMessages[] = {
    // Load/store cache.
    {.assembly = "send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580", .counter = Counter::globalReads},
    {.assembly = "send.smpl (16|M0) r40 r10 null:0 a0.2 0x0243A0FC", .counter = Counter::samplerMessages},
    {.assembly = "send.tgm (16|M0) r40 r10 null:0 a0.2 0x2440F502", .counter = Counter::typedReads},
    {.assembly = "send.tgm (16|M0) null r10 null:0 a0.2 0x2400F506", .counter = Counter::typedWrites},
    {.assembly = "send.tgm (16|M0) r40 r10 null:0 0x0 0x0210161F", .counter = Counter::fences},
    {.assembly = "send.ugm (16|M0) null r10 r50:1 0x0 0x04000584", .counter = Counter::globalWrites},
    {.assembly = "send.ugm (16|M0) r40 r10 r50:1 0x0 0x0410058C", .counter = Counter::globalAtomics},
    {.assembly = "send.slm (16|M0) r40 r10 null:0 0x0 0x02100500", .counter = Counter::slmReads},
    {.assembly = "send.slm (16|M0) null r10 r50:1 0x0 0x02000504", .counter = Counter::slmWrites},
    {.assembly = "(W) send.ugm (1|M0) r40 r10 null:0 0x0 0x0210001F", .counter = Counter::fences},
    {.assembly = "send.ugm (16|M0) r41 r10 null:0 a0.2 0x42100500", .counter = kNothing},  // scratch
    // Nothing comes of a prefetch, and what cannot be executed accesses nothing: load_status, reserved operations.
    {.assembly = "send.ugm (16|M0) null r10 null:0 0x0 0x04000580", .counter = kNothing},
    {.assembly = "send.ugm (16|M0) r40 r10 null:0 0x0 0x0410059B", .counter = kNothing},
    {.assembly = "send.ugm (16|M0) r40 r10 null:0 0x0 0x0410059D", .counter = kNothing},
    // The older ports.
    {.assembly = "send.dc0 (16|M0) r40 r10 null:0 0x0 0x021105FE", .counter = Counter::slmReads},
    {.assembly = "send.dc0 (16|M0) null r10 r50:1 0x0 0x020309FE", .counter = Counter::slmWrites},
    {.assembly = "(W) send.dc0 (16|M0) r40 r11 null:0 0x0 0x021803FE", .counter = Counter::slmReads},
    {.assembly = "(W) send.dc0 (16|M0) null r11 r50:1 0x0 0x020A02FE", .counter = Counter::slmWrites},
    {.assembly = "(W) send.dc0 (16|M0) r42 r11 null:0 0x0 0x0219C0FE", .counter = Counter::fences},
    {.assembly = "(W) send.dc0 (16|M0) r40 r0 null:0 0x0 0x021C1004", .counter = kNothing},  // scratch
    {.assembly = "send.dc1 (16|M0) r40 r10 null:0 0x0 0x023052FE", .counter = Counter::slmReads},
    {.assembly = "send.dc1 (16|M0) r40 r10 null:0 0x0 0x04145EFF", .counter = Counter::globalReads},
    {.assembly = "send.dc1 (16|M0) null r10 r50:2 0x0 0x04065CFF", .counter = Counter::globalWrites},
    {.assembly = "(W) send.dc1 (1|M0) r40 r10 r50:1 0x0 0x0210A7FE", .counter = Counter::slmAtomics},
    {.assembly = "(W) send.dc1 (1|M0) r40 r10 r50:1 0x0 0x0414A7FF", .counter = Counter::globalAtomics},
    // Gateway.
    {.assembly = "(W) send.gtwy (1|M0) null r10 null:0 0x0 0x02000004", .counter = Counter::barriers},
    {.assembly = "(W) send.gtwy (1|M0) null r10 null:0 0x0 0x02000002", .counter = kNothing},
};

TEST(MachineLineInfo, MessagesFollowFromTheAccess) {
    const std::vector<LineInfo> lines = linesOf(kMessages);
    ASSERT_EQ(lines.size(), std::size(kMessages));
    for (std::size_t line = 0; line < lines.size(); ++line) {
        EXPECT_EQ(lines[line].pipe, Counter::sendInstructions) << kMessages[line].assembly;
        EXPECT_EQ(lines[line].message, kMessages[line].counter) << kMessages[line].assembly;
    }
}

constexpr Case kTypes[] = {
    {.assembly = "mad (16|M0) r10.0<1>:hf r11.0<1;0>:hf r12.0<1;0>:hf r13.0<1>:hf",
     .counter = Counter::halfInstructions},
    {.assembly = "mul (16|M0) r10.0<1>:bf r11.0<1;1,0>:f r12.0<2;1,0>:bf", .counter = Counter::singleInstructions},
    {.assembly = "add (16|M0) r10.0<1>:f r11.0<1;1,0>:f r12.0<1;1,0>:f", .counter = Counter::singleInstructions},
    {.assembly = "cmp (16|M0) (lt)f0.0 null<1>:f r11.0<1;1,0>:f 0x0:f", .counter = Counter::singleInstructions},
    {.assembly = "mad (16|M0) r10.0<1>:df r14.0<1;0>:df r18.0<1;0>:df r22.0<1>:df",
     .counter = Counter::doubleInstructions},
    {.assembly = "add (16|M0) r10.0<4>:b r11.0<1;1,0>:b r12.0<1;1,0>:b", .counter = Counter::wordInstructions},
    {.assembly = "add (16|M0) r10.0<2>:w r11.0<1;1,0>:w 0x7:w", .counter = Counter::wordInstructions},
    {.assembly = "add (16|M0) r10.0<1>:d r11.0<1;1,0>:d r12.0<2;1,0>:w", .counter = Counter::dwordInstructions},
    {.assembly = "mov (16|M0) r10.0<1>:ud r11.0<2;1,0>:uw", .counter = Counter::wordInstructions},
    {.assembly = "bfn.(s0&s1|s2) (16|M0) r10.0<1>:ud r11.0<1;0>:ud r12.0<1;0>:ud r13.0<1>:ud",
     .counter = Counter::dwordInstructions},
    {.assembly = "add (16|M0) r10.0<1>:q r14.0<1;1,0>:q r18.0<1;1,0>:q", .counter = Counter::qwordInstructions},
    {.assembly = "mov (16|M0) r10.0<1>:f r11.0<1;1,0>:f", .counter = Counter::singleInstructions},
    {.assembly = "mov (16|M0) r10.0<1>:f r11.0<1;1,0>:d", .counter = Counter::conversionInstructions},
    {.assembly = "mov (16|M0) r10.0<1>:d r11.0<1;1,0>:f", .counter = Counter::conversionInstructions},
    {.assembly = "mov (16|M0) r10.0<1>:df r14.0<1;1,0>:f", .counter = Counter::conversionInstructions},
    {.assembly = "dpas.8x8 (16|M0) r10:f r20:f r30:hf r40.0:hf", .counter = Counter::halfMatrixInstructions},
    {.assembly = "dpas.8x8 (16|M0) r10:f r20:f r30:bf r40.0:bf", .counter = Counter::brainMatrixInstructions},
    {.assembly = "dpas.8x8 (16|M0) r10:f r20:f r30:tf32 r40.0:tf32", .counter = Counter::tensorMatrixInstructions},
    {.assembly = "dpas.8x8 (16|M0) r10:d r20:d r30:b r40.0:b", .counter = Counter::byteMatrixInstructions},
    {.assembly = "dpas.8x8 (16|M0) r10:d r20:d r30:s4 r40.0:b", .counter = Counter::byteMatrixInstructions},
    {.assembly = "dpas.8x8 (16|M0) r10:d r20:d r30:s4 r40.0:u2", .counter = Counter::nibbleMatrixInstructions},
    {.assembly = "dpas.8x8 (16|M0) r10:d r20:d r30:s2 r40.0:u2", .counter = Counter::crumbMatrixInstructions},
    {.assembly = "math.sqt (16|M0) r10.0<1>:f r11.0<1;1,0>:f", .counter = kNothing},
    {.assembly = "send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580", .counter = kNothing},
    {.assembly = "sync.nop null", .counter = kNothing},
};

TEST(MachineLineInfo, TypesFollowFromTheOperands) {
    const std::vector<LineInfo> lines = linesOf(kTypes);
    ASSERT_EQ(lines.size(), std::size(kTypes));
    for (std::size_t line = 0; line < lines.size(); ++line)
        EXPECT_EQ(lines[line].type, kTypes[line].counter) << kTypes[line].assembly;
}

TEST(MachineLineInfo, WideInstructionsTakeSeveralSlots) {
    const struct {
        const char* assembly;
        std::uint32_t slots;
    } cases[] = {
        {"add (16|M0) r10.0<1>:f r11.0<1;1,0>:f r12.0<1;1,0>:f", 1},
        {"mad (32|M0) r10.0<1>:f r14.0<1;0>:f r18.0<1;0>:f r22.0<1>:f", 2},
        {"mad (16|M0) r10.0<1>:df r14.0<1;0>:df r18.0<1;0>:df r22.0<1>:df", 2},
        {"add (8|M0) r10.0<1>:w r11.0<1;1,0>:w 0x7:w", 1},
        {"dpas.8x8 (16|M0) r10:f r20:f r30:hf r40.0:hf", 8},
        {"dpas.8x1 (16|M0) r10:f r20:f r30:hf r40.0:hf", 1},
        {"send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580", 1},
    };
    const std::vector<LineInfo> lines = linesOf(cases);
    ASSERT_EQ(lines.size(), std::size(cases));
    for (std::size_t line = 0; line < lines.size(); ++line)
        EXPECT_EQ(lines[line].issueSlots, cases[line].slots) << cases[line].assembly;
}

// The same instructions take longer where fewer lanes compute at once.
TEST(MachineLineInfo, SlotsFollowFromTheArchitecture) {
    using zetl::isa::xe::kXe2;
    using zetl::isa::xe::kXeHpc;
    const struct {
        const char* assembly;
        std::uint32_t onXeHpc;
        std::uint32_t onXe2;
    } cases[] = {
        {"mad (16|M0) r10.0<1>:f r14.0<1;0>:f r18.0<1;0>:f r22.0<1>:f", 1, 1},
        {"mad (16|M0) r10.0<1>:df r14.0<1;0>:df r18.0<1;0>:df r22.0<1>:df", 2, 16},
        {"add (1|M0) r10.0<1>:df r14.0<0;1,0>:df r18.0<0;1,0>:df", 1, 1},
        {"add (16|M0) r10.0<1>:q r14.0<1;1,0>:q r18.0<1;1,0>:q", 2, 2},
        {"dpas.8x8 (16|M0) r10:f r20:f r30:bf r40.0:bf", 8, 16},
    };
    std::string text;
    for (const auto& each : cases) text += each.assembly + std::string("\n");
    KernelBench bench("tiny");
    const Kernel kernel = bench.assemble(text);
    const isa::Program& program = *kernel.code->program()->program;
    for (isa::Line line = 0; line < std::size(cases); ++line) {
        const isa::Instruction& instruction = program.instruction(line);
        EXPECT_EQ(classify(instruction, kXeHpc).issueSlots, cases[line].onXeHpc) << cases[line].assembly;
        EXPECT_EQ(classify(instruction, kXe2).issueSlots, cases[line].onXe2) << cases[line].assembly;
    }
}

TEST(MachineLineInfo, OperationsAreThoseOfTheLanes) {
    const struct {
        const char* assembly;
        Counter counter;
        std::uint32_t operations;
    } cases[] = {
        {"add (16|M0) r10.0<1>:f r11.0<1;1,0>:f r12.0<1;1,0>:f", Counter::singleOperations, 16},
        {"mul (8|M0) r10.0<1>:f r11.0<1;1,0>:f r12.0<1;1,0>:f", Counter::singleOperations, 8},
        {"mad (32|M0) r10.0<1>:f r14.0<1;0>:f r18.0<1;0>:f r22.0<1>:f", Counter::singleOperations, 64},
        {"mad (16|M0) r10.0<1>:hf r11.0<1;0>:hf r12.0<1;0>:hf r13.0<1>:hf", Counter::halfOperations, 32},
        {"mad (16|M0) r10.0<1>:df r14.0<1;0>:df r18.0<1;0>:df r22.0<1>:df", Counter::doubleOperations, 32},
        {"dpas.8x8 (16|M0) r10:f r20:f r30:hf r40.0:hf", Counter::realMatrixOperations, 4096},
        {"dpas.8x8 (16|M0) r10:f r20:f r30:tf32 r40.0:tf32", Counter::realMatrixOperations, 2048},
        {"dpas.8x1 (16|M0) r10:f r20:f r30:bf r40.0:bf", Counter::realMatrixOperations, 512},
        {"dpas.8x8 (16|M0) r10:d r20:d r30:b r40.0:b", Counter::integerMatrixOperations, 8192},
        {"dpas.8x8 (16|M0) r10:d r20:d r30:s4 r40.0:b", Counter::integerMatrixOperations, 8192},
        {"dpas.8x8 (16|M0) r10:d r20:d r30:s2 r40.0:u2", Counter::integerMatrixOperations, 32768},
        {"add (16|M0) r10.0<1>:d r11.0<1;1,0>:d 0x7:d", kNothing, 0},
        {"cmp (16|M0) (lt)f0.0 null<1>:f r11.0<1;1,0>:f 0x0:f", kNothing, 0},
        {"mov (16|M0) r10.0<1>:f r11.0<1;1,0>:f", kNothing, 0},
    };
    const std::vector<LineInfo> lines = linesOf(cases);
    ASSERT_EQ(lines.size(), std::size(cases));
    for (std::size_t line = 0; line < lines.size(); ++line) {
        EXPECT_EQ(lines[line].arithmetic, cases[line].counter) << cases[line].assembly;
        EXPECT_EQ(lines[line].operations, cases[line].operations) << cases[line].assembly;
    }
}

std::uint64_t sumOf(const Counts& counts, std::initializer_list<Counter> counters) {
    std::uint64_t sum = 0;
    for (const Counter counter : counters) sum += counts[counter];
    return sum;
}

TEST(MachineLineInfo, TypesAddUpToThePipes) {
    KernelBench bench("tiny");
    const Kernel kernel = bench.build(
        "kernel void mix(global float* f, global double* d, global short* s, uint n) {"
        " uint i = get_global_id(0); float a = f[i]; double b = d[i]; short c = s[i];"
        " for (uint k = 0; k < n; ++k) { a = fma(a, a, 1.0f); b = fma(b, b, 1.0); c = c * c + (short)k; }"
        " f[i] = a + (float)c; d[i] = b; s[i] = c; }",
        "mix");
    const auto countsOf = [&](std::uint32_t n) {
        const auto dispatch =
            bench.run(kernel, {64, 1, 1}, {1, 1, 1}, {bench.buffer(64), bench.buffer(128), bench.buffer(32), n});
        EXPECT_FALSE(dispatch->fault());
        return dispatch->counts();
    };
    const Counts once = countsOf(100);
    EXPECT_EQ(sumOf(once, {Counter::halfInstructions, Counter::singleInstructions, Counter::doubleInstructions,
                           Counter::wordInstructions, Counter::dwordInstructions, Counter::qwordInstructions,
                           Counter::conversionInstructions}),
              sumOf(once, {Counter::floatInstructions, Counter::integerInstructions}));
    const Counts more = countsOf(200) - once;
    const std::uint64_t threads = once[Counter::threads];
    EXPECT_GE(more[Counter::singleInstructions], 100 * threads) << "one multiplication of floats a round";
    EXPECT_LT(more[Counter::singleInstructions], 200 * threads);
    EXPECT_GE(more[Counter::doubleInstructions], 100 * threads);
    EXPECT_EQ(more[Counter::conversionInstructions], 0u) << "behind the loop";
    EXPECT_GT(once[Counter::conversionInstructions], 0u);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
