// The command line as users type it: what is refused, with which words and which exit code.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "says.h"
#include "support/process.h"

namespace {

using zetl::test::inBuildTree;
using zetl::test::Process;
using zetl::test::says;

using Words = std::vector<std::string>;

Process zetl(Words words) {
    words.insert(words.begin(), inBuildTree("bin/zetl"));
    return Process(words);
}

/// Nothing is run: exit code 2, and the words that help.
void expectRefused(const Words& words, const std::string& text) {
    const auto outcome = zetl(words).run();
    EXPECT_EQ(outcome.exitCode, 2) << outcome;
    EXPECT_TRUE(says(outcome, text)) << "missing: " << text << "\n" << outcome;
    EXPECT_FALSE(says(outcome, "it ran")) << outcome;
}

std::string readText(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

const Words kProgram = {"sh", "-c", "echo it ran"};

Words operator+(Words front, const Words& back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
}

TEST(CommandLine, EveryCommandWithATableHasTheSameOutputs) {
    const std::vector<Words> commands{{"run"},
                                      {"trace"},
                                      {"report"},
                                      {"check"},
                                      {"diff"},
                                      {"coverage"},
                                      {"baseline", "compare"},
                                      {"kernels"},
                                      {"disasm"},
                                      {"devices"},
                                      {"doctor"},
                                      {"metrics", "list"},
                                      {"metrics", "info"},
                                      {"metrics", "query"},
                                      {"metrics", "stream"},
                                      {"metrics", "calculate"},
                                      {"stalls"}};
    for (const auto& command : commands) {
        const auto help = zetl(command + Words{"--help"}).run();
        for (const auto* const option : {"-o, ", "--csv FILE", "--json", "--markdown FILE"})
            EXPECT_TRUE(says(help, option)) << option << " is missing\n" << help;
    }
}

TEST(CommandLine, ATableGoesToFilesOfEveryKind) {
    const auto file = [](const char* name) { return testing::TempDir() + "tables." + std::to_string(getpid()) + name; };
    const auto all = zetl({"devices", "--csv", file(".csv"), "--json=" + file(".json"), "--markdown", file(".md"), "-o",
                           file(".txt")})
                         .run();
    EXPECT_EQ(all.exitCode, 0) << all;
    EXPECT_EQ(all.output, "") << "-o takes the place of the terminal";
    EXPECT_TRUE(readText(file(".csv")).starts_with("profile,what,name,"));
    EXPECT_TRUE(readText(file(".json")).starts_with("[\n  {"));
    EXPECT_TRUE(readText(file(".md")).starts_with("| profile | what | name |"));
    EXPECT_TRUE(readText(file(".txt")).starts_with("profile            kind"));
    for (const auto* const name : {".csv", ".json", ".md", ".txt"}) std::filesystem::remove(file(name));

    const auto json = zetl({"devices", "--json"}).run();
    EXPECT_TRUE(json.output.starts_with("[\n  {")) << "the older spelling\n" << json;
    EXPECT_FALSE(says(json, "PROFILE")) << "standard output holds one thing\n" << json;
    expectRefused({"devices", "--csv", "-", "--json"}, "only one table can go to standard output");
    expectRefused({"metrics", "list", "--emulated", "--format", "csv", "--csv", "-"},
                  "--format csv and --csv are the same");
    expectRefused({"devices", "--csv", "/no/such/directory/x"}, "/no/such/directory/x");
}

TEST(CommandLine, AnUnknownOptionIsNamedWithTheNearestOne) {
    for (const auto& [mistake, meant] :
         {std::pair("--emulatd", "--emulated"), std::pair("--limti", "--limit"), std::pair("--emulate=1", "--emulated"),
          std::pair("--no_layer", "--no-layer")}) {
        const auto text = "unknown option " + std::string(mistake) + "; did you mean " + meant + "?";
        expectRefused(Words{"trace", mistake, "--"} + kProgram, text);
        expectRefused(Words{"trace", mistake} + kProgram, text);
    }
    expectRefused(Words{"run", "--debuging", "--"} + kProgram, "did you mean --debugging?");
    expectRefused({"env", "--emulatd"}, "did you mean --emulated?");
    expectRefused({"doctor", "--quite"}, "did you mean --quiet?");
    expectRefused({"report", "/tmp", "--timelien", "x"}, "did you mean --timeline?");
}

TEST(CommandLine, AnOptionWithoutANearOneIsNamedAlone) {
    const auto outcome = zetl(Words{"run", "--xyzzy", "--"} + kProgram).run();
    EXPECT_EQ(outcome.exitCode, 2) << outcome;
    EXPECT_TRUE(says(outcome, "unknown option --xyzzy")) << outcome;
    EXPECT_FALSE(says(outcome, "did you mean")) << outcome;
}

TEST(CommandLine, AnUnknownCommandIsNamedWithTheNearestOne) {
    expectRefused(Words{"trce", "--"} + kProgram, "unknown command trce; did you mean trace?");
    expectRefused({"doctr"}, "did you mean doctor?");
}

TEST(CommandLine, EveryUsageErrorIsTwo) {
    for (const auto& words : {Words{}, Words{"run"}, Words{"run", "--"}, Words{"trace"}, Words{"report"},
                              Words{"trace", "--limit"}, Words{"--xyzzy"}, Words{"doctor", "--"} + kProgram,
                              Words{"env", "too", "many"}, Words{"report", "/no/such/directory"}}) {
        const auto outcome = zetl(words).run();
        EXPECT_EQ(outcome.exitCode, 2) << outcome;
        EXPECT_FALSE(says(outcome, "it ran")) << outcome;
    }
}

TEST(CommandLine, HelpAndVersionAreNoErrors) {
    const auto version = zetl({"--version"}).run();
    EXPECT_TRUE(version.good()) << version;
    EXPECT_TRUE(version.output.starts_with("zetl " ZETL_VERSION)) << version;
    const auto commit = version.output.substr(std::string("zetl " ZETL_VERSION).size());
    EXPECT_TRUE(commit == "\n" || (commit.starts_with(" (commit ") && commit.ends_with(")\n"))) << version;
    const auto help = zetl({"trace", "--help"}).run();
    EXPECT_TRUE(help.good()) << help;
    EXPECT_TRUE(says(help, "--emulated")) << help;
}

TEST(CommandLine, EveryCommandHasAHelpThatShowsHowToTypeIt) {
    for (const auto& words : {Words{},
                              Words{"run"},
                              Words{"check"},
                              Words{"trace"},
                              Words{"report"},
                              Words{"pause"},
                              Words{"resume"},
                              Words{"kernels"},
                              Words{"disasm"},
                              Words{"debug"},
                              Words{"gdbserver"},
                              Words{"env"},
                              Words{"doctor"},
                              Words{"stalls"},
                              Words{"metrics"},
                              Words{"metrics", "list"},
                              Words{"metrics", "info"},
                              Words{"metrics", "query"},
                              Words{"metrics", "stream"},
                              Words{"metrics", "calculate"},
                              Words{"help"},
                              Words{"completion"}}) {
        const auto help = zetl(words + Words{"--help"}).run();
        EXPECT_TRUE(help.good()) << help;
        EXPECT_TRUE(says(help, "Usage: zetl ") && says(help, "\nExamples:\n  ")) << help;
        for (const char* machine : {"TEXT", "ENUM", "{", "REQUIRED", " VALUE"})
            EXPECT_FALSE(says(help, machine)) << help;
    }
    EXPECT_TRUE(
        says(zetl({"metrics", "query", "--help"}).run(), "Usage: zetl metrics query [OPTIONS] -- PROGRAM [ARGS...]\n"));
    EXPECT_TRUE(says(zetl({"trace", "--help"}).run(), "(default: timeline.pftrace)"));
}

TEST(CommandLine, HelpIsACommandToo) {
    EXPECT_EQ(zetl({"help"}).run().output, zetl({"--help"}).run().output);
    EXPECT_EQ(zetl({"help", "trace"}).run().output, zetl({"trace", "--help"}).run().output);
    EXPECT_EQ(zetl({"help", "metrics", "query"}).run().output, zetl({"metrics", "query", "--help"}).run().output);
    expectRefused({"help", "trce"}, "zetl has no command trce; did you mean trace?");
    expectRefused({"help", "metrics", "xyzzy"}, "zetl metrics has no command xyzzy");
}

TEST(CommandLine, EveryCommandAndOptionIsInTheCompletionOfEveryShell) {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const auto script = zetl({"completion", shell}).run();
        EXPECT_TRUE(script.good()) << script;
        for (const char* word : {"calculate", "gdbserver", "recording", "emulated", "no-source"})
            EXPECT_TRUE(says(script, word)) << shell << " lacks " << word;
    }
    expectRefused({"completion", "tcsh"}, "there is none for tcsh; the shells are bash, zsh, fish");
    expectRefused({"completion"}, "SHELL is missing");
}

/// What bash offers after these words, the last of which may be begun.
std::string offered(const std::string& words) {
    const auto ask = R"(source <("$0" completion bash); COMP_WORDS=(zetl $1); [[ $1 == *" " ]] && COMP_WORDS+=("");
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _zetl; echo "${COMPREPLY[*]}")";
    return Process({"/bin/bash", "-c", ask, zetl::test::inBuildTree("bin/zetl"), words}).run().output;
}

