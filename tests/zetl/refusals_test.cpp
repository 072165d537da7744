// What zetl answers to words, outputs and directories that are wrong: a code other than 0, and a line that says what
// would be right.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "says.h"
#include "support/process.h"
#include "trace_directory.h"

namespace {

namespace fs = std::filesystem;
using namespace zetl::test;
using Words = std::vector<std::string>;

class Refusals : public TraceDirectory {
  protected:
    void SetUp() override {
        TraceDirectory::SetUp();
        temporary_ = directory_ / "temporary";
        fs::create_directory(temporary_);
    }

    /// `words` with "PROGRAM" for a program that launches vector_add.
    Process zetl(Words words) const {
        std::ranges::replace(words, "PROGRAM", inBuildTree("samples/vector_add"));
        words.insert(words.begin(), inBuildTree("bin/zetl"));
        return Process(words).with("TMPDIR", temporary_.native());
    }
    /// In a shell, which finds the command's words in "$@".
    Process inShell(const std::string& script, const Words& words) const {
        return zetl(words).under({"/bin/bash", "-c", script, "bash"});
    }
    static Words emulated(Words command, const Words& rest) {
        command.insert(command.end(), {"--emulated", "--device", "tiny"});
        command.insert(command.end(), rest.begin(), rest.end());
        return command;
    }
    void expectNothingLeft(const Words& words) const {
        EXPECT_TRUE(fs::is_empty(temporary_)) << words.front() << " left " << *fs::directory_iterator(temporary_);
    }

