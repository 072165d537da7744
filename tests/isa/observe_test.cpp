// Observers, breakpoints, single steps and registers of a stopped thread.
#include "emulator/isa/observe.h"

#include <gtest/gtest.h>

#include <array>

#include "emulator/isa/registers.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

using isa::RegisterSet;
using isa::Status;

constexpr const char* kLoop =
    "(W) mov (1|M0) r41.0<1>:d 0:w\n"
    "L0:\n(W) add (1|M0) r41.0<1>:d r41.0<0;1,0>:d 1:w\n"
    "(W) cmp (16|M0) (lt)f1.0 null<1>:d r41.0<0;1,0>:d 10:w\n"
    "(W&f1.0) jmpi L0\n"
    "mov (16|M0) r40.0<1>:d r41.0<0;1,0>:d";

struct Recorder : isa::LineObserver {
    void beforeLine(isa::Thread& t, isa::Line line) noexcept override {
        lines.push_back(line);
        lanes = isa::lanesOf(t, line);
        if (auto a = isa::accessOf(t, line)) access = *a;
    }
    std::vector<isa::Line> lines;
    std::uint32_t lanes = 0;
    std::optional<isa::MemoryAccess> access;
};

TEST(Observe, WatchedLinesAreReportedBeforeEachExecution) {
    LoneThread t;
    Recorder r;
    t.load(assembleProgram(kLoop));
    t.program().watch(1, r);
    t.program().watch(4, r);
    ASSERT_EQ(t.resume(), Status::done);
    EXPECT_EQ(r.lines.size(), 11u);
    EXPECT_EQ(r.lines.back(), 4u);
    EXPECT_EQ(r.lanes, 0xffffu);
    EXPECT_EQ(t.scalar<std::int32_t>(40), 10);
    t.program().unwatch(1, r);
    t.program().unwatch(4, r);
    t.thread().enter(t.program(), 0x10000);
    ASSERT_EQ(t.resume(), Status::done);
    EXPECT_EQ(r.lines.size(), 11u);
}

TEST(Observe, MemoryAccessesCanBeDescribed) {
    LoneThread t;
    Recorder r;
    auto& area = t.allocate(256);
    std::vector<std::uint64_t> a(16);
    for (std::size_t i = 0; i < 16; ++i) a[i] = LoneThread::addressOf(area) + i * 8;
    t.set(10, a);
    t.load(assembleProgram("send.ugm (16|M0) null r10 r50:1 0x0 0x04000584"), 0x8001);
    t.program().watch(0, r);
    ASSERT_EQ(t.resume(), Status::done);
    ASSERT_TRUE(r.access);
    EXPECT_TRUE(r.access->write);
    EXPECT_FALSE(r.access->atomic);
    EXPECT_EQ(r.access->lanes, 0x8001u);
    EXPECT_EQ(r.access->bytes(), 8u);
    EXPECT_EQ(r.access->address[15], a[15]);
    EXPECT_EQ(r.access->space, isa::MemorySpace::global);
}

// The header's third dword is the offset, in units of sixteen bytes or, with a type of its own, in bytes.
TEST(Observe, BlocksOfLocalMemoryCanBeDescribed) {
    LoneThread t;
    Recorder r;
    t.set(11, std::vector<std::uint32_t>{9, 9, 4, 9});
    const auto describe = [&](const char* assembly) {
        r.access.reset();
        t.load(assembleProgram(assembly));
        t.program().watch(0, r);
        EXPECT_EQ(t.resume(), Status::done);
        return r.access.value_or(isa::MemoryAccess{});
    };
    const isa::MemoryAccess read = describe("(W) send.dc0 (16|M0) r40 r11 null:0 0x0 0x021803FE");
    EXPECT_EQ(read.space, isa::MemorySpace::local);
    EXPECT_FALSE(read.write);
    EXPECT_EQ(read.lanes, 1u);
    EXPECT_EQ(read.bytes(), 64u);
    EXPECT_EQ(read.address[0], 64u);
    const isa::MemoryAccess bytewise = describe("(W) send.dc0 (16|M0) r41 r11 null:0 0x0 0x021843FE");
    EXPECT_EQ(bytewise.space, isa::MemorySpace::local);
    EXPECT_EQ(bytewise.address[0], 4u);
    const isa::MemoryAccess written = describe("(W) send.dc0 (16|M0) null r11 r50:1 0x0 0x020A02FE");
    EXPECT_TRUE(written.write);
    EXPECT_EQ(written.bytes(), 32u);
    const isa::MemoryAccess dwords = describe("send.dc0 (16|M0) r40 r11 null:0 0x0 0x0210C3FE");
    EXPECT_EQ(dwords.lanes, 0xffffu);
    EXPECT_EQ(dwords.bytes(), 64u);
    EXPECT_EQ(dwords.address[2], 16u) << "of the dword at 4";
    const isa::MemoryAccess half = describe("(W) send.dc1 (1|M0) r40 r10 r50:1 0x0 0x021724FE");
    EXPECT_TRUE(half.atomic);
    EXPECT_EQ(half.bytes(), 2u);
}

TEST(Observe, LinesWithoutStepsAreReportedInPassing) {
    LoneThread t;
    Recorder r;
    t.load(assembleProgram("nop\nnop\nmov (16|M0) r40.0<1>:d 1:w\nnop"));
    for (isa::Line l = 0; l < 4; ++l) t.program().watch(l, r);
    ASSERT_EQ(t.resume(), Status::done);
    EXPECT_EQ(r.lines, (std::vector<isa::Line>{0, 1, 2, 3}));
}

