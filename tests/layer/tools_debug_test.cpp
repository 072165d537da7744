// Program debug on the emulated GPU, through the stock loader and without any layer: of this process and, by pid, of
// another.
#include <level_zero/zet_api.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <thread>

#include "driver_gpu.h"
#include "support/scenario.h"

extern char** environ;

namespace zetl::test {
namespace {

using namespace std::chrono_literals;

constexpr ze_device_thread_t kAll{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
constexpr std::uint64_t kLimitMs = 20'000;

// Register sets, and what is in them (zet_intel_gpu_debug.h numbers).
constexpr std::uint32_t kGrf = 1, kCr = 6, kSba = 11;
constexpr std::uint32_t kSuppressBreakpoint = 1u << 15;  // of cr0.0
constexpr std::uint32_t kBreakpointStatus = 1u << 31;    // of cr0.1
constexpr std::uint32_t kPageFaultStatus = 1u << 16;
constexpr std::uint32_t kHaltStatus = (1u << 26) | (1u << 30);
constexpr int kInstructionBase = 4;  // of the SBA set

/// Another process that runs a scenario of this program with program debugging on; line by line over its standard
/// streams.
class Child {
  public:
    explicit Child(const char* scenario) {
        int in[2], out[2];
        EXPECT_EQ(pipe(in), 0);
        EXPECT_EQ(pipe(out), 0);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        for (const int end : {in[0], in[1], out[0], out[1]}) posix_spawn_file_actions_addclose(&actions, end);
        std::string program = thisProgram(), argument = std::string("--scenario=") + scenario;
        char* arguments[] = {program.data(), argument.data(), nullptr};
        setenv("ZET_ENABLE_PROGRAM_DEBUGGING", "1", 1);
        EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, environ), 0);
        unsetenv("ZET_ENABLE_PROGRAM_DEBUGGING");
        posix_spawn_file_actions_destroy(&actions);
        close(in[0]);
        close(out[1]);
        in_ = in[1];
        out_ = fdopen(out[0], "r");
    }
    ~Child() {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
        close(in_);
        fclose(out_);
    }
    std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
    void tell(const std::string& line) const {
        const auto text = line + "\n";
        EXPECT_EQ(write(in_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    /// The rest of the next line that begins with `word`.
    std::string expect(const std::string& word) const {
        char line[512];
        while (fgets(line, sizeof line, out_))
            if (std::strncmp(line, word.c_str(), word.size()) == 0) return line + word.size();
        ADD_FAILURE() << "the child ended without saying " << word;
        return "";
    }
    int wait() {
        int status = 0;
        waitpid(pid_, &status, 0);
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    pid_t pid_ = 0;
    int in_ = -1;
    FILE* out_ = nullptr;
};

void say(const std::string& line) { std::cout << line << std::endl; }
void awaitWord(const std::string& word) {
    std::string line;
    while (std::getline(std::cin, line))
        if (line == word) return;
    std::exit(4);
}

/// A debug session with the shorthands that the tests need.
class Session {
  public:
    Session(const Gpu& gpu, std::uint32_t pid) : gpu_(gpu), config_{pid} {}
    ~Session() {
        if (handle_) zetDebugDetach(handle_);
    }
    ze_result_t attach() { return zetDebugAttach(gpu_.device(), &config_, &handle_); }
    void attachPatiently() {
        const auto end = std::chrono::steady_clock::now() + 20s;
        ze_result_t result = attach();
        while (result == ZE_RESULT_NOT_READY && std::chrono::steady_clock::now() < end) {
            EXPECT_EQ(handle_, nullptr);
            std::this_thread::sleep_for(10ms);
            result = attach();
        }
        ASSERT_OK(result);
    }
    ze_result_t detach() { return zetDebugDetach(std::exchange(handle_, nullptr)); }
    zet_debug_session_handle_t operator*() const { return handle_; }

    zet_debug_event_t next(zet_debug_event_type_t expected) const {
        zet_debug_event_t event{};
        EXPECT_OK(zetDebugReadEvent(handle_, kLimitMs, &event));
        EXPECT_EQ(event.type, expected);
        return event;
    }
    bool quiet() const {
        zet_debug_event_t event{};
        return zetDebugReadEvent(handle_, 20, &event) == ZE_RESULT_NOT_READY;
    }

    std::string read(std::uint64_t address, std::size_t bytes) const {
        const zet_debug_memory_space_desc_t space{ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, nullptr,
                                                  ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address};
        std::string data(bytes, '\0');
        EXPECT_OK(zetDebugReadMemory(handle_, kAll, &space, bytes, data.data()));
        return data;
    }
    void write(std::uint64_t address, const std::string& data) const {
        const zet_debug_memory_space_desc_t space{ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, nullptr,
                                                  ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address};
        EXPECT_OK(zetDebugWriteMemory(handle_, kAll, &space, data.size(), data.data()));
    }

    /// The first thread of the device whose registers can be read: tools find stopped threads so.
    std::optional<ze_device_thread_t> stoppedThread() const {
        ze_device_properties_t device{};
        device.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        EXPECT_OK(zeDeviceGetProperties(gpu_.device(), &device));
        for (std::uint32_t slice = 0; slice < device.numSlices; ++slice)
            for (std::uint32_t subslice = 0; subslice < device.numSubslicesPerSlice; ++subslice)
                for (std::uint32_t eu = 0; eu < device.numEUsPerSubslice; ++eu)
                    for (std::uint32_t thread = 0; thread < device.numThreadsPerEU; ++thread) {
                        std::uint32_t cr[4];
                        const ze_device_thread_t id{slice, subslice, eu, thread};
                        if (zetDebugReadRegisters(handle_, id, kCr, 0, 1, cr) == ZE_RESULT_SUCCESS) return id;
                    }
        return std::nullopt;
    }
    /// Interrupts all until a thread is found: an answer may find the launch not dispatched yet.
    std::optional<ze_device_thread_t> haltSomeThread() const {
        std::optional<ze_device_thread_t> thread;
        for (int tries = 0; tries < 500 && !thread; ++tries) {
            zet_debug_event_t event{};
            EXPECT_OK(zetDebugInterrupt(handle_, kAll));
            EXPECT_OK(zetDebugReadEvent(handle_, kLimitMs, &event));
            EXPECT_EQ(std::memcmp(&event.info.thread.thread, &kAll, sizeof kAll), 0);
            if (event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED) thread = stoppedThread();
            if (!thread) std::this_thread::sleep_for(2ms);
        }
        return thread;
    }
    std::array<std::uint32_t, 4> control(const ze_device_thread_t& thread) const {
        std::array<std::uint32_t, 4> cr{};
        EXPECT_OK(zetDebugReadRegisters(handle_, thread, kCr, 0, 1, cr.data()));
        return cr;
    }
    void setControl(const ze_device_thread_t& thread, std::array<std::uint32_t, 4> cr) const {
        EXPECT_OK(zetDebugWriteRegisters(handle_, thread, kCr, 0, 1, cr.data()));
    }
    std::uint64_t instruction(const ze_device_thread_t& thread) const {
        std::uint64_t base = 0;
        EXPECT_OK(zetDebugReadRegisters(handle_, thread, kSba, kInstructionBase, 1, &base));
        return base + control(thread)[2];
    }
    /// Lets the thread execute the instruction it stands at, breakpoint or not, and then stop again or run on.
    void pass(const ze_device_thread_t& thread, bool stopAgain) const {
        auto cr = control(thread);
        cr[0] |= kSuppressBreakpoint;
        cr[1] &= ~(kHaltStatus | kBreakpointStatus);
        if (stopAgain) cr[1] |= kBreakpointStatus;
        setControl(thread, cr);
        EXPECT_OK(zetDebugResume(handle_, thread));
    }
    void resumeHalted(const ze_device_thread_t& thread) const {
        auto cr = control(thread);
        cr[1] &= ~kHaltStatus;
        setControl(thread, cr);
        EXPECT_OK(zetDebugResume(handle_, kAll));
    }

  private:
    const Gpu& gpu_;
    zet_debug_config_t config_;
    zet_debug_session_handle_t handle_ = nullptr;
};

bool same(const ze_device_thread_t& a, const ze_device_thread_t& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Bit of an instruction that stops threads before it.
void toggleBreakpoint(std::string& instruction) {
    constexpr std::uint32_t kCompacted = 1u << 29, kBreakpoint = 1u << 30, kCompactedBreakpoint = 1u << 7;
    std::uint32_t word = 0;
    std::memcpy(&word, instruction.data(), sizeof word);
    word ^= word & kCompacted ? kCompactedBreakpoint : kBreakpoint;
    std::memcpy(instruction.data(), &word, sizeof word);
}

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
    Child child("debuggeeSpins");
    Session session(gpu, child.pid());
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
    std::this_thread::sleep_for(50ms);
    ASSERT_OK(zetDebugInterrupt(*session, kAll));
    session.next(ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    ASSERT_OK(zetDebugAcknowledgeEvent(*session, &load));

    const auto thread = session.haltSomeThread();
    ASSERT_TRUE(thread);
    EXPECT_EQ(zetDebugInterrupt(*session, *thread), ZE_RESULT_ERROR_NOT_AVAILABLE);

    // A register takes any value and gives it back.
    std::array<std::uint8_t, 64> kept{}, pattern{}, back{};
    pattern.fill(0xAA);
    ASSERT_OK(zetDebugReadRegisters(*session, *thread, kGrf, 77, 1, kept.data()));
    ASSERT_OK(zetDebugWriteRegisters(*session, *thread, kGrf, 77, 1, pattern.data()));
    ASSERT_OK(zetDebugReadRegisters(*session, *thread, kGrf, 77, 1, back.data()));
    EXPECT_EQ(back, pattern);
    ASSERT_OK(zetDebugWriteRegisters(*session, *thread, kGrf, 77, 1, kept.data()));

    // A breakpoint where the thread stands; it comes by again, since it loops.
    const auto address = session.instruction(*thread);
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

SCENARIO(detachLetsAHeldModuleRun) {
    const Gpu gpu;
    Child child("debuggeeSpins");
    Session session(gpu, child.pid());
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

SCENARIO(endOfTheDebuggeeIsTold) {
    const Gpu gpu;
    Child child("debuggeeSpins");
    Session session(gpu, child.pid());
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
    Child child("debuggeeSpins");
    Session session(gpu, child.pid());
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
    Child child(root ? "debuggeeSpins" : "debuggeeHidesItself");
    child.expect("started");
    constexpr uid_t kStranger = 23456;
    if (root) {
        ASSERT_EQ(setresuid(kStranger, kStranger, 0), 0);
    } else {
        std::cout << "not root: a process that is not dumpable stands in for another user's\n";
    }
    Session session(gpu, child.pid());
    for (int tries = 0; tries < 60; ++tries) EXPECT_EQ(session.attach(), ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    if (root) {
        ASSERT_EQ(setresuid(0, 0, 0), 0);  // only root may end the child
    }
}
TEST(ToolsDebug, StrangersAreToldThatTheyMayNot) { EXPECT_RUNS(emulated("strangersAreToldThatTheyMayNot")); }

SCENARIO(debugsItself) {
    const Gpu gpu;
    Session session(gpu, static_cast<std::uint32_t>(getpid()));
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

/// The event is about the handle: a list that launches the module keeps its code, and the debugger is told all the
/// same.
SCENARIO(moduleIsUnloadedWhileAListHoldsIt) {
    const Gpu gpu;
    Session session(gpu, static_cast<std::uint32_t>(getpid()));
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
    // Whoever attaches now does not hear of it.
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
    Session session(gpu, static_cast<std::uint32_t>(getpid()));
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
    Session session;
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
    int straight = 0, jumps = 0;
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
    constexpr std::uint32_t kItems = 8, kLocalMemory = 0x1000'0000;
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
    for (int tries = 0; tries < 500 && tile[kItems - 1] != 100 + kItems - 1; ++tries) {
        if (thread) session.resumeHalted(*thread);
        thread = session.haltSomeThread();
        ASSERT_TRUE(thread);
        ASSERT_OK(zetDebugReadMemory(*session, *thread, &local, sizeof tile, tile.data()));
    }
    for (std::uint32_t i = 0; i < kItems; ++i) EXPECT_EQ(tile[i], 100 + i);
    const auto untagged = space(ZET_DEBUG_MEMORY_SPACE_TYPE_SLM, 0),
               outside = space(ZET_DEBUG_MEMORY_SPACE_TYPE_SLM, kLocalMemory + (1 << 20));
    EXPECT_EQ(zetDebugReadMemory(*session, *thread, &untagged, 4, tile.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zetDebugReadMemory(*session, *thread, &outside, 4, tile.data()), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(zetDebugReadMemory(*session, kAll, &local, 4, tile.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
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

SCENARIO(attachNeedsAReadyDebuggee) {
    const Gpu gpu;
    Session none(gpu, 4'000'000), unprepared(gpu, static_cast<std::uint32_t>(getppid()));
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