TEST(CommandLine, BashCompletesCommandsOptionsAndThePrograms) {
    EXPECT_EQ(offered("tra"), "trace\n");
    EXPECT_EQ(offered("metrics que"), "query\n");
    EXPECT_EQ(offered("trace --emu"), "--emulated\n");
    EXPECT_EQ(offered("run -- /bin/basena"), "/bin/basename\n");
    EXPECT_EQ(offered("trace --recording /usr/shar"), "/usr/share\n");
}

TEST(CommandLine, ARefusalSaysWhatIsPossible) {
    expectRefused({}, "no command was given; the commands are run, trace, ");
    expectRefused({"xyzzy"}, "unknown command xyzzy; known: run, trace, ");
    expectRefused({"metrics", "qery"}, "metrics: unknown command qery; did you mean query?");
    expectRefused({"metrics", "query"}, "type zetl metrics query -- PROGRAM [ARGS...]");
    expectRefused({"trace", "--limit"}, "--limit needs a value: --limit BYTES");
    expectRefused({"report", "/no/such/directory"}, "/no/such/directory: no such directory");
    expectRefused({"metrics", "info", "--format", "xml"}, "--format xml: not a format; write table, csv or json");
    expectRefused(Words{"debug", "--pid", "-3", "--"} + kProgram, "--pid -3: not a positive number");
    expectRefused(Words{"check", "--error-exitcode", "300", "--"} + kProgram,
                  "--error-exitcode 300: not a number from 0 to 255");
    expectRefused(Words{"coverage", "--fail-under", "101", "--"} + kProgram,
                  "--fail-under 101: not a number from 0 to 100");
    expectRefused(Words{"diff", "--ulps", "-1", "--"} + kProgram, "--ulps -1: not a number from 0 to 1e+15");
    expectRefused({"kernels", "/tmp"}, "/tmp: a directory, not a file");
    expectRefused({"baseline", "save", "costs.json"}, "type zetl baseline save FILE -- PROGRAM [ARGS...]");
    expectRefused(Words{"trace", "--recording", "/dev/null", "--"} + kProgram,
                  "--recording /dev/null: Not a directory");
    expectRefused(Words{"debug", "--gpu", "x", "--"} + kProgram, "--gpu: x: not the number of a device, nor all");
}

