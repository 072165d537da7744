// `zetl coverage`: trace files and pages, and the command as its users run it.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "coverage/html.h"
#include "coverage/lcov.h"
#include "executed/counts_file.h"
#include "executed/reader.h"
#include "says.h"
#include "support/process.h"
#include "text/usage_error.h"
#include "trace_directory.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::says;
using Words = std::vector<std::string>;

constexpr const char* kTrace =
    "TN:\n"
    "SF:/src/a.cl\n"
    "FN:2,sum\n"
    "FN:9,twice:9\n"
    "FNDA:4,sum\n"
    "FNDA:0,twice:9\n"
    "FNF:2\n"
    "FNH:1\n"
    "BRDA:3,0,0,4\n"
    "BRDA:3,0,1,0\n"
    "BRDA:10,0,0,-\n"
    "BRF:3\n"
    "BRH:1\n"
    "DA:2,4\n"
    "DA:3,4\n"
    "DA:10,0\n"
    "LF:3\n"
    "LH:2\n"
    "end_of_record\n";

std::string readAndWritten(const std::vector<const char*>& texts) {
    std::vector<CoverageOfTest> tests;
    for (const char* const text : texts) readLcov(text, "kernels.info", tests);
    return lcovText(tests);
}

TEST(Lcov, WhatIsWrittenIsRead) { EXPECT_EQ(readAndWritten({kTrace}), kTrace); }

TEST(Lcov, CountsOfTwoFilesAreAdded) {
    const std::string both = readAndWritten({kTrace, kTrace});
    for (const char* const line : {"FNDA:8,sum\n", "FNDA:0,twice:9\n", "BRDA:3,0,0,8\n", "BRDA:10,0,0,-\n", "DA:2,8\n"})
        EXPECT_NE(both.find(line), std::string::npos) << line << both;
    const std::string most =
        readAndWritten({"SF:a\nDA:1,18446744073709551615\nend_of_record\n", "SF:a\nDA:1,7\nend_of_record\n"});
    EXPECT_NE(most.find("DA:1,18446744073709551615\n"), std::string::npos) << most;
}

