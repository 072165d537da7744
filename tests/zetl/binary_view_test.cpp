// zetl kernels and zetl disasm, on files that the compiler made.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "says.h"
#include "support/process.h"
#include "support/temporary_file.h"
#include "text/terminal.h"
#include "unit/module/compiled.h"

namespace {

using nlohmann::json;
using zetl::emulator::module::compiled;
using zetl::emulator::module::kPrivate;
using zetl::test::inBuildTree;
using zetl::test::Outcome;
using zetl::test::Process;
using zetl::test::says;
using File = zetl::test::TemporaryFile;

using Bytes = std::vector<std::uint8_t>;

Outcome shown(std::vector<std::string> words) {
    words.insert(words.begin(), inBuildTree("bin/zetl"));
    return Process(words).run();
}

TEST(BinaryView, KernelsForPeopleAndPrograms) {
    const File file(compiled(kPrivate, "-cl-std=CL2.0 -g"));
    const auto table = shown({"kernels", file.name()});
    EXPECT_EQ(table.exitCode, 0) << table;
    EXPECT_TRUE(says(table, "large")) << table;
    EXPECT_FALSE(says(table, "\033")) << "colours are for terminals";
    const auto rows = json::parse(shown({"kernels", "--json", file.name()}).output);
    EXPECT_EQ(rows["container"], "zebin");
    EXPECT_EQ(rows["kernels"].at(0)["name"], "large");
    EXPECT_EQ(rows["kernels"].at(0)["registers"], 128);
}

TEST(BinaryView, LongNamesFitTheTable) {
    const std::string name = "_ZN6solver9integrateILi3EEEvPfRK56" + std::string(56, 'x');
    const File file(compiled("kernel void " + name + "(global int* a) { *a = 1; }", ""));
    const auto run = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {inBuildTree("bin/zetl"), "kernels"});
        return Process(words).with("COLUMNS", "80").run();
    };
    const auto table = run({file.name()});
    EXPECT_TRUE(says(table, "\nvoid solver:")) << table;
    EXPECT_TRUE(says(table, "\u2026")) << "cut in the middle\n" << table;
    std::istringstream lines(table.output);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(zetl::command::lengthOf(line), 80u) << line;
    EXPECT_TRUE(says(run({"--mangled", file.name()}), "\n_ZN6solver")) << "as its compiler made it";
    EXPECT_TRUE(says(run({"--json", file.name()}), name)) << "in full";
}

TEST(BinaryView, CodeBesideItsSource) {
    const File file(compiled(kPrivate, "-cl-std=CL2.0 -g"));
    const auto code = shown({"disasm", file.name()});
    EXPECT_EQ(code.exitCode, 0) << code;
    EXPECT_TRUE(says(code, "send.ugm")) << code;
    EXPECT_TRUE(says(code, ":2 ")) << "source line 2\n" << code;
    EXPECT_FALSE(says(shown({"disasm", "--no-source", file.name()}), "; ")) << "machine code alone";
    const auto kernels = json::parse(shown({"disasm", "--json", "--kernel", "large", file.name()}).output);
    EXPECT_GT(kernels.at(0)["instructions"].size(), 20u);
    EXPECT_EQ(kernels.at(0)["instructions"].at(0)["offset"], 0);
}

TEST(BinaryView, WhatCannotBeShown) {
    const File file(compiled(kPrivate, "-cl-std=CL2.0"));
    const auto code = shown({"disasm", file.name()});
    EXPECT_EQ(code.exitCode, 0) << code;
    EXPECT_TRUE(says(code, "built without -g")) << code;
    const auto other = shown({"disasm", "--kernel", "none", file.name()});
    EXPECT_EQ(other.exitCode, 1) << other;
    EXPECT_TRUE(says(other, "there is no kernel none")) << other;
    const File text(Bytes(100, 'x'));
    const auto neither = shown({"kernels", text.name()});
    EXPECT_EQ(neither.exitCode, 1) << neither;
    EXPECT_TRUE(says(neither, "neither ELF for an Intel GPU nor patch tokens")) << neither;
    EXPECT_EQ(shown({"kernels", "/no/such/file"}).exitCode, 2);
    EXPECT_EQ(shown({"kernels", text.name(), "word"}).exitCode, 2);
    EXPECT_EQ(shown({"kernels"}).exitCode, 2);
}

/// The same kernel's code, whichever container it is in.
TEST(BinaryView, PatchTokens) {
    const File file(compiled(kPrivate, "-cl-std=CL2.0 -g", false));
    const auto rows = json::parse(shown({"kernels", "--json", file.name()}).output);
    EXPECT_EQ(rows["container"], "patch tokens");
    EXPECT_EQ(rows["kernels"].at(0)["name"], "large");
    EXPECT_EQ(rows["kernels"].at(0)["registers"], 128);
    EXPECT_GT(rows["kernels"].at(0)["codeBytes"], 0);
    const auto table = shown({"kernels", file.name()});
    EXPECT_EQ(table.exitCode, 0) << table;
    EXPECT_TRUE(says(table, "large")) << table;
    const auto code = shown({"disasm", file.name()});
    EXPECT_EQ(code.exitCode, 0) << code;
    EXPECT_TRUE(says(code, "send.ugm")) << code;
    EXPECT_TRUE(says(code, ":2 ")) << "source line 2\n" << code;
}

TEST(BinaryView, Help) {
    for (const char* command : {"kernels", "disasm"}) {
        const auto help = shown({command, "--help"});
        EXPECT_EQ(help.exitCode, 0) << help;
        EXPECT_TRUE(says(help, std::string("Usage: zetl ") + command)) << help;
        EXPECT_TRUE(says(help, "--json")) << help;
        EXPECT_TRUE(says(help, "--emulated")) << help;
        EXPECT_EQ(says(help, "--iga"), std::string(command) == "disasm") << help;
    }
}

TEST(BinaryView, ColoursOnATerminal) {
    const File file(compiled(kPrivate, "-cl-std=CL2.0 -g"));
    for (const char* command : {"kernels", "disasm"}) {
        const auto plain = shown({command, file.name()});
        EXPECT_FALSE(says(plain, "\033")) << plain;
        const auto line = inBuildTree("bin/zetl") + " " + command + " " + file.name();
        const auto coloured = Process({"/usr/bin/script", "-qec", line, "/dev/null"}).run();
        EXPECT_EQ(coloured.exitCode, 0) << coloured;
        EXPECT_TRUE(says(coloured, "\033[1m")) << "the kernel's name" << coloured;
        EXPECT_EQ(says(coloured, "\033[36m"), std::string(command) == "disasm") << "source lines" << coloured;
        const auto data = Process({"/usr/bin/script", "-qec", line + " --json", "/dev/null"}).run();
        EXPECT_FALSE(says(data, "\033")) << "programs want none" << data;
    }
}

}  // namespace
