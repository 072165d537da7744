// Which calls and commands are recorded, and the table of commands.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "files/pattern_files.h"
#include "made_recording.h"
#include "says.h"
#include "support/process.h"
#include "text/patterns.h"
#include "text/usage_error.h"
#include "trace_directory.h"

namespace {

using zetl::command::Patterns;
using zetl::command::UsageError;
using zetl::command::withPatternFiles;
using zetl::test::inBuildTree;
using zetl::test::Outcome;
using zetl::test::Process;
using zetl::test::says;

TEST(Patterns, BehindAMarkAreLeftOut) {
    const Patterns some("zeMem*, !zeMemFree*");
    EXPECT_TRUE(some.match("zeMemAllocHost"));
    EXPECT_FALSE(some.match("zeMemFreeExt"));
    EXPECT_FALSE(some.match("zeInit"));
    const Patterns others("!zeMem*");
    EXPECT_TRUE(others.match("zeInit"));
    EXPECT_FALSE(others.match("zeMemFree"));
    EXPECT_FALSE(others.empty());
    EXPECT_EQ(Patterns("!").each(), std::vector<std::string>{"!"}) << "an ordinary character";
    EXPECT_TRUE(Patterns("").match("zeInit"));
}

class Selection : public zetl::test::TraceDirectory {
  protected:
    std::string file(const std::string& name, const std::string& text) const {
        std::ofstream(directory_ / name, std::ios::binary) << text;
        return directory_ / name;
    }
    Outcome trace(std::vector<std::string> options) const {
        options.insert(options.begin(), {inBuildTree("bin/zetl"), "trace", "-o", directory_ / "t.json"});
        options.insert(options.end(), {"--", inBuildTree("tests/zetl/traced_program"), "ordinary"});
        return Process(options)
            .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
            .with("TMPDIR", directory_.native())
            .run(std::chrono::seconds(120));
    }
};

TEST_F(Selection, PatternsStandInFiles) {
    const auto name = file("list", "# memory\n\n  zeMem*  \nzeInit\r\n");
    EXPECT_EQ(withPatternFiles("--functions", "a, @" + name + ",b"), "a,zeMem*,zeInit,b");
    EXPECT_EQ(withPatternFiles("--functions", "!@" + name), "!zeMem*,!zeInit");
    EXPECT_EQ(withPatternFiles("--functions", ""), "");
    EXPECT_THROW(withPatternFiles("--functions", "@" + name + ".missing"), UsageError);
    EXPECT_THROW(withPatternFiles("--functions", "@" + directory_.native()), UsageError);
    EXPECT_THROW(withPatternFiles("--functions", "@" + file("long", std::string(200'000, 'x'))), UsageError);
}

TEST_F(Selection, FunctionsAreLeftOutByAFile) {
    const auto outcome = trace({"--functions", "zeMem*,!@" + file("without", "zeMemFree\n")});
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_TRUE(says(outcome, "zeMemAllocDevice")) << outcome;
    EXPECT_FALSE(says(outcome, "zeMemFree")) << outcome;
    EXPECT_FALSE(says(outcome, "zeInit")) << outcome;
    const auto refused = trace({"--functions", "!zeMemFre"});
    EXPECT_EQ(refused.exitCode, 2) << refused;
    EXPECT_TRUE(says(refused, "no traceable function matches; did you mean zeMemFree?")) << refused;
}

TEST_F(Selection, EachCommandHasARow) {
    const auto run = directory_ / "run";
    zetl::test::makeRecording(run, {3, 4, "node1", 10, 1'000, 50, 0, "k,\"1\"", 1'500 / 5, 7});
    const auto outcome =
        Process({inBuildTree("bin/zetl"), "report", run, "-o", "", "--commands", directory_ / "commands.csv"}).run();
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto text = textOf("commands.csv");
    EXPECT_EQ(std::ranges::count(text, '\n'), 301) << "with the headings";
    EXPECT_EQ(text.rfind("rank,process,stream,kind,name,begin_ns,duration_ns,bytes,queued_ns,grid,group_size,registers,"
                         "simd_width,local_bytes\n3,10,device stream 0,kernel,\"k,\"\"1\"\"\",1000,50,,40,7 x 2 x 1,"
                         "64 x 1 x 1,128,16,2048\n",
                         0),
              0u)
        << text.substr(0, 300);
}

}  // namespace