TEST(CommandLine, TheProgramsOwnWordsStayIts) {
    const auto outcome = zetl({"run", "--", "printf", "%s,", "--device", "--", "-x"}).run();
    EXPECT_EQ(outcome.output, "--device,--,-x,") << outcome;
    const auto without = zetl({"run", "printf", "%s,", "a", "--", "--device"}).run();
    EXPECT_EQ(without.output, "a,--,--device,") << without;
}

TEST(CommandLine, ASampleRefusesADirectoryInPlaceOfAKernel) {
    const auto outcome = zetl({"run", "--", inBuildTree("samples/row_sums"), "/tmp"}).run();
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_TRUE(says(outcome, "/tmp cannot be read")) << outcome;
}

TEST(CommandLine, TheProgramsExitCodeIsZetls) {
    for (const char* command : {"run", "trace"}) {
        const auto outcome = zetl({command, "--", "sh", "-c", "exit 42"}).run();
        EXPECT_EQ(outcome.exitCode, 42) << outcome;
    }
    const auto run = zetl({"run", "--", "sh", "-c", "kill -TERM $$"}).run();
    EXPECT_EQ(run.signal, SIGTERM) << "run becomes the program" << run;
    const auto trace = zetl({"trace", "--", "sh", "-c", "kill -TERM $$"}).run();
    EXPECT_EQ(trace.exitCode, 128 + SIGTERM) << trace;
}