TEST(Observe, BreakpointsStopBeforeTheirLineAndArePassedWhenSuppressed) {
    LoneThread t;
    t.load(assembleProgram(kLoop));
    t.program().setBreakpoint(1, true);
    EXPECT_TRUE(t.program().hasBreakpoint(1));
    for (int hit = 0; hit < 10; ++hit) {
        ASSERT_EQ(t.resume(), Status::breakpoint) << hit;
        EXPECT_EQ(t.thread().ip(), 0x10010u);
        EXPECT_EQ(t.scalar<std::int32_t>(41), hit);
        std::uint32_t control[4];
        ASSERT_TRUE(isa::readRegisters(t.thread(), {zetl::isa::xe::kXeHpc, 128}, RegisterSet::cr, 0, 1, control));
        EXPECT_EQ(control[2], 0x10010u);
        EXPECT_EQ(control[1], 1u << 31);
        control[0] |= 1u << 15;
        control[1] = 0;
        ASSERT_TRUE(isa::writeRegisters(t.thread(), {zetl::isa::xe::kXeHpc, 128}, RegisterSet::cr, 0, 1, control));
    }
    EXPECT_EQ(t.resume(), Status::done);
    t.program().setBreakpoint(1, false);
    t.thread().enter(t.program(), 0x10000);
    EXPECT_EQ(t.resume(), Status::done);
}

TEST(Observe, SingleStepsGoOneInstructionAtATime) {
    LoneThread t;
    t.load(assembleProgram(kLoop));
    std::vector<std::uint32_t> path;
    for (int i = 0; i < 8; ++i) {
        t.thread().at<std::uint32_t>(isa::layout::kControl + 4) = 1u << 31;
        t.thread().at<std::uint32_t>(isa::layout::kControl) |= 1u << 15;
        ASSERT_EQ(t.resume(), Status::breakpoint);
        path.push_back(t.thread().ip() - 0x10000);
    }
    EXPECT_EQ(path, (std::vector<std::uint32_t>{0x10, 0x20, 0x30, 0x10, 0x20, 0x30, 0x10, 0x20}));
    EXPECT_EQ(t.thread().executed, 8u);
}

TEST(Observe, WritingTheInstructionPointerMovesTheThread) {
    LoneThread t;
    t.load(assembleProgram(kLoop));
    t.program().setBreakpoint(1, true);
    ASSERT_EQ(t.resume(), Status::breakpoint);
    t.thread().at<std::uint32_t>(isa::layout::kControl + 4) = 0;
    t.thread().at<std::uint32_t>(isa::layout::kControl + 8) = 0x10040;
    ASSERT_EQ(t.resume(), Status::done);
    EXPECT_EQ(t.scalar<std::int32_t>(40), 0);
    t.thread().enter(t.program(), 0x10000);
    t.thread().at<std::uint32_t>(isa::layout::kControl + 8) = 0x10044;
    ASSERT_EQ(t.resume(), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, isa::FaultKind::branchTarget);
}

TEST(Registers, SetsReadBackWhatWasWritten) {
    LoneThread t;
    for (const zetl::isa::xe::Architecture* architecture : zetl::isa::xe::allArchitectures())
        for (const std::uint32_t general : architecture->registerCounts)
            for (const RegisterSet set : isa::registerSets(*architecture)) {
                const isa::RegisterFile file{*architecture, general};
                const auto s = isa::registerSet(file, set);
                ASSERT_TRUE(s);
                std::vector<std::uint8_t> in(s->count * s->bytes, 0xaa);
                std::vector<std::uint8_t> out(s->count * s->bytes, 0);
                EXPECT_EQ(isa::writeRegisters(t.thread(), file, set, 0, s->count, in.data()), s->writable);
                ASSERT_TRUE(isa::readRegisters(t.thread(), file, set, 0, s->count, out.data()));
                if (s->writable) {
                    EXPECT_EQ(in, out) << static_cast<int>(set);
                }
                EXPECT_FALSE(isa::readRegisters(t.thread(), file, set, 0, s->count + 1, out.data()));
                EXPECT_FALSE(isa::readRegisters(t.thread(), file, set, s->count, 1, out.data()));
                EXPECT_FALSE(isa::readRegisters(t.thread(), file, set, 1, ~0u, out.data()));
            }
}

TEST(Registers, Xe3PHasMoreAndLargerOnes) {
    const isa::RegisterFile file{zetl::isa::xe::kXe3P, 512};
    EXPECT_EQ(isa::registerSet(file, RegisterSet::grf)->count, 512u);
    EXPECT_EQ(isa::registerSet(file, RegisterSet::addr)->bytes, 64u);
    EXPECT_EQ(isa::registerSet(file, RegisterSet::scalar)->count * isa::registerSet(file, RegisterSet::scalar)->bytes,
              64u);
    EXPECT_FALSE(isa::registerSet({zetl::isa::xe::kXe2, 128}, RegisterSet::scalar));
    EXPECT_EQ(isa::registerSet({zetl::isa::xe::kXe3, 32}, RegisterSet::grf)->count, 32u);

    LoneThread t;
    t.thread().at<std::uint32_t>(isa::layout::kScalar + 4) = 0x11223344;
    t.thread().at<std::uint32_t>(isa::layout::kGrf + 511 * isa::layout::kRegisterBytes) = 0x55667788;
    std::uint32_t scalar = 0;
    std::array<std::uint32_t, 16> last{};
    ASSERT_TRUE(isa::readRegisters(t.thread(), file, RegisterSet::scalar, 1, 1, &scalar));
    ASSERT_TRUE(isa::readRegisters(t.thread(), file, RegisterSet::grf, 511, 1, last.data()));
    EXPECT_EQ(scalar, 0x11223344u);
    EXPECT_EQ(last[0], 0x55667788u);
}

}  // namespace
}  // namespace zetl::test