    fs::path temporary_;
};

struct Wrong {
    Words words;
    Words answers;
    int code = 2;
};

TEST_F(Refusals, WhatIsNotKnownIsRefusedWithWhatIs) {
    const Wrong all[] = {
        {{}, {"no command was given; the commands are run, trace, "}},
        {{"bogus"}, {"unknown command bogus; known: run, trace, "}},
        {{"metrics"}, {"metrics: no command was given; the commands are list, info, query, stream, calculate"}},
        {{"metrics", "qery"}, {"metrics: unknown command qery; did you mean query? known: list, info, "}},
        {emulated({"metrics", "list"}, {"--format", "xml"}),
         {"list: --format xml: not a format; write table, csv or json"}},
        {emulated({"metrics", "list"}, {"--format", "1"}),
         {"list: --format 1: not a format; write table, csv or json"}},
        {emulated({"metrics", "query"}, {"--format", "JSON", "--", "PROGRAM"}), {"query: --format JSON: not a format"}},
        {emulated({"metrics", "info"}, {"Compute"}), {"there is no metric group Compute; known: ", "ComputeBasic"}},
        {emulated({"metrics", "query"}, {"--group", "KernelSumary", "--", "PROGRAM"}),
         {"there is no event-based metric group KernelSumary; did you mean KernelSummary? known: "}},
        {emulated({"metrics", "stream"}, {"--group", "ComputBasic", "--", "PROGRAM"}),
         {"there is no time-based metric group ComputBasic; did you mean ComputeBasic? known: "}},
        {{"run", "--fail", "zeMemAlocDevice=NOT_READY", "--", "PROGRAM"},
         {"zetl: --fail: there is no function or group 'zeMemAlocDevice'", "; did you mean zeMemAllocDevice? known: "}},
        {{"run", "--fail", "zeMemFree=DEVICE_LOSS", "--", "PROGRAM"},
         {"'DEVICE_LOSS' is neither a result code nor an effect; did you mean DEVICE_LOST? known: device-lost, "}},
        {{"run", "--fail", "zeMemFree:evry=2=NOT_READY", "--", "PROGRAM"},
         {"there is no condition 'evry'; did you mean every? known: every, chance, "}},
        {{"env", "--fail", "zeMemFree=NOT_READY;any=hang"}, {"write --fail again instead of ';'"}},
        {{"run", "--no-layer", "--fail", "any=hang", "--", "PROGRAM"}, {"--fail works through the tools layer"}},
        {{"report", directory_}, {directory_.native() + " holds no recording"}},
        {{"report", directory_ / "nowhere"}, {"zetl: report: ", "nowhere: no such directory"}},
        {{"kernels", "/no/such/file"}, {"zetl: kernels: /no/such/file: no such file"}},
        {emulated({"trace"}, {"-o", "", "--csv", "-", "--json", "-", "--", "PROGRAM"}),
         {"only one table can go to standard output"}},
        {emulated({"trace"}, {"-o", directory_ / "same", "--csv", directory_ / "same", "--", "PROGRAM"}),
         {"two outputs cannot go to the same file"}},
        {emulated({"stalls"}, {"--json", directory_ / "same", "--csv", directory_ / "same", "--", "PROGRAM"}),
         {"two outputs cannot go to the same file"}},
        {emulated({"metrics", "query"}, {"-o", "/no/such/place", "--", "PROGRAM"}), {"cannot write the table"}},
    };
    for (const auto& wrong : all) {
        const auto outcome = zetl(wrong.words).run();
        EXPECT_EQ(outcome.exitCode, wrong.code) << outcome;
        for (const auto& answer : wrong.answers) EXPECT_TRUE(says(outcome, answer)) << answer << "\n" << outcome;
        EXPECT_FALSE(says(outcome, "sums are right")) << "the program ran: " << outcome;
        if (!wrong.words.empty()) expectNothingLeft(wrong.words);
    }
    EXPECT_FALSE(fs::exists(directory_ / "same"));
}

TEST_F(Refusals, KernelsThatTheProgramDoesNotHaveAreNamedWithThoseThatItHas) {
    const Wrong all[] = {
        {emulated({"stalls"}, {"--kernel", "vectoradd", "--", "PROGRAM"}),
         {"no sample belongs to a kernel vectoradd"},
         1},
        {emulated({"disasm"}, {"--kernel", "vectoradd", "--", "PROGRAM"}),
         {"has a kernel vectoradd; did you mean vector_add? known: vector_add"},
         1},
        {emulated({"trace"}, {"-o", "", "--kernels", "vectoradd,vector*", "--", "PROGRAM"}),
         {"--kernels vectoradd: the program created no such kernel; did you mean vector_add? known: vector_add"},
         0},
    };
    for (const auto& wrong : all) {
        const auto outcome = zetl(wrong.words).run(std::chrono::seconds(120));
        EXPECT_EQ(outcome.exitCode, wrong.code) << outcome;
        for (const auto& answer : wrong.answers) EXPECT_TRUE(says(outcome, answer)) << answer << "\n" << outcome;
        EXPECT_FALSE(says(outcome, "--kernels vector*")) << outcome;
    }
}

/// Commands that write to standard output, with what they do in a shell that gives them none.
const std::vector<Words>& writers() {
    static const std::vector<Words> all = {
        {"--version"},
        {"--help"},
        {"env", "--emulated"},
        {"metrics", "list", "--emulated", "--device", "tiny"},
        {"metrics", "info", "--emulated", "--device", "tiny", "--format", "json"},
        {"kernels", "--emulated", "--device", "tiny", "--", "PROGRAM"},
        {"kernels", "--json", "--emulated", "--device", "tiny", "--", "PROGRAM"},
        {"disasm", "--emulated", "--device", "tiny", "--", "PROGRAM"},
        {"trace", "--emulated", "--device", "tiny", "-o", "", "--csv", "-", "--", "PROGRAM"},
        {"metrics", "query", "--emulated", "--device", "tiny", "--format", "csv", "--", "PROGRAM"},
        {"metrics", "stream", "--emulated", "--device", "tiny", "-o", "", "--json", "-", "--", "PROGRAM"},
        {"stalls", "--emulated", "--device", "tiny", "--csv", "-", "--", "PROGRAM"},
    };
    return all;
}

TEST_F(Refusals, AFullDiskIsAFailure) {
    for (const auto& words : writers()) {
        const auto outcome = inShell("exec \"$@\" >/dev/full", words).run(std::chrono::seconds(120));
        EXPECT_EQ(outcome.exitCode, 1) << words.front() << outcome;
        EXPECT_TRUE(says(outcome, "No space left on device")) << words.front() << outcome;
    }
}

TEST_F(Refusals, AClosedOutputIsAFailureAndNoOtherFileTakesItsPlace) {
    for (const auto& words : writers()) {
        const auto outcome = inShell("exec \"$@\" >&-", words).run(std::chrono::seconds(120));
        EXPECT_NE(outcome.exitCode, 0) << words.front() << outcome;
    }
    const auto timeline = directory_ / "timeline.json";
    const Words trace = {"trace", "--emulated", "--device", "tiny", "-o", timeline, "--", "PROGRAM"};
    inShell("exec \"$@\" <&- >&-", trace).run(std::chrono::seconds(120));
    const auto text = textOf("timeline.json");
    EXPECT_TRUE(nlohmann::json::accept(text)) << text.substr(0, 200);
}

TEST_F(Refusals, AReaderThatGoesAwayIsToldOfNothingAndNothingIsLeft) {
    for (const auto& words : writers()) {
        const auto outcome = inShell("set -o pipefail; \"$@\" 2>" + (directory_ / "errors").native() + " | true", words)
                                 .run(std::chrono::seconds(120));
        EXPECT_TRUE(outcome.exitCode == 0 || outcome.exitCode == 128 + SIGPIPE) << words.front() << outcome;
        EXPECT_EQ(textOf("errors").find("roken pipe"), std::string::npos) << textOf("errors");
        expectNothingLeft(words);
    }
}

/// Programs find SIGPIPE as it was.
TEST_F(Refusals, SignalsOfPipesStayTheProgramsOwn) {
    const Words run = {"run", "--", "/bin/bash", "-c", "kill -PIPE $$; echo survived"};
    EXPECT_FALSE(says(zetl(run).run(), "survived"));
    EXPECT_TRUE(says(inShell("trap '' PIPE; \"$@\"", run).run(), "survived"));
}

TEST_F(Refusals, TablesForProgramsGoToStandardOutputAlone) {
    const auto written = directory_ / "out.json";
    const auto outcome = inShell("\"$@\" >" + written.native(), {"metrics", "query", "--emulated", "--device", "tiny",
                                                                 "--format", "json", "--", "PROGRAM"})
                             .run(std::chrono::seconds(120));
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(nlohmann::json::parse(textOf("out.json")).at(0).at("kernel"), "vector_add");
    EXPECT_TRUE(says(outcome, "sums are right")) << outcome;
    EXPECT_FALSE(says(outcome, "\"kernel\"")) << outcome;
}

TEST_F(Refusals, AHomeThatIsMissingIsNotMade) {
    const auto home = directory_ / "home";
    const auto program = inBuildTree("samples/vector_add");
    const auto outcome = zetl({"run", "--device", "tiny", "--", program})
                             .with("HOME", home.native())
                             .without("ZETL_BUILD_CACHE")
                             .without("XDG_CACHE_HOME")
                             .run(std::chrono::seconds(120));
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_FALSE(fs::exists(home));
}

TEST_F(Refusals, DirectoriesThatAreGoneAreNamedWithWhatHelps) {
    for (const char* command : {"stalls", "disasm", "trace"}) {
        const auto outcome = zetl(emulated({command}, {"--", "PROGRAM"})).with("TMPDIR", directory_ / "gone").run();
        EXPECT_EQ(outcome.exitCode, 2) << outcome;
        EXPECT_TRUE(says(outcome, "cannot make a temporary directory: ")) << outcome;
        EXPECT_FALSE(says(outcome, "--recording")) << outcome;
    }
    const auto outcome =
        inShell("mkdir gone && cd gone && rmdir ../gone && \"$@\"", emulated({"trace"}, {"--", "PROGRAM"}))
            .under({"/usr/bin/env", "--chdir", directory_})
            .run();
    EXPECT_EQ(outcome.exitCode, 2) << outcome;
    EXPECT_TRUE(says(outcome, "cannot write the timeline: timeline.pftrace: No such file or directory")) << outcome;
}

TEST_F(Refusals, AProgramThatCannotStartIsOneLine) {
    const auto outcome = zetl({"trace", "-o", "", "--", "/etc/passwd"}).run();
    EXPECT_EQ(outcome.exitCode, 126) << outcome;
    EXPECT_EQ(outcome.output, "zetl: /etc/passwd: Permission denied\n");
}

}  // namespace
