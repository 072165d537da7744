// Observers of a device's programs, alone and beside the timing model: host code reports to each what it asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "emulator/isa/code.h"
#include "emulator/isa/flow.h"
#include "emulator/machine/code/loaded_program.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/translate/translation.h"
#include "kernel_bench.h"

namespace zetl::emulator::machine::bench {
namespace {

constexpr std::uint32_t kObservedItems = 64;
constexpr std::uint32_t kObservedGroups = 10;
constexpr const char* kOddNeighbours =
    "kernel void neighbours(global const uint* in, global uint* out, local uint* tile) {"
    " uint l = get_local_id(0), g = get_global_id(0); tile[l] = in[g]; barrier(CLK_LOCAL_MEM_FENCE);"
    " if (in[g] & 1) out[g] = tile[(l + 1) & 63]; }";
constexpr const char* kPlainCopy =
    "kernel void copy(global const uint* in, global uint* out) { out[get_global_id(0)] = in[get_global_id(0)]; }";

/// Adds up the bytes that messages are about to move, as a checker of memory would look at them.
class ByteCount final : public ProgramObserver {
  public:
    std::vector<bool> linesOf(const LoadedProgram& loaded) const override {
        std::vector<bool> lines(loaded.program->lineCount());
        for (isa::Line line = 0; line < lines.size(); ++line)
            lines[line] = loaded.program->instruction(line).opcode == isa::Opcode::send;
        return lines;
    }
    void beforeLine(isa::Thread& thread, isa::Line line) noexcept override {
        const auto access = isa::accessOf(thread, line);
        if (!access) return;
        const bool local = access->space == isa::MemorySpace::local;
        if (!local && access->space != isa::MemorySpace::global) return;
        auto& bytes = local ? (access->write ? localWritten : localRead) : access->write ? globalWritten : globalRead;
        bytes += access->bytes();
    }
    std::atomic<std::uint64_t> globalRead{0};
    std::atomic<std::uint64_t> globalWritten{0};
    std::atomic<std::uint64_t> localRead{0};
    std::atomic<std::uint64_t> localWritten{0};
};

bool isHostCode(const Kernel& kernel) {
    const isa::Program::Code& code = kernel.code->program()->program->code();
    return std::ranges::any_of(code.body, [&](const isa::Program::Code::Body& body) {
        return std::ranges::any_of(body.steps, [&](const isa::Step& step) {
            return step.handler() != &isa::observed && step.handler() != code.originalOf(&step);
        });
    });
}

class ProgramObserversTest : public testing::Test {
  protected:
    std::shared_ptr<void> hold() { return static_cast<DeviceRuntime&>(bench.device()).observers().hold(bytes); }
    Counts run() {
        const auto dispatch = bench.run(kernel, {kObservedItems, 1, 1}, {kObservedGroups, 1, 1},
                                        {in, out, Argument::local(kObservedItems * sizeof(std::uint32_t))});
        EXPECT_FALSE(dispatch->fault());
        return dispatch->counts();
    }
    void expectTold(const Counts& counts, std::uint64_t runs) const {
        EXPECT_EQ(bytes.globalRead, runs * counts[Counter::globalBytesRead]);
        EXPECT_EQ(bytes.globalWritten, runs * counts[Counter::globalBytesWritten]);
        EXPECT_EQ(bytes.localRead, runs * counts[Counter::slmBytesRead]);
        EXPECT_EQ(bytes.localWritten, runs * counts[Counter::slmBytesWritten]);
        EXPECT_EQ(bytes.globalWritten, runs * kObservedGroups * kObservedItems / 2 * sizeof(std::uint32_t));
    }
    void expectHostCode() const { EXPECT_EQ(isHostCode(kernel), translate::obstacle().empty()); }

    ByteCount bytes;  // outlives the device
    KernelBench bench{"small", 1};
    Kernel kernel = bench.build(kOddNeighbours, "neighbours");
    std::uint32_t* in = [this] {
        auto* const buffer = bench.buffer(kObservedItems * kObservedGroups);
        for (std::uint32_t i = 0; i < kObservedItems * kObservedGroups; ++i)
            buffer[i] = i / 2;  // each second pair is odd
        return buffer;
    }();
    std::uint32_t* out = bench.buffer(kObservedItems * kObservedGroups);
};

TEST_F(ProgramObserversTest, AreToldInHostCode) {
    const auto held = hold();
    const Counts counts = run();
    expectTold(counts, 1);
    expectHostCode();
}

TEST_F(ProgramObserversTest, ShareAKernelWithTheTimingModel) {
    auto collecting = bench.tile().collect();
    const Counts alone = run();
    auto held = hold();
    const Counts both = run();
    expectTold(both, 1);
    expectHostCode();
    EXPECT_EQ(both[Counter::instructions], alone[Counter::instructions]);
    EXPECT_NE(both[Counter::workCycles], 0u);
    collecting.reset();
    const Counts rest = run();
    expectTold(rest, 2);
    expectHostCode();
    held.reset();
    run();
    expectTold(rest, 2);
}

TEST_F(ProgramObserversTest, AreToldOfProgramsThatAreLoadedLater) {
    const auto held = hold();
    kernel = bench.build(kPlainCopy, "copy");
    const auto dispatch = bench.run(kernel, {kObservedItems, 1, 1}, {kObservedGroups, 1, 1}, {in, out});
    EXPECT_FALSE(dispatch->fault());
    EXPECT_EQ(bytes.globalWritten, kObservedGroups * kObservedItems * sizeof(std::uint32_t));
    expectHostCode();
}

TEST_F(ProgramObserversTest, AreToldUntilTheLastHandleIsGone) {
    auto held = hold();
    auto again = hold();
    held.reset();
    expectTold(run(), 1);
    again.reset();
    expectTold(run(), 1);
}

TEST_F(ProgramObserversTest, OfOneTileLeaveHostCodeToTheOther) {
    KernelBench two("small-two-by-two", 1);
    kernel = two.build(kPlainCopy, "copy");
    const std::vector<Argument> buffers{two.buffer(kObservedItems), two.buffer(kObservedItems)};
    const auto collecting = two.tile(0).collect();
    const auto dispatch = two.tile(1).submit(two.prepare(kernel, {kObservedItems, 1, 1}, {1, 1, 1}, buffers));
    EXPECT_TRUE(dispatch->wait(std::chrono::minutes(1)));
    expectHostCode();
}

// The caches' content differs from run to run, so each of the two is the first on its device.
TEST_F(ProgramObserversTest, LeaveTheTimingModelAsItIs) {
    const auto cycles = [](bool observed) {
        ByteCount observer;
        KernelBench fresh("small", 1);
        const Kernel copy = fresh.build(kPlainCopy, "copy");
        auto* const from = fresh.buffer(kObservedItems * kObservedGroups);
        auto* const to = fresh.buffer(kObservedItems * kObservedGroups);
        const auto collecting = fresh.tile().collect();
        const auto held = observed ? static_cast<DeviceRuntime&>(fresh.device()).observers().hold(observer) : nullptr;
        return fresh.run(copy, {kObservedItems, 1, 1}, {kObservedGroups, 1, 1}, {from, to})
            ->counts()[Counter::workCycles];
    };
    EXPECT_EQ(cycles(true), cycles(false));
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
