// Debug control: halt, run, registers, local memory, breakpoints, single steps, faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <span>

#include "emulator/isa/registers.h"
#include "stop_events.h"
#include "support/effort.h"

namespace zetl::emulator::machine::bench {
namespace {

using isa::RegisterSet;

constexpr ThreadId kAll{};

class ControlTest : public testing::Test {
  protected:
    ~ControlTest() override {
        control().detach();
        if (running) {
            running->cancel();
            running->wait();
        }
    }
    Control& control() { return bench.tile().control(); }
    void startSpinning(std::uint32_t groups = 4, std::uint32_t groupSize = 64) {
        spin = bench.build(
            "kernel void spin(global volatile uint* go, global uint* out) { while (*go == 0) ;"
            " out[get_global_id(0)] = 1; }",
            "spin");
        go = bench.buffer(1);
        out = bench.buffer(std::size_t{groups} * groupSize);
        running = bench.launch(spin, {groupSize, 1, 1}, {groups, 1, 1}, {go, out});
        EXPECT_TRUE(KernelBench::eventually([&] { return bench.tile().counters().counts[Counter::groups] == groups; }));
    }
    std::set<std::uint32_t> stoppedSlots() {
        std::set<std::uint32_t> slots;
        for (const StoppedThread& thread : control().stopped())
            slots.insert(bench.device().profile().slotOf(thread.thread));
        return slots;
    }
    std::uint32_t control0(const ThreadId& thread, std::uint32_t word) {
        std::uint32_t cr[4] = {};
        EXPECT_EQ(control().readRegisters(thread, RegisterSet::cr, 0, 1, cr), ControlStatus::ok);
        return cr[word];
    }
    void setControl(const ThreadId& thread, std::uint32_t word, std::uint32_t value) {
        std::uint32_t cr[4] = {};
        EXPECT_EQ(control().readRegisters(thread, RegisterSet::cr, 0, 1, cr), ControlStatus::ok);
        cr[word] = value;
        EXPECT_EQ(control().writeRegisters(thread, RegisterSet::cr, 0, 1, cr), ControlStatus::ok);
    }
    std::uint64_t ipOf(const ThreadId& thread) { return bench.device().code().base() + control0(thread, 2); }
    /// A single step over whatever is at the thread's instruction.
    void step(const ThreadId& thread) {
        setControl(thread, 0, control0(thread, 0) | kSuppress);
        setControl(thread, 1, control0(thread, 1) | kStep);
        EXPECT_EQ(control().run(thread), 1u);
    }

