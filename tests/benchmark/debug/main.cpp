// How fast a debugger works on a program that another process runs: on every hardware thread of a tile, by pid, through
// the stock loader. Without arguments it measures and prints a table; docs/reference/benchmarks.md has one.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "emulated_gpu/debug_session.h"
#include "emulated_gpu/debugged_child.h"
#include "support/process.h"

namespace zetl::test {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr const char* kProfile = "max1550";
constexpr std::size_t kThreads = 4096;

/// Times of one thing, measured several times.
class Times {
  public:
    void measure(const std::function<void()>& body) {
        const auto begin = Clock::now();
        body();
        times_.push_back(Milliseconds(Clock::now() - begin).count());
    }
    /// The time that so much of all took at most.
    double quantile(double part) {
        std::sort(times_.begin(), times_.end());
        return times_[std::min(times_.size() - 1, static_cast<std::size_t>(part * static_cast<double>(times_.size())))];
    }

  private:
    std::vector<double> times_;
};

void row(const char* what, double value, const char* unit, const char* goal) {
    std::printf("| %-52s | %9.2f %-6s | %-18s |\n", what, value, unit, goal);
    std::fflush(stdout);
}

bool failed() { return testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed(); }

zet_debug_event_t nextEvent(const DebugSession& session) {
    zet_debug_event_t event{};
    EXPECT_OK(zetDebugReadEvent(*session, kLimitMs, &event));
    return event;
}

/// What a debugger hears first of a process that has launched its kernel.
void takeEntryAndModule(const DebugSession& session) {
    EXPECT_EQ(nextEvent(session).type, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = nextEvent(session);
    EXPECT_EQ(load.type, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    if (load.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK) {
        EXPECT_OK(zetDebugAcknowledgeEvent(*session, &load));
    }
}

bool halt(const DebugSession& session) {
    EXPECT_OK(zetDebugInterrupt(*session, kAll));
    return nextEvent(session).type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED;
}

std::vector<ze_device_thread_t> allThreads(const Gpu& gpu) {
    ze_device_properties_t device{};
    device.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    EXPECT_OK(zeDeviceGetProperties(gpu.device(), &device));
    std::vector<ze_device_thread_t> threads;
    for (std::uint32_t slice = 0; slice < device.numSlices; ++slice)
        for (std::uint32_t subslice = 0; subslice < device.numSubslicesPerSlice; ++subslice)
            for (std::uint32_t eu = 0; eu < device.numEUsPerSubslice; ++eu)
                for (std::uint32_t thread = 0; thread < device.numThreadsPerEU; ++thread)
                    threads.push_back({slice, subslice, eu, thread});
    return threads;
}

void awaitAllThreads(const Gpu& gpu, const DebugSession& session) {
    for (std::size_t stopped = 0; stopped < kThreads && !failed();) {
        stopped = 0;
        if (!halt(session)) continue;
        std::uint32_t cr[4];
        for (const auto& thread : allThreads(gpu))
            stopped += zetDebugReadRegisters(*session, thread, kCr, 0, 1, cr) == ZE_RESULT_SUCCESS;
        EXPECT_OK(zetDebugResume(*session, kAll));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void measureAttach(const Gpu& gpu, const DebuggedChild& child) {
    constexpr int kRounds = 50;
    Times times;
    for (int i = 0; i < kRounds; ++i) {
        DebugSession session(gpu, child.pid());
        times.measure([&] {
            EXPECT_OK(session.attach());
            takeEntryAndModule(session);
        });
        EXPECT_OK(session.detach());
    }
    row("attach to a running kernel, to its last event, median", times.quantile(0.5), "ms", "50 ms");
    row("the same, 99th percentile", times.quantile(0.99), "ms", "");
}

void measureInterrupt(const DebugSession& session) {
    constexpr int kRounds = 300;
    Times times;
    for (int i = 0; i < kRounds; ++i) {
        times.measure([&] { EXPECT_TRUE(halt(session)); });
        EXPECT_OK(zetDebugResume(*session, kAll));
        std::this_thread::sleep_for(std::chrono::milliseconds(3));  // they run again
    }
    row("interrupt of 4096 threads to their stop, median", times.quantile(0.5), "ms", "5 ms");
    row("the same, 99th percentile", times.quantile(0.99), "ms", "20 ms");
}

void measureRegisters(const Gpu& gpu, const DebugSession& session) {
    std::uint32_t count = 0;
    EXPECT_OK(zetDebugGetRegisterSetProperties(gpu.device(), &count, nullptr));
    std::vector<zet_debug_regset_properties_t> sets(count);
    EXPECT_OK(zetDebugGetRegisterSetProperties(gpu.device(), &count, sets.data()));
    EXPECT_TRUE(halt(session));
    std::vector<std::uint8_t> values(1 << 16);
    std::size_t threads = 0;
    Times times;
    times.measure([&] {
        for (const auto& thread : allThreads(gpu)) {
            bool all = true;
            for (const auto& set : sets)
                all = all && zetDebugReadRegisters(*session, thread, set.type, 0, set.count, values.data()) ==
                                 ZE_RESULT_SUCCESS;
            threads += all;
        }
    });
    EXPECT_OK(zetDebugResume(*session, kAll));
    EXPECT_EQ(threads, kThreads);
    row("all registers of 4096 threads", times.quantile(0.5), "ms", "1000 ms");
}

void measureMemory(const DebugSession& session, std::uint64_t buffer) {
    constexpr std::size_t kBytes = 64 << 20;
    constexpr int kRounds = 5;
    const zet_debug_memory_space_desc_t space{ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, nullptr,
                                              ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, buffer};
    std::vector<char> data(kBytes, 'x');
    Times reads;
    Times writes;
    EXPECT_TRUE(halt(session));  // the processors are the debugger's
    for (int i = 0; i < kRounds; ++i) {
        writes.measure([&] { EXPECT_OK(zetDebugWriteMemory(*session, kAll, &space, kBytes, data.data())); });
        reads.measure([&] { EXPECT_OK(zetDebugReadMemory(*session, kAll, &space, kBytes, data.data())); });
    }
    EXPECT_OK(zetDebugResume(*session, kAll));
    constexpr double kMegabytes = kBytes / 1e6;
    constexpr double kToSeconds = 1e-3;
    row("memory read", kMegabytes / (reads.quantile(0.5) * kToSeconds), "MB/s", "500 MB/s");
    row("memory written", kMegabytes / (writes.quantile(0.5) * kToSeconds), "MB/s", "500 MB/s");
}

void measureBreakpoint(const Gpu& gpu) {
    constexpr int kHits = 5000;
    const DebuggedChild child("spinsInOneThread");
    DebugSession session(gpu, child.pid());
    child.expect("launched ");
    session.attachPatiently();
    takeEntryAndModule(session);
    const auto thread = session.haltSomeThread();
    if (!thread) return;
    const auto address = session.instruction(*thread);
    auto code = session.read(address, 8);
    toggleBreakpoint(code);
    session.write(address, code);
    session.resumeHalted(*thread);
    nextEvent(session);
    Times times;
    times.measure([&] {
        for (int i = 0; i < kHits && !failed(); ++i) {
            session.pass(*thread, false);
            nextEvent(session);
        }
    });
    row("breakpoint hits, each resumed", kHits / times.quantile(0.5) * 1e3, "/s", "2000/s");
    EXPECT_OK(session.detach());
}

/// A launch's time in a fresh process, the best of several.
std::pair<double, double> launchTime(bool debugging) {
    std::pair<double, double> best{1e30, 1e30};
    auto process = emulated("launches", kProfile);
    if (debugging) process.with("ZET_ENABLE_PROGRAM_DEBUGGING", "1");
    const auto outcome = process.run();
    std::istringstream words(outcome.output.substr(std::min(outcome.output.size(), outcome.output.find("launches "))));
    std::string word;
    words >> word >> best.first >> best.second;
    return best;
}

void measureNobodysDebuggee() {
    constexpr int kRounds = 7;
    std::pair<double, double> off{1e30, 1e30};
    std::pair<double, double> on{1e30, 1e30};
    const auto keepBest = [](auto& best, const auto& now) {
        best = {std::min(best.first, now.first), std::min(best.second, now.second)};
    };
    for (int i = 0; i < kRounds; ++i) {
        keepBest(off, launchTime(false));
        keepBest(on, launchTime(true));
    }
    row("small launch that nobody debugs, to one without", on.first / off.first, "", "1");
    row("long launch that nobody debugs, to one without", on.second / off.second, "", "1");
}

/// Processor seconds of `zetl debug` and its debuggee with this condition at a line that each of so many threads
/// passes once; without a condition, there is no breakpoint.
double secondsWith(const std::string& condition, std::uint32_t groups) {
    std::ifstream source(ZETL_SAXPY_SOURCE);
    int number = 1;
    for (std::string line; std::getline(source, line) && line.find("scratch[l] = x[i]") == std::string::npos;) ++number;
    std::vector<std::string> words = {inBuildTree("bin/zetl"), "debug", "--device", "small", "--batch"};
    if (!condition.empty())
        words.insert(words.end(), {"-e", fmt::format("break saxpy.cl:{} if {}", number, condition)});
    words.insert(words.end(), {"-e", "run", "--", inBuildTree("tests/zetl/debugged_program"), "saxpy",
                               "-g -cl-opt-disable", "0", std::to_string(groups)});
    const auto used = [] {
        rusage all{};
        getrusage(RUSAGE_CHILDREN, &all);
        const auto seconds = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
        };
        return seconds(all.ru_utime) + seconds(all.ru_stime);
    };
    const double before = used();
    const auto outcome = Process(words).run(std::chrono::seconds(120));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    return used() - before;
}

void measureConditions() {
    constexpr std::uint32_t kGroups = 1 << 17;
    constexpr double kHits = 2.0 * kGroups;  // a group has two threads
    constexpr int kRounds = 3;
    const std::string conditions[] = {"", "$lane == 77", "x[i] == 77777777"};
    double best[std::size(conditions)] = {1e30, 1e30, 1e30};
    for (int i = 0; i < kRounds; ++i)
        for (std::size_t each = 0; each < std::size(conditions); ++each)
            best[each] = std::min(best[each], secondsWith(conditions[each], kGroups));
    for (std::size_t each = 1; each < std::size(conditions); ++each)
        row(fmt::format("processor time of a hit, {} is false", conditions[each]).c_str(),
            (best[each] - best[0]) / kHits * 1e6, "us", "10 us");
}

int measure() {
    setenv("ZE_ENABLE_ALT_DRIVERS", inBuildTree("lib/libze_emulated_gpu.so.1").c_str(), 1);
    setenv("ZETL_EMULATED_DEVICE", kProfile, 1);
    const Gpu gpu;
    {
        const DebuggedChild child("spinsEverywhere");
        child.expect("launched ");
        const auto buffer = std::stoull(child.expect("buffer "));
        DebugSession session(gpu, child.pid());
        session.attachPatiently();
        takeEntryAndModule(session);
        awaitAllThreads(gpu, session);
        measureInterrupt(session);
        measureRegisters(gpu, session);
        measureMemory(session, buffer);
        EXPECT_OK(session.detach());
        measureAttach(gpu, child);
    }
    measureBreakpoint(gpu);
    measureConditions();
    measureNobodysDebuggee();
    return failed() ? 1 : 0;
}

}  // namespace
}  // namespace zetl::test

int main(int argc, char** argv) { return argc > 1 ? zetl::test::mainOf(argc, argv) : zetl::test::measure(); }
