// The words of NVIDIA's disassembler, a program from outside, which a script stands in for.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "check/kinds.h"
#include "findings/cuda_checks.h"
#include "run/cuda_tool.h"
#include "run/nvdisasm.h"
#include "run/sass_text.h"
#include "says.h"
#include "support/built_elf.h"
#include "support/process.h"
#include "support/temporary_file.h"
#include "trace_directory.h"

namespace {

namespace fs = std::filesystem;
using namespace zetl::command;
using namespace zetl::test;

/// As nvdisasm 12.4 -c prints a kernel and a function.
constexpr const char* kListing =
    "\t.headerflags\t@\"EF_CUDA_TEXMODE_INDEPENDENT\"\n"
    "\n"
    "//--------------------- .text.twice               --------------------------\n"
    "\t.section\t.text.twice,\"ax\",@progbits\n"
    "twice:\n"
    ".text.twice:\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
    "        /*0010*/               @P0 EXIT ;\n"
    ".L_x_0:\n"
    "        /*0020*/                   BRA `(.L_x_0);\n"
    "\n"
    "//--------------------- .nv.constant0.twice --------------------------\n"
    "        /*0030*/                   not code ;\n";

TEST(SassText, IsThatOfTheListing) {
    const auto texts = sassTextsIn(kListing);
    ASSERT_EQ(texts.size(), 1u);
    const auto& twice = texts.at("twice");
    EXPECT_EQ(twice.size(), 3u) << "what is behind the section is not code";
    EXPECT_EQ(twice.at(0x10), "@P0 EXIT");
    EXPECT_EQ(twice.at(0x20), "BRA `(.L_x_0)");
    std::vector<zetl::correlation::Instruction> code{{0, 16, "0x1 0x2"}, {0x40, 16, "0x3 0x4"}};
    describe(texts, "twice", code);
    EXPECT_EQ(code[0].text, "LDC R1, c[0x0][0x28]");
    EXPECT_EQ(code[1].text, "0x3 0x4") << "not in the listing";
    describe(texts, "other", code);
}

TEST(SassText, OfAHostileListingIsBounded) {
    const std::string section = ".text.k:\n";
    for (const char* line : {"/*", "/**/", "/*zz*/ A ;", "/*10 A ;", "/*10*/ ;", "/*10*/ A", "/*ffffffffffffffff*/ A ;",
                             "; /*10*/ A", "*/;/*"})
        EXPECT_TRUE(sassTextsIn(section + line)["k"].empty()) << line;
    const auto texts = sassTextsIn(section + "/*10*/ " + std::string(100'000, 'A') + ";\n/*20*/ \033[2J\x07 B ;\n");
    EXPECT_EQ(texts.at("k").at(0x10).size(), 200u);
    EXPECT_EQ(texts.at("k").at(0x20), "?[2J? B");
    EXPECT_TRUE(sassTextsIn("").empty());
    EXPECT_TRUE(sassTextsIn(std::string(1000, '\n')).empty());
}

class Tool : public TraceDirectory {
  protected:
    /// A shell script of that name, in a directory that is the only one in PATH besides the shell's own.
    void make(const std::string& name, const std::string& text) const {
        const auto file = directory_ / name;
        std::ofstream(file) << "#!/bin/sh\n" << text;
        fs::permissions(file, fs::perms::owner_all);
    }
    std::string path() const { return directory_.native() + ":/usr/bin:/bin"; }
    Process zetl(std::vector<std::string> words) const {
        words.insert(words.begin(), inBuildTree("bin/zetl"));
        Process process(words);
        process.with("PATH", path());
        return process;
    }
};

class SassTool : public Tool {
  protected:
    /// A cubin with three instructions, whose code has an address.
    static Bytes cubin() {
        BuiltElf file;
        Bytes code;
        for (const std::uint64_t word : {1u, 2u, 3u}) {
            append(code, word);
            append(code, std::uint64_t{0x000fc00000000000});
        }
        file.add(".text.twice", SHT_PROGBITS, code, 0, 0, 0, 0x7f0000100000);
        file.add(".nv.constant0.twice", SHT_PROGBITS, Bytes(8));
        return file.finished();
    }
    Outcome shown() const {
        const TemporaryFile file(cubin());
        return zetl({"disasm", file.name()}).run();
    }
    void list() const { std::ofstream(directory_ / "listing") << kListing; }
};

TEST_F(SassTool, ShowsInstructionsWhereItIsInstalled) {
    list();
    make("nvdisasm", "[ \"$1\" = -c ] && [ -s \"$2\" ] && cat " + (directory_ / "listing").native() + "\n");
    const auto outcome = shown();
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_TRUE(says(outcome, "7f0000100010:  @P0 EXIT")) << outcome;
    EXPECT_FALSE(says(outcome, "shown as words")) << outcome;
}

TEST_F(SassTool, GetsCodeWithoutAddresses) {
    make("nvdisasm", "cp \"$2\" " + (directory_ / "given").native() + "\n");
    shown();
    std::ifstream file(directory_ / "given", std::ios::binary);
    const std::string given{std::istreambuf_iterator<char>(file), {}};
    const auto original = cubin();
    ASSERT_EQ(given.size(), original.size());
    const auto address = std::string("\0\0\x10\0\0\x7f\0\0", 8);
    EXPECT_NE(std::string(original.begin(), original.end()).find(address), std::string::npos);
    EXPECT_EQ(given.find(address), std::string::npos);
}

TEST_F(SassTool, ThatFailsIsNamedAndWordsAreShown) {
    const std::pair<const char*, const char*> kTools[] = {{"exit 3\n", "ended with code 3"},
                                                          {"kill -KILL $$\n", "ended by signal 9"},
                                                          {"echo nothing\n", "prints no instructions"}};
    for (const auto& [text, words] : kTools) {
        make("nvdisasm", text);
        const auto outcome = shown();
        EXPECT_EQ(outcome.exitCode, 0) << outcome;
        EXPECT_TRUE(says(outcome, words)) << outcome;
        EXPECT_TRUE(says(outcome, "0x0000000000000002 0x000fc00000000000")) << outcome;
    }
}

TEST_F(Tool, OfNoCubinSaysWhy) {
    make("nvdisasm", "cat \"$2\"\n");
    std::string why;
    const std::string path = this->path();
    const std::string former = std::getenv("PATH");
    setenv("PATH", path.c_str(), 1);
    EXPECT_TRUE(disassembled({}, why).empty());
    EXPECT_NE(why.find("prints no instructions"), std::string::npos) << why;
    const Bytes cut(70, 0xff);  // sections that lie outside
    EXPECT_TRUE(disassembled(cut, why).empty());
    EXPECT_EQ(cudaTool("no_such_tool"), "");
    setenv("PATH", former.c_str(), 1);
}

TEST_F(Tool, ForChecksIsOfferedWithItsCommandLine) {
    make("compute-sanitizer", "exit 0\n");
    const auto check = [&](const char* drivers) {
        return zetl({"check", "--kinds", "memory,race", "--", "/bin/true", "a b"})
            .with("ZE_ENABLE_ALT_DRIVERS", drivers)
            .run();
    };
    const auto outcome = check("/opt/lib/libze_nvidia_gpu.so.1");
    EXPECT_TRUE(says(outcome, "========= kernels on NVIDIA GPUs are not checked: zetl check needs the emulated GPU\n"))
        << outcome;
    const auto tool = (directory_ / "compute-sanitizer").native();
    EXPECT_TRUE(says(
        outcome, "ZE_ENABLE_ALT_DRIVERS=/opt/lib/libze_nvidia_gpu.so.1 " + tool + " --tool memcheck /bin/true 'a b'\n"))
        << outcome;
    EXPECT_TRUE(says(outcome, "--tool racecheck")) << outcome;
    EXPECT_FALSE(says(outcome, "--tool initcheck")) << "not asked for\n" << outcome;
    EXPECT_FALSE(says(check("/opt/lib/libother.so.1"), "NVIDIA")) << outcome;
    fs::remove(tool);
    EXPECT_TRUE(
        says(check("/opt/lib/libze_nvidia_gpu.so.1"), "compute-sanitizer, which checks them, is not installed"));
}

}  // namespace
