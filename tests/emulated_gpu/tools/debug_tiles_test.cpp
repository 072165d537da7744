// Program debug of single tiles: who may debug what at the same time, and what a tile's debugger sees.
#include <unistd.h>

#include <cstring>

#include "emulated_gpu/debug_session.h"
#include "emulated_gpu/debugged_child.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

Process onTwoByTwo(const char* scenario) { return emulated(scenario, "small-two-by-two"); }
Process ownOnTwoByTwo(const char* scenario) { return onTwoByTwo(scenario).with("ZET_ENABLE_PROGRAM_DEBUGGING", "1"); }

std::uint32_t ownPid() { return static_cast<std::uint32_t>(getpid()); }

std::uint32_t slicesOf(ze_device_handle_t device) {
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    EXPECT_OK(zeDeviceGetProperties(device, &properties));
    return properties.numSlices;
}

/// The devices of the profile: two, each with two tiles.
struct Machine {
    const Gpu gpu;
    const std::vector<ze_device_handle_t> devices = listOf(zeDeviceGet, gpu.driver());
    const std::vector<ze_device_handle_t> tiles = listOf(zeDeviceGetSubDevices, devices.at(0));
};

/// A launch of the kernel that spins until its flag is set.
struct Spin {
    explicit Spin(const Gpu& gpu, std::uint32_t groups = 1)
        : list(gpu.immediate()), stop(gpu.shared(1)), event(Gpu::event(gpu.pool(1))) {
        *stop = 0;
        const auto kernel = gpu.kernel("spin");
        Gpu::arguments(kernel, stop);
        const ze_group_count_t count{groups, 1, 1};
        EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &count, event, 0, nullptr));
    }
    ze_command_list_handle_t list;
    int* stop;
    ze_event_handle_t event;
};

