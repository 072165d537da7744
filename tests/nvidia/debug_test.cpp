// Program debug on NVIDIA's GPU: of another process, through cuda-gdb or what stands in for it.
#include <sys/wait.h>
#include <unistd.h>
#include <ze_tools_layer/breakpoints.h>
#include <ze_tools_layer/lane_memory.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "debuggee.h"
#include "nvidia_gpu.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;

constexpr ze_device_thread_t kAll{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
constexpr std::uint64_t kPatience = 20'000;  // milliseconds
enum Set : std::uint32_t { kGeneral = 1, kPredicate, kUniform, kUniformPredicate, kCounter, kFault, kPlace, kStep };

Process onDebugger(const std::string& scenario, const std::string& mode = "") {
    auto process =
        onNvidia(scenario).with("ZET_ENABLE_PROGRAM_DEBUGGING", "1").with("ZETL_LOG", "nvidia=warn,debug=warn");
    if (!realGpu())
        process.with("ZETL_CUDA_GDB", inBuildTree("tests/nvidia/cuda_gdb_stand_in")).with("STAND_IN_GDB", mode);
    return process;
}

SCENARIO(spinsForADebugger) {
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, "spin", 48);
    const auto list = gpu.immediate();
    const std::uint64_t nanoseconds = 3'000'000'000;
    gpu.arguments(kernel, nanoseconds);
    const ze_group_count_t groups{4, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
}

/// A real GPU faults at words that are not aligned; where nothing is mapped, cuda-gdb keeps it from faulting.
SCENARIO(faultsForADebugger) {
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, realGpu() ? "add" : "fault");
    if (realGpu()) gpu.arguments(kernel, reinterpret_cast<std::uint64_t>(gpu.device(16)) + 1, 1u);
    const auto list = gpu.immediate();
    ASSERT_TRUE(waitFor([] { return std::filesystem::exists(std::getenv("DEBUGGER_HAS_COME")); }));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    EXPECT_EQ(gpu.synchronize(list, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
}

class Session {
  public:
    Session(const Gpu& gpu, std::uint32_t pid) {
        const zet_debug_config_t config{pid};
        auto result = ZE_RESULT_NOT_READY;
        EXPECT_TRUE(waitFor([&] {
            result = zetDebugAttach(gpu.device(), &config, &handle_);
            return result != ZE_RESULT_NOT_READY;
        }));
        EXPECT_OK(result);
    }
    operator zet_debug_session_handle_t() const { return handle_; }

    /// The next event of that type; what comes before it is passed over.
    zet_debug_event_t await(zet_debug_event_type_t type) const {
        zet_debug_event_t event{};
        for (auto result = ZE_RESULT_SUCCESS; result == ZE_RESULT_SUCCESS;) {
            result = zetDebugReadEvent(handle_, kPatience, &event);
            EXPECT_OK(result);
            if (event.type == type) break;
        }
        EXPECT_EQ(event.type, type);
        return event;
    }
    /// Interrupts all threads, as soon as there are some.
    void interrupt() const {
        zet_debug_event_t event{};
        while (event.type != ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED) {
            ASSERT_OK(zetDebugInterrupt(handle_, kAll));
            do ASSERT_OK(zetDebugReadEvent(handle_, kPatience, &event));
            while (event.type != ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED &&
                   event.type != ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
            letPass(100ms);  // its host threads stood, too
        }
    }
    /// Some stopped thread.
    std::optional<ze_device_thread_t> stoppedThread(const Gpu& gpu) const {
        ze_device_properties_t device{};
        device.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        EXPECT_OK(zeDeviceGetProperties(gpu.device(), &device));
        for (ze_device_thread_t each{}; each.subslice < device.numSubslicesPerSlice; ++each.subslice)
            for (each.eu = 0; each.eu < 4; ++each.eu) {
                std::uint64_t pc = 0;
                if (zetDebugReadRegisters(handle_, each, kCounter, 0, 1, &pc) == ZE_RESULT_SUCCESS) return each;
            }
        return std::nullopt;
    }
    std::uint64_t counter(const ze_device_thread_t& thread) const {
        std::uint64_t pc = 0;
        EXPECT_OK(zetDebugReadRegisters(handle_, thread, kCounter, 0, 1, &pc));
        return pc;
    }

  private:
    zet_debug_session_handle_t handle_ = nullptr;
};

constexpr zet_debug_memory_space_desc_t at(std::uint64_t address) {
    return {ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, nullptr, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address};
}

struct Instruction {
    std::uint64_t words[2];
    bool operator==(const Instruction&) const = default;
};
constexpr Instruction kBreakpoint{{0x000000040000795c, 0x000fea0000300000}};

Instruction codeAt(const Session& session, std::uint64_t address) {
    Instruction code{};
    const auto place = at(address);
    EXPECT_OK(zetDebugReadMemory(session, kAll, &place, sizeof code, &code));
    return code;
}
ze_result_t setBreakpoint(const Session& session, std::uint64_t address, bool on) {
    auto place = at(address);
    place.type = ZETL_DEBUG_MEMORY_SPACE_BREAKPOINTS;
    const ze_bool_t set = on;
    return zetDebugWriteMemory(session, kAll, &place, sizeof set, &set);
}
ze_result_t writeCode(const Session& session, std::uint64_t address, const Instruction& code) {
    const auto place = at(address);
    return zetDebugWriteMemory(session, kAll, &place, sizeof code, &code);
}

void checkRegisters(const Session& session, const ze_device_thread_t& thread) {
    std::uint32_t lanes[6][32];
    ASSERT_OK(zetDebugReadRegisters(session, thread, kPlace, 0, 6, lanes));
    EXPECT_LT(lanes[0][0], 4u) << "blockIdx.x";
    for (std::uint32_t i = 1; i < 16; ++i) EXPECT_EQ(lanes[3][i], lanes[3][0] + i) << "threadIdx.x";
    std::uint32_t values[2][32];
    ASSERT_OK(zetDebugReadRegisters(session, thread, kGeneral, 2, 2, values));
    values[0][3] = 0x1234;
    ASSERT_OK(zetDebugWriteRegisters(session, thread, kGeneral, 200, 1, values[0]));
    std::uint32_t again[32];
    ASSERT_OK(zetDebugReadRegisters(session, thread, kGeneral, 200, 1, again));
    EXPECT_EQ(std::memcmp(again, values[0], 16 * sizeof *again), 0);
    std::uint32_t predicate = 0;
    ASSERT_OK(zetDebugReadRegisters(session, thread, kPredicate, 6, 1, &predicate));
    std::uint32_t uniform = 77;
    ASSERT_OK(zetDebugWriteRegisters(session, thread, kUniform, 60, 1, &uniform));
    uniform = 0;
    ASSERT_OK(zetDebugReadRegisters(session, thread, kUniform, 60, 1, &uniform));
    EXPECT_EQ(uniform, 77u);
    std::uint64_t pc = 0;
    EXPECT_NE(zetDebugWriteRegisters(session, thread, kCounter, 0, 1, &pc), ZE_RESULT_SUCCESS) << "cuda-gdb cannot";
    EXPECT_NE(zetDebugReadRegisters(session, thread, kGeneral, 255, 1, again), ZE_RESULT_SUCCESS);
    EXPECT_NE(zetDebugReadRegisters(session, thread, 99, 0, 1, again), ZE_RESULT_SUCCESS);
}

SCENARIO(debugsAProcess) {
    Debuggee debuggee;
    const Gpu gpu;
    const Session session(gpu, debuggee.pid());
    session.await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto loaded = session.await(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    EXPECT_GT(loaded.info.module.moduleEnd, loaded.info.module.moduleBegin);

    session.interrupt();
    const auto thread = session.stoppedThread(gpu);
    ASSERT_TRUE(thread);
    checkRegisters(session, *thread);
    const auto pc = session.counter(*thread);

    std::uint32_t one = 1;
    ASSERT_OK(zetDebugWriteRegisters(session, *thread, kStep, 0, 1, &one));
    ASSERT_OK(zetDebugResume(session, *thread));
    const auto stepped = session.await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_EQ(stepped.info.thread.thread.subslice, thread->subslice);
    EXPECT_NE(session.counter(*thread), pc);

    ASSERT_OK(zetDebugResume(session, kAll));  // until it is in its loop for certain
    letPass(100ms);
    session.interrupt();
    const auto looping = session.stoppedThread(gpu);
    ASSERT_TRUE(looping);
    const auto there = session.counter(*looping);
    const auto former = codeAt(session, there);
    EXPECT_NE(writeCode(session, there, {{1, 2}}), ZE_RESULT_SUCCESS) << "no breakpoint, and not what was there";
    ASSERT_OK(writeCode(session, there, kBreakpoint));
    EXPECT_EQ(codeAt(session, there), kBreakpoint);
    ASSERT_OK(writeCode(session, there, former));
    EXPECT_EQ(codeAt(session, there), former);

    EXPECT_NE(setBreakpoint(session, there + 1, true), ZE_RESULT_SUCCESS) << "no instruction begins there";
    EXPECT_EQ(setBreakpoint(session, 0x1000, true), ZE_RESULT_ERROR_NOT_AVAILABLE);
    ASSERT_OK(setBreakpoint(session, there, true));
    ASSERT_OK(setBreakpoint(session, there, true));
    EXPECT_EQ(codeAt(session, there), kBreakpoint) << "both ways are one";
    ASSERT_OK(zetDebugResume(session, kAll));
    const auto hit = session.await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_EQ(session.counter(hit.info.thread.thread), there);
    ASSERT_OK(setBreakpoint(session, there, false));
    EXPECT_EQ(codeAt(session, there), former);
    ASSERT_OK(zetDebugResume(session, hit.info.thread.thread));

    EXPECT_OK(zetDebugDetach(session));
    EXPECT_EQ(debuggee.exitCode(), 0) << "the program runs on, and ends well";
}
TEST(NvidiaDebug, StopsStepsAndBreaks) { EXPECT_RUNS(onDebugger("debugsAProcess")); }

SCENARIO(tellsOfAFault) {
    const std::string word = testing::TempDir() + "zetl_debugger_has_come." + std::to_string(getpid());
    Debuggee debuggee("faultsForADebugger", {"DEBUGGER_HAS_COME=" + word});
    const Gpu gpu;
    const Session session(gpu, debuggee.pid());
    std::ofstream(word).close();
    const auto stopped = session.await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    std::uint64_t instruction = 0;
    ASSERT_OK(zetDebugReadRegisters(session, stopped.info.thread.thread, kFault, 0, 1, &instruction));
    EXPECT_NE(instruction, 0u);
    std::filesystem::remove(word);
    EXPECT_OK(zetDebugDetach(session));
}
TEST(NvidiaDebug, TellsOfAFault) { EXPECT_RUNS(onDebugger("tellsOfAFault", "faults")); }

void checkOwnMemory(const Session& session, const ze_device_thread_t& thread) {
    const auto own = [](zet_debug_memory_space_type_t space, std::uint64_t address) {
        auto place = at(address);
        place.type = space;
        return place;
    };
    std::uint32_t value = 0;
    const auto argument = own(ZETL_DEBUG_MEMORY_SPACE_PARAMETERS, 0x210);
    ASSERT_OK(zetDebugReadMemory(session, thread, &argument, sizeof value, &value));
    EXPECT_EQ(value, 0x13121110u);
    const auto third = own(ZETL_DEBUG_MEMORY_SPACE_PRIVATE, ZETL_PRIVATE_ADDRESS(3, 0x20));
    const auto fourth = own(ZETL_DEBUG_MEMORY_SPACE_PRIVATE, ZETL_PRIVATE_ADDRESS(4, 0x20));
    const std::uint32_t mine = 0x01020304;
    ASSERT_OK(zetDebugWriteMemory(session, thread, &third, sizeof mine, &mine));
    ASSERT_OK(zetDebugReadMemory(session, thread, &third, sizeof value, &value));
    EXPECT_EQ(value, mine);
    ASSERT_OK(zetDebugReadMemory(session, thread, &fourth, sizeof value, &value));
    EXPECT_EQ(value, 0x23222120u) << "each lane has its own";
    for (const auto& place : {own(ZETL_DEBUG_MEMORY_SPACE_PRIVATE, ZETL_PRIVATE_ADDRESS(40, 0x20)),
                              own(ZETL_DEBUG_MEMORY_SPACE_PARAMETERS, 0xffff)})
        EXPECT_EQ(zetDebugReadMemory(session, thread, &place, sizeof value, &value), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(zetDebugReadMemory(session, kAll, &third, sizeof value, &value), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/// Memory of the stand-in; what it has elsewhere is not mapped.
SCENARIO(readsAndWritesMemory) {
    Debuggee debuggee;
    const Gpu gpu;
    const Session session(gpu, debuggee.pid());
    session.await(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    const auto memory = at(0x7f1000000000 + 100);
    std::vector<std::uint8_t> bytes(5000, 1);
    ASSERT_OK(zetDebugReadMemory(session, kAll, &memory, bytes.size(), bytes.data()));
    EXPECT_EQ(bytes, std::vector<std::uint8_t>(5000, 0xa5));
    const std::uint64_t value = 0x1122334455667788;
    ASSERT_OK(zetDebugWriteMemory(session, kAll, &memory, sizeof value, &value));
    ASSERT_OK(zetDebugReadMemory(session, kAll, &memory, 16, bytes.data()));
    EXPECT_EQ(std::memcmp(bytes.data(), &value, sizeof value), 0);
    EXPECT_EQ(bytes[8], 0xa5);
    const auto nowhere = at(0x1000);
    EXPECT_NE(zetDebugReadMemory(session, kAll, &nowhere, 16, bytes.data()), ZE_RESULT_SUCCESS);
    EXPECT_NE(zetDebugWriteMemory(session, kAll, &nowhere, sizeof value, &value), ZE_RESULT_SUCCESS);
    session.interrupt();
    const auto thread = session.stoppedThread(gpu);
    ASSERT_TRUE(thread);
    checkOwnMemory(session, *thread);
    EXPECT_OK(zetDebugDetach(session));
}
TEST(NvidiaDebug, ReadsAndWritesMemory) {
    if (realGpu()) GTEST_SKIP() << "the stand-in's memory";
    EXPECT_RUNS(onDebugger("readsAndWritesMemory"));
}

SCENARIO(losesTheDebugger) {
    Debuggee debuggee;
    const Gpu gpu;
    const Session session(gpu, debuggee.pid());
    session.await(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    zetDebugInterrupt(session, kAll);
    session.await(ZET_DEBUG_EVENT_TYPE_DETACHED);
    EXPECT_OK(zetDebugDetach(session));
}
TEST(NvidiaDebug, TellsThatTheDebuggerEnded) {
    if (realGpu()) GTEST_SKIP() << "only the stand-in ends on request";
    EXPECT_RUNS(onDebugger("losesTheDebugger", "dies"));
}

SCENARIO(refusesWhatCannotBeDebugged) {
    const Gpu gpu;
    zet_debug_session_handle_t session = nullptr;
    const zet_debug_config_t own{static_cast<std::uint32_t>(getpid())};
    EXPECT_NE(zetDebugAttach(gpu.device(), &own, &session), ZE_RESULT_SUCCESS) << "it would stop itself";
    const zet_debug_config_t nobody{INT32_MAX};
    EXPECT_EQ(zetDebugAttach(gpu.device(), &nobody, &session), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(NvidiaDebug, RefusesWhatCannotBeDebugged) { EXPECT_RUNS(onDebugger("refusesWhatCannotBeDebugged")); }

SCENARIO(attachesToAProcessThatHasEnded) {
    const Gpu gpu;
    const pid_t ended = fork();
    if (ended == 0) _exit(0);
    siginfo_t how{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(ended), &how, WEXITED | WNOWAIT), 0);
    const zet_debug_config_t config{static_cast<std::uint32_t>(ended)};
    zet_debug_session_handle_t session = nullptr;
    EXPECT_EQ(zetDebugAttach(gpu.device(), &config, &session), ZE_RESULT_NOT_READY);
    waitpid(ended, nullptr, 0);
}
TEST(NvidiaDebug, DoesNotBlameTheSystemIfTheProcessHasEnded) {
    EXPECT_RUNS(onDebugger("attachesToAProcessThatHasEnded"));
}

SCENARIO(waitsForTheDevice) {
    Debuggee debuggee;
    const Gpu gpu;
    const zet_debug_config_t config{debuggee.pid()};
    zet_debug_session_handle_t session = nullptr;
    EXPECT_EQ(zetDebugAttach(gpu.device(), &config, &session), ZE_RESULT_NOT_READY);
}
TEST(NvidiaDebug, WaitsForAProcessThatHasNotBegun) {
    if (realGpu()) GTEST_SKIP() << "the stand-in has such a process";
    EXPECT_RUNS(onDebugger("waitsForTheDevice", "idle"));
}

SCENARIO(cannotBeDebugged) {
    const Gpu gpu;
    zet_device_debug_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES;
    ASSERT_OK(zetDeviceGetDebugProperties(gpu.device(), &properties));
    EXPECT_EQ(properties.flags, 0u);
    const zet_debug_config_t config{static_cast<std::uint32_t>(getppid())};
    zet_debug_session_handle_t session = nullptr;
    EXPECT_EQ(zetDebugAttach(gpu.device(), &config, &session), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}
TEST(NvidiaDebug, NeedsCudaGdb) {
    EXPECT_RUNS(onStandIn("cannotBeDebugged").with("ZET_ENABLE_PROGRAM_DEBUGGING", "1").with("ZETL_CUDA_GDB", ""));
}

}  // namespace
}  // namespace zetl::test
