// Program debug on the emulated GPU, through the stock loader and without any layer: of this process and, by pid, of
// another.
#include <level_zero/zet_api.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
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

    // Interrupt all; the answer may find the launch not dispatched yet.
    std::optional<ze_device_thread_t> thread;
    for (int tries = 0; tries < 500 && !thread; ++tries) {
        zet_debug_event_t event{};
        ASSERT_OK(zetDebugInterrupt(*session, kAll));
        ASSERT_OK(zetDebugReadEvent(*session, kLimitMs, &event));
        EXPECT_TRUE(same(event.info.thread.thread, kAll));
        if (event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED) thread = session.stoppedThread();
        std::this_thread::sleep_for(2ms);
    }
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
    auto cr = session.control(*thread);
    EXPECT_TRUE(cr[1] & kBreakpointStatus);

    // Removed, the thread goes on; the flag ends its loop.
    toggleBreakpoint(code);
    session.write(address, code);
    cr[0] |= kSuppressBreakpoint;
    cr[1] &= ~kBreakpointStatus;
    session.setControl(*thread, cr);
    ASSERT_OK(zetDebugResume(*session, *thread));
    EXPECT_TRUE(session.quiet());
    session.write(stop, std::string("\1\0\0\0", 4));
    child.expect("finished");
    ASSERT_OK(session.detach());
    child.tell("end");
    EXPECT_EQ(child.wait(), 0);
}
TEST(SkeletonDebug, DebugsAnotherProcess) { EXPECT_RUNS(emulated("debugsAnotherProcess")); }

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
TEST(SkeletonDebug, DetachLetsAHeldModuleRun) { EXPECT_RUNS(emulated("detachLetsAHeldModuleRun")); }

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
TEST(SkeletonDebug, EndOfTheDebuggeeIsTold) { EXPECT_RUNS(emulated("endOfTheDebuggeeIsTold")); }

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
TEST(SkeletonDebug, DebugsItself) { EXPECT_RUNS(emulated("debugsItself").with("ZET_ENABLE_PROGRAM_DEBUGGING", "1")); }

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
TEST(SkeletonDebug, AttachNeedsAReadyDebuggee) { EXPECT_RUNS(emulated("attachNeedsAReadyDebuggee")); }

}  // namespace
}  // namespace zetl::test
