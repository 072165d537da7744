// What a message counts as follows from what it does to memory, whichever port it is sent to.
#include <gtest/gtest.h>

#include "emulator/machine/code/loaded_program.h"
#include "kernel_bench.h"

namespace zetl::emulator::machine::bench {
namespace {

constexpr Counter kNothing = Counter::count_;

struct Case {
    const char* assembly;
    Counter counter;
};

constexpr Case kCases[] = {
    // Load/store cache.
    {.assembly = "send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580", .counter = Counter::globalReads},
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

TEST(MachineMessageCounters, FollowFromTheAccess) {
    std::string text;
    for (const Case& c : kCases) text += c.assembly + std::string("\n");
    KernelBench bench("tiny");
    const Kernel kernel = bench.assemble(text);
    const std::vector<LineInfo>& lines = kernel.code->program()->lines;
    ASSERT_EQ(lines.size(), std::size(kCases));
    for (std::size_t line = 0; line < lines.size(); ++line) {
        EXPECT_EQ(lines[line].pipe, Counter::sendInstructions) << kCases[line].assembly;
        EXPECT_EQ(lines[line].message, kCases[line].counter) << kCases[line].assembly;
    }
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
