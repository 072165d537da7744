// `zetl trace` as a user runs it: a fresh process, the stock loader, the layer and the recorder from the build tree.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "perfetto_reader.h"
#include "recording/format.h"
#include "recording/reader.h"
#include "support/process.h"
#include "trace_directory.h"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using zetl::test::inBuildTree;
using zetl::test::Outcome;
using zetl::test::Process;

class Trace : public zetl::test::TraceDirectory {
  protected:
    Process traced(const std::string& scenario, const std::vector<std::string>& options = {}) {
        content_.clear();
        std::vector<std::string> command = {inBuildTree("bin/zetl"), "trace"};
        if (std::find(options.begin(), options.end(), "-o") == options.end())
            command.insert(command.end(), {"-o", timeline()});
        command.insert(command.end(), options.begin(), options.end());
        command.insert(command.end(), {"--", inBuildTree("tests/zetl/traced_program"), scenario});
        return Process(command)
            .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
            .with("TMPDIR", directory_.native())
            .with("ASAN_OPTIONS", "handle_segv=0")  // a crash must stay one under the sanitizers
            .with("TSAN_OPTIONS", "handle_segv=0");
    }

    Outcome run(const std::string& scenario, const std::vector<std::string>& options = {}) {
        return traced(scenario, options).run(std::chrono::seconds(120));
    }

    /// The recorder in the program, without zetl.
    Outcome recordAlone(const std::string& limit) {
        return Process({inBuildTree("tests/zetl/traced_program"), "ordinary"})
            .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
            .with("ZE_ENABLE_TRACING_LAYER", "1")
            .withFirst("LD_LIBRARY_PATH", inBuildTree("lib/ze-tools-layer/trace"))
            .with("ZETL_TRACE_DIRECTORY", directory_.native())
            .with("ZETL_TRACE_LIMIT", limit)
            .run();
    }

    /// The program did not run: it would have left a line.
    static void expectRefused(const Outcome& outcome, const std::string& text) {
        EXPECT_EQ(outcome.exitCode, 2) << outcome;
        EXPECT_TRUE(says(outcome, text)) << "missing: " << text << "\n" << outcome;
        EXPECT_FALSE(says(outcome, "traced_program runs")) << outcome;
    }
    static bool says(const Outcome& outcome, const std::string& text) {
        return outcome.output.find(text) != std::string::npos;
    }

    /// With a file system of that size, in KiB, on the directory; in a mount namespace, so that it goes away by itself.
    Outcome runInSmallRoom(const std::string& scenario, unsigned size, const std::vector<std::string>& options) {
        const auto mount =
            "mount -t tmpfs -o size=" + std::to_string(size) + "k none " + directory_.native() + " && exec \"$@\"";
        return traced(scenario, options).under({"/usr/bin/unshare", "--mount", "sh", "-c", mount, "sh"}).run();
    }

    std::string timeline() const { return directory_ / "timeline.json"; }

    /// Of the last run.
    std::vector<Json> events(const std::string& phase, const std::string& name = "") {
        std::vector<Json> found;
        if (content_.empty()) content_ = Json::parse(textOf("timeline.json"));
        for (const auto& event : content_.at("traceEvents"))
            if (event.at("ph") == phase && (name.empty() || event.at("name") == name)) found.push_back(event);
        return found;
    }

    /// The number in a column of a function's line, 0 if there is no such line.
    static unsigned long inTable(const Outcome& outcome, const std::string& function, bool errors = false) {
        std::istringstream lines(outcome.output);
        for (std::string line; std::getline(lines, line);)
            if (line.rfind(function + " ", 0) == 0)
                return std::stoul(errors ? line.substr(line.rfind(' ')) : line.substr(function.size()));
        return 0;
    }

    /// Nothing but what the test itself asked for is left behind.
    void expectCleanDirectory() const {
        for (const auto& entry : fs::directory_iterator(directory_)) EXPECT_EQ(entry.path().native(), timeline());
    }

    Json content_;
};

TEST_F(Trace, TableAndTimelineOfAnOrdinaryProgram) {
    const auto outcome = run("ordinary");
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemAllocDevice"), 10u) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemAllocDevice", true), 0u) << outcome;
    EXPECT_EQ(inTable(outcome, "zeCommandListClose", true), 1u) << outcome;
    EXPECT_EQ(events("X", "zeMemFree").size(), 10u);
    expectCleanDirectory();
}