/// Version 2 has the last line of a function, checksums and records that we do not write.
TEST(Lcov, WhatOtherToolsWriteIsRead) {
    const std::string text = readAndWritten(
        {"# by hand\nTN:t\nSF:a\nVER:1\nFN:3,8,f(int, int)\nFNDA:2,f(int, int)\nDA:3,2,abc\nend_of_record\n"});
    EXPECT_NE(text.find("TN:t\nSF:a\nFN:3,f(int, int)\nFNDA:2,f(int, int)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("DA:3,2\n"), std::string::npos) << text;
}

TEST(Lcov, WhatIsNoTraceFileIsRefusedWithItsLine) {
    for (const char* const text : {"DA:1,1\n", "SF:a\nDA:x,1\nend_of_record\n", "SF:a\nDA:1,-1\nend_of_record\n",
                                   "SF:\n", "end_of_record\n", "SF:a\nBRDA:1,2,3\nend_of_record\n",
                                   "SF:a\nFNDA:1,unknown\nend_of_record\n", "\177ELF\n", "SF:a\nDA:1,1\n"}) {
        std::vector<CoverageOfTest> tests;
        EXPECT_THROW(readLcov(text, "kernels.info", tests), UsageError) << text;
    }
}

TEST(Lcov, FunctionsOfOneNameAreToldApartByTheirLines) {
    SourceCoverage source;
    source.addFunction({"operator()", 4, 6, 1});
    source.addFunction({"operator()", 5, 9, 2});
    source.addFunction({"operator()", 20, 20, 3});
    const std::string text = lcovText({{"", {{"a.cpp", source}}}});
    EXPECT_NE(text.find("FN:4,operator():4\nFN:20,operator():20\nFNDA:3,operator():4\n"), std::string::npos) << text;
}

TEST(Lcov, NamesCannotBreakLines) {
    SourceCoverage source;
    source.addFunction({"f\nDA:1,1", 1, 1, 1});
    EXPECT_EQ(lcovText({{"", {{"a\nend_of_record", source}}}}).find("\nDA:1,1"), std::string::npos);
    EXPECT_EQ(testName("_ZTSN4main3addE<int>"), "_ZTSN4main3addE_int_");
}

class CoverageFiles : public test::TraceDirectory {};

TEST_F(CoverageFiles, ProcessesWithOneModuleCountTogether) {
    const std::vector<std::uint8_t> image{1, 2, 3};
    const std::string key = executed::keyOf(image);
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(executed::keepImage(directory_, key, 0x1000, image));
        const auto counts = executed::makeCounts(directory_, key, 16);
        ASSERT_TRUE(counts);
        ASSERT_EQ(counts->size(), 3u);
        (*counts)[1] += 5;
    }
    const auto read = executed::readDirectory(directory_);
    ASSERT_EQ(read.modules.size(), 1u);
    EXPECT_EQ(read.processes, 1u);
    EXPECT_EQ(read.modules[0].codeBase, 0x1000u);
    EXPECT_EQ(read.modules[0].image, image);
    EXPECT_EQ(read.modules[0].executed, (std::vector<std::uint64_t>{0, 10, 0}));
    EXPECT_TRUE(read.unreadable.empty());
}

TEST_F(CoverageFiles, WhatIsDamagedIsNamed) {
    std::ofstream(directory_ / "a.image") << "zetl";
    std::ofstream(directory_ / "a.1.0.counts") << "12345678";
    std::ofstream(directory_ / "b.1.0.counts") << "123";
    const auto read = executed::readDirectory(directory_);
    EXPECT_TRUE(read.modules.empty());
    EXPECT_EQ(read.unreadable, (Words{"a.image", "b.1.0.counts", "a.image", "b.image"}));
    EXPECT_FALSE(executed::makeCounts(directory_ / "missing", "k", 16));
    EXPECT_FALSE(executed::keepImage(directory_ / "missing", "k", 0, {}));
}

TEST_F(CoverageFiles, PagesShowTheLinesOfASourceFile) {
    std::ofstream(directory_ / "a.cl") << "kernel void f() {\n  if (a < b) c();\n}\n";
    SourceCoverage source;
    source.addLine(1, 3);
    source.addLine(2, 0);
    source.addBranch({2, 0, 0}, 1);
    source.addBranch({2, 0, 1}, 0);
    const std::string name = directory_ / "a.cl";
    writeCoveragePages(directory_, {{name, source}, {"/missing<&>.cl", source}});
    const std::string index = textOf("index.html");
    EXPECT_NE(index.find("50.0 %</td><td>1 of 2"), std::string::npos) << index;
    EXPECT_NE(index.find("/missing&lt;&amp;&gt;.cl"), std::string::npos) << index;
    const std::string page = textOf("1.html") + textOf("2.html");
    EXPECT_NE(page.find("class=\"missed\"><td id=\"L2\">2</td><td>0</td><td>1 of 2</td><td>  if (a &lt; b) c();"),
              std::string::npos)
        << page;
    EXPECT_NE(page.find("cannot be read"), std::string::npos) << page;
    EXPECT_THROW(writeCoveragePages(directory_ / "missing", {}), std::runtime_error);
}

class Coverage : public test::TraceDirectory {
  protected:
    Outcome cover(const Words& options, const Words& program) const {
        Words words{test::inBuildTree("bin/zetl"), "coverage", "--device", "tiny", "-o", directory_ / "k.info"};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return test::Process(words).run(std::chrono::seconds(120));
    }
    static Words mistaken(const std::string& mode) { return {test::inBuildTree("tests/zetl/mistaken_program"), mode}; }
    std::string trace() const { return textOf("k.info"); }
    void expectInTrace(const Words& lines) const {
        for (const std::string& line : lines)
            EXPECT_NE(trace().find(line + "\n"), std::string::npos) << line << trace();
    }
};

/// Two groups of one thread, in which a function is inlined.
TEST_F(Coverage, LinesAndFunctionsHaveTheCountsOfThreads) {
    const auto outcome = cover({"--html", directory_ / "pages"}, mistaken("none"));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_NE(textOf("pages/1.html").find("<td id=\"L4\">4</td><td>2</td>"), std::string::npos);
    EXPECT_TRUE(says(outcome, "2 of 2 functions (100.0 %)")) << outcome;
    expectInTrace({"SF:/src/mistaken.cl", "FNDA:2,beyond", "FNDA:2,put", "DA:2,2", "DA:4,2", "end_of_record"});
}

TEST_F(Coverage, AKilledProcessLosesNothingAndRunsAddUp) {
    EXPECT_EQ(cover({}, mistaken("killed")).exitCode, 128 + 9);
    expectInTrace({"DA:2,2"});
    const std::string program = mistaken("none").front();
    const auto both = cover({"--append"}, {"/bin/sh", "-c", program + " none && " + program + " race"});
    EXPECT_EQ(both.exitCode, 0) << both;
    EXPECT_TRUE(says(both, "2 processes")) << both;
    expectInTrace({"DA:2,6", "FNDA:4,put", "FNDA:2,race"});
    EXPECT_EQ(cover({"--by", "kernel"}, mistaken("race")).exitCode, 0);
    expectInTrace({"TN:race"});
    EXPECT_EQ(trace().find("beyond"), std::string::npos) << "without --append the file is replaced: " << trace();
}

/// Both groups come to the ticket. The second one does not get the first ticket, and nobody writes behind the end.
TEST_F(Coverage, BranchesSayWhichWayThreadsWent) {
    const auto outcome = cover({"--schedule", "first"}, mistaken("order"));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    expectInTrace({"DA:4,2"});
    const std::string text = trace();
    EXPECT_TRUE(std::regex_search(text, std::regex("BRDA:4,[0-9]+,[0-9]+,2\n"))) << text;
    EXPECT_TRUE(std::regex_search(text, std::regex("BRDA:4,[0-9]+,[0-9]+,0\n"))) << text;
}

TEST_F(Coverage, KernelsWithoutLinesAreListedWithTheirInstructions) {
    const auto outcome = cover({}, {test::inBuildTree("samples/vector_add")});
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_TRUE(says(outcome, "vector_add      128")) << outcome;
    EXPECT_TRUE(says(outcome, "no source lines for 1 of 1 kernels, such as vector_add: the module has no DWARF"))
        << outcome;
    EXPECT_EQ(trace(), "");
}

TEST_F(Coverage, WhatWasLeftOutByAnOptionIsNotMissing) {
    const auto sources = cover({"--sources", "nothing*"}, mistaken("none"));
    EXPECT_TRUE(says(sources, "--sources leaves out all files that it has lines of")) << sources;
    const auto kernels = cover({"--kernels", "nothing*"}, mistaken("none"));
    EXPECT_TRUE(says(kernels, "nothing was counted: --kernels nothing* matches no kernel")) << kernels;
}

TEST_F(Coverage, TooFewLinesAreAnExitCode) {
    EXPECT_EQ(cover({"--fail-under", "100"}, mistaken("none")).exitCode, 0);
    EXPECT_EQ(cover({"--fail-under", "1", "--kernels", "nothing*"}, mistaken("none")).exitCode, 99);
    EXPECT_EQ(cover({}, {"/bin/true"}).exitCode, 1);
    EXPECT_EQ(cover({}, {"/bin/sh", "-c", "exit 5"}).exitCode, 5);
}

TEST_F(Coverage, WhatIsWrongIsRefusedBeforeTheProgramRuns) {
    std::ofstream(directory_ / "k.info") << "no trace file\n";
    const std::string mark = directory_ / "ran";
    for (const Words& options :
         {Words{"--append"}, {"--by", "line"}, {"--fail-under", "101"}, {"--html", "/dev/null/x"}}) {
        const auto outcome = cover(options, {"/bin/sh", "-c", "touch " + mark});
        EXPECT_EQ(outcome.exitCode, 2) << outcome;
        EXPECT_FALSE(fs::exists(mark)) << outcome;
    }
    EXPECT_EQ(trace(), "no trace file\n");
}

}  // namespace
}  // namespace zetl::command
