// `zetl diff`: what two runs left, compared, and the command as its users run it.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "comparison/difference.h"
#include "comparison/element.h"
#include "results/writer.h"
#include "says.h"
#include "support/process.h"
#include "trace_directory.h"

namespace zetl::command {
namespace {

using Floats = std::vector<float>;

/// A launch of `kernel` that leaves numbers in its argument 1.
results::Launch launch(results::Writer& writer, const std::string& kernel, const Floats& numbers) {
    results::Launch made{kernel, {4, 1, 1}, {16, 1, 1}, false, {}};
    results::Buffer& buffer = made.buffers.emplace_back();
    buffer.argument = 1;
    buffer.name = "out";
    buffer.type = "float*;8";
    buffer.bytes = numbers.size() * sizeof(float);
    const auto bytes = std::as_bytes(std::span(numbers));
    for (std::size_t at = 0; at < bytes.size(); at += results::kBlockBytes)
        buffer.blocks.push_back(writer.keep(bytes.subspan(at, std::min(results::kBlockBytes, bytes.size() - at))));
    return made;
}

class Diff : public test::TraceDirectory {
  protected:
    static constexpr std::uint64_t kLimit = 1 << 20;

    /// What a process leaves that launches kernels with these results.
    RunResults run(const std::string& name, const std::vector<std::pair<std::string, Floats>>& launches,
                   std::uint64_t limit = kLimit) const {
        const auto directory = directory_ / name;
        std::filesystem::create_directories(directory);
        {
            auto writer = results::Writer::create(directory, limit);
            EXPECT_TRUE(writer);
            for (const auto& [kernel, numbers] : launches) EXPECT_TRUE(writer->write(launch(*writer, kernel, numbers)));
        }
        return results::readProcesses(directory);
    }
};

TEST_F(Diff, RunsWithTheSameResultsDoNotDiffer) {
    const std::vector<std::pair<std::string, Floats>> launches{{"one", {1, 2, 3}}, {"two", Floats(40'000, 5)}};
    const auto reference = run("a", launches);
    EXPECT_EQ(launchesOf(reference), 2u);
    EXPECT_FALSE(difference(reference, run("b", launches), 0));
}

TEST_F(Diff, TheFirstLaunchBufferAndElementThatDifferAreNamed) {
    Floats large(40'000, 5);
    const auto reference = run("a", {{"one", {1, 2}}, {"two", large}, {"one", {3}}});
    large[20'001] = 6;
    large[20'007] = 7;
    const auto found = difference(reference, run("b", {{"one", {1, 2}}, {"two", large}, {"one", {4}}}), 0);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->launch, 2u);
    EXPECT_EQ(found->kernel, "two");
    EXPECT_EQ(found->argument, 1);
    EXPECT_EQ(found->element, 20'001u);
    EXPECT_EQ(found->differing, 2u);
    EXPECT_EQ(found->what, "2 of 40000 elements differ, the first is 20001: 6 (0x40c00000), not 5 (0x40a00000)");
    EXPECT_NE(found->place.find("argument 1 (float* out), 160000 bytes"), std::string::npos) << found->place;
}

TEST_F(Diff, LaunchesAreMatchedByKernelWhateverComesBetween) {
    const auto reference = run("a", {{"one", {1}}, {"two", {2}}});
    EXPECT_FALSE(difference(reference, run("b", {{"two", {2}}, {"one", {1}}}), 0));
    const auto missing = difference(reference, run("c", {{"one", {1}}}), 0);
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->what, "there is no such launch");
    const auto more = difference(run("d", {{"one", {1}}}), reference, 0);
    ASSERT_TRUE(more);
    EXPECT_EQ(more->kernel, "two");
    EXPECT_EQ(more->launch, 0u);
}

TEST_F(Diff, UnitsInTheLastPlaceMayBeAllowed) {
    const auto reference = run("a", {{"one", {1, 0.0f}}});
    const auto near = run("b", {{"one", {std::nextafter(1.0f, 2.0f), -0.0f}}});
    EXPECT_TRUE(difference(reference, near, 0));
    EXPECT_FALSE(difference(reference, near, 1));
    EXPECT_TRUE(difference(reference, run("c", {{"one", {-1, 0}}}), 1000));
}

TEST_F(Diff, WhatWasNotKeptDiffersByItsHash) {
    const auto found = difference(run("a", {{"one", {1}}}, 0), run("b", {{"one", {2}}}, 0), 0);
    ASSERT_TRUE(found);
    EXPECT_NE(found->what.find("--limit"), std::string::npos);
    EXPECT_FALSE(difference(run("c", {{"one", {1}}}, 0), run("d", {{"one", {1}}}), 0));
}

TEST_F(Diff, AProcessThatWasKilledAsItWroteLosesItsLastLaunch) {
    run("a", {{"one", {1}}, {"two", {2}}});
    for (const auto& file : std::filesystem::directory_iterator(directory_ / "a"))
        if (file.path().extension() == results::kLaunchSuffix)
            std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) - 5);
    const auto cut = results::readProcesses(directory_ / "a");
    ASSERT_EQ(cut.size(), 1u);
    EXPECT_EQ(cut[0].launches.size(), 2u) << "a hash that is cut off is a number, too";
    std::ofstream(directory_ / "a" / "1.launches") << "process\t7\nlaunch\tk\t1x1x1\t1x1x1\tok\nbuffer\t0\t\t\t99\t0\n";
    const auto both = results::readProcesses(directory_ / "a");
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[0].began, 7u);
    EXPECT_TRUE(both[0].damaged);
    EXPECT_TRUE(both[0].launches.empty());
}

TEST_F(Diff, AFileWithoutItsFirstLineIsIncomplete) {
    EXPECT_FALSE(run("a", {{"one", {1}}}).at(0).incomplete);
    std::ofstream(directory_ / "1.launches");
    EXPECT_TRUE(results::readProcesses(directory_).at(0).incomplete);
}

TEST_F(Diff, WhatALaunchBeganWithIsReadAsItWasWritten) {
    const std::vector<std::uint8_t> spirv{3, 2, 35, 7};
    {
        auto writer = results::Writer::create(directory_, kLimit, "42");
        ASSERT_TRUE(writer);
        results::Launch made = launch(*writer, "one", {1, 2});
        using Kind = results::Argument::Kind;
        made.start = results::Start{writer->keepModule(spirv),
                                    {1, 2, 3},
                                    2,
                                    {{Kind::value, 0, 0, {0xff, 0}},
                                     {Kind::local, 1, 64, {}},
                                     {Kind::pointer, 2, 1ull << 41, {}},
                                     {Kind::object, 3, 0, {}}},
                                    {{1ull << 41, 8, made.buffers[0].blocks}}};
        EXPECT_TRUE(writer->write(made));
        made.start->module = results::kNoModule;
        EXPECT_TRUE(writer->write(made));
    }
    const auto processes = results::readProcesses(directory_);
    ASSERT_EQ(processes.size(), 1u);
    EXPECT_FALSE(processes[0].damaged);
    ASSERT_EQ(processes[0].launches.size(), 2u);
    const auto& start = processes[0].launches[0].start;
    ASSERT_TRUE(start);
    EXPECT_EQ(moduleOf(processes[0], start->module), spirv);
    EXPECT_EQ(start->offset, (std::array<std::uint32_t, 3>{1, 2, 3}));
    EXPECT_EQ(start->dimensions, 2u);
    ASSERT_EQ(start->arguments.size(), 4u);
    EXPECT_EQ(start->arguments[0].bytes, (std::vector<std::uint8_t>{0xff, 0}));
    EXPECT_EQ(start->arguments[1].number, 64u);
    EXPECT_EQ(start->arguments[2].number, 1ull << 41);
    EXPECT_EQ(start->arguments[3].kind, results::Argument::Kind::object);
    ASSERT_EQ(start->memory.size(), 1u);
    EXPECT_EQ(contentOf(processes[0], start->memory[0].blocks.at(0)).size(), results::kBlockBytes);
    EXPECT_EQ(processes[0].launches[1].start->module, results::kNoModule);
}

TEST_F(Diff, LinesThatBelongNowhereEndTheReading) {
    constexpr const char* kLaunch = "launch\tk\t1x1x1\t1x1x1\tok\n";
    for (const char* line : {"start\t0\t0x0x0\t3\tmore", "start\t0\t0x0\t3", "value\t0\t00", "memory\t0\t0",
                             "blocks\t0:0", "object\tx", "start\t-\t0x0x0\t3\nvalue\t0\t0g",
                             "start\t-\t0x0x0\t3\nlocal\t0\t", "start\t-\t0x0x0\t3\nmemory\t1\t-1", ""}) {
        std::ofstream(directory_ / "1.launches") << "process\t7\n" << kLaunch << line << '\n' << kLaunch;
        const auto processes = results::readProcesses(directory_);
        ASSERT_EQ(processes.size(), 1u);
        EXPECT_TRUE(processes[0].damaged) << line;
        EXPECT_EQ(processes[0].launches.size(), 1u) << line;
    }
}

TEST_F(Diff, LaunchesThatWereLeftOutDoNotDiffer) {
    const auto reference = run("a", {{"one", {1}}, {"two", {2}}});
    auto other = run("b", {{"one", {3}}, {"two", {2}}});
    EXPECT_TRUE(difference(reference, other, 0));
    other[0].launches[0].leftOut = "it has images";
    EXPECT_FALSE(difference(reference, other, 0));
    EXPECT_EQ(launchesOf(other), 1u);
    EXPECT_EQ(leftOutOf(other), (std::map<std::string, std::size_t>{{"it has images", 1}}));
}

TEST(DiffElement, IsReadByTheTypeOfTheArgument) {
    const std::uint64_t bits = 0xffff'fffe'bf80'0000;
    const auto bytes = std::as_bytes(std::span(&bits, 1));
    EXPECT_EQ(Element::of("float4*;8").text(bytes), "-1 (0xbf800000)");
    EXPECT_EQ(Element::of("long*").text(bytes), "-5377097728");
    EXPECT_EQ(Element::of("char*").text(bytes.subspan(4)), "-2");
    EXPECT_EQ(Element::of("ushort2*").text(bytes.subspan(6)), "65535");
    EXPECT_EQ(Element::of("struct pair*").text(bytes), "0xbf800000");
    EXPECT_EQ(Element::of("").bytes(), 4u);
}

class DiffCommand : public test::TraceDirectory {
  protected:
    test::Outcome run(std::vector<std::string> options, const std::vector<std::string>& program) {
        options.insert(options.begin(), {test::inBuildTree("bin/zetl"), "diff"});
        options.emplace_back("--");
        options.insert(options.end(), program.begin(), program.end());
        return test::Process(options)
            .with("TMPDIR", directory_.native())
            .with("OCL_ICD_VENDORS", vendors_)
            .run(std::chrono::seconds(120));
    }
    /// Of the sample row_sums, with other source.
    std::vector<std::string> rowSums(const std::string& body) {
        const auto file = directory_ / "row_sums.cl";
        std::ofstream(file) << "kernel void row_sums(global const float* in, global float* out, int n) {\n"
                            << body << "}\n";
        return {test::inBuildTree("samples/row_sums"), file};
    }

    std::string vendors_ = "/etc/OpenCL/vendors/pocl.icd";
};

TEST_F(DiffCommand, AProgramThatAlwaysComesToTheSameResults) {
    const auto outcome =
        run({"--device", "tiny,small", "--schedule", "first,last,steps", "--json", directory_ / "diff.json"},
            {test::inBuildTree("samples/vector_add")});
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_EQ(outcome.times("the same"), 5u) << outcome;
    EXPECT_TRUE(test::says(outcome, "the reference")) << outcome;
    const auto json = nlohmann::json::parse(textOf("diff.json"));
    ASSERT_EQ(json.at("runs").size(), 6u);
    EXPECT_EQ(json["runs"][5].at("device"), "small");
    EXPECT_EQ(json["runs"][5].at("schedule"), "steps");
    EXPECT_GT(json["runs"][5].at("launches"), 0);
}

// The groups number themselves as they begin, so the result is their order.
TEST_F(DiffCommand, AKernelWhoseResultIsTheOrderOfItsGroups) {
    std::ofstream(directory_ / "order.cl")
        << "kernel void row_sums(global const float* in, global float* out, int n) {\n"
           "    if (get_local_id(0) == 0)\n"
           "        out[get_group_id(0)] =\n"
           "            atomic_inc((volatile global int*)out + 1023);\n"
           "}\n";
    const auto outcome = run({"--device", "tiny", "--schedule", "first,last", "--json", directory_ / "diff.json",
                              "--junit", directory_ / "diff.xml", "--sarif", directory_ / "diff.sarif", "--github"},
                             {test::inBuildTree("samples/row_sums"), directory_ / "order.cl"});
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    EXPECT_TRUE(test::says(outcome, "tiny last differs from tiny first")) << outcome;
    EXPECT_TRUE(test::says(outcome, "number 1 of kernel row_sums: 16x1x1 groups of 64x1x1; argument 1")) << outcome;
    const auto json = nlohmann::json::parse(textOf("diff.json"));
    EXPECT_EQ(json["runs"][1].at("difference").at("element"), 0);
    EXPECT_EQ(json.at("unsteady"), false);
    EXPECT_TRUE(
        test::says(outcome, "\n::error title=diff/results::tiny last differs from tiny first:%0A  launch 1 of 1"))
        << outcome;
    EXPECT_NE(textOf("diff.xml").find("tests=\"1\" failures=\"1\""), std::string::npos) << textOf("diff.xml");
    const auto result = nlohmann::json::parse(textOf("diff.sarif"))["runs"][0]["results"][0];
    EXPECT_EQ(result["locations"][0]["logicalLocations"][0]["name"], "row_sums");
}

TEST_F(DiffCommand, AKernelThatReadsPrivateMemoryItHasNotWritten) {
    std::ofstream(directory_ / "unwritten.cl")
        << "kernel void row_sums(global const float* in, global float* out, int n) {\n"
           "    volatile int mine[100];\n"
           "    mine[n & 1] = 7;\n"
           "    if (get_local_id(0) == 0)\n"
           "        out[get_group_id(0)] = mine[50 + (n & 1)];\n"
           "}\n";
    const auto outcome = run({"--device", "tiny", "--schedule", "first,filled"},
                             {test::inBuildTree("samples/row_sums"), directory_ / "unwritten.cl"});
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    EXPECT_TRUE(test::says(outcome, "tiny filled differs from tiny first")) << outcome;
}

TEST_F(DiffCommand, AProgramThatLaunchesOtherKernels) {
    const auto outcome = run({"--device", "tiny"},
                             {"/bin/sh", "-c",
                              "test \"$ZETL_EMULATOR_ORDER\" != last || exec " + test::inBuildTree("samples/row_sums") +
                                  "; exec " + test::inBuildTree("samples/vector_add")});
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    EXPECT_TRUE(test::says(outcome, "there is no such launch")) << outcome;
    EXPECT_TRUE(test::says(outcome, "The schedules decide") || test::says(outcome, "tiny last differs")) << outcome;
    EXPECT_FALSE(test::says(outcome, "tiny steps differs")) << outcome;
}

TEST_F(DiffCommand, RunsOfTwoComparisonsAreNotMixed) {
    const std::vector<std::string> options{"--device", "tiny", "--recording", directory_ / "kept"};
    EXPECT_EQ(run(options, {test::inBuildTree("samples/vector_add")}).exitCode, 0);
    const auto again = run(options, {test::inBuildTree("samples/vector_add")});
    EXPECT_EQ(again.exitCode, 2) << again;
    EXPECT_TRUE(test::says(again, "holds the runs of an earlier zetl diff")) << again;
}

TEST_F(DiffCommand, WhatCannotBeComparedIsRefused) {
    const std::vector<std::string> program{"/bin/true"};
    EXPECT_TRUE(test::says(run({"--schedule", "middle"}, program), "there are first, last, steps, filled"));
    EXPECT_TRUE(test::says(run({"--device", "tiny,b999"}, program), "b999"));
    const auto outcome = run({"--device", "tiny", "--schedule", "first"}, program);
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_TRUE(test::says(outcome, "nothing was compared")) << outcome;
}

// A shell's limit on the size of files fails writes like a full disk.
TEST_F(DiffCommand, AFullDiskIsNoDifference) {
    const auto outcome = run({"--device", "tiny"}, {"/bin/sh", "-c",
                                                    "[ -z \"$ZETL_EMULATOR_FILL\" ] || { trap '' XFSZ; ulimit -f 0; }; "
                                                    "exec " +
                                                        test::inBuildTree("samples/vector_add")});
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_TRUE(test::says(outcome, "the results of run tiny filled could not all be written to ")) << outcome;
    EXPECT_FALSE(test::says(outcome, "differs from")) << outcome;
}

TEST_F(DiffCommand, TheHostsOpenClComesToTheSameResults) {
    for (const char* sample : {"samples/vector_add", "samples/row_sums"}) {
        const auto outcome =
            run({"--device", "tiny", "--opencl", "--json", directory_ / "diff.json"}, {test::inBuildTree(sample)});
        EXPECT_EQ(outcome.exitCode, 0) << outcome;
        EXPECT_TRUE(test::says(outcome, "opencl")) << outcome;
        EXPECT_FALSE(test::says(outcome, "left out")) << outcome;
        const auto json = nlohmann::json::parse(textOf("diff.json"));
        ASSERT_EQ(json.at("runs").size(), 2u);
        EXPECT_EQ(json["runs"][1].at("launches"), json["runs"][0].at("launches"));
    }
}

// What mul_hi of ushort gives is too large for 15 bits (docs/compiler-mistakes.md).
TEST_F(DiffCommand, TheHostsOpenClFindsAMistakeOfTheCompiler) {
    const auto outcome =
        run({"--device", "tiny", "--compiler", "system", "--opencl"},
            rowSums("    if (get_local_id(0) == 0)\n"
                    "        out[get_group_id(0)] = mul_hi((ushort)(n | 0xff00), (ushort)(n | 0xfe00)) & 0x7fff;\n"));
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    EXPECT_TRUE(test::says(outcome, "opencl differs from tiny system first")) << outcome;
    EXPECT_TRUE(test::says(outcome, "the first is 0: 32257 (0x46fc0200), not 65025 (0x477e0100)")) << outcome;
    EXPECT_TRUE(test::says(outcome, "OpenCL on the host decides")) << outcome;
}

TEST_F(DiffCommand, WhatTheHostsOpenClCannotComputeIsLeftOut) {
    const auto notKept = run({"--device", "tiny", "--opencl", "--limit", "0"}, {test::inBuildTree("samples/row_sums")});
    EXPECT_EQ(notKept.exitCode, 0) << notKept;
    EXPECT_TRUE(test::says(notKept, "opencl: 1 launch left out: the memory that it began with was not kept"))
        << notKept;
    const auto subGroups = run({"--device", "tiny", "--opencl"}, rowSums("    out[0] = get_sub_group_size();\n"));
    // PoCL 3 refuses the module, PoCL 6 ends with a segmentation fault while it builds it.
    EXPECT_TRUE(test::says(subGroups, "opencl: 1 launch left out: OpenCL does not build its module") ||
                test::says(subGroups, "opencl: 1 launch left out: OpenCL was ended by signal 11"))
        << subGroups;
}

TEST_F(DiffCommand, WithoutOpenClOnTheHostTheRunSaysWhatToInstall) {
    vendors_ = directory_.native();
    const auto outcome = run({"--device", "tiny", "--opencl"}, {test::inBuildTree("samples/row_sums")});
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_TRUE(test::says(outcome, "apt install pocl-opencl-icd")) << outcome;
}

}  // namespace
}  // namespace zetl::command