TEST_F(Trace, ArgumentsAndResults) {
    ASSERT_TRUE(run("ordinary").good());
    const auto allocation = events("X", "zeMemAllocDevice").at(0).at("args");
    EXPECT_EQ(allocation.at("size"), 4096);
    EXPECT_EQ(allocation.at("alignment"), 64);
    EXPECT_EQ(allocation.at("result"), "ZE_RESULT_SUCCESS");
    const auto launch = events("X", "zeCommandListAppendLaunchKernel").at(0).at("args");
    EXPECT_EQ(launch.at("pLaunchFuncArgs"), "2 x 3 x 4");
    EXPECT_EQ(launch.at("kernel"), "matrix_product");
    EXPECT_EQ(events("X", "zeKernelCreate").at(0).at("args").at("phKernel"), launch.at("hKernel"));
    EXPECT_EQ(events("X", "zeCommandListClose").at(0).at("args").at("result"), "ZE_RESULT_ERROR_DEVICE_LOST");
}

TEST_F(Trace, ALaunchHasItsKernelsNameWhateverIsCalledBefore) {
    ASSERT_TRUE(run("launchedLater").good());
    EXPECT_EQ(events("X", "zeCommandListAppendLaunchKernel").at(0).at("args").at("kernel"), "matrix_product");
}