SCENARIO(aTileAndItsRootExcludeEachOther) {
    const Machine machine;
    const auto& [gpu, devices, tiles] = machine;
    ASSERT_EQ(devices.size(), 2u);
    ASSERT_EQ(tiles.size(), 2u);
    for (const auto tile : tiles) {
        zet_device_debug_properties_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES;
        ASSERT_OK(zetDeviceGetDebugProperties(tile, &properties));
        EXPECT_TRUE(properties.flags & ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH);
    }
    DebugSession root(devices[0], ownPid());
    DebugSession other(devices[1], ownPid());
    DebugSession first(tiles[0], ownPid());
    DebugSession second(tiles[1], ownPid());
    ASSERT_OK(root.attach());
    ASSERT_OK(other.attach());
    EXPECT_EQ(first.attach(), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(*first, nullptr);
    EXPECT_EQ(second.attach(), ZE_RESULT_ERROR_NOT_AVAILABLE);
    ASSERT_OK(root.detach());
    ASSERT_OK(first.attach());
    EXPECT_EQ(root.attach(), ZE_RESULT_ERROR_NOT_AVAILABLE);
    ASSERT_OK(second.attach());
    ASSERT_OK(first.detach());
    EXPECT_EQ(root.attach(), ZE_RESULT_ERROR_NOT_AVAILABLE);
    ASSERT_OK(second.detach());
    ASSERT_OK(root.attach());
    ASSERT_OK(root.detach());
    ASSERT_OK(other.detach());
}
TEST(ToolsDebugTiles, ATileAndItsRootExcludeEachOther) {
    EXPECT_RUNS(ownOnTwoByTwo("aTileAndItsRootExcludeEachOther"));
}

/// The same rules between processes: the agent in the debuggee keeps them.
SCENARIO(debuggeeIsThere) {
    const Gpu gpu;
    say("started");
    awaitWord("end");
}
SCENARIO(attachesToATile) {
    const Machine machine;
    const auto pid = static_cast<std::uint32_t>(std::stoul(std::getenv("ZETL_TEST_PID")));
    DebugSession session(machine.tiles.at(0), pid);
    std::exit(session.attach() == ZE_RESULT_ERROR_NOT_AVAILABLE ? 7 : 1);
}
SCENARIO(anotherProcessHasTheRoot) {
    const Machine machine;
    const DebuggedChild child("debuggeeIsThere");
    DebugSession session(machine.devices[0], child.pid());
    session.attachPatiently();
    const auto outcome = onTwoByTwo("attachesToATile").with("ZETL_TEST_PID", std::to_string(child.pid())).run();
    EXPECT_EQ(outcome.exitCode, 7) << outcome;
    child.tell("end");
}
TEST(ToolsDebugTiles, AnotherProcessHasTheRoot) { EXPECT_RUNS(onTwoByTwo("anotherProcessHasTheRoot")); }

/// Each tile's debugger hears of what happens on its own tile alone, and stops threads there alone.
SCENARIO(eachTileHasItsOwnDebugger) {
    const Machine machine;
    const auto& [gpu, devices, tiles] = machine;
    DebugSession first(tiles[0], ownPid());
    DebugSession second(tiles[1], ownPid());
    ASSERT_OK(first.attach());
    ASSERT_OK(second.attach());
    const Spin spin(gpu.on(tiles[0]));
    first.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = first.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    EXPECT_TRUE(load.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK);
    EXPECT_TRUE(second.quiet()) << "nothing is on that tile";
    ASSERT_OK(zetDebugAcknowledgeEvent(*first, &load));

    const auto thread = first.haltSomeThread();
    ASSERT_TRUE(thread);
    EXPECT_LT(thread->slice, slicesOf(tiles[0])) << "slices count from the tile's first";
    EXPECT_EQ(zetDebugInterrupt(*first, {slicesOf(tiles[0]), 0, 0, 0}), ZE_RESULT_ERROR_INVALID_ARGUMENT)
        << "a slice of the other tile";
    ASSERT_OK(zetDebugInterrupt(*second, kAll));
    second.next(ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    EXPECT_FALSE(second.stoppedThread());
    *spin.stop = 1;
    first.resumeHalted(*thread);
    EXPECT_OK(zeEventHostSynchronize(spin.event, 20'000'000'000));
    ASSERT_OK(zeCommandListDestroy(spin.list));
    first.next(ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    first.next(ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    EXPECT_TRUE(second.quiet());
    ASSERT_OK(second.detach());
    ASSERT_OK(first.detach());
}
TEST(ToolsDebugTiles, EachTileHasItsOwnDebugger) { EXPECT_RUNS(ownOnTwoByTwo("eachTileHasItsOwnDebugger")); }

/// A module of the root device belongs to both tiles: it runs when both debuggers have acknowledged it.
SCENARIO(bothDebuggersAcknowledgeAModuleOfTheRoot) {
    const Machine machine;
    const auto& [gpu, devices, tiles] = machine;
    DebugSession first(tiles[0], ownPid());
    DebugSession second(tiles[1], ownPid());
    ASSERT_OK(first.attach());
    ASSERT_OK(second.attach());
    const Spin spin(gpu);
    *spin.stop = 1;
    first.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    second.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = first.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    const auto again = second.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    EXPECT_EQ(load.info.module.load, again.info.module.load);
    ASSERT_OK(zetDebugAcknowledgeEvent(*first, &load));
    EXPECT_EQ(zeEventHostSynchronize(spin.event, 50'000'000), ZE_RESULT_NOT_READY) << "the second still holds it";
    ASSERT_OK(zetDebugAcknowledgeEvent(*second, &again));
    EXPECT_OK(zeEventHostSynchronize(spin.event, 20'000'000'000));
    ASSERT_OK(first.detach());
    ASSERT_OK(second.detach());
}
TEST(ToolsDebugTiles, BothDebuggersAcknowledgeAModuleOfTheRoot) {
    EXPECT_RUNS(ownOnTwoByTwo("bothDebuggersAcknowledgeAModuleOfTheRoot"));
}

/// Breakpoints are contained within a tile, although both tiles execute the same code.
SCENARIO(aBreakpointIsOfItsTileAlone) {
    const Machine machine;
    const auto& [gpu, devices, tiles] = machine;
    DebugSession first(tiles[0], ownPid());
    DebugSession second(tiles[1], ownPid());
    ASSERT_OK(first.attach());
    ASSERT_OK(second.attach());
    const Spin spin(gpu, 16);
    for (const auto* session : {&first, &second}) {
        session->next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
        const auto load = session->next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
        ASSERT_OK(zetDebugAcknowledgeEvent(**session, &load));
    }
    ASSERT_TRUE(second.haltSomeThread()) << "the launch is spread over both tiles";
    ASSERT_OK(zetDebugResume(*second, kAll));
    const auto thread = first.haltSomeThread();
    ASSERT_TRUE(thread);
    const auto address = first.instruction(*thread);
    const auto plain = first.read(address, 8);
    auto marked = plain;
    toggleBreakpoint(marked);
    first.write(address, marked);
    EXPECT_EQ(first.read(address, 8), marked);
    EXPECT_EQ(second.read(address, 8), plain) << "not seen from the other tile";
    first.resumeHalted(*thread);
    const auto hit = first.next(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED).info.thread.thread;
    EXPECT_NE(hit.slice, UINT32_MAX);
    EXPECT_TRUE(second.quiet());

    // The other debugger sets and removes one at the same place: the first one stays.
    second.write(address, marked);
    second.next(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    second.write(address, plain);
    EXPECT_EQ(second.read(address, 8), plain);
    EXPECT_EQ(first.read(address, 8), marked);
    first.write(address, plain);
    *spin.stop = 1;
    ASSERT_OK(first.detach());
    ASSERT_OK(second.detach());
    EXPECT_OK(zeEventHostSynchronize(spin.event, 20'000'000'000));
}
TEST(ToolsDebugTiles, ABreakpointIsOfItsTileAlone) { EXPECT_RUNS(ownOnTwoByTwo("aBreakpointIsOfItsTileAlone")); }

/// A debugger of a tile that comes late hears what is there, and what already ran is not held.
SCENARIO(lateDebuggerOfATileHearsWhatIsThere) {
    const Machine machine;
    const auto& [gpu, devices, tiles] = machine;
    const Spin spin(gpu.on(tiles[1]));
    *spin.stop = 1;
    ASSERT_OK(zeEventHostSynchronize(spin.event, 20'000'000'000));
    DebugSession first(tiles[0], ownPid());
    DebugSession second(tiles[1], ownPid());
    ASSERT_OK(first.attach());
    ASSERT_OK(second.attach());
    second.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    EXPECT_EQ(second.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD).flags, 0u);
    EXPECT_TRUE(second.quiet());
    EXPECT_TRUE(first.quiet());
    ASSERT_OK(first.detach());
    ASSERT_OK(second.detach());
}
TEST(ToolsDebugTiles, LateDebuggerOfATileHearsWhatIsThere) {
    EXPECT_RUNS(ownOnTwoByTwo("lateDebuggerOfATileHearsWhatIsThere"));
}

/// The root device's debugger sees threads of both tiles, the second tile's slices behind the first's.
SCENARIO(theRootHasTheThreadsOfAllTiles) {
    const Machine machine;
    const auto& [gpu, devices, tiles] = machine;
    DebugSession root(devices[0], ownPid());
    ASSERT_OK(root.attach());
    const Spin spin(gpu.on(tiles[1]));
    root.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = root.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    ASSERT_OK(zetDebugAcknowledgeEvent(*root, &load));
    const auto thread = root.haltSomeThread();
    ASSERT_TRUE(thread);
    EXPECT_EQ(thread->slice / slicesOf(tiles[0]), 1u);
    *spin.stop = 1;
    root.resumeHalted(*thread);
    EXPECT_OK(zeEventHostSynchronize(spin.event, 20'000'000'000));
    ASSERT_OK(root.detach());
}
TEST(ToolsDebugTiles, TheRootHasTheThreadsOfAllTiles) { EXPECT_RUNS(ownOnTwoByTwo("theRootHasTheThreadsOfAllTiles")); }

/// The debuggee of a tile: it ends what it began, once its flag is set from outside.
SCENARIO(debuggeeSpinsOnATile) {
    const Machine machine;
    const Gpu gpu = machine.gpu.on(machine.tiles.at(0));
    say("started");
    awaitWord("go");
    const auto list = gpu.immediate();
    const auto module = gpu.module();
    auto* const stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = Gpu::kernelOf(module, "spin");
    Gpu::arguments(kernel, stop);
    const ze_group_count_t groups{20, 1, 1};
    const auto event = Gpu::event(gpu.pool(1));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, event, 0, nullptr));
    say("launched " + std::to_string(reinterpret_cast<std::uint64_t>(stop)));
    ASSERT_OK(zeEventHostSynchronize(event, UINT64_MAX));
    ASSERT_OK(zeKernelDestroy(kernel));
    ASSERT_OK(zeModuleDestroy(module));
    ASSERT_OK(zeCommandListDestroy(list));
    say("finished");
    awaitWord("end");
}

/// Interrupts all threads until some have stopped, however late the answer is, and the launch.
void stopAll(const DebugSession& session) {
    const auto stops = [&] {
        zet_debug_event_t event{};
        const ze_result_t asked = zetDebugInterrupt(*session, kAll);
        EXPECT_TRUE(asked == ZE_RESULT_SUCCESS || asked == ZE_RESULT_NOT_READY) << asked;
        EXPECT_OK(zetDebugReadEvent(*session, kLimitMs, &event));
        EXPECT_TRUE(same(event.info.thread.thread, kAll));
        return event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED && session.stoppedThread().has_value();
    };
    ASSERT_TRUE(waitFor(stops, std::chrono::seconds(60)));
}

/// The next event but for those of interrupts of all threads, of which a late answer may leave some.
zet_debug_event_t nextOther(const DebugSession& session, zet_debug_event_type_t expected) {
    zet_debug_event_t event{};
    do {
        EXPECT_OK(zetDebugReadEvent(*session, kLimitMs, &event));
    } while (
        (event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED || event.type == ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE) &&
        same(event.info.thread.thread, kAll));
    EXPECT_EQ(event.type, expected);
    return event;
}

/// Whatever was interrupted meanwhile, in time or late, the debuggee ends, and every event is delivered.
SCENARIO(interruptsOfThreadsThatDoNotRunDoNoHarm) {
    const Machine machine;
    const auto tile = machine.tiles.at(0);
    DebuggedChild child("debuggeeSpinsOnATile");
    DebugSession session(tile, child.pid());
    session.attachPatiently();
    child.tell("go");
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    ASSERT_OK(zetDebugAcknowledgeEvent(*session, &load));
    const auto stop = std::stoull(child.expect("launched "));
    stopAll(session);
    const auto running = session.stoppedThread();
    ASSERT_TRUE(running);
    EXPECT_EQ(zetDebugInterrupt(*session, *running), ZE_RESULT_ERROR_NOT_AVAILABLE);
    ASSERT_OK(zetDebugResume(*session, kAll));
    EXPECT_FALSE(session.stoppedThread());

    ze_device_properties_t device{};
    device.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ASSERT_OK(zeDeviceGetProperties(tile, &device));
    const ze_device_thread_t last{device.numSlices - 1, device.numSubslicesPerSlice - 1, device.numEUsPerSubslice - 1,
                                  device.numThreadsPerEU - 1};
    ASSERT_OK(zetDebugInterrupt(*session, last));
    EXPECT_TRUE(same(nextOther(session, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE).info.thread.thread, last));
    stopAll(session);
    session.write(stop, std::string("\1\0\0\0", 4));
    ASSERT_OK(zetDebugResume(*session, kAll));
    child.expect("finished");
    nextOther(session, ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    nextOther(session, ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    ASSERT_OK(zetDebugInterrupt(*session, last));
    nextOther(session, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    child.tell("end");
    EXPECT_EQ(child.wait(), 0);
}
TEST(ToolsDebugTiles, InterruptsOfThreadsThatDoNotRunDoNoHarm) {
    EXPECT_RUNS(onTwoByTwo("interruptsOfThreadsThatDoNotRunDoNoHarm"));
}

}  // namespace
}  // namespace zetl::test
