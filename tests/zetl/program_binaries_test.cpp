// `zetl kernels` and `zetl disasm` of a program, on the emulated GPU.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/process.h"
#include "trace_directory.h"

namespace {

using nlohmann::json;
using namespace zetl::test;

class ProgramBinaries : public TraceDirectory {
  protected:
    Process command(std::vector<std::string> words, const std::string& program) {
        words.insert(words.begin(), inBuildTree("bin/zetl"));
        words.insert(words.end(), {"--", inBuildTree(program)});
        return Process(words).with("TMPDIR", directory_.native());
    }
    Outcome run(const std::vector<std::string>& words, const std::string& program = "samples/vector_add") {
        return command(words, program).run(std::chrono::seconds(120));
    }
    static bool says(const Outcome& outcome, const std::string& text) {
        return outcome.output.find(text) != std::string::npos;
    }
};

TEST_F(ProgramBinaries, KernelsAndCodeOfWhatTheProgramBuilt) {
    const auto kernels = run({"kernels", "--emulated"});
    EXPECT_TRUE(kernels.good()) << kernels;
    EXPECT_TRUE(says(kernels, "4096 sums are right")) << kernels;
    EXPECT_TRUE(says(kernels, "\nvector_add ")) << kernels;
    EXPECT_FALSE(says(kernels, "\033")) << "colours are for terminals";
    const auto code = run({"disasm", "--emulated", "--no-source", "--kernel", "vector_add"});
    EXPECT_TRUE(code.good()) << code;
    EXPECT_TRUE(says(code, "send.ugm")) << code;
    const auto iga = run({"disasm", "--emulated", "--iga"});
    EXPECT_TRUE(says(iga, "load.ugm.d32.a64")) << "what a message says, which our words do not have" << iga;
    EXPECT_TRUE(std::filesystem::is_empty(directory_)) << "nothing is left behind";
}

TEST_F(ProgramBinaries, JsonAloneIsOnStandardOutput) {
    const auto json_ = directory_ / "out.json";
    const auto outcome = command({"kernels", "--emulated", "--json"}, "samples/vector_add")
                             .under({"/bin/sh", "-c", "exec \"$@\" >" + json_.native(), "sh"})
                             .run(std::chrono::seconds(120));
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_TRUE(says(outcome, "sums are right")) << "the program's words are beside";
    const auto modules = json::parse(textOf("out.json"));
    ASSERT_EQ(modules.size(), 1u);
    EXPECT_EQ(modules[0]["kernels"].at(0)["name"], "vector_add");
}

TEST_F(ProgramBinaries, AKernelOfOneOfSeveralModules) {
    const auto code = run({"disasm", "--emulated", "--no-source", "--kernel", "order"}, "samples/linked_modules");
    EXPECT_TRUE(code.good()) << code;
    EXPECT_TRUE(says(code, "\norder: SIMD")) << code;
    EXPECT_FALSE(says(code, "zetl: ")) << "of the modules without it there is nothing to say" << code;
    const auto none = run({"disasm", "--emulated", "--kernel", "none"}, "samples/linked_modules");
    EXPECT_EQ(none.exitCode, 1) << none;
    EXPECT_TRUE(none.output.ends_with("zetl: none of the program's modules (2) has a kernel none; known: order\n"))
        << none;
}

TEST_F(ProgramBinaries, WhatCannotBeShown) {
    const auto other = run({"disasm", "--emulated", "--kernel", "none"});
    EXPECT_EQ(other.exitCode, 1) << other;
    EXPECT_TRUE(says(other, "none of the program's modules (1) has a kernel none")) << other;
    const auto none = command({"kernels", "--emulated"}, "bin/zetl").argument("--version").run();
    EXPECT_EQ(none.exitCode, 1) << none;
    EXPECT_TRUE(says(none, "the program created no module")) << none;
    EXPECT_EQ(run({"kernels"}, "no/such/program").exitCode, 127);
    EXPECT_EQ(run({"kernels", inBuildTree("bin/zetl")}).exitCode, 2) << "a file and a program";
    EXPECT_EQ(run({"kernels", "--device", "tiny"}).exitCode, 2) << "a device without --emulated";
}

}  // namespace
