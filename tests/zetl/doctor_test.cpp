// `zetl doctor` in environments that are broken in known ways: it must name the cause and fail.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "isa/xe/architecture.h"
#include "says.h"
#include "support/process.h"

namespace {

namespace fs = std::filesystem;
using zetl::test::inBuildTree;
using zetl::test::Outcome;
using zetl::test::Process;
using zetl::test::says;

Process doctor(const std::string& option = "--quiet") { return Process({inBuildTree("bin/zetl"), "doctor", option}); }

/// The line is among the problems, and the exit code agrees.
void expectProblem(const Outcome& outcome, const std::string& text) {
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_TRUE(says(outcome, text)) << "missing: " << text << "\n" << outcome;
}

TEST(Doctor, FindingsAreRowsForPrograms) {
    const auto csv = Process({inBuildTree("bin/zetl"), "doctor", "--csv", "-"}).run();
    EXPECT_TRUE(says(csv, "verdict,subject,fact,remedy\nok,installation,")) << csv;
    EXPECT_FALSE(says(csv, " problems, ")) << "standard output holds one thing\n" << csv;
    const auto quiet = Process({inBuildTree("bin/zetl"), "doctor", "--quiet", "--json", "-"}).run();
    EXPECT_TRUE(says(quiet, "\"remedy\"")) << quiet;
    EXPECT_FALSE(says(quiet, "\"ok\"")) << quiet;
}

TEST(Doctor, FindsTheLoader) {
    const auto outcome = doctor("--native").run();
    EXPECT_TRUE(says(outcome, "ok        loader: /")) << outcome;
}

/// Where a SYCL program would crash, doctor says so, and the driver does before it happens; to nobody else.
TEST(Doctor, ALoaderThatIsTooOldForSyclIsNamedBeforeTheCrash) {
    const auto known = doctor("--native").run();
    const auto place = known.output.find("(loader 1.");
    ASSERT_NE(place, std::string::npos) << known;
    const bool old = std::stoi(known.output.substr(place + 10)) < 28;
    EXPECT_EQ(says(known, "loader for SYCL"), old) << known;
    const auto run = [](const char* scenario, const std::string& library) {
        return Process({inBuildTree("bin/zetl"), "run", "--device", "tiny", "--",
                        inBuildTree("tests/zetl/traced_program"), scenario})
            .with("ZETL_TEST_COMMAND", library)
            .run();
    };
    const auto beside = run("initialiseBeside", inBuildTree("tests/zetl/libur_adapter_level_zero.so.0"));
    EXPECT_TRUE(beside.good()) << beside;
    EXPECT_EQ(beside.times("wants a Level Zero loader of 1.28 or newer"), old ? 1u : 0u) << beside;
    for (const auto& other : {run("initialise", ""), run("initialiseBeside", "libdl.so.2")})
        EXPECT_FALSE(says(other, "SYCL")) << other;
}

TEST(Doctor, ASwitchThatIsNot1IsOff) {
    expectProblem(doctor().with("ZE_ENABLE_TRACING_LAYER", "true").run(),
                  "ZE_ENABLE_TRACING_LAYER=true: counts as off");
    const auto fine = doctor().with("ZE_ENABLE_LOADER_INTERCEPT", "0").run();
    EXPECT_FALSE(says(fine, "counts as off")) << fine;
}

TEST(Doctor, EveryVariableIsLookedAt) {
    struct {
        const char* name;
        const char* value;
        const char* text;
    } const wrong[] = {
        {"ZETL_LOGS", "x", "nothing reads ZETL_LOGS"},
        {"ZETL_EMULATOR_VECTOR", "avx2", "did you mean ZETL_EMULATOR_VECTORS?"},
        {"ZE_AFINITY_MASK", "0", "did you mean ZE_AFFINITY_MASK?"},
        {"ZET_ENABLE_METRIC", "1", "did you mean ZET_ENABLE_METRICS?"},
        {"ZETL_LOG", "emulator=loud", "ZETL_LOG=emulator=loud: emulator=loud is not channel=level"},
        {"ZETL_LOG", "driver=warn", "driver=warn is not channel=level"},
        {"ZETL_LOG_FILE", "/no/such/directory/log", "ZETL_LOG_FILE=/no/such/directory/log: cannot be written"},
        {"ZETL_EMULATOR_VECTORS", "avx", "is not one of avx512, avx2, sse4"},
        {"ZE_FLAT_DEVICE_HIERARCHY", "flat", "is not one of COMPOSITE, FLAT, COMBINED"},
        {"ZETL_COMPILER_SECONDS", "-1", "is not a whole number"},
        {"ZETL_TIMING_MODEL", "sampled:2", "is not full, sampled, or sampled:N%"},
        {"ZETL_COMPILER", "newset", "is neither system nor newest nor a directory with a compiler"},
        {"ZETL_COMPILER_LIBRARY", "/no/libocloc.so", "/no/libocloc.so: cannot open"},
        {"ZETL_NEXT_VALIDATION_LAYER", "/no/layer.so", "/no/layer.so: cannot open"},
        {"ZETL_OCLOC", "/etc/passwd", "cannot be executed"},
        {"ZETL_EMULATED_DEVICE", "tinny", "there is no device profile 'tinny'; known are "},
    };
    for (const auto& each : wrong) expectProblem(doctor().with(each.name, each.value).run(), each.text);
}

TEST(Doctor, SaysWhetherKernelsBecomeHostCodeAndWhyNot) {
    const auto off = doctor("--native").with("ZETL_EMULATOR_TRANSLATE", "0").run();
    EXPECT_TRUE(says(off, "interprets kernels, which is slower: ZETL_EMULATOR_TRANSLATE=0")) << off;
    const auto usual = doctor("--native").run();
    const bool translates = says(usual, "the emulated GPU translates kernels to host code");
    EXPECT_TRUE(translates || says(usual, "interprets kernels, which is slower: this build") ||
                says(usual, "interprets kernels, which is slower: the processor has neither AVX-512 nor AVX2"))
        << usual;
    if (translates) {
        const auto other = doctor("--native").with("ZETL_EMULATOR_VECTORS", "sse4").run();
        EXPECT_TRUE(says(other, "interprets kernels, which is slower: ZETL_EMULATOR_VECTORS")) << other;
    }
}

TEST(Doctor, VariablesThatAreRightAreNotMentioned) {
    const auto outcome = doctor()
                             .with("ZETL_LOG", "all=warn,emulator=debug, nvidia=trace,info")
                             .with("ZETL_EMULATED_DEVICE", "tiny")
                             .with("ZETL_TRACE_DIRECTORY", "/tmp")
                             .with("ZET_ENABLE_PROGRAM_DEBUGGING", "2")
                             .with("ZE_SOMEBODY_ELSES", "1")
                             .with("ZETL_WERROR", "ON")
                             .run();
    EXPECT_FALSE(says(outcome, "environment")) << outcome;
    EXPECT_TRUE(says(doctor().with("ZETL_XYZZY", "1").run(), "nothing reads ZETL_XYZZY"));
}

TEST(Doctor, AMaskThatLeavesNoDeviceIsNamed) {
    expectProblem(doctor().with("ZE_AFFINITY_MASK", "7").run(), "emulated GPU: ZE_AFFINITY_MASK=7 leaves no device");
    EXPECT_FALSE(says(doctor().with("ZE_AFFINITY_MASK", "0").run(), "leaves no device"));
}

TEST(Doctor, AnEntryThatIsNoDriverIsNamed) {
    const auto check = [](const std::string& library, const std::string& text) {
        expectProblem(doctor().with("ZE_ENABLE_ALT_DRIVERS", library).run(), text);
    };
    check("libm.so.6", "is not a driver: it has no zeGetDriverProcAddrTable");
    check("libze_loader.so.1", "is not a driver: it is a loader or a layer");
    check(inBuildTree("lib/libze_tools_layer.so.1"), "is not a driver: it is a loader or a layer");
}

TEST(Doctor, TheCompilerIsNamed) {
    EXPECT_TRUE(says(doctor("--native").run(), "builds for the emulated GPU"));
    expectProblem(doctor().with("ZETL_COMPILER_LIBRARY", "/no/libocloc.so").run(), "the compiler cannot be loaded");
}

/// With the one that scripts/compiler puts in place, there are two.
TEST(Doctor, EveryCompilerIsNamedWithWhatItBuilds) {
    const auto line = [](const Outcome& outcome, const std::string& text) {
        const auto end = outcome.output.find(text);
        const auto begin = end == std::string::npos ? end : outcome.output.rfind('\n', end) + 1;
        return begin == std::string::npos ? "" : outcome.output.substr(begin, outcome.output.find('\n', end) - begin);
    };
    const auto systems = doctor("--native").with("ZETL_COMPILER", "system").run();
    EXPECT_NE(line(systems, "builds for the emulated GPU: ").find(" pvc"), std::string::npos) << systems;
    if (!fs::exists(inBuildTree("lib/ze-tools-layer/compiler/VERSION")))
        GTEST_SKIP() << "scripts/compiler newest was not run";
    EXPECT_TRUE(says(systems, "choose it with --compiler /")) << systems;
    const auto newest = doctor("--native").with("ZETL_COMPILER", "newest").run();
    const auto used = line(newest, "builds for the emulated GPU: ");
    EXPECT_NE(used.find("ze-tools-layer/compiler/libocloc.so, version "), std::string::npos) << newest;
    EXPECT_NE(used.find(" pvc"), std::string::npos) << newest;
    for (const auto* architecture : zetl::isa::xe::allArchitectures())
        for (const auto* product : architecture->products)
            EXPECT_NE((used + " ").find(" " + std::string(product->name) + " "), std::string::npos) << product->name;
    EXPECT_TRUE(says(newest, "choose it with --compiler system")) << newest;
}

TEST(Doctor, ADirectoryWithoutACompilerIsAProblem) {
    expectProblem(doctor().with("ZETL_COMPILER", "/nonexistent").run(), "/nonexistent");
}

TEST(Doctor, TheCompilersProgramIsTheOneThatIsSet) {
    const auto outcome = doctor("--native").with("ZETL_OCLOC", "/bin/echo").run();
    EXPECT_TRUE(says(outcome, "--identify libocloc.so builds for the emulated GPU")) << outcome;
}

TEST(Doctor, TheVariableThatMakesLoadersPrintIsNoted) {
    EXPECT_TRUE(says(doctor().with("ZET_ENABLE_API_TRACING_EXP", "1").run(), "print a line"));
}

TEST(Doctor, AnEmptyDriverNameWouldCrash) {
    const auto driver = inBuildTree("tests/support/libze_fake_driver.so.1");
    expectProblem(doctor().with("ZE_ENABLE_ALT_DRIVERS", "").run(), "empty entry");
    expectProblem(doctor().with("ZE_ENABLE_ALT_DRIVERS", driver + ",").run(), "empty entry");
    EXPECT_FALSE(says(doctor().with("ZE_ENABLE_ALT_DRIVERS", driver).run(), "empty entry"));
}

TEST(Doctor, ADriverThatDoesNotOpenIsNamed) {
    expectProblem(doctor().with("ZE_ENABLE_ALT_DRIVERS", "libze_nowhere.so.1").run(),
                  "libze_nowhere.so.1: cannot open");
}

TEST(Doctor, ASlotTakenByAnotherLayerIsAProblem) {
    expectProblem(doctor().with("ZE_ENABLE_TRACING_LAYER", "1").run(), "tracing slot: ");
}

TEST(Doctor, ASlotOfOursIsGood) {
    const auto outcome = Process({inBuildTree("bin/zetl"), "doctor"})
                             .with("ZE_ENABLE_TRACING_LAYER", "1")
                             .with("ZE_ENABLE_VALIDATION_LAYER", "1")
                             .withFirst("LD_LIBRARY_PATH", inBuildTree("lib/ze-tools-layer"))
                             .run();
    EXPECT_TRUE(says(outcome, "ok        tracing slot")) << outcome;
    EXPECT_TRUE(says(outcome, "ok        validation slot")) << outcome;
}

TEST(Doctor, APathThatHidesTheSlotsIsAProblem) {
    expectProblem(doctor().with("ZE_ENABLE_TRACING_LAYER", "1").with("ZEL_LIBRARY_PATH", "/nonexistent").run(),
                  "/nonexistent/libze_tracing_layer.so.1");
}

// Where Debian's driver is all there is: neither GTPin nor the metrics libraries are in Debian 12.
struct MissingLibrary {
    const char* variable;
    const char* library;
};
constexpr MissingLibrary kMissing[] = {{"ZET_ENABLE_PROGRAM_INSTRUMENTATION", "libgtpin.so"},
                                       {"ZET_ENABLE_METRICS", "libigdmd.so.1"},
                                       {"ZET_ENABLE_METRICS", "libigdml.so.1"}};

TEST(Doctor, NamesTheLibraryThatAVariableNeeds) {
    for (const auto& [variable, library] : kMissing) {
        const auto outcome = doctor().with(variable, "1").run();
        expectProblem(outcome, std::string(variable) + "=1, but " + library + " is not installed");
        EXPECT_TRUE(says(outcome, "0x70020000")) << outcome;
        EXPECT_TRUE(says(outcome, std::string("unset ") + variable)) << outcome;
        EXPECT_FALSE(says(doctor().with(variable, "0").run(), library)) << "off";
        const auto ours = doctor()
                              .with(variable, "1")
                              .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
                              .run();
        EXPECT_FALSE(says(ours, library)) << "only Intel's driver needs it" << ours;
    }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // Intel's driver refuses to run with either
TEST(Doctor, SeesIntelsDriverFailForWantOfTheLibrary) {
    for (const auto& each : kMissing) {
        const auto inCaptureMode = [] {
            return doctor()
                .with("NEOReadDebugKeys", "1")
                .with("SetCommandStreamReceiver", "1")
                .with("ProductFamilyOverride", "dg2")
                .with("HardwareInfoOverride", "8x4x16");
        };
        expectProblem(inCaptureMode().with(each.variable, "1").run(),
                      "devices here: zeInit: ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE (0x70020000)");
        EXPECT_FALSE(says(inCaptureMode().run(), "devices here: zeInit")) << "the driver itself is fine";
    }
}
#endif

TEST(Doctor, WithoutAGpuTheNativeCheckFails) {
    if (fs::exists("/dev/dri")) return;
    expectProblem(doctor("--native").run(), "no /dev/dri/renderD*");
}

TEST(Doctor, ADriverThatFailsIsReported) {
    expectProblem(doctor()
                      .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
                      .with("ZETL_FAKE_INIT_RESULT", "1879179264")
                      .run(),
                  "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE (0x70020000)");
}

TEST(Doctor, DebuggingMayCostTheDevices) {
    const auto without = doctor()
                             .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
                             .with("ZETL_FAKE_INIT_RESULT", "2013265921");
    const char* const remedy = "unset ZET_ENABLE_PROGRAM_DEBUGGING";
    EXPECT_FALSE(says(without.run(), remedy));
    EXPECT_TRUE(says(Process(without).with("ZET_ENABLE_PROGRAM_DEBUGGING", "1").run(), remedy));
}

/// NVIDIA's kernel module as /proc shows it.
std::string nvidiaModule(const char* adminOnly) {
    const auto place = fs::temp_directory_path() / ("zetl-doctor-nvidia-" + std::to_string(getpid()));
    fs::create_directories(place);
    std::ofstream(place / "version")
        << "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n";
    std::ofstream(place / "params") << "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: " << adminOnly << "\n";
    return place.native();
}

TEST(Doctor, TellsWhetherNvidiasCountersAreOpen) {
    const auto place = nvidiaModule("0");
    const auto patient =
        doctor("--native").with("ZETL_TEST_NVIDIA_PROC", place).with("ZETL_CUDA_LIBRARY", "/no/libcuda");
    const auto open = Process(patient).run();
    EXPECT_TRUE(says(open, "ok        NVIDIA: kernel module 580.159.04")) << open;
    EXPECT_TRUE(says(open, "counters are open to every user")) << open;
    EXPECT_TRUE(says(open, "/no/libcuda cannot be opened: no user library")) << open;
    nvidiaModule("1");
    const auto closed = Process(patient).run();
    EXPECT_TRUE(says(closed, geteuid() == 0 ? "open to root" : "NVreg_RestrictProfilingToAdminUsers=0")) << closed;
    fs::remove_all(place);
    EXPECT_FALSE(says(Process(patient).run(), "NVIDIA"));
}

TEST(Doctor, TellsOfTheDebuggerForNvidiasGpus) {
    const auto place = nvidiaModule("0");
    const auto program = place + "/cuda-gdb";
    const auto told = [&](const std::string& script) {
        std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(program, fs::perms::owner_all);
        return doctor("--native").with("ZETL_TEST_NVIDIA_PROC", place).with("ZETL_CUDA_GDB", program).run();
    };
    const auto good = told("printf 'NVIDIA (R) cuda-gdb 13.0\nPortions Copyright (C) 2007-2025\n'");
    EXPECT_TRUE(says(good, "ok        NVIDIA: debugger: " + program + " (CUDA 13.0)")) << good;
    const auto old = told("echo 'NVIDIA (R) CUDA Debugger'; echo '12.4 release'");
    EXPECT_TRUE(says(old, program + " is of CUDA 12.4, older than the oldest tested version")) << old;
    const auto broken = told("echo 'libpython is missing'; exit 127");
    EXPECT_TRUE(says(broken, program + " does not print its version: libpython is missing")) << broken;
    EXPECT_TRUE(says(broken, "of CUDA 13.0 or later, or set ZETL_CUDA_GDB")) << broken;
    fs::remove(program);
    const auto none = doctor("--native").with("ZETL_TEST_NVIDIA_PROC", place).with("ZETL_CUDA_GDB", program).run();
    EXPECT_TRUE(says(none, program + " is not a program: kernels cannot be debugged")) << none;
    fs::remove_all(place);
}

TEST(Doctor, AnIncompleteInstallationIsAProblem) {
    auto pattern = (fs::temp_directory_path() / "zetl-doctor-XXXXXX").native();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    const fs::path prefix = pattern;
    fs::create_directories(prefix / "bin");
    fs::copy_file(inBuildTree("bin/zetl"), prefix / "bin/zetl");
    const auto outcome = Process({prefix / "bin/zetl", "doctor"}).run();
    fs::remove_all(prefix);
    expectProblem(outcome, "libze_tools_layer.so.1 is missing");
}

}  // namespace
