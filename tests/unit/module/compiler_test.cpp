#include "emulator/module/compiler.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/settings.h"
#include "compiled.h"

namespace zetl::emulator::module {
namespace {

std::span<const std::uint8_t> text(std::string_view source) {
    return {reinterpret_cast<const std::uint8_t*>(source.data()), source.size()};
}

CompileRequest openclC(std::string_view source, std::string_view flags = {}) {
    return {
        .language = CompileRequest::Language::openclC, .source = text(source), .buildFlags = flags, .constants = {}};
}

TEST(Compiler, BuildsSpirvAgainToTheSameCode) {
    const binary::ModulePointer first = readCompiled(kVectorAdd);
    const CompileResult second = compile({.source = first->spirv, .buildFlags = "-cl-std=CL2.0", .constants = {}});
    ASSERT_TRUE(second) << second.log;
    EXPECT_EQ((*binary::readNative(second.binary))->code.at(0).bytes, first->code.at(0).bytes);
}

TEST(Compiler, ErrorsComeWithTheCompilersWords) {
    const CompileResult result = compile(openclC("kernel void k(global int* a) { a[0] = nonsense; }"));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.outcome.error().cause, binary::Cause::buildFailed);
    EXPECT_TRUE(result.binary.empty());
    EXPECT_NE(result.log.find("nonsense"), std::string::npos) << result.log;
}

TEST(Compiler, RefusesUnknownFlagsOfOpenClC) {
    const CompileResult result = compile(openclC(kVectorAdd, "-no-such-option"));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.outcome.error().cause, binary::Cause::buildFailed);
}

TEST(Compiler, RefusesDamagedSpirvItself) {
    const CompileResult result =
        compile({.source = text("not spir-v at all, but of whole words"), .buildFlags = "", .constants = {}});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.outcome.error().cause, binary::Cause::damaged);
    EXPECT_EQ(result.log, result.outcome.error().message);
}

// Most of these make the compiler exit() or abort() (docs/explanation/modules.md); that must never be our end.
TEST(Compiler, SurvivesDamagedSpirv) {
    const binary::ModulePointer intact = readCompiled(kVectorAdd);
    constexpr std::size_t kHeader = 20;
    constexpr std::size_t kVariants = 12;
    int refused = 0;
    setenv(settings::kCompilerSeconds, "3", 1);  // some take a minute, some have no end
    for (std::size_t i = 1; i <= kVariants; ++i) {
        binary::Bytes spirv = intact->spirv;
        spirv[kHeader + (spirv.size() - kHeader) * i / (kVariants + 1)] ^= 0x15;
        const CompileResult result = compile({.source = spirv, .buildFlags = "", .constants = {}});
        refused += !result;
        EXPECT_EQ(result.log.empty() && !result, false) << i;
    }
    unsetenv(settings::kCompilerSeconds);
    EXPECT_GT(refused, 0);
}

TEST(Compiler, ReportsProfileFlags) {
    EXPECT_EQ(compile(openclC(kVectorAdd, "-zet-profile-flags 3")).profileFlags, 3u);
    EXPECT_EQ(compile(openclC(kVectorAdd)).profileFlags, 0u);
}

TEST(Compiler, IsDeterministicOverThreads) {
    const binary::Bytes& expected = compiled(kVectorAdd, "");
    std::vector<binary::Bytes> results(6);
    std::vector<std::thread> threads;
    for (binary::Bytes& result : results)
        threads.emplace_back([&result] { result = compile(openclC(kVectorAdd)).binary; });
    for (std::thread& thread : threads) thread.join();
    for (const binary::Bytes& result : results) EXPECT_EQ(result, expected);
}

TEST(Compiler, ADeviceThatItDoesNotKnowIsNamedWithWhatHelps) {
    CompileRequest request = openclC(kVectorAdd);
    request.device = "nosuch";
    const CompileResult result = compile(request);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.outcome.error().cause, binary::Cause::compilerMissing);
    for (const char* part : {", version ", " does not build for nosuch", "scripts/compiler newest"})
        EXPECT_NE(result.log.find(part), std::string::npos) << part << " in " << result.log;
}

/// A build by the compiler that ZETL_COMPILER chooses.
class ChosenCompiler {
  public:
    explicit ChosenCompiler(const char* which) { setenv(settings::kCompiler, which, 1); }
    ~ChosenCompiler() { unsetenv(settings::kCompiler); }
    ChosenCompiler(const ChosenCompiler&) = delete;
    ChosenCompiler& operator=(const ChosenCompiler&) = delete;
};

TEST(Compiler, TheNewestBuildsForNewerDevices) {
    if (!std::filesystem::exists(ZETL_NEWEST_COMPILER)) GTEST_SKIP() << "scripts/compiler newest was not run";
    const ChosenCompiler newest("newest");
    for (const char* device : {"pvc", "bmg", "lnl", "ptl", "cri"}) {
        CompileRequest request = openclC(kVectorAdd);
        request.device = device;
        const CompileResult result = compile(request);
        EXPECT_TRUE(result) << device << ": " << result.log;
    }
}

// The key of the cache of builds must tell both apart.
TEST(Compiler, EachCompilerHasItsOwnBuilds) {
    if (!std::filesystem::exists(ZETL_NEWEST_COMPILER)) GTEST_SKIP() << "scripts/compiler newest was not run";
    const auto builtBy = [](const char* which) {
        const ChosenCompiler compiler(which);
        return compile(openclC("kernel void own(global int* a) { a[0] = 44; }")).binary;
    };
    const binary::Bytes systems = builtBy("system");
    EXPECT_NE(builtBy("newest"), systems);
    EXPECT_EQ(builtBy("system"), systems);
}

TEST(Compiler, ADirectoryWithoutACompilerIsNamed) {
    const ChosenCompiler nowhere("/nonexistent");
    const CompileResult result = compile(openclC(kVectorAdd));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.outcome.error().cause, binary::Cause::compilerMissing);
    EXPECT_NE(result.log.find("ZETL_COMPILER=/nonexistent: no compiler is there"), std::string::npos) << result.log;
}

// Runs in its own process: the library is loaded once.
TEST(CompilerDeathTest, MissingLibraryIsNamed) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            setenv(settings::kCompilerLibrary, "/nonexistent/libocloc.so", 1);
            const CompileResult result = compile(openclC(kVectorAdd));
            const bool named = !result && result.outcome.error().cause == binary::Cause::compilerMissing &&
                               result.log.find("/nonexistent/libocloc.so") != std::string::npos;
            // Installing the compiler helps a running process.
            unsetenv(settings::kCompilerLibrary);
            std::exit(named && compile(openclC(kVectorAdd)) ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace zetl::emulator::module
