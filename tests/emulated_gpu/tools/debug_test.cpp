// Program debug on the emulated GPU, through the stock loader and without any layer: of this process and, by pid, of
// another.
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "emulated_gpu/debug_session.h"
#include "emulated_gpu/debugged_child.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kGrf = 1;  // a register set (zet_intel_gpu_debug.h numbers)

/// The debuggee: waits for the word, then spins on the device until its flag is set from outside.
SCENARIO(debuggeeSpins) {
    const Gpu gpu;
    say("started");
    awaitWord("go");
    const auto list = gpu.immediate();  // the first queue: the process enters
    auto* stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = gpu.kernel("spin");
    Gpu::arguments(kernel, stop);
    const ze_group_count_t one{1, 1, 1};
    const auto event = Gpu::event(gpu.pool(1));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, event, 0, nullptr));
    say("launched " + std::to_string(reinterpret_cast<std::uint64_t>(stop)));
    ASSERT_OK(zeEventHostSynchronize(event, UINT64_MAX));
    say("finished");
    awaitWord("end");
}

SCENARIO(debugsAnotherProcess) {
    const Gpu gpu;
    DebuggedChild child("debuggeeSpins");
    DebugSession session(gpu, child.pid());
    session.attachPatiently();
    EXPECT_TRUE(session.quiet()) << "no queue yet";
    child.tell("go");
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    EXPECT_TRUE(load.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK);
    EXPECT_NE(load.info.module.load, 0u);
    const auto elf =
        session.read(load.info.module.moduleBegin, load.info.module.moduleEnd - load.info.module.moduleBegin);
    EXPECT_EQ(elf.substr(1, 3), "ELF");
    const auto stop = std::stoull(child.expect("launched "));

    // Nothing of the module runs before the acknowledgement.
    letPass(50ms);  // in which it might
    ASSERT_OK(zetDebugInterrupt(*session, kAll));
    session.next(ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    ASSERT_OK(zetDebugAcknowledgeEvent(*session, &load));

    const auto thread = session.haltSomeThread();
    ASSERT_TRUE(thread);
    EXPECT_EQ(zetDebugInterrupt(*session, *thread), ZE_RESULT_ERROR_NOT_AVAILABLE);

    // A register takes any value and gives it back.
    std::array<std::uint8_t, 64> kept{};
    std::array<std::uint8_t, 64> pattern{};
    std::array<std::uint8_t, 64> back{};
    pattern.fill(0xAA);
    ASSERT_OK(zetDebugReadRegisters(*session, *thread, kGrf, 77, 1, kept.data()));
    ASSERT_OK(zetDebugWriteRegisters(*session, *thread, kGrf, 77, 1, pattern.data()));
    ASSERT_OK(zetDebugReadRegisters(*session, *thread, kGrf, 77, 1, back.data()));
    EXPECT_EQ(back, pattern);
    ASSERT_OK(zetDebugWriteRegisters(*session, *thread, kGrf, 77, 1, kept.data()));

    // A breakpoint where the thread stands; it comes by again, since it loops.
    const auto address = session.instruction(*thread);
    EXPECT_EQ(session.setByAddress(address), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) << "it is a bit of the code";
    auto code = session.read(address, 8);
    toggleBreakpoint(code);
    session.write(address, code);
    session.resumeHalted(*thread);
    const auto hit = session.next(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_TRUE(same(hit.info.thread.thread, *thread));
    EXPECT_EQ(session.instruction(*thread), address);
    EXPECT_TRUE(session.control(*thread)[1] & kBreakpointStatus);

    // Removed, the thread goes on; the flag ends its loop.
    toggleBreakpoint(code);
    session.write(address, code);
    session.pass(*thread, false);
    EXPECT_TRUE(session.quiet());
    session.write(stop, std::string("\1\0\0\0", 4));
    child.expect("finished");
    ASSERT_OK(session.detach());
    child.tell("end");
    EXPECT_EQ(child.wait(), 0);
}
TEST(ToolsDebug, DebugsAnotherProcess) { EXPECT_RUNS(emulated("debugsAnotherProcess")); }

/// A debuggee that does not answer in time, as on a host with too much to do, stops its threads all the same.
SCENARIO(aLateStopIsTold) {
    const Gpu gpu;
    DebuggedChild child("debuggeeSpins");
    DebugSession session(gpu, child.pid());
    session.attachPatiently();
    child.tell("go");
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    const auto stop = std::stoull(child.expect("launched "));
    ASSERT_OK(zetDebugAcknowledgeEvent(*session, &load));
    const auto thread = session.haltSomeThread();  // the kernel has begun
    ASSERT_TRUE(thread);
    session.resumeHalted(*thread);

    const auto debuggee = static_cast<pid_t>(child.pid());
    ASSERT_EQ(kill(debuggee, SIGSTOP), 0);
    int state = 0;  // all its threads have stopped only when it is reported
    ASSERT_EQ(waitpid(debuggee, &state, WUNTRACED), debuggee);
    ASSERT_TRUE(WIFSTOPPED(state));
    ASSERT_OK(zetDebugInterrupt(*session, kAll));
    session.next(ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    EXPECT_EQ(zetDebugResume(*session, kAll), ZE_RESULT_ERROR_NOT_AVAILABLE);
    ASSERT_EQ(kill(debuggee, SIGCONT), 0);
    const auto late = session.next(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_TRUE(same(late.info.thread.thread, kAll));
    session.write(stop, std::string("\1\0\0\0", 4));
    ASSERT_OK(zetDebugResume(*session, kAll));
    child.expect("finished");
    ASSERT_OK(session.detach());
    child.tell("end");
    EXPECT_EQ(child.wait(), 0);
}
TEST(ToolsDebug, ALateStopIsTold) { EXPECT_RUNS(emulated("aLateStopIsTold")); }

SCENARIO(detachLetsAHeldModuleRun) {
    const Gpu gpu;
    DebuggedChild child("debuggeeSpins");
    DebugSession session(gpu, child.pid());
    session.attachPatiently();
    child.tell("go");
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    const auto stop = std::stoull(child.expect("launched "));
    session.write(stop, std::string("\1\0\0\0", 4));
    ASSERT_OK(session.detach());  // not acknowledged
    child.expect("finished");
    child.tell("end");
    EXPECT_EQ(child.wait(), 0);
}
TEST(ToolsDebug, DetachLetsAHeldModuleRun) { EXPECT_RUNS(emulated("detachLetsAHeldModuleRun")); }

/// A debugger that will be killed. It debugs the process whose id it reads: first it holds its module, then it has
/// halted the threads and set a breakpoint where they spin.
SCENARIO(debugsUntilItIsKilled) {
    const Gpu gpu;
    std::uint32_t pid = 0;
    std::cin >> pid;
    DebugSession session(gpu, pid);
    session.attachPatiently();
    say("attached");
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    say("holding");
    awaitWord("go on");
    ASSERT_OK(zetDebugAcknowledgeEvent(*session, &load));
    const auto thread = session.haltSomeThread();
    ASSERT_TRUE(thread);
    const auto address = session.instruction(*thread);
    auto code = session.read(address, 8);
    toggleBreakpoint(code);
    session.write(address, code);
    say("halted " + std::to_string(address));
    awaitWord("go on");
}

void killDebugger(DebuggedChild& debugger) {
    kill(static_cast<pid_t>(debugger.pid()), SIGKILL);
    EXPECT_EQ(debugger.wait(), -1);
}

/// The next debugger finds the kernel running and its code as it was, and lets it end.
void debugToTheEnd(const Gpu& gpu, DebuggedChild& child, std::uint64_t stop, std::uint64_t breakpoint) {
    DebugSession session(gpu, child.pid());
    ze_result_t result = ZE_RESULT_ERROR_NOT_AVAILABLE;
    EXPECT_TRUE(waitFor([&] {
        result = session.attach();
        return result != ZE_RESULT_ERROR_NOT_AVAILABLE;
    })) << "the agent has seen the end of the other one";
    ASSERT_OK(result);
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    if (load.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK) {
        EXPECT_OK(zetDebugAcknowledgeEvent(*session, &load));
    }
    EXPECT_TRUE(session.quiet()) << "nobody stops by himself";
    if (breakpoint != 0) {
        const auto code = session.read(breakpoint, 8);
        std::uint32_t word = 0;
        std::memcpy(&word, code.data(), sizeof word);
        constexpr std::uint32_t kCompacted = 1u << 29;
        EXPECT_EQ(word & (word & kCompacted ? 1u << 7 : 1u << 30), 0u) << "the breakpoint is gone";
    }
    EXPECT_TRUE(session.haltSomeThread()) << "a thread runs";
    ASSERT_OK(zetDebugResume(*session, kAll));
    session.write(stop, std::string("\1\0\0\0", 4));
    ASSERT_OK(session.detach());
    child.expect("finished");
    child.tell("end");
    EXPECT_EQ(child.wait(), 0);
}

void readsAllRegisters(const Gpu& gpu, const DebugSession& session) {
    const auto thread = session.haltSomeThread();
    ASSERT_TRUE(thread);
    std::uint32_t sets = 1;
    zet_debug_regset_properties_t grf{};
    grf.stype = ZET_STRUCTURE_TYPE_DEBUG_REGSET_PROPERTIES;
    ASSERT_OK(DRIVER_CALL(gpu, zetDebugGetThreadRegisterSetProperties)(*session, *thread, &sets, &grf));
    EXPECT_EQ(grf.type, kGrf);
    EXPECT_EQ(grf.count, 256u);
    std::vector<std::uint8_t> all(std::size_t{256} * 64);
    EXPECT_OK(zetDebugReadRegisters(*session, *thread, kGrf, 0, 256, all.data()));
    std::array<std::uint8_t, 64> pattern{};
    std::array<std::uint8_t, 64> back{};
    pattern.fill(0x5a);
    for (const std::uint32_t number : {127u, 128u, 255u}) {
        EXPECT_OK(zetDebugWriteRegisters(*session, *thread, kGrf, number, 1, pattern.data()));
        EXPECT_OK(zetDebugReadRegisters(*session, *thread, kGrf, number, 1, back.data()));
        EXPECT_EQ(back, pattern) << number;
    }
    EXPECT_EQ(zetDebugReadRegisters(*session, *thread, kGrf, 255, 2, all.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

SCENARIO(debuggeeSpinsInLargeThreads) {
    const Gpu gpu;
    say("started");
    awaitWord("go");
    const auto list = gpu.immediate();
    auto* stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = Gpu::kernelOf(gpu.module("-ze-opt-large-register-file"), "spin");
    Gpu::arguments(kernel, stop);
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    say("launched");
    awaitWord("end");
    *stop = 1;
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
}

SCENARIO(registersOfLargeThreads) {
    const Gpu gpu;
    std::uint32_t sets = 1;
    zet_debug_regset_properties_t grf{};
    grf.stype = ZET_STRUCTURE_TYPE_DEBUG_REGSET_PROPERTIES;
    ASSERT_OK(zetDebugGetRegisterSetProperties(gpu.device(), &sets, &grf));
    EXPECT_EQ(grf.count, 128u) << "what programs have without asking for more";
    DebuggedChild child("debuggeeSpinsInLargeThreads");
    DebugSession session(gpu, child.pid());
    session.attachPatiently();
    child.tell("go");
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    child.expect("launched");
    ASSERT_OK(zetDebugAcknowledgeEvent(*session, &load));
    readsAllRegisters(gpu, session);
    ASSERT_OK(zetDebugResume(*session, kAll));
    ASSERT_OK(session.detach());
    child.tell("end");
    EXPECT_EQ(child.wait(), 0);
}
TEST(ToolsDebug, RegistersOfLargeThreads) { EXPECT_RUNS(emulated("registersOfLargeThreads")); }

SCENARIO(registersOfOwnLargeThreads) {
    const Gpu gpu;
    DebugSession session(gpu, static_cast<std::uint32_t>(getpid()));
    ASSERT_OK(session.attach());
    const auto list = gpu.immediate();
    auto* stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = Gpu::kernelOf(gpu.module("-ze-opt-large-register-file"), "spin");
    Gpu::arguments(kernel, stop);
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    ASSERT_OK(zetDebugAcknowledgeEvent(*session, &load));
    readsAllRegisters(gpu, session);
    ASSERT_OK(session.detach());
    *stop = 1;
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
}
TEST(ToolsDebug, RegistersOfOwnLargeThreads) {
    EXPECT_RUNS(emulated("registersOfOwnLargeThreads").with("ZET_ENABLE_PROGRAM_DEBUGGING", "1"));
}

SCENARIO(killedDebuggerLeavesNothingBehind) {
    const Gpu gpu;
    for (const bool atBreakpoint : {false, true}) {
        DebuggedChild child("debuggeeSpins");
        DebuggedChild debugger("debugsUntilItIsKilled");
        child.expect("started");
        debugger.tell(std::to_string(child.pid()));
        debugger.expect("attached");
        child.tell("go");
        debugger.expect("holding");
        const auto stop = std::stoull(child.expect("launched "));
        std::uint64_t breakpoint = 0;
        if (atBreakpoint) {
            debugger.tell("go on");
            breakpoint = std::stoull(debugger.expect("halted "));
        }
        killDebugger(debugger);
        debugToTheEnd(gpu, child, stop, breakpoint);
    }
}
TEST(ToolsDebug, KilledDebuggerLeavesNothingBehind) { EXPECT_RUNS(emulated("killedDebuggerLeavesNothingBehind")); }

SCENARIO(endOfTheDebuggeeIsTold) {
    const Gpu gpu;
    DebuggedChild child("debuggeeSpins");
    DebugSession session(gpu, child.pid());
    session.attachPatiently();
    child.tell("go");
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    kill(static_cast<pid_t>(child.pid()), SIGKILL);
    session.next(ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    session.next(ZET_DEBUG_EVENT_TYPE_DETACHED);
    ASSERT_OK(session.detach());
}
TEST(ToolsDebug, EndOfTheDebuggeeIsTold) { EXPECT_RUNS(emulated("endOfTheDebuggeeIsTold")); }

/// What a debugger asks of a process that was killed is answered, and the events tell what became of it.
SCENARIO(endedDebuggeeLeavesTheRestToTheEvents) {
    const Gpu gpu;
    DebuggedChild child("debuggeeSpins");
    DebugSession session(gpu, child.pid());
    session.attachPatiently();
    child.tell("go");
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    ASSERT_OK(zetDebugAcknowledgeEvent(*session, &load));
    ASSERT_TRUE(session.haltSomeThread());
    kill(static_cast<pid_t>(child.pid()), SIGKILL);
    EXPECT_OK(zetDebugResume(*session, kAll));
    EXPECT_OK(zetDebugInterrupt(*session, kAll));
    session.next(ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    session.next(ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    session.next(ZET_DEBUG_EVENT_TYPE_DETACHED);
    ASSERT_OK(session.detach());
}
TEST(ToolsDebug, EndedDebuggeeLeavesTheRestToTheEvents) {
    EXPECT_RUNS(emulated("endedDebuggeeLeavesTheRestToTheEvents"));
}

/// A debuggee whose memory nobody of its own user may read.
SCENARIO(debuggeeHidesItself) {
    const Gpu gpu;
    prctl(PR_SET_DUMPABLE, 0);
    say("started");
    awaitWord("end");
}

SCENARIO(strangersAreToldThatTheyMayNot) {
    const Gpu gpu;
    const bool root = geteuid() == 0;
    DebuggedChild child(root ? "debuggeeSpins" : "debuggeeHidesItself");
    child.expect("started");
    constexpr uid_t kStranger = 23456;
    if (root) {
        ASSERT_EQ(setresuid(kStranger, kStranger, 0), 0);
    } else {
        std::cout << "not root: a process that is not dumpable stands in for another user's\n";
    }
    DebugSession session(gpu, child.pid());
    for (int tries = 0; tries < 60; ++tries) EXPECT_EQ(session.attach(), ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    if (root) {
        ASSERT_EQ(setresuid(0, 0, 0), 0);  // only root may end the child
    }
}
TEST(ToolsDebug, StrangersAreToldThatTheyMayNot) { EXPECT_RUNS(emulated("strangersAreToldThatTheyMayNot")); }

SCENARIO(debugsItself) {
    const Gpu gpu;
    DebugSession session(gpu, static_cast<std::uint32_t>(getpid()));
    ASSERT_OK(session.attach());
    EXPECT_TRUE(session.quiet());
    const auto list = gpu.immediate();
    auto* stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = gpu.kernel("spin");
    Gpu::arguments(kernel, stop);
    const ze_group_count_t one{1, 1, 1};
    const auto event = Gpu::event(gpu.pool(1));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, event, 0, nullptr));
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    *stop = 1;
    EXPECT_EQ(zeEventHostSynchronize(event, 50'000'000), ZE_RESULT_NOT_READY) << "held";
    ASSERT_OK(zetDebugAcknowledgeEvent(*session, &load));
    EXPECT_OK(zeEventHostSynchronize(event, 20'000'000'000));
    ASSERT_OK(zeCommandListDestroy(list));
    // The module outlives the last queue: for the debugger it is unloaded first.
    session.next(ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    ASSERT_OK(session.detach());
}
TEST(ToolsDebug, DebugsItself) { EXPECT_RUNS(emulated("debugsItself").with("ZET_ENABLE_PROGRAM_DEBUGGING", "1")); }

ze_kernel_handle_t spinThatEndsAtOnce(const Gpu& gpu, ze_module_handle_t module) {
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "spin"};
    ze_kernel_handle_t kernel = nullptr;
    EXPECT_OK(zeKernelCreate(module, &description, &kernel));
    EXPECT_OK(zeKernelSetGroupSize(kernel, 1, 1, 1));
    auto* stop = gpu.shared(1);
    *stop = 1;
    Gpu::arguments(kernel, stop);
    return kernel;
}

/// The event is about the handle: a list that launches the module keeps its code, and the debugger gets the event all
/// the same.
SCENARIO(moduleIsUnloadedWhileAListHoldsIt) {
    const Gpu gpu;
    DebugSession session(gpu, static_cast<std::uint32_t>(getpid()));
    ASSERT_OK(session.attach());
    const auto queue = gpu.queue();
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto module = gpu.module();
    const auto load = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    const auto kernel = spinThatEndsAtOnce(gpu, module);
    const auto list = gpu.list();
    const ze_group_count_t one{1, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListClose(list));
    auto executed = list;
    ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, &executed, nullptr));
    ASSERT_OK(zetDebugAcknowledgeEvent(*session, &load));
    ASSERT_OK(zeCommandQueueSynchronize(queue, 20'000'000'000));
    ASSERT_OK(zeKernelDestroy(kernel));
    ASSERT_OK(zeModuleDestroy(module));
    const auto unload = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    EXPECT_EQ(std::memcmp(&load.info, &unload.info, sizeof load.info), 0);
    // A debugger that attaches now does not hear of it.
    ASSERT_OK(session.detach());
    ASSERT_OK(session.attach());
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    EXPECT_TRUE(session.quiet());
    ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, &executed, nullptr));
    ASSERT_OK(zeCommandQueueSynchronize(queue, 20'000'000'000));
    ASSERT_OK(zeCommandListDestroy(list));
    EXPECT_TRUE(session.quiet()) << "told once";
    ASSERT_OK(session.detach());
}
TEST(ToolsDebug, ModuleIsUnloadedWhileAListHoldsIt) {
    EXPECT_RUNS(emulated("moduleIsUnloadedWhileAListHoldsIt").with("ZET_ENABLE_PROGRAM_DEBUGGING", "1"));
}

/// A launch that waits for the acknowledgement of a module goes on when the module's handle is destroyed.
SCENARIO(destroyedModuleIsHeldNoMore) {
    const Gpu gpu;
    DebugSession session(gpu, static_cast<std::uint32_t>(getpid()));
    ASSERT_OK(session.attach());
    const auto list = gpu.immediate();
    const auto module = gpu.module();
    const auto kernel = spinThatEndsAtOnce(gpu, module);
    const ze_group_count_t one{1, 1, 1};
    const auto event = Gpu::event(gpu.pool(1));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, event, 0, nullptr));
    EXPECT_EQ(zeEventHostSynchronize(event, 50'000'000), ZE_RESULT_NOT_READY) << "held";
    ASSERT_OK(zeKernelDestroy(kernel));
    ASSERT_OK(zeModuleDestroy(module));
    EXPECT_OK(zeEventHostSynchronize(event, 20'000'000'000));
    ASSERT_OK(session.detach());
}
TEST(ToolsDebug, DestroyedModuleIsHeldNoMore) {
    EXPECT_RUNS(emulated("destroyedModuleIsHeldNoMore").with("ZET_ENABLE_PROGRAM_DEBUGGING", "1"));
}

/// This process under its own debugger, with one kernel on its way; the module's load is acknowledged.
class OwnDebuggee {
  public:
    OwnDebuggee() : session(gpu, static_cast<std::uint32_t>(getpid())) { EXPECT_OK(session.attach()); }
    void launch(ze_kernel_handle_t kernel) {
        const ze_group_count_t one{1, 1, 1};
        list = gpu.immediate();
        event = Gpu::event(gpu.pool(1));
        EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, event, 0, nullptr));
        session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
        const auto load = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
        EXPECT_OK(zetDebugAcknowledgeEvent(*session, &load));
    }
    void expectTheEnd() {
        EXPECT_OK(zeEventHostSynchronize(event, 20'000'000'000));
        EXPECT_OK(session.detach());
    }
    const Gpu gpu;
    DebugSession session;
    ze_command_list_handle_t list = nullptr;
    ze_event_handle_t event = nullptr;
};

Process debuggee(const char* scenario) { return emulated(scenario).with("ZET_ENABLE_PROGRAM_DEBUGGING", "1"); }

/// A thread in a loop executes one instruction at a time, and comes by where it was.
SCENARIO(stepsThroughALoop) {
    OwnDebuggee own;
    const auto& session = own.session;
    auto* stop = own.gpu.shared(1);
    *stop = 0;
    const auto kernel = own.gpu.kernel("spin");
    Gpu::arguments(kernel, stop);
    own.launch(kernel);
    const auto thread = session.haltSomeThread();
    ASSERT_TRUE(thread);
    auto at = session.instruction(*thread);
    std::set<std::uint64_t> seen;
    int straight = 0;
    int jumps = 0;
    while (seen.insert(at).second && seen.size() < 1000) {
        std::uint32_t word = 0;
        std::memcpy(&word, session.read(at, sizeof word).data(), sizeof word);
        const std::uint64_t length = word & (1u << 29) ? 8 : 16;
        session.pass(*thread, true);
        const auto stopped = session.next(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
        EXPECT_TRUE(same(stopped.info.thread.thread, *thread));
        EXPECT_TRUE(session.control(*thread)[1] & kBreakpointStatus);
        const auto now = session.instruction(*thread);
        ++(now == at + length ? straight : jumps);
        at = now;
    }
    EXPECT_LT(seen.size(), 1000u) << "it comes by again";
    EXPECT_GT(straight, 1);
    EXPECT_GE(jumps, 1) << "the loop's way back";
    *stop = 1;
    session.pass(*thread, false);
    own.expectTheEnd();
}
TEST(ToolsDebug, StepsThroughALoop) { EXPECT_RUNS(debuggee("stepsThroughALoop")); }

/// Local memory and global memory through a halted thread; what is written there the kernel finds.
SCENARIO(memoryOfAHaltedThread) {
    constexpr std::uint32_t kItems = 8;
    constexpr std::uint32_t kLocalMemory = 0x1000'0000;
    OwnDebuggee own;
    const auto& session = own.session;
    auto* stop = own.gpu.shared(1);
    auto* out = own.gpu.shared<std::uint32_t>(kItems);
    *stop = 0;
    const auto kernel = own.gpu.kernel("holdLocal", kItems);
    Gpu::arguments(kernel, stop, out);
    own.launch(kernel);
    const auto space = [](zet_debug_memory_space_type_t type, std::uint64_t address) {
        return zet_debug_memory_space_desc_t{ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, nullptr, type, address};
    };
    const auto local = space(ZET_DEBUG_MEMORY_SPACE_TYPE_SLM, kLocalMemory);
    std::array<std::uint32_t, kItems> tile{};
    std::optional<ze_device_thread_t> thread;
    // Until the loop is reached; the kernel fills local memory before.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (tile[kItems - 1] != 100 + kItems - 1 && std::chrono::steady_clock::now() < deadline) {
        if (thread) session.resumeHalted(*thread);
        thread = session.haltSomeThread();
        ASSERT_TRUE(thread);
        ASSERT_OK(zetDebugReadMemory(*session, *thread, &local, sizeof tile, tile.data()));
    }
    for (std::uint32_t i = 0; i < kItems; ++i) EXPECT_EQ(tile[i], 100 + i);
    const auto untagged = space(ZET_DEBUG_MEMORY_SPACE_TYPE_SLM, 0);
    const auto outside = space(ZET_DEBUG_MEMORY_SPACE_TYPE_SLM, kLocalMemory + (1 << 20));
    EXPECT_EQ(zetDebugReadMemory(*session, *thread, &untagged, 4, tile.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zetDebugReadMemory(*session, *thread, &outside, 4, tile.data()), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(zetDebugReadMemory(*session, kAll, &local, 4, tile.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const auto barrier = space(ZET_DEBUG_MEMORY_SPACE_TYPE_BARRIER, 0);
    EXPECT_EQ(zetDebugReadMemory(*session, *thread, &barrier, 4, tile.data()), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    EXPECT_EQ(zetDebugWriteMemory(*session, *thread, &barrier, 4, tile.data()),
              ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    const std::uint32_t changed = 7777;
    auto third = space(ZET_DEBUG_MEMORY_SPACE_TYPE_SLM, kLocalMemory + 3 * sizeof changed);
    ASSERT_OK(zetDebugWriteMemory(*session, *thread, &third, sizeof changed, &changed));
    const auto flag = space(ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, reinterpret_cast<std::uint64_t>(stop));
    int value = -1;
    ASSERT_OK(zetDebugReadMemory(*session, *thread, &flag, sizeof value, &value));
    EXPECT_EQ(value, 0);
    value = 1;
    ASSERT_OK(zetDebugWriteMemory(*session, *thread, &flag, sizeof value, &value));
    session.resumeHalted(*thread);
    own.expectTheEnd();
    for (std::uint32_t i = 0; i < kItems; ++i) EXPECT_EQ(out[i], i == 3 ? changed : 100 + i);
}
TEST(ToolsDebug, MemoryOfAHaltedThread) { EXPECT_RUNS(debuggee("memoryOfAHaltedThread")); }

/// A thread that faults stops where it faults; run on, its access is dropped.
SCENARIO(aFaultStopsItsThread) {
    OwnDebuggee own;
    const auto& session = own.session;
    auto* where = own.gpu.shared(4);
    where[0] = 5;
    const auto kernel = own.gpu.kernel("store");
    Gpu::arguments(kernel, where, std::int64_t{1} << 40);
    own.launch(kernel);
    const auto stopped = session.next(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    const auto thread = stopped.info.thread.thread;
    ASSERT_FALSE(same(thread, kAll));
    EXPECT_TRUE(session.control(thread)[1] & kPageFaultStatus);
    EXPECT_GT(session.instruction(thread), 0u);
    ASSERT_OK(zetDebugResume(*session, thread));
    EXPECT_OK(zeEventHostSynchronize(own.event, 20'000'000'000));
    EXPECT_OK(zeCommandListAppendBarrier(own.list, nullptr, 0, nullptr)) << "the queue lives";
    EXPECT_EQ(where[0], 5);

    // A copy is no thread: the fault is an event of its own, and the queue is lost.
    auto* nowhere = where + (std::int64_t{1} << 40);
    EXPECT_OK(zeCommandListAppendMemoryCopy(own.list, nowhere, where, 16, nullptr, 0, nullptr));
    const auto fault = session.next(ZET_DEBUG_EVENT_TYPE_PAGE_FAULT).info.page_fault;
    EXPECT_EQ(fault.address, reinterpret_cast<std::uint64_t>(nowhere) & fault.mask);
    EXPECT_EQ(fault.reason, ZET_DEBUG_PAGE_FAULT_REASON_MAPPING_ERROR);
    EXPECT_EQ(own.gpu.synchronize(own.list, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_OK(own.session.detach());
}
TEST(ToolsDebug, AFaultStopsItsThread) { EXPECT_RUNS(debuggee("aFaultStopsItsThread")); }

/// What is no instruction stops its thread, which says so; what is written in its place is executed.
SCENARIO(anIllegalInstructionStopsItsThread) {
    OwnDebuggee own;
    const auto& session = own.session;
    auto* stop = own.gpu.shared(1);
    *stop = 0;
    const auto kernel = own.gpu.kernel("spin");
    Gpu::arguments(kernel, stop);
    own.launch(kernel);
    const auto thread = session.haltSomeThread();
    ASSERT_TRUE(thread);
    const auto at = session.instruction(*thread);
    const auto kept = session.read(at, 16);
    session.write(at, std::string(16, '\0'));
    session.pass(*thread, false);
    const auto stopped = session.next(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_TRUE(same(stopped.info.thread.thread, *thread));
    EXPECT_EQ(session.control(*thread)[1] & (kIllegalStatus | kBreakpointStatus | kPageFaultStatus), kIllegalStatus);
    EXPECT_EQ(session.instruction(*thread), at);
    session.write(at, kept);
    *stop = 1;
    session.pass(*thread, false);
    own.expectTheEnd();
}
TEST(ToolsDebug, AnIllegalInstructionStopsItsThread) { EXPECT_RUNS(debuggee("anIllegalInstructionStopsItsThread")); }

/// The names of this process's threads.
std::multiset<std::string> threadNames() {
    std::multiset<std::string> names;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string name;
        std::getline(std::ifstream(thread.path() / "comm"), name);
        names.insert(name);
    }
    return names;
}

/// A user who starts a program with more privileges than his own does not open it to debuggers by setting the variable.
SCENARIO(agentIsThereUnlessPrivilegesWereRaised) {
    const bool raised = getauxval(AT_SECURE) != 0;
    std::cout << (raised ? "raised" : "as started") << "\n";
    const Gpu gpu;
    // A thread names itself, later than it starts.
    const auto agentIsThere = [] { return threadNames().count("zetl-agent") == 1; };
    EXPECT_EQ(waitFor(agentIsThere, raised ? 200ms : 20s), !raised);
    DebugSession session(gpu, static_cast<std::uint32_t>(getpid()));
    EXPECT_EQ(session.attach(), raised ? ZE_RESULT_NOT_READY : ZE_RESULT_SUCCESS);
}
TEST(ToolsDebug, RaisedPrivilegesLeaveNoAgent) {
    auto process = emulated("agentIsThereUnlessPrivilegesWereRaised").with("ZET_ENABLE_PROGRAM_DEBUGGING", "1");
    const auto asStarted = process.run();
    EXPECT_TRUE(asStarted.good()) << asStarted;
    EXPECT_EQ(asStarted.times("as started"), 1u) << asStarted;
    if (geteuid() != 0) return;  // only root can start a program that has another's privileges
    // As exec() of a set-user-id program: its user is not who started it.
    const auto raised = process.under({"/usr/bin/setpriv", "--ruid=12345", "--"}).run();
    EXPECT_TRUE(raised.good()) << raised;
    EXPECT_EQ(raised.times("raised"), 1u) << raised;
}

SCENARIO(attachNeedsAReadyDebuggee) {
    const Gpu gpu;
    DebugSession none(gpu, 4'000'000);
    DebugSession unprepared(gpu, static_cast<std::uint32_t>(getppid()));
    EXPECT_EQ(none.attach(), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(*none, nullptr);
    EXPECT_EQ(unprepared.attach(), ZE_RESULT_NOT_READY);
    zet_device_debug_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES;
    ASSERT_OK(zetDeviceGetDebugProperties(gpu.device(), &properties));
    EXPECT_TRUE(properties.flags & ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH);
    std::uint32_t count = 0;
    ASSERT_OK(zetDebugGetRegisterSetProperties(gpu.device(), &count, nullptr));
    EXPECT_EQ(count, 12u);
}
TEST(ToolsDebug, AttachNeedsAReadyDebuggee) { EXPECT_RUNS(emulated("attachNeedsAReadyDebuggee")); }

}  // namespace
}  // namespace zetl::test