    static constexpr std::uint32_t kWorkers = 2;
    KernelBench bench{"small", kWorkers};
    StopEvents events;
    Kernel spin;
    std::uint32_t* go = nullptr;
    std::uint32_t* out = nullptr;
    std::shared_ptr<Dispatch> running;
};

TEST_F(ControlTest, HaltOfAnIdleTileIsAnswered) {
    ASSERT_TRUE(control().attach(events.sink()));
    EXPECT_FALSE(control().attach(events.sink())) << "one debugger at a time";
    control().halt(kAll, 41);
    const StopEvent event = events.next();
    EXPECT_EQ(event.kind, StopEvent::Kind::halted);
    EXPECT_EQ(event.token, 41u);
    EXPECT_EQ(event.stopped, 0u);
    EXPECT_EQ(control().run(kAll), 0u);
    control().detach();
    EXPECT_TRUE(control().attach(events.sink()));
}

TEST_F(ControlTest, HaltAllStopsTheSameThreadsEveryTime) {
    startSpinning();
    ASSERT_TRUE(control().attach(events.sink()));
    std::set<std::uint32_t> first;
    for (std::uint64_t round = 0; round < 10; ++round) {
        control().halt(kAll, round);
        const StopEvent event = events.next();
        EXPECT_EQ(event.token, round);
        EXPECT_EQ(event.stopped, running->launch().groupCount[0] * 64 / running->launch().simd);
        const std::set<std::uint32_t> slots = stoppedSlots();
        EXPECT_EQ(slots.size(), event.stopped);
        if (round == 0) first = slots;
        EXPECT_EQ(slots, first);
        EXPECT_EQ(control().run(kAll), event.stopped);
    }
    EXPECT_EQ(events.waiting(), 0u) << "exactly one answer for each request";
    std::atomic_ref(*go).store(1);
    ASSERT_TRUE(running->wait(std::chrono::seconds(10)));
    EXPECT_FALSE(running->fault());
    EXPECT_EQ(out[255], 1u);
}

/// How long a debugger waits depends on the groups in a turn, one a worker, and not on all that want theirs.
TEST_F(ControlTest, GroupsBetweenTurnsAreStoppedWhenHaltReturns) {
    constexpr std::uint32_t kGroups = test::effort(64, 16);  // each has a turn within the time limit
    startSpinning(kGroups, 32);
    ASSERT_TRUE(control().attach(events.sink()));
    for (std::uint64_t round = 0; round < 10; ++round) {
        control().halt(kAll, round);
        const std::size_t atOnce = control().stopped().size();
        const StopEvent event = events.next();
        EXPECT_EQ(event.stopped, std::size_t{kGroups} * 32 / running->launch().simd);
        EXPECT_GE(atOnce, event.stopped / kGroups * (kGroups - kWorkers));
        EXPECT_EQ(control().run(kAll), event.stopped);
    }
    std::atomic_ref(*go).store(1);
    ASSERT_TRUE(running->wait(std::chrono::seconds(10)));
    EXPECT_EQ(out[kGroups * 32 - 1], 1u) << "nothing was disturbed";
}

TEST_F(ControlTest, PartialSetsLeaveOthersRunning) {
    startSpinning();
    ASSERT_TRUE(control().attach(events.sink()));
    control().halt(kAll, 1);
    events.next();
    const std::vector<StoppedThread> all = control().stopped();
    control().run(kAll);
    const ThreadId one = all.front().thread;
    for (const ThreadId set : {one, ThreadId{one.slice, one.subslice}, ThreadId{one.slice}}) {
        control().halt(set, 2);
        const StopEvent event = events.next();
        EXPECT_EQ(event.thread, set);
        const auto expected = static_cast<std::size_t>(
            std::count_if(all.begin(), all.end(), [&](const StoppedThread& t) { return set.contains(t.thread); }));
        EXPECT_EQ(event.stopped, expected);
        EXPECT_EQ(control().stopped().size(), expected);
        EXPECT_EQ(control().state(one, nullptr), ThreadState::stopped);
        EXPECT_EQ(control().run(set), expected);
        EXPECT_EQ(control().state(one, nullptr), ThreadState::running);
    }
    EXPECT_EQ(control().state({99, 0, 0, 0}, nullptr), ThreadState::idle);
}

TEST_F(ControlTest, RegistersOfAStoppedThreadAreReadAndWritten) {
    startSpinning();
    ASSERT_TRUE(control().attach(events.sink()));
    control().halt(kAll, 1);
    events.next();
    for (const StoppedThread& thread : control().stopped()) {
        EXPECT_EQ(thread.cause, StopCause::halt);
        std::uint32_t sr[4] = {};
        ASSERT_EQ(control().readRegisters(thread.thread, RegisterSet::sr, 0, 1, sr), ControlStatus::ok);
        const DeviceProfile& profile = bench.device().profile();
        EXPECT_EQ(sr[0], profile.statusRegister(profile.slotOf(thread.thread)));
        EXPECT_GE(ipOf(thread.thread), spin.code->address());
        EXPECT_LT(ipOf(thread.thread), spin.code->address() + spin.code->bytes());
        std::uint64_t bases[9] = {};
        ASSERT_EQ(control().readRegisters(thread.thread, RegisterSet::sba, 0, 9, bases), ControlStatus::ok);
        EXPECT_EQ(bases[4], bench.device().code().base());
    }
    const ThreadId one = control().stopped().front().thread;
    std::uint32_t count = 0;
    EXPECT_EQ(control().registerCount(one, RegisterSet::grf, &count), ControlStatus::ok);
    EXPECT_EQ(count, 128u);
    std::vector<std::uint8_t> saved(128 * 64);
    std::vector<std::uint8_t> pattern(128 * 64, 0xaa);
    std::vector<std::uint8_t> back(128 * 64);
    EXPECT_EQ(control().readRegisters(one, RegisterSet::grf, 0, 128, saved.data()), ControlStatus::ok);
    EXPECT_EQ(control().writeRegisters(one, RegisterSet::grf, 0, 128, pattern.data()), ControlStatus::ok);
    EXPECT_EQ(control().readRegisters(one, RegisterSet::grf, 0, 128, back.data()), ControlStatus::ok);
    EXPECT_EQ(back, pattern);
    EXPECT_EQ(control().writeRegisters(one, RegisterSet::grf, 0, 128, saved.data()), ControlStatus::ok);
    EXPECT_EQ(control().readRegisters(one, RegisterSet::grf, 100, 29, back.data()), ControlStatus::invalid);
    EXPECT_EQ(control().writeRegisters(one, RegisterSet::ce, 0, 1, back.data()), ControlStatus::invalid);
    EXPECT_EQ(control().readRegisters(kAll, RegisterSet::grf, 0, 1, back.data()), ControlStatus::invalid);
    control().run(kAll);
    EXPECT_EQ(control().readRegisters(one, RegisterSet::grf, 0, 1, back.data()), ControlStatus::notStopped);
    std::atomic_ref(*go).store(1);
    ASSERT_TRUE(running->wait(std::chrono::seconds(10)));
    EXPECT_EQ(out[255], 1u) << "nothing was disturbed";
}

TEST_F(ControlTest, LocalMemoryOfAStoppedGroup) {
    const Kernel kernel = bench.build(
        "kernel void hold(global volatile uint* go, local volatile uint* tile) {"
        " tile[get_local_id(0)] = get_local_id(0) + 100; barrier(CLK_LOCAL_MEM_FENCE);"
        " while (*go == 0 && tile[3] == 103) ; }",
        "hold");
    running = bench.launch(kernel, {32, 1, 1}, {1, 1, 1}, {bench.buffer(1), Argument::local(128)});
    EXPECT_TRUE(
        KernelBench::eventually([&] { return bench.tile().counters().counts[Counter::slmBytesWritten] == 128; }));
    ASSERT_TRUE(control().attach(events.sink()));
    control().halt(kAll, 1);
    events.next();
    const ThreadId one = control().stopped().front().thread;
    std::uint32_t value = 0;
    EXPECT_EQ(control().readSlm(one, 12, &value, 4), ControlStatus::ok);
    EXPECT_EQ(value, 103u);
    EXPECT_EQ(control().readSlm(one, 126, &value, 4), ControlStatus::outOfRange);
    value = 7;
    EXPECT_EQ(control().writeSlm(one, 12, &value, 4), ControlStatus::ok);
    control().run(kAll);
    ASSERT_TRUE(running->wait(std::chrono::seconds(10))) << "the kernel saw the debugger's value";
}

TEST_F(ControlTest, BreakpointInCodeIsHitSteppedAndRemoved) {
    startSpinning(2, 32);
    ASSERT_TRUE(control().attach(events.sink()));
    control().halt(kAll, 1);
    events.next();
    const ThreadId one = control().stopped().front().thread;
    const std::uint64_t where = ipOf(one);
    CodeHeap& code = bench.device().code();
    std::uint8_t bytes[16] = {};
    ASSERT_TRUE(code.read(where, bytes, 16));
    const bool compact = (bytes[3] & 0x20) != 0;
    std::uint8_t changed[16];
    std::memcpy(changed, bytes, 16);
    changed[compact ? 0 : 3] |= compact ? 0x80 : 0x40;
    ASSERT_TRUE(code.write(where, changed, compact ? 8 : 16));
    setControl(one, 0, control0(one, 0) | kSuppress);
    control().run(kAll);

    // Both groups come by; the one that stands on it goes round the loop first.
    const StopEvent hit = events.next();
    EXPECT_EQ(hit.kind, StopEvent::Kind::stopped);
    EXPECT_EQ(hit.cause, StopCause::breakpoint);
    EXPECT_EQ(ipOf(hit.thread), where);
    EXPECT_NE(control0(hit.thread, 1) & kStep, 0u);
    const StopEvent second = events.next();
    EXPECT_EQ(second.cause, StopCause::breakpoint);
    EXPECT_NE(second.thread, hit.thread);

    step(hit.thread);
    const StopEvent stepped = events.next();
    EXPECT_EQ(stepped.cause, StopCause::step);
    EXPECT_EQ(stepped.thread, hit.thread);
    EXPECT_NE(ipOf(hit.thread), where);

    ASSERT_TRUE(code.write(where, bytes, compact ? 8 : 16));
    for (const ThreadId& thread : {hit.thread, second.thread}) setControl(thread, 1, 0);
    setControl(second.thread, 0, control0(second.thread, 0) | kSuppress);
    EXPECT_EQ(control().run(kAll), 2u);
    std::atomic_ref(*go).store(1);
    ASSERT_TRUE(running->wait(std::chrono::seconds(10)));
    EXPECT_EQ(events.waiting(), 0u);
}

TEST_F(ControlTest, SteppingVisitsEveryInstructionOfAStraightLine) {
    const Kernel kernel =
        bench.build("kernel void put(global uint* out) { out[get_global_id(0)] = get_global_id(0) * 7u; }", "put");
    ASSERT_TRUE(control().attach(events.sink()));
    CodeHeap& code = bench.device().code();
    std::uint8_t first[4] = {};
    ASSERT_TRUE(code.read(kernel.code->address() + kernel.offset - kernel.code->offset(), first, 4));
    const bool compact = (first[3] & 0x20) != 0;
    first[compact ? 0 : 3] |= compact ? 0x80 : 0x40;
    ASSERT_TRUE(code.write(kernel.code->address() + kernel.offset - kernel.code->offset(), first, 4));
    auto* target = bench.buffer(32);
    running = bench.launch(kernel, {32, 1, 1}, {1, 1, 1}, {target});
    StopEvent event = events.next();
    std::set<std::uint64_t> visited;
    for (int i = 0; i < 500 && !running->done(); ++i) {
        visited.insert(ipOf(event.thread));
        step(event.thread);
        if (!KernelBench::eventually([&] { return events.waiting() != 0 || running->done(); })) break;
        if (events.waiting() != 0) event = events.next();
    }
    ASSERT_TRUE(running->wait(std::chrono::seconds(10)));
    EXPECT_EQ(target[31], 217u);
    EXPECT_EQ(visited.size(), running->counts()[Counter::instructions]);
}

TEST_F(ControlTest, RewrittenCodeIsSeenByThreadsInside) {
    const Kernel kernel = bench.assemble(
        "(W) mov (1|M0) r5.0<1>:ud 0x0:ud\n"
        "L16:\n"
        "(W) add (1|M0) r5.0<1>:ud r5.0<0;1,0>:ud 0x1:ud {NoCompact}\n"
        "(W) jmpi L16 {NoCompact}\n"
        "(W) mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud\n"
        "(W) send.gtwy (1|M0) null r112 null:0 0x0 0x02000010 {EOT}\n");
    running = bench.launch(kernel, {32, 1, 1}, {1, 1, 1});
    ASSERT_TRUE(control().attach(events.sink()));
    EXPECT_TRUE(KernelBench::eventually([&] { return bench.tile().counters().counts[Counter::instructions] > 1000; }));
    // Find the jump and put the add that precedes it in its place: the loop falls through.
    std::vector<std::uint8_t> text(kernel.code->bytes());
    ASSERT_TRUE(bench.device().code().read(kernel.code->address(), text.data(), text.size()));
    for (std::size_t i = 16; i + 16 <= text.size(); i += 8) {
        if ((text[i] & 0x7f) != 0x20) continue;
        ASSERT_TRUE(bench.device().code().write(kernel.code->address() + i, text.data() + i - 16, 16));
        break;
    }
    EXPECT_TRUE(running->wait(std::chrono::seconds(10)));
    EXPECT_FALSE(running->fault()) << running->fault().describe();
}

TEST_F(ControlTest, FaultStopsTheThreadAndIsPassedOver) {
    const Kernel kernel = bench.build(
        "kernel void miss(global uint* in, global uint* out) { out[get_global_id(0)] = 5; in[get_global_id(0)] = 1; "
        "out[32 + get_global_id(0)] = 6; }",
        "miss");
    ASSERT_TRUE(control().attach(events.sink()));
    auto* target = bench.buffer(64);
    running = bench.launch(kernel, {32, 1, 1}, {1, 1, 1}, {std::uint64_t{4096}, target});
    const StopEvent event = events.next();
    EXPECT_EQ(event.cause, StopCause::fault);
    EXPECT_EQ(event.fault.kind, FaultKind::pageFault);
    EXPECT_EQ(event.fault.address, 4096u);
    EXPECT_NE(control0(event.thread, 1) & (1u << 16), 0u);
    EXPECT_EQ(ipOf(event.thread), event.fault.ip);
    EXPECT_EQ(control().run(kAll), 1u);
    ASSERT_TRUE(running->wait(std::chrono::seconds(10)));
    EXPECT_FALSE(running->fault()) << "the store is dropped and the kernel goes on";
    EXPECT_EQ(target[63], 6u);
}

TEST_F(ControlTest, CancelEndsStoppedThreads) {
    startSpinning();
    ASSERT_TRUE(control().attach(events.sink()));
    control().halt(kAll, 1);
    events.next();
    running->cancel();
    ASSERT_TRUE(running->wait(std::chrono::seconds(10)));
    EXPECT_EQ(running->fault().kind, FaultKind::cancelled);
    EXPECT_TRUE(control().stopped().empty());
}

TEST_F(ControlTest, NothingStartsWhileAllIsHalted) {
    startSpinning();
    ASSERT_TRUE(control().attach(events.sink()));
    control().halt(kAll, 1);
    events.next();
    const Kernel put = bench.build("kernel void put(global uint* out) { out[get_global_id(0)] = 1; }", "put");
    auto* target = bench.buffer(32);
    const auto dispatch = bench.launch(put, {32, 1, 1}, {1, 1, 1}, {target});
    EXPECT_FALSE(dispatch->wait(std::chrono::milliseconds(100)));
    const DeviceProfile& profile = bench.device().profile();
    control().halt(profile.threadAt(profile.threads() - 1), 2);  // where nobody is: all others still stand
    EXPECT_EQ(events.next().stopped, 0u);
    EXPECT_FALSE(dispatch->wait(std::chrono::milliseconds(100)));
    control().run(kAll);
    EXPECT_TRUE(dispatch->wait(std::chrono::seconds(10)));
    EXPECT_EQ(target[0], 1u);
}

TEST_F(ControlTest, DetachRunsEverything) {
    startSpinning();
    ASSERT_TRUE(control().attach(events.sink()));
    control().halt(kAll, 1);
    events.next();
    control().detach();
    EXPECT_TRUE(control().stopped().empty());
    std::atomic_ref(*go).store(1);
    EXPECT_TRUE(running->wait(std::chrono::seconds(10)));
}

/// Stops at its first instruction. The words were assembled by libiga64 2.40.14.
Kernel stoppingOnXe3P(KernelBench& bench) {
    constexpr std::uint64_t kBreakpoint = 1u << 30;
    constexpr std::uint64_t kWords[] = {0x2c05022000100061 | kBreakpoint,
                                        0x0000000100100a04,                       // mov (16) r300:ud r10:ud
                                        0x000000018000c133, 0x000000003000000c};  // end of thread
    const auto bytes = std::as_bytes(std::span(kWords));
    return bench.place({bytes.begin(), bytes.end()}, "xe3p");
}

TEST(ControlOfXe3P, AThreadHasTheRegistersOfItsKernelAndS0) {
    KernelBench bench("cri-small", 1);
    Control& control = bench.tile().control();
    StopEvents events;
    const Kernel kernel = stoppingOnXe3P(bench);
    ASSERT_TRUE(control.attach(events.sink()));
    for (const std::uint32_t general : {512u, 320u, 96u}) {
        Launch launch = bench.prepare(kernel, {16, 1, 1}, {1, 1, 1}, {});
        launch.simd = 16;
        launch.grfCount = general;
        const auto dispatch = bench.tile().submit(std::move(launch), {});
        const StopEvent event = events.next();
        ASSERT_EQ(event.cause, StopCause::breakpoint);
        std::uint32_t count = 0;
        ASSERT_EQ(control.registerCount(event.thread, RegisterSet::grf, &count), ControlStatus::ok);
        EXPECT_EQ(count, general);
        ASSERT_EQ(control.registerCount(event.thread, RegisterSet::scalar, &count), ControlStatus::ok);
        EXPECT_EQ(count, 16u) << "dwords";

        std::array<std::uint32_t, 16> in{};
        std::iota(in.begin(), in.end(), general);
        std::array<std::uint32_t, 16> out{};
        const std::uint32_t last = general - 1;
        EXPECT_EQ(control.writeRegisters(event.thread, RegisterSet::grf, last, 1, in.data()), ControlStatus::ok);
        EXPECT_EQ(control.readRegisters(event.thread, RegisterSet::grf, last, 1, out.data()), ControlStatus::ok);
        EXPECT_EQ(in, out);
        EXPECT_EQ(control.readRegisters(event.thread, RegisterSet::grf, general, 1, out.data()),
                  ControlStatus::invalid);
        std::ranges::reverse(in);
        EXPECT_EQ(control.writeRegisters(event.thread, RegisterSet::scalar, 0, 16, in.data()), ControlStatus::ok);
        EXPECT_EQ(control.readRegisters(event.thread, RegisterSet::scalar, 15, 1, out.data()), ControlStatus::ok);
        EXPECT_EQ(out[0], in[15]);
        EXPECT_EQ(control.readRegisters(event.thread, RegisterSet::addr, 0, 1, out.data()), ControlStatus::ok)
            << "64 bytes";
        EXPECT_EQ(control.readRegisters(event.thread, RegisterSet::scalar, 15, 2, out.data()), ControlStatus::invalid);
        dispatch->cancel();
        control.run(kAll);
        EXPECT_TRUE(dispatch->wait(std::chrono::minutes(1)));
    }
    control.detach();
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
