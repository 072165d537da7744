// The parts of zetl that need no other process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "recording/functions.h"
#include "run/environment.h"
#include "run/loader_choice.h"
#include "text/byte_count.h"
#include "text/result_name.h"
#include "text/spelling.h"
#include "timeline/summary.h"

namespace zetl::command {
namespace {

TEST(Functions, NamesAreUniqueAndPrefixed) {
    std::set<std::string_view> names;
    for (const auto& function : functions()) {
        EXPECT_TRUE(names.insert(function.name).second) << function.name;
        EXPECT_TRUE(function.name.starts_with("ze")) << function.name;
        for (const auto& argument : function.arguments) EXPECT_FALSE(argument.name.empty()) << function.name;
    }
    EXPECT_EQ(names.size(), kFunctions);
}

TEST(Functions, WordsAreThoseOfTheArguments) {
    const auto launch = std::find_if(functions().begin(), functions().end(), [](const Function& each) {
        return each.name == "zeCommandListAppendLaunchKernel";
    });
    ASSERT_NE(launch, functions().end());
    EXPECT_EQ(launch->arguments.size(), 6u);
    EXPECT_EQ(launch->words, 7u) << "group counts take two";
}

TEST(Durations, HaveAUnitThatFits) {
    EXPECT_EQ(durationText(0), "0 ns");
    EXPECT_EQ(durationText(999), "999 ns");
    EXPECT_EQ(durationText(1'000), "1.00 us");
    EXPECT_EQ(durationText(12'345), "12.3 us");
    EXPECT_EQ(durationText(123'456'789), "123 ms");
    EXPECT_EQ(durationText(2'500'000'000), "2.50 s");
}

TEST(ByteCounts, AreNumbersWithUnits) {
    for (const auto& [text, bytes] :
         {std::pair("0", 0ull), std::pair("512", 512ull), std::pair("1b", 1ull), std::pair("64KB", 65536ull),
          std::pair("64 kib", 65536ull), std::pair("3m", 3ull << 20), std::pair("2GB", 2ull << 30),
          std::pair("8388607TB", 8388607ull << 40)})
        EXPECT_EQ(byteCount(text), bytes) << text;
    for (const char* text :
         {"", "-5", "+5", "KB", "1.5GB", "1e3", "5 apples", "5XB", "8388608TB", "99999999999999999999"})
        EXPECT_FALSE(byteCount(text)) << text;
}

TEST(Spelling, TheNearestIsSuggestedIfItIsNear) {
    const std::vector<std::string> candidates = {"--device", "--emulated", "--limit"};
    EXPECT_EQ(nearest("--emulatd", candidates), "--emulated");
    EXPECT_EQ(nearest("--limti", candidates), "--limit");
    EXPECT_EQ(nearest("--xyzzy", candidates), "");
    EXPECT_EQ(nearest("--emulated", {}), "");
    EXPECT_EQ(suggestion(""), "");
}

TEST(ResultNames, KnownAndUnknown) {
    EXPECT_EQ(resultName(0), "ZE_RESULT_SUCCESS");
    EXPECT_EQ(resultName(0x70020000), "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE");
    EXPECT_EQ(resultName(0x12345), "0x12345");
}

TEST(Functions, AnAnswerIsNoError) {
    constexpr std::uint64_t kNotReady = 1;
    constexpr std::uint64_t kInvalidArgument = 0x78000004;
    const auto named = [](std::string_view name) { return *std::ranges::find(functions(), name, &Function::name); };
    EXPECT_FALSE(named("zeEventQueryStatus").isError(kNotReady));
    EXPECT_TRUE(named("zeEventQueryStatus").isError(kInvalidArgument));
    EXPECT_FALSE(named("zeDriverGetExtensionFunctionAddress").isError(kInvalidArgument));
    EXPECT_TRUE(named("zeDriverGetProperties").isError(kInvalidArgument));
}

TEST(Totals, CountCallsErrorsAndTimes) {
    FunctionTotals totals;
    Record record{};
    record.begin = 100;
    record.end = 150;
    const Function gives{{}, "gives a code", {}};
    const Function returns{{.returnsValue = true}, "returns a value", {}};
    totals.add(record, gives);
    record.end = 120;
    record.result = 0x78000001;
    totals.add(record, gives);
    totals.add(record, returns);
    record.end = 0;
    totals.add(record, gives);
    EXPECT_EQ(totals.calls, 4u);
    EXPECT_EQ(totals.unfinished, 1u);
    EXPECT_EQ(totals.errors, 1u) << "a function that returns a value has no error code";
    EXPECT_EQ(totals.total, 90u);
    EXPECT_EQ(totals.average(), 30u);
    EXPECT_EQ(totals.shortest, 20u);
    EXPECT_EQ(totals.longest, 50u);
}

const Installation kInstallation{"/opt/p/bin/zetl",
                                 "/opt/p/lib/libze_tools_layer.so.1",
                                 "/opt/p/lib/libze_emulated_gpu.so.1",
                                 "/opt/p/lib/libze_emulated_opencl.so",
                                 "/opt/p/lib/ze-tools-layer/zetl_ocloc",
                                 "/opt/p/lib/ze-tools-layer/zetl_opencl",
                                 "/opt/p/lib/ze-tools-layer/libzetl_trace.so",
                                 "/opt/p/lib/ze-tools-layer/libzetl_mpi.so",
                                 "/opt/p/lib/ze-tools-layer",
                                 "/opt/p/lib/ze-tools-layer/trace",
                                 "/opt/p/lib/ze-tools-layer/libzetl_queries.so",
                                 "/opt/p/lib/ze-tools-layer/query",
                                 "/opt/p/lib/ze-tools-layer/loader",
                                 "/opt/p/lib/ze-tools-layer/compiler"};

std::string valueOf(const Variables& variables, const std::string& name) {
    for (const auto& each : variables)
        if (each.name == name) return each.value;
    return "(unset)";
}

constexpr const char* kDebugging = "ZET_ENABLE_PROGRAM_DEBUGGING";

Choice emulated() {
    Choice choice;
    choice.emulated = true;
    return choice;
}

TEST(Environment, EmulatedNamesTheDriverAndTurnsOnWhatIsHarmless) {
    auto choice = emulated();
    choice.profile = "small";
    const auto variables = variablesFor(kInstallation, choice);
    EXPECT_EQ(valueOf(variables, "ZE_ENABLE_ALT_DRIVERS"), "/opt/p/lib/libze_emulated_gpu.so.1");
    EXPECT_EQ(valueOf(variables, "OCL_ICD_FILENAMES"), "/opt/p/lib/libze_emulated_opencl.so");
    EXPECT_EQ(valueOf(variables, "ZETL_EMULATED_DEVICE"), "small");
    EXPECT_EQ(valueOf(variables, "LD_LIBRARY_PATH"), "/opt/p/lib/ze-tools-layer");
    for (const char* name : {"ZE_ENABLE_TRACING_LAYER", "ZE_ENABLE_VALIDATION_LAYER", "ZET_ENABLE_METRICS",
                             "ZET_ENABLE_PROGRAM_INSTRUMENTATION"})
        EXPECT_EQ(valueOf(variables, name), "1") << name;
    EXPECT_EQ(valueOf(variables, kDebugging), "(unset)") << "it lets other processes in";
    EXPECT_EQ(valueOf(variables, "ZETL_LOG"), "error") << "faults and losses are logged";
    EXPECT_EQ(valueOf(variables, "GLIBC_TUNABLES"), "glibc.rtld.optional_static_tls=2560")
        << "else oneDAL has no layer";
}

TEST(Environment, DebuggingIsOnWhenAskedFor) {
    auto choice = emulated();
    choice.debugging = true;
    EXPECT_EQ(valueOf(variablesFor(kInstallation, choice), kDebugging), "1");
}

TEST(Environment, WhatTheUserSetStays) {
    setenv("ZET_ENABLE_METRICS", "0", 1);
    EXPECT_EQ(valueOf(variablesFor(kInstallation, emulated()), "ZET_ENABLE_METRICS"), "(unset)") << "not overridden";
    auto choice = emulated();
    choice.metrics = true;
    EXPECT_EQ(valueOf(variablesFor(kInstallation, choice), "ZET_ENABLE_METRICS"), "1") << "unless an option says so";
    unsetenv("ZET_ENABLE_METRICS");
    setenv("ZETL_LOG", "off", 1);
    EXPECT_EQ(valueOf(variablesFor(kInstallation, emulated()), "ZETL_LOG"), "(unset)");
    unsetenv("ZETL_LOG");
}

TEST(Environment, NothingIsSetThatMakesLoadersPrint) {
    for (const auto& choice : {Choice{}, emulated()})
        EXPECT_EQ(valueOf(variablesFor(kInstallation, choice), "ZET_ENABLE_API_TRACING_EXP"), "(unset)");
}

TEST(Environment, NativeLeavesDriversAndSwitchesAlone) {
    const auto variables = variablesFor(kInstallation, Choice{});
    EXPECT_EQ(valueOf(variables, "ZE_ENABLE_ALT_DRIVERS"), "(unset)");
    EXPECT_EQ(valueOf(variables, "OCL_ICD_FILENAMES"), "(unset)");
    EXPECT_EQ(valueOf(variables, "ZET_ENABLE_METRICS"), "(unset)") << "Intel's driver fails without its libraries";
    EXPECT_EQ(valueOf(variables, "ZE_ENABLE_TRACING_LAYER"), "1");
    EXPECT_EQ(valueOf(variables, "ZETL_LOG"), "(unset)");
}

TEST(Environment, FailuresAreSeenInTheLogOnAnyDevice) {
    Choice choice;
    choice.failures = "any=hang";
    const auto variables = variablesFor(kInstallation, choice);
    EXPECT_EQ(valueOf(variables, "ZETL_FAIL"), "any=hang");
    EXPECT_EQ(valueOf(variables, "ZETL_LOG"), "error");
    EXPECT_EQ(valueOf(variablesFor(kInstallation, Choice{}), "ZETL_FAIL"), "(unset)");
}

TEST(Environment, WithoutTheLayerNoSlotIsTaken) {
    Choice choice;
    choice.layer = false;
    EXPECT_TRUE(variablesFor(kInstallation, choice).empty());
}

/// A directory that goes away with the test.
struct Directory {
    std::filesystem::path path = makeDirectory();
    ~Directory() { std::filesystem::remove_all(path); }
    static std::filesystem::path makeDirectory() {
        std::string name = testing::TempDir() + "zetl_loader_XXXXXX";
        return mkdtemp(name.data());
    }
};

TEST(Environment, AnOutdatedLoaderGetsTheInstalledOneInFrontAndTheSlotsStayFirst) {
    const Directory directory;
    auto installation = kInstallation;
    installation.loader = directory.path;
    const auto before = chooseLoader(installation);
    EXPECT_TRUE(before.inFront.empty()) << "there is nothing to put in front";
    std::ofstream(directory.path / "libze_loader.so.1") << "stands for one";
    const auto choice = chooseLoader(installation);
    EXPECT_EQ(choice.inFront.empty(), !choice.found.empty() && !choice.isTooOld()) << choice.found << choice.version;
    if (choice.inFront.empty()) GTEST_SKIP() << "the system's loader is new enough: " << choice.version;
    EXPECT_EQ(valueOf(variablesFor(installation, emulated()), "LD_LIBRARY_PATH"),
              installation.slots.native() + ":" + directory.path.native());
}

TEST(Environment, ALoaderIsTooOldForSyclBefore1_28) {
    const auto isTooOld = [](const char* version) {
        LoaderChoice choice;
        choice.version = version;
        return choice.isTooOld();
    };
    EXPECT_TRUE(isTooOld("1.8.0"));
    EXPECT_TRUE(isTooOld("1.27.9"));
    EXPECT_FALSE(isTooOld("1.28.0"));
    EXPECT_FALSE(isTooOld("2.0.0"));
    EXPECT_FALSE(isTooOld("")) << "unknown";
    EXPECT_EQ(versionInName("/usr/lib/libze_loader.so.1.20.6"), "1.20.6");
    EXPECT_EQ(versionInName("/usr/lib/libze_loader.so.1"), "");
    EXPECT_EQ(versionInName("/usr/lib/libm.so.6"), "");
}

TEST(Environment, ACommaInTheDriversPathIsRefused) {
    auto installation = kInstallation;
    installation.emulatedGpu = "/opt/a,b/libze_emulated_gpu.so.1";
    Choice choice;
    choice.emulated = true;
    EXPECT_THROW(variablesFor(installation, choice), std::runtime_error);
}

TEST(Environment, ExportsSurviveTheShell) {
    EXPECT_EQ(exports({{"A", "it's"}}), "export A='it'\\''s'\n");
    EXPECT_EQ(exports({{"P", "/x y", true}}), "export P='/x y'\"${P:+:$P}\"\n");
}

TEST(Environment, PathsGoInFrontOfWhatIsThere) {
    setenv("TEST_SEARCH_PATH", "/old", 1);
    apply({{"TEST_SEARCH_PATH", "/new", true}});
    EXPECT_STREQ(getenv("TEST_SEARCH_PATH"), "/new:/old");
    setenv("TEST_SEARCH_PATH", "", 1);
    apply({{"TEST_SEARCH_PATH", "/new", true}});
    EXPECT_STREQ(getenv("TEST_SEARCH_PATH"), "/new") << "an empty entry would stand for the current directory";
}

}  // namespace
}  // namespace zetl::command
