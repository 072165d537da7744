#include "compiler/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file_descriptor.h"
#include "base/settings.h"
#include "support/wait_for.h"

namespace zetl::compiler {
namespace {

namespace fs = std::filesystem;

Command command(std::vector<std::string> arguments, std::string library = ZETL_FAULTY_COMPILER) {
    return {.library = std::move(library), .seconds = 60, .arguments = std::move(arguments), .files = {}};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CompilerProcess, GivesTheOutputBack) {
    constexpr std::size_t kBytes = 8 << 20;  // more than any pipe holds
    const Answer answer = run(command({std::to_string(kBytes)}));
    EXPECT_EQ(answer.missing, "");
    EXPECT_EQ(answer.code, 0);
    EXPECT_EQ(answer.output, Bytes(kBytes, 7));
}

TEST(CompilerProcess, NewerCompilersAddASuffix) { EXPECT_EQ(run(command({"5", "module.bin"})).output, Bytes(5, 7)); }

TEST(CompilerProcess, AnotherOutputIsNamed) {
    const Answer answer = run(command({"5", "module.dbg"}));
    EXPECT_TRUE(answer.output.empty());
    EXPECT_TRUE(contains(answer.log, "module.dbg")) << answer.log;
}

TEST(CompilerProcess, SaysWhichCompilerItWas) {
    for (const Answer& answer : {run(command({})), run(command({"5"}))})
        EXPECT_EQ(answer.compiler, std::string(ZETL_FAULTY_COMPILER) + ", version 9999");
}

TEST(CompilerProcess, OnlyOlderCompilersGetTheirOptions) {
    const auto words = [](const char* version, std::vector<std::string> arguments) {
        setenv("IGC_FAULTY_VERSION", version, 1);
        Command asked = command(std::move(arguments));
        asked.olderOptions = "-more";
        const Answer answer = run(asked);
        unsetenv("IGC_FAULTY_VERSION");
        return std::string(answer.output.begin(), answer.output.end());
    };
    EXPECT_EQ(words("22.43.24595", {"words", "-options", "-g"}), "[-options][-g -more]");
    EXPECT_EQ(words("22.43.24595", {"words", "-x"}), "[-x][-options][-more]");
    EXPECT_EQ(words("26.27.1", {"words", "-options", "-g"}), "[-options][-g]");
    EXPECT_EQ(words("of the tree", {"words", "-x"}), "[-x]");
}

TEST(CompilerProcess, ExitIsAnAnswerWithTheLastWords) {
    const Answer answer = run(command({"exit"}));
    EXPECT_EQ(answer.code, -1);
    EXPECT_TRUE(contains(answer.log, "last words")) << answer.log;
    EXPECT_TRUE(contains(answer.log, "exit code 3")) << answer.log;
}

TEST(CompilerProcess, ExitWithoutAnErrorIsAnAnswerToo) {
    const Answer answer = run(command({"exit well"}));
    EXPECT_EQ(answer.code, -1);
    EXPECT_FALSE(answer.log.empty());
}

TEST(CompilerProcess, SignalsAreNamed) {
    const Answer answer = run(command({"abort"}));
    EXPECT_EQ(answer.code, -1);
    EXPECT_TRUE(contains(answer.log, "signal 6")) << answer.log;
}

TEST(CompilerProcess, EndlessBuildsEndAtTheLimit) {
    Command endless = command({"loop"});
    endless.seconds = 1;
    const Answer answer = run(endless);
    EXPECT_EQ(answer.code, -1);
    EXPECT_TRUE(contains(answer.log, "more than 1 s")) << answer.log;
}

TEST(CompilerProcess, MuchTalkIsCutAndBlocksNobody) {
    EXPECT_EQ(run(command({"chatter"})).code, 0);
    EXPECT_LE(run(command({"chatter and exit"})).log.size(), 70'000u);
}

TEST(CompilerProcess, TheEnvironmentIsItsOwn) {
    const std::pair<const char*, bool> variables[] = {
        {"IGC_ShaderDumpEnable", true},   {"NEOReadDebugKeys", true},    {"LC_MESSAGES", true},
        {"LD_LIBRARY_PATH", true},        {"LTTNG_HOME", false},         {"LD_AUDIT", false},
        {"ZE_ENABLE_ALT_DRIVERS", false}, {"ZET_ENABLE_METRICS", false}, {"ZETL_TRACE_DIRECTORY", false},
        {"SOME_TOOLS_SETTING", false}};
    for (const auto& [name, kept] : variables)
        if (!std::getenv(name)) setenv(name, "", 1);
    const Answer answer = run(command({"environment"}));
    const std::string all = "\n" + std::string(answer.output.begin(), answer.output.end());
    for (const auto& [name, kept] : variables) EXPECT_EQ(contains(all, "\n" + std::string(name) + "="), kept) << all;
    EXPECT_TRUE(contains(all, "\nPATH=")) << all;
}

TEST(CompilerProcess, MissingLibraryIsNamed) {
    const Answer answer = run(command({}, "/nonexistent/libocloc.so"));
    EXPECT_TRUE(contains(answer.missing, "/nonexistent/libocloc.so")) << answer.missing;
    EXPECT_TRUE(contains(run(command({}, "libc.so.6")).missing, "oclocInvoke"));
}

TEST(CompilerProcess, MissingProgramIsNamed) {
    const std::string before = std::getenv(settings::kOcloc);
    setenv(settings::kOcloc, "/nonexistent/zetl_ocloc", 1);
    const Answer answer = run(command({}));
    setenv(settings::kOcloc, before.c_str(), 1);
    EXPECT_TRUE(contains(answer.missing, "/nonexistent/zetl_ocloc")) << answer.missing;
    EXPECT_TRUE(contains(answer.missing, settings::kOcloc));
}

/// A compiler with its dynamic linker, in the place beside this program where an installation has one. There is one
/// such place: tests in other processes wait for it.
class Bundle {
  public:
    Bundle() {
        EXPECT_EQ(flock(lock_.get(), LOCK_EX), 0);
        fs::remove_all(place_);  // of a test that was killed
        fs::create_directories(place_ / "compiler");
        fs::create_symlink(std::getenv(settings::kOcloc), place_ / "zetl_ocloc");
        fs::copy_file("/lib64/ld-linux-x86-64.so.2", place_ / "compiler/ld-linux-x86-64.so.2");
        fs::copy_file(ZETL_FAULTY_COMPILER, place_ / "compiler" / kLibrary);
        unsetenv(settings::kOcloc);
        unsetenv(settings::kCompiler);
    }
    ~Bundle() {
        setenv(settings::kOcloc, before_.c_str(), 1);
        fs::remove_all(place_);
    }
    Bundle(const Bundle&) = delete;
    Bundle& operator=(const Bundle&) = delete;

    static constexpr const char* kLibrary = "libigc_bundled.so";
    const fs::path& place() const { return place_; }

  private:
    std::string before_ = std::getenv(settings::kOcloc);
    fs::path place_ = fs::read_symlink("/proc/self/exe").parent_path() / "ze-tools-layer";
    FileDescriptor lock_{open(place_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

bool isMadeOf(const Answer& answer, const std::string& file) {
    return std::any_of(answer.made.begin(), answer.made.end(),
                       [&](const FileStamp& each) { return each.path.ends_with("ze-tools-layer/" + file); });
}

TEST(CompilerProcess, ABundledCompilerRunsWithItsOwnDynamicLinkerUnlessAnotherLibraryIsNamed) {
    const Bundle bundle;
    const Answer answer = run(command({"5"}, Bundle::kLibrary));
    EXPECT_EQ(answer.missing, "");
    EXPECT_EQ(answer.output, Bytes(5, 7));
    EXPECT_TRUE(contains(answer.compiler, "ze-tools-layer/compiler/libigc_bundled.so")) << answer.compiler;
    // The cache of builds has to notice another one of each.
    for (const char* file : {"zetl_ocloc", "compiler/ld-linux-x86-64.so.2", "compiler/libigc_bundled.so"})
        EXPECT_TRUE(isMadeOf(answer, file)) << file;
    setenv(settings::kCompiler, "system", 1);
    EXPECT_TRUE(contains(run(command({}, Bundle::kLibrary)).missing, Bundle::kLibrary)) << "no system has that";
    setenv(settings::kCompiler, "newest", 1);
    EXPECT_EQ(run(command({"5"}, Bundle::kLibrary)).output, Bytes(5, 7));
    unsetenv(settings::kCompiler);
    const Answer other = run(command({"5"}));
    EXPECT_EQ(other.output, Bytes(5, 7));
    EXPECT_TRUE(other.compiler.starts_with(ZETL_FAULTY_COMPILER)) << other.compiler;
    EXPECT_FALSE(isMadeOf(other, "compiler/ld-linux-x86-64.so.2"));
}

TEST(CompilerProcess, ADirectoryWithACompilerCanBeNamed) {
    const Bundle bundle;
    const fs::path elsewhere = fs::read_symlink("/proc/self/exe").parent_path() / "a compiler elsewhere";
    fs::rename(bundle.place() / "compiler", elsewhere);
    setenv(settings::kCompiler, elsewhere.c_str(), 1);
    const Answer answer = run(command({"5"}, Bundle::kLibrary));
    fs::remove_all(elsewhere);
    EXPECT_EQ(answer.output, Bytes(5, 7)) << answer.missing;
    EXPECT_TRUE(contains(run(command({"5"}, Bundle::kLibrary)).missing, "scripts/compiler newest"));
    unsetenv(settings::kCompiler);
}

std::size_t openDescriptors() {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

TEST(CompilerProcess, LeavesNoDescriptors) {
    run(command({"abort"}));
    const std::size_t before = openDescriptors();
    run(command({"1"}));
    run(command({"exit"}));
    run(command({}, "/nonexistent"));
    EXPECT_EQ(openDescriptors(), before);
}

std::atomic<int> childrenEnded{0};

TEST(CompilerProcess, TheApplicationSeesNoChild) {
    struct sigaction count {};
    struct sigaction before {};
    count.sa_handler = [](int) { ++childrenEnded; };
    sigaction(SIGCHLD, &count, &before);
    EXPECT_EQ(run(command({"5"})).output.size(), 5u);
    EXPECT_EQ(run(command({"abort"})).code, -1);
    errno = 0;
    EXPECT_EQ(wait(nullptr), -1);
    EXPECT_EQ(errno, ECHILD);
    sigaction(SIGCHLD, &before, nullptr);
    EXPECT_EQ(childrenEnded, 0);
}

TEST(CompilerProcess, CommandsRunBesideEachOther) {
    std::array<std::size_t, 8> sizes{};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        threads.emplace_back([&sizes, i] { sizes[i] = run(command({std::to_string(i * 1000)})).output.size(); });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(sizes[i], i * 1000);
}

/// The child of a test: standard descriptors closed.
[[noreturn]] void buildWithoutStandardDescriptors() {
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    std::_Exit(run(command({"9"})).output.size() == 9 ? 0 : 1);
}

TEST(CompilerProcessDeathTest, WorksWithoutStandardDescriptors) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(buildWithoutStandardDescriptors(), testing::ExitedWithCode(0), "");
}

/// The child of a test: with such a limit.
[[noreturn]] void buildWithin(__rlimit_resource resource, rlim_t most, const char* what) {
    rlimit before{};
    getrlimit(resource, &before);
    const rlimit limit{most, before.rlim_max};
    setrlimit(resource, &limit);
    const Answer answer = run(command({what}));
    setrlimit(resource, &before);
    std::fputs(answer.log.c_str(), stderr);
    std::_Exit(answer.code == 0 && answer.missing.empty() ? 0 : 1);
}

TEST(CompilerProcessDeathTest, NoFileIsWritten) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(buildWithin(RLIMIT_FSIZE, 0, "9"), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(buildWithin(RLIMIT_FSIZE, 0, "exit"), testing::ExitedWithCode(1), "last words");
}

TEST(CompilerProcessDeathTest, TheCompilerHasAStackOfItsOwn) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(buildWithin(RLIMIT_STACK, 64 << 10, "deep"), testing::ExitedWithCode(0), "");
}

using std::filesystem::directory_iterator;
using std::filesystem::path;

/// Files below `here` after a build that writes a listing, for a process that works there.
[[noreturn]] void leaveAListing(const path& here, const char* variable, const char* value) {
    std::filesystem::create_directories(here / "temporary");
    std::filesystem::current_path(here);
    setenv("TMPDIR", "temporary", 1);
    if (variable != nullptr) setenv(variable, value, 1);
    std::filesystem::copy(ZETL_FAULTY_COMPILER, "compiler.so", std::filesystem::copy_options::overwrite_existing);
    const Answer answer = run(command({"list"}, "./compiler.so"));
    const bool stays = std::filesystem::exists("kernel.errors.txt");
    const bool empty = directory_iterator("temporary") == directory_iterator();
    std::fprintf(stderr, "%s%s code %d, %s, %s", answer.missing.c_str(), answer.log.c_str(), answer.code,
                 stays ? "a listing here" : "nothing here", empty ? "nothing there" : "something there");
    std::filesystem::current_path("/");
    std::filesystem::remove_all(here);
    std::_Exit(0);
}

TEST(CompilerProcessDeathTest, ListingsAreNotLeftInTheApplicationsDirectory) {
    testing::FLAGS_gtest_death_test_style = "fast";
    const path here = path(testing::TempDir()) / ("zetl_listing." + std::to_string(getpid()));
    EXPECT_EXIT(leaveAListing(here, nullptr, nullptr), testing::ExitedWithCode(0),
                "code 0, nothing here, nothing there");
}
TEST(CompilerProcessDeathTest, ThoseWhoAskTheCompilerForFilesGetThemWhereTheyWork) {
    testing::FLAGS_gtest_death_test_style = "fast";
    const path here = path(testing::TempDir()) / ("zetl_listing." + std::to_string(getpid()));
    EXPECT_EXIT(leaveAListing(here, "IGC_ShaderDumpEnable", "1"), testing::ExitedWithCode(0),
                "code 0, a listing here, nothing there");
    EXPECT_EXIT(leaveAListing(here, "LD_LIBRARY_PATH", "/usr/lib::lib"), testing::ExitedWithCode(0),
                "code 0, a listing here");
}

bool alive(pid_t process) { return kill(process, 0) == 0; }

[[noreturn]] void dieDuringABuild(const std::string& file) {
    std::thread([&] {
        pid_t worker = 0;
        test::waitFor([&] { return static_cast<bool>(std::ifstream(file) >> worker); });
        kill(getpid(), SIGKILL);
    }).detach();
    run(command({"tell", file}));
    std::_Exit(1);
}

TEST(CompilerProcessDeathTest, EndsWithTheApplication) {
    testing::FLAGS_gtest_death_test_style = "fast";  // the file's name is this process's
    const std::string file = testing::TempDir() + "zetl_compiler_worker." + std::to_string(getpid());
    EXPECT_EXIT(dieDuringABuild(file), testing::KilledBySignal(SIGKILL), "");
    pid_t worker = 0;
    EXPECT_TRUE(static_cast<bool>(std::ifstream(file) >> worker));
    EXPECT_TRUE(test::waitFor([&] { return !alive(worker); })) << worker;
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace zetl::compiler