TEST_F(Trace, EveryThreadIsNamedCompleteAndInOrder) {
    const auto outcome = run("threads");
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemAllocDevice"), 8'000u) << outcome;
    EXPECT_EQ(events("X", "zeMemAllocDevice").size(), 8'000u);
    std::set<std::string> names;
    for (const auto& thread : events("M", "thread_name")) names.insert(thread.at("args").at("name"));
    EXPECT_EQ(names, (std::set<std::string>{"traced_program", "worker 0", "worker 1", "worker 2", "worker 3"}));

    auto calls = events("X");
    std::sort(calls.begin(), calls.end(), [](const Json& a, const Json& b) { return a.at("ts") < b.at("ts"); });
    std::map<Json, double> ends;
    for (const auto& call : calls) {
        const double begin = call.at("ts");
        EXPECT_GE(begin, ends[call.at("tid")]) << call;
        ends[call.at("tid")] = begin + static_cast<double>(call.at("dur")) - 0.001;  // rounding of the sum
    }
}

TEST_F(Trace, PerfettosFormatHasEveryCallInOrder) {
    const auto outcome = run("threads", {"-o", directory_ / "timeline.pftrace"});
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto trace = zetl::test::readPerfetto(textOf("timeline.pftrace"));
    EXPECT_EQ(trace.faults, std::vector<std::string>());
    EXPECT_EQ(trace.named("zeMemAllocDevice").size(), 8'000u);
    std::map<std::uint64_t, std::uint64_t> ends;
    std::set<std::string> names;
    for (const auto& slice : trace.slices) {
        EXPECT_GE(slice.begin, ends[slice.track]) << slice.name;
        EXPECT_GE(slice.end, slice.begin);
        ends[slice.track] = slice.end;
        names.insert(trace.tracks.at(slice.track).name);
    }
    EXPECT_EQ(names, (std::set<std::string>{"traced_program", "worker 0", "worker 1", "worker 2", "worker 3"}));
    EXPECT_LE(fs::file_size(directory_ / "timeline.pftrace"), 40 * trace.slices.size()) << "bytes a call";
    EXPECT_EQ(trace.named("zeMemAllocDevice")[0].arguments.at("size"), "4096");
}

TEST_F(Trace, ThreadsThatShareRoomKeepTheirOrderInPerfettosFormat) {
    ASSERT_TRUE(run("shortThreads", {"-o", directory_ / "timeline.pftrace", "--limit", "4MB"}).good());
    const auto trace = zetl::test::readPerfetto(textOf("timeline.pftrace"));
    EXPECT_EQ(trace.faults, std::vector<std::string>());
    EXPECT_EQ(trace.named("zeMemAllocDevice").size(), 2000u);
    EXPECT_EQ(trace.named("zeMemFree").size(), 2000u);
}

TEST_F(Trace, ACrashLeavesAnOpenSliceInPerfettosFormat) {
    run("crashInCall", {"-o", directory_ / "timeline.pftrace"});
    const auto trace = zetl::test::readPerfetto(textOf("timeline.pftrace"));
    EXPECT_EQ(trace.faults, std::vector<std::string>());
    const auto calls = trace.named("zeMemAllocDevice");
    ASSERT_EQ(calls.size(), 4u);
    EXPECT_EQ(calls.back().end, 0u);
    EXPECT_FALSE(calls.back().arguments.contains("result"));
}

TEST_F(Trace, AFunctionThatThereIsNotIsRefused) {
    expectRefused(run("ordinary", {"--functions", "zeKernel*,zMem*"}),
                  "--functions zMem*: no traceable function matches");
    expectRefused(run("ordinary", {"--functions", "zeMemAlocDevice"}), "did you mean zeMemAllocDevice?");
}

TEST_F(Trace, DelayDurationAndPause) {
    for (const char* time : {"1h", "", "-1", "5 apples", "99999999999999999999"})
        expectRefused(run("ordinary", {"--delay", time}), "--delay " + std::string(time) + ": not a time");
    const auto late = run("ordinary", {"--delay", "60min"});
    EXPECT_TRUE(says(late, "no Level Zero call was recorded")) << late;
    const auto short_ = run("ordinary", {"--duration", "0ms"});
    EXPECT_TRUE(says(short_, "no Level Zero call was recorded")) << short_;
    EXPECT_EQ(inTable(run("ordinary", {"--delay", "0", "--duration", "60min"}), "zeMemAllocDevice"), 10u);
    expectRefused(run("ordinary", {"--paused"}), "--paused needs --recording");
}

TEST_F(Trace, APausedRecordingGoesOnWhenToldTo) {
    const auto recording = (directory_ / "kept").native();
    const auto zetl = inBuildTree("bin/zetl");
    EXPECT_EQ(Process({zetl, "resume", directory_.native()}).run().exitCode, 1) << "nothing is recorded there";
    // The program makes three allocations, resumes the recording, and makes five more.
    const auto outcome = traced("resumed", {"--paused", "--recording", recording})
                             .with("ZETL_TEST_COMMAND", zetl + " resume " + recording)
                             .run();
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemAllocDevice"), 5u) << outcome;
}

TEST_F(Trace, ShortThreadsShareTheRoom) {
    // 2000 threads with a chunk each would need 125 MiB.
    const auto outcome = run("shortThreads", {"--limit", "4MB"});
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(events("X", "zeMemAllocDevice").size(), 2000u);
    EXPECT_EQ(outcome.output.find("beyond"), std::string::npos) << outcome;
}

TEST_F(Trace, CallsBeyondTheLimitAreCounted) {
    const auto outcome = run("many", {"--limit", "512KB"});
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemAllocDevice"), 20'000u) << outcome;
    EXPECT_LT(events("X").size(), 10'000u);
    EXPECT_NE(outcome.output.find("beyond the recording's limit"), std::string::npos) << outcome;
}

TEST_F(Trace, ACrashInsideACallLosesNothing) {
    const auto outcome = run("crashInCall");
    EXPECT_EQ(outcome.exitCode, 128 + SIGSEGV) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemAllocDevice"), 4u) << outcome;
    EXPECT_EQ(events("X", "zeMemAllocDevice").size(), 3u);
    EXPECT_EQ(events("B", "zeMemAllocDevice").size(), 1u) << "the call that crashed is an open slice";
    EXPECT_NE(outcome.output.find("1 call had not returned"), std::string::npos) << outcome;
    expectCleanDirectory();
}

TEST_F(Trace, LeavingWithoutCleanUpLosesNothing) {
    const auto outcome = run("leaveAtOnce");
    EXPECT_EQ(outcome.exitCode, 7) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemFree"), 3u) << outcome;
}

TEST_F(Trace, AKilledProcessLosesNothing) {
    const auto outcome = run("killed");
    EXPECT_EQ(outcome.exitCode, 128 + SIGKILL) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemFree"), 3u) << outcome;
}

TEST_F(Trace, AForkedChildRecordsOnItsOwn) {
    const auto outcome = run("forked");
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemAllocDevice"), 2008u) << outcome;
    std::map<int, int> byProcess;
    for (const auto& call : events("X", "zeMemAllocDevice")) ++byProcess[call.at("pid")];
    ASSERT_EQ(byProcess.size(), 2u);
    EXPECT_EQ(std::min(byProcess.begin()->second, byProcess.rbegin()->second), 5);
}

TEST_F(Trace, AProgramThatReplacesItselfHasTwoRecordings) {
    const auto outcome = run("replaced");
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemAllocDevice"), 13u) << outcome;
}

TEST_F(Trace, AProgramWithoutLevelZeroIsSaidToHaveNone) {
    const auto outcome = run("nothing");
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_NE(outcome.output.find("no Level Zero call was recorded"), std::string::npos) << outcome;
}

TEST_F(Trace, AKeptRecordingCanBeReportedAgain) {
    const auto recording = directory_ / "kept";
    ASSERT_TRUE(run("ordinary", {"--recording", recording.native()}).good());
    const auto again = directory_ / "again.json";
    const auto outcome =
        zetl::test::Process({inBuildTree("bin/zetl"), "report", recording.native(), "-o", again.native()}).run();
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemAllocDevice"), 10u) << outcome;
    EXPECT_EQ(fs::file_size(again), fs::file_size(timeline()));
}

TEST_F(Trace, DamagedRecordingsAreNamedAndPassedOver) {
    std::ofstream(directory_ / "1-0.zetl") << "short";
    std::ofstream(directory_ / "2-0.zetl") << std::string(1 << 20, 'x');
    const auto outcome = zetl::test::Process({inBuildTree("bin/zetl"), "report", directory_.native()}).run();
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_NE(outcome.output.find("1-0.zetl: too short"), std::string::npos) << outcome;
    EXPECT_NE(outcome.output.find("2-0.zetl: not recorded by this version"), std::string::npos) << outcome;
    EXPECT_TRUE(says(outcome, "no recording could be read")) << outcome;
    EXPECT_FALSE(says(outcome, "the program made none")) << "advice for another case" << outcome;
}

/// Pipes, sockets, devices, directories, and files that claim more than they hold block no reader.
TEST_F(Trace, WhatIsNoRecordingIsNamedAndPassedOver) {
    const auto recording = directory_ / "kept";
    ASSERT_TRUE(run("ordinary", {"--recording", recording.native()}).good());
    ASSERT_EQ(mkfifo((recording / "1-0.zetl").c_str(), 0600), 0);
    fs::create_symlink("/dev/zero", recording / "1-1.zetl");
    fs::create_directory(recording / "1-2.zetl");
    fs::create_symlink("nowhere", recording / "1-3.zetl");
    std::ofstream(recording / "1-4.zetl");
    fs::resize_file(recording / "1-4.zetl", std::uintmax_t(1) << 42);
    for (const auto& command : {std::vector<std::string>{"report", recording, "-o", ""}, {"pause", recording}}) {
        auto words = command;
        words.insert(words.begin(), inBuildTree("bin/zetl"));
        const auto outcome = Process(words).run();
        EXPECT_FALSE(outcome.timedOut) << outcome;
        EXPECT_TRUE(outcome.good()) << outcome;
        EXPECT_TRUE(says(outcome, "1-0.zetl: not a regular file")) << outcome;
        EXPECT_TRUE(says(outcome, "1-1.zetl: not a regular file")) << outcome;
        EXPECT_TRUE(says(outcome, "1-2.zetl: not a regular file")) << outcome;
        EXPECT_TRUE(says(outcome, "1-3.zetl: No such file or directory")) << outcome;
        EXPECT_TRUE(says(outcome, "1-4.zetl: not recorded by this version")) << outcome;
    }
}

/// 4 TiB, of which the disk has a megabyte, and whose head says that all of it is filled.
TEST_F(Trace, AHugeRecordingIsReadAsFarAsThereIsAny) {
    const auto recording = directory_ / "kept";
    ASSERT_TRUE(run("ordinary", {"--recording", recording.native()}).good());
    const auto file = fs::directory_iterator(recording)->path();
    fs::resize_file(file, std::uintmax_t(1) << 42);
    zetl::command::RecordingFile::setPaused(file, false);
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    const std::uint64_t chunks = UINT64_MAX;
    stream.seekp(offsetof(zetl::command::FileHeader, chunks));
    stream.write(reinterpret_cast<const char*>(&chunks), sizeof chunks);
    stream.close();
    const auto outcome = Process({inBuildTree("bin/zetl"), "report", recording.native(), "-o", ""}).run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemAllocDevice"), 10u) << outcome;
}

TEST_F(Trace, AMissingProgramIsReportedAsAShellWould) {
    const auto outcome = zetl::test::Process({inBuildTree("bin/zetl"), "trace", "--", "/no/such/program"}).run();
    EXPECT_EQ(outcome.exitCode, 127) << outcome;
}

// What can go wrong is found out before the program runs.

TEST_F(Trace, ATimelineThatCannotBeWrittenIsRefusedFirst) {
    fs::create_directory(directory_ / "closed");
    fs::permissions(directory_ / "closed", fs::perms::none);
    expectRefused(run("ordinary", {"-o", directory_ / "nowhere/timeline.json"}), "nowhere/timeline.json: No such file");
    expectRefused(run("ordinary", {"-o", directory_.native()}), "Is a directory");
    expectRefused(run("ordinary", {"-o", "/proc/timeline.json"}), "cannot write the timeline");
    EXPECT_FALSE(fs::exists(timeline()));
}

/// A link of somebody else leads where its owner likes.
TEST_F(Trace, OutputsGoThroughLinksOfTheUserAlone) {
    const auto target = directory_ / "target.json";
    std::ofstream(target) << "precious";
    fs::create_symlink("target.json", timeline());
    fs::create_symlink("timeline.json", directory_ / "second.json");
    if (lchown((directory_ / "second.json").c_str(), 1, 1) == 0) {
        for (const char* option : {"-o", "--csv", "--json"})
            expectRefused(run("ordinary", {option, directory_ / "second.json"}),
                          "second.json: a symbolic link of another user (uid 1)");
        EXPECT_EQ(textOf("target.json"), "precious");
        ASSERT_EQ(lchown((directory_ / "second.json").c_str(), geteuid(), getegid()), 0);
    }
    ASSERT_TRUE(run("ordinary", {"-o", directory_ / "second.json"}).good());
    EXPECT_FALSE(events("X", "zeMemFree").empty());
    EXPECT_TRUE(fs::is_symlink(timeline()));
    fs::remove(target);
    ASSERT_TRUE(run("ordinary").good()) << "a link to nowhere makes its file";
    EXPECT_TRUE(fs::is_regular_file(target));
    fs::remove(timeline());
    fs::create_symlink("timeline.json", timeline());
    expectRefused(run("ordinary"), "Too many levels of symbolic links");
    EXPECT_TRUE(run("ordinary", {"-o", "/dev/stdout"}).good());
}

/// The program made a file where the timeline was to be.
TEST_F(Trace, AFileThatTheProgramPutThereStays) {
    const auto outcome = Process({inBuildTree("bin/zetl"), "trace", "-o", timeline(), "--", "/bin/sh", "-c",
                                  "echo mine >" + timeline() + ".new && mv " + timeline() + ".new " + timeline()})
                             .run();
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_EQ(textOf("timeline.json"), "mine\n");
}

TEST_F(Trace, AFullDiskIsRefusedFirst) {
    expectRefused(runInSmallRoom("ordinary", 4, {}), "No space left on device");
    expectRefused(runInSmallRoom("ordinary", 16, {"-o", ""}), "set TMPDIR, or use --recording DIR");
}

TEST_F(Trace, AnOldTimelineStaysUntilThereIsANewOne) {
    std::ofstream(timeline()) << "old";
    EXPECT_EQ(run("nothing").exitCode, 1);
    EXPECT_EQ(fs::file_size(timeline()), 3u);
    ASSERT_TRUE(run("ordinary").good());
    EXPECT_FALSE(events("X", "zeMemFree").empty());
}

TEST_F(Trace, WithoutARecordingNoTimelineIsLeft) {
    run("nothing");
    EXPECT_FALSE(fs::exists(timeline()));
}

// What goes wrong afterwards costs nothing.

TEST_F(Trace, ARecordingWhoseTimelineFailsIsKept) {
    const auto outcome = run("ordinary", {"-o", "/dev/full"});
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_TRUE(says(outcome, "/dev/full: No space left on device")) << outcome;
    const auto begin = outcome.output.find("zetl report ") + 12;
    const auto recording = outcome.output.substr(begin, outcome.output.find(' ', begin) - begin);
    const auto again = Process({inBuildTree("bin/zetl"), "report", recording, "-o", timeline()}).run();
    EXPECT_TRUE(again.good()) << again;
    EXPECT_EQ(inTable(again, "zeMemAllocDevice"), 10u) << again;
    EXPECT_EQ(events("X", "zeMemFree").size(), 10u);
}

TEST_F(Trace, ADirectoryThatHoldsARecordingIsRefused) {
    const auto recording = (directory_ / "kept").native();
    ASSERT_TRUE(run("ordinary", {"--recording", recording}).good());
    expectRefused(run("ordinary", {"--recording", recording}), "already holds a recording");
    const auto again = Process({inBuildTree("bin/zetl"), "report", recording, "-o", ""}).run();
    EXPECT_EQ(inTable(again, "zeMemAllocDevice"), 10u) << "one run's, not two's" << again;
}

TEST_F(Trace, ADirectoryWithOtherFilesIsAllRight) {
    EXPECT_TRUE(run("ordinary", {"--recording", directory_.native()}).good());
    expectRefused(run("ordinary", {"--recording", "/proc/no"}), "--recording /proc/no: No such file or directory");
}

TEST_F(Trace, AFullDiskIsNotTheLimit) {
    const auto outcome = runInSmallRoom("many", 1024, {"-o", ""});
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(inTable(outcome, "zeMemAllocDevice"), 20'000u) << outcome;
    EXPECT_TRUE(says(outcome, "the recording's directory is full (TMPDIR, --recording)")) << outcome;
    EXPECT_FALSE(says(outcome, "--limit")) << outcome;
}

TEST_F(Trace, TheSizeThatFilesMayHaveIsNotTheLimit) {
    const auto outcome = traced("many", {"-o", ""}).under({"/usr/bin/prlimit", "--fsize=500000"}).run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_TRUE(says(outcome, "(ulimit -f)")) << outcome;
    expectRefused(traced("many", {"-o", ""}).under({"/usr/bin/prlimit", "--fsize=1000"}).run(),
                  "ulimit -f limits files to 1000");
}

TEST_F(Trace, LimitsThatMakeNoSenseAreRefused) {
    for (const char* limit : {"10", "0", "75KB", "-5", "1e3", "MB", "", "5 apples", "99999999999GB"})
        expectRefused(run("ordinary", {"--limit", limit}), "--limit " + std::string(limit) + ": ");
    EXPECT_TRUE(run("ordinary", {"--limit", "80kib"}).good());
}

TEST_F(Trace, TheRecorderRefusesLimitsOfItsOwn) {
    EXPECT_TRUE(says(recordAlone("10"), "zetl: not recording: only 10 bytes are allowed"));
    EXPECT_TRUE(says(recordAlone("-5"), "ZETL_TRACE_LIMIT=-5 is not a number of bytes"));
}

TEST_F(Trace, RoomForTheNextRecordsIsMadeBehindLaunches) {
    ASSERT_TRUE(recordAlone("1000000").good());
    const auto file = std::find_if(fs::directory_iterator(directory_), fs::directory_iterator(),
                                   [](const auto& each) { return each.path().extension() == ".zetl"; });
    ASSERT_NE(file, fs::directory_iterator());
    constexpr std::uint64_t kOneChunk = zetl::command::kHeaderBytes + zetl::command::kChunkBytes;
    struct stat facts {};
    ASSERT_EQ(stat(file->path().c_str(), &facts), 0);
    EXPECT_GT(static_cast<std::uint64_t>(facts.st_blocks) * 512, kOneChunk);
}

TEST_F(Trace, WithoutADeviceTheEmulatedOneIsOffered) {
    const auto outcome = traced("initialise").with("ZE_ENABLE_ALT_DRIVERS", "libze_nowhere.so.1").run();
    EXPECT_TRUE(says(outcome, "to use the emulated GPU, type: zetl trace --emulated -- ")) << outcome;
    EXPECT_FALSE(says(run("ordinary"), "--emulated"));
}

}  // namespace