TEST(CommandLine, AWrongDeviceIsRefusedWithThoseThereAre) {
    for (const auto& words : {Words{"run", "--device", "tinny", "--"} + kProgram,
                              Words{"trace", "--emulated", "--device", "tinny", "--"} + kProgram,
                              Words{"env", "--emulated", "--device", "tinny"}}) {
        expectRefused(words, "zetl: --device tinny: there is no device profile 'tinny'; known are ");
    }
    expectRefused(Words{"run", "--device", "/dev/null", "--"} + kProgram, "device profile /dev/null: ");
    expectRefused(Words{"run", "--device", "/tmp", "--"} + kProgram, "it is a directory, not a .yaml file");
    const auto variable = zetl(Words{"run", "--"} + kProgram).with("ZETL_EMULATED_DEVICE", "tinny").run();
    EXPECT_EQ(variable.exitCode, 2) << variable;
    EXPECT_TRUE(says(variable, "no device profile 'tinny'")) << variable;
    const auto shell = zetl(Words{"trace", "--"} + kProgram)
                           .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("lib/libze_emulated_gpu.so.1"))
                           .with("ZETL_EMULATED_DEVICE", "tinny")
                           .run();
    EXPECT_EQ(shell.exitCode, 2) << shell;
    const auto good = zetl(Words{"run", "--device", "tiny", "--"} + kProgram).with("ZETL_EMULATED_DEVICE", "x").run();
    EXPECT_TRUE(good.good()) << good;
}

TEST(CommandLine, AWrongCompilerIsRefused) {
    for (const char* wrong : {"newset", "/nonexistent", "/etc/passwd", "/tmp"})
        expectRefused(Words{"run", "--compiler", wrong, "--"} + kProgram,
                      "--compiler " + std::string(wrong) + ": there is no compiler in this directory");
    expectRefused(Words{"trace", "--compiler", "system", "--"} + kProgram, "--emulated");
}

TEST(CommandLine, TheCompilerIsTheOneThatIsNamed) {
    const Words print = {"sh", "-c", "echo \"<$ZETL_COMPILER>\""};
    const auto said = [&](const Words& options) {
        return zetl(Words{"run"} + options + Words{"--"} + print).with("ZETL_COMPILER", "/somewhere").run().output;
    };
    EXPECT_EQ(said({}), "</somewhere>\n") << "the environment chooses";
    EXPECT_EQ(said({"--compiler", "system"}), "<system>\n");
    EXPECT_EQ(said({"--compiler", "newest"}), "<newest>\n");
}

TEST(CommandLine, ADeviceIsForTheEmulatedGpu) {
    expectRefused(Words{"trace", "--device", "tiny", "--"} + kProgram, "--emulated");
}

TEST(CommandLine, DevicesAreListed) {
    const auto table = zetl({"devices"}).with("COLUMNS", "200").run();
    EXPECT_TRUE(table.good()) << table;
    EXPECT_TRUE(says(table, "20 x 8 x 8")) << table;
    EXPECT_TRUE(says(table, "18 x 8 x 8")) << "Arc B570 lacks two cores\n" << table;
    EXPECT_TRUE(says(table, "2 devices, each 2 tiles, each 8 x 8 x 8")) << table;
    EXPECT_LT(table.output.find("max1550 "), table.output.find("b580 ")) << "the default first\n" << table;
    const auto json = zetl({"devices", "--json"}).run();
    EXPECT_TRUE(says(json, "\"profile\": \"lnl\"")) << json;
    expectRefused({"devices", "b580"}, "b580");
}

TEST(CommandLine, DevicesFitTheTerminal) {
    const auto table = zetl({"devices"}).with("COLUMNS", "80").run();
    std::istringstream lines(table.output);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_TRUE(says(table, "\n" + std::string(51, ' ') + "Center GPU Max 1550\n")) << table;
}

TEST(CommandLine, SeveralProfilesAreOneMachine) {
    const auto good = zetl(Words{"run", "--device", "b580+tiny", "--"} + kProgram).run();
    EXPECT_TRUE(good.good()) << good;
    expectRefused(Words{"run", "--device", "b580+tinny", "--"} + kProgram, "there is no device profile 'tinny'");
}

TEST(CommandLine, WhatAProgramGets) {
    const Words print = {"sh", "-c",
                         "echo $ZET_ENABLE_METRICS,$ZET_ENABLE_PROGRAM_DEBUGGING,$ZET_ENABLE_API_TRACING_EXP,"};
    EXPECT_EQ(zetl(Words{"run", "--"} + print).run().output, "1,,,\n");
    EXPECT_EQ(zetl(Words{"run", "--debugging", "--"} + print).run().output, "1,1,,\n");
    const auto off = zetl(Words{"run", "--"} + print)
                         .with("ZET_ENABLE_METRICS", "0")
                         .with("ZET_ENABLE_PROGRAM_DEBUGGING", "0")
                         .run();
    EXPECT_EQ(off.output, "0,0,,\n");
}

}  // namespace
