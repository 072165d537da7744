#include "compiler/build_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/settings.h"
#include "compiler/process.h"

namespace zetl::compiler {
namespace {

namespace fs = std::filesystem;

/// A directory of its own for the cache, gone at the end.
class BuildCacheTest : public testing::Test {
  protected:
    BuildCacheTest() { place_ = mkdtemp(pattern_.data()); }
    ~BuildCacheTest() override { fs::remove_all(place_); }

    std::string directory() const { return (place_ / "a" / "builds").string(); }
    BuildCache cache() const { return BuildCache(directory()); }
    fs::path onlyEntry() const { return fs::directory_iterator(directory())->path(); }
    auto entries() const { return std::distance(fs::directory_iterator(directory()), fs::directory_iterator()); }

    const fs::path& place() const { return place_; }

  private:
    std::string pattern_ = (fs::temp_directory_path() / "zetl-builds-XXXXXX").string();
    fs::path place_;
};

Command build(std::string what, std::string library = ZETL_FAULTY_COMPILER) {
    return {.library = std::move(library), .seconds = 60, .arguments = {std::move(what)}, .files = {}};
}

TEST_F(BuildCacheTest, GivesBackWhatItKept) {
    const Answer answer = run(build("5000"));
    ASSERT_EQ(answer.output, Bytes(5000, 7));
    EXPECT_FALSE(cache().find(build("5000"))) << "there is not even a directory";
    cache().keep(build("5000"), answer);
    const auto found = cache().find(build("5000"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->output, answer.output);
    EXPECT_EQ(found->compiler, answer.compiler);
    EXPECT_EQ(found->made, answer.made);
    EXPECT_EQ(fs::status(directory()).permissions(), fs::perms::owner_all);
}

TEST_F(BuildCacheTest, AllThatDecidesABuildTellsEntriesApart) {
    const Bytes source(100, 1);
    const Bytes other(100, 2);
    const auto with = [](const Bytes& bytes) {
        Command all = build("5");
        all.files = {{"module.spv", bytes}};
        return all;
    };
    cache().keep(with(source), run(with(source)));
    EXPECT_TRUE(cache().find(with(source)));
    EXPECT_FALSE(cache().find(with(other)));
    EXPECT_FALSE(cache().find(build("5")));
    Command patient = with(source);
    Command elsewhere = with(source);
    patient.seconds = 1;
    elsewhere.library = "libocloc.so";
    EXPECT_TRUE(cache().find(patient)) << "how long it may take decides nothing";
    EXPECT_FALSE(cache().find(elsewhere));
    setenv("IGC_SomeOption", "1", 1);
    EXPECT_FALSE(cache().find(with(source)));
    unsetenv("IGC_SomeOption");
}

TEST_F(BuildCacheTest, FailuresAreNotKept) {
    for (const char* what : {"exit", "abort", "0"}) cache().keep(build(what), run(build(what)));
    EXPECT_FALSE(fs::exists(directory()));
}

TEST_F(BuildCacheTest, AnotherCompilerInTheSamePlaceBuildsAnew) {
    const auto library = (place() / "libigc_copy.so").string();
    fs::copy_file(ZETL_FAULTY_COMPILER, library);
    cache().keep(build("5", library), run(build("5", library)));
    ASSERT_TRUE(cache().find(build("5", library)));
    fs::last_write_time(library, fs::last_write_time(library) + std::chrono::seconds(1));
    EXPECT_FALSE(cache().find(build("5", library)));
    fs::remove(library);
    EXPECT_FALSE(cache().find(build("5", library)));
}

TEST_F(BuildCacheTest, NoDamageGoesUnnoticed) {
    cache().keep(build("64"), run(build("64")));
    std::ifstream file(onlyEntry(), std::ios::binary);
    const std::string sound{std::istreambuf_iterator<char>(file), {}};
    const auto write = [&](const std::string& bytes) { std::ofstream(onlyEntry(), std::ios::binary) << bytes; };
    for (std::size_t at = 0; at < sound.size(); at += 3) {
        auto damaged = sound;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
        write(damaged);
        EXPECT_FALSE(cache().find(build("64"))) << "byte " << at;
        write(sound.substr(0, at));
        EXPECT_FALSE(cache().find(build("64"))) << at << " bytes";
    }
    write(sound + "x");
    EXPECT_FALSE(cache().find(build("64")));
    write(sound);
    EXPECT_TRUE(cache().find(build("64")));
}

TEST_F(BuildCacheTest, WhatOthersCouldWriteIsNotUsed) {
    cache().keep(build("5"), run(build("5")));
    ASSERT_TRUE(cache().find(build("5")));
    fs::permissions(onlyEntry(), fs::perms::others_write, fs::perm_options::add);
    EXPECT_FALSE(cache().find(build("5")));
    fs::permissions(onlyEntry(), fs::perms::others_write, fs::perm_options::remove);
    fs::permissions(directory(), fs::perms::group_write, fs::perm_options::add);
    EXPECT_FALSE(cache().find(build("5")));
    fs::permissions(directory(), fs::perms::group_write, fs::perm_options::remove);
    const auto link = (place() / "link").string();
    fs::create_directory_symlink(directory(), link);
    EXPECT_FALSE(BuildCache(link).find(build("5")));
    const auto entry = onlyEntry();
    fs::remove(entry);
    ASSERT_EQ(mkfifo(entry.c_str(), 0600), 0);
    EXPECT_FALSE(cache().find(build("5"))) << "the cache does not wait for a pipe";
}

TEST_F(BuildCacheTest, WhatWasNotUsedForLongestGoes) {
    constexpr std::uint64_t kMaxBytes = 64 << 10;
    const BuildCache small(directory(), kMaxBytes);
    const auto nth = [](int n) { return build(std::to_string(5000 + n)); };
    for (int n = 0; n < 40; ++n) {
        small.keep(nth(n), run(nth(n)));
        EXPECT_TRUE(small.find(nth(0))) << "used all the time, also after " << n;
    }
    std::uint64_t all = 0;
    for (const auto& each : fs::directory_iterator(directory())) all += each.file_size();
    EXPECT_LE(all, kMaxBytes);
    EXPECT_TRUE(small.find(nth(39)));
    EXPECT_FALSE(small.find(nth(1)));
    const auto before = entries();
    small.keep(build("60000"), run(build("60000")));
    EXPECT_EQ(entries(), before) << "one that would take most of the room is not kept";
}

TEST_F(BuildCacheTest, OtherFilesInTheDirectoryStay) {
    constexpr std::uint64_t kMaxBytes = 64 << 10;
    const BuildCache small(directory(), kMaxBytes);
    small.keep(build("5000"), run(build("5000")));
    const char* const others[] = {"thesis.dat",
                                  "0123456789abcdef.build.dat",
                                  "0123456789abcde.build",
                                  "0123456789ABCDEF.build",
                                  "a.build",
                                  ".build",
                                  "12.draft",
                                  "x.1.draft",
                                  "1.2.3.draft",
                                  ".draft",
                                  "1..draft",
                                  "17"};
    for (const auto* name : others) {
        std::ofstream(fs::path(directory()) / name) << std::string(kMaxBytes, 'x');
        fs::last_write_time(fs::path(directory()) / name, fs::file_time_type::clock::now() - std::chrono::hours(24));
    }
    std::ofstream(fs::path(directory()) / "4711.3.draft") << std::string(kMaxBytes, 'x');
    for (int n = 1; n < 40; ++n) small.keep(build(std::to_string(5000 + n)), run(build(std::to_string(5000 + n))));
    for (const auto* name : others) EXPECT_EQ(fs::file_size(fs::path(directory()) / name), kMaxBytes) << name;
    EXPECT_TRUE(small.find(build("5039"))) << "files of others take no room";
    EXPECT_FALSE(small.find(build("5000")));
    EXPECT_FALSE(fs::exists(fs::path(directory()) / "4711.3.draft")) << "nobody finishes it";
}

TEST_F(BuildCacheTest, BuildsStartNoCompilerTheSecondTime) {
    setenv(settings::kBuildCache, directory().c_str(), 1);
    const std::string before = std::getenv(settings::kOcloc);
    EXPECT_EQ(build(build("7")).output, Bytes(7, 7));
    setenv(settings::kOcloc, "/no/such/program", 1);
    EXPECT_EQ(build(build("7")).output, Bytes(7, 7));
    EXPECT_NE(build(build("8")).missing, "");
    setenv(settings::kBuildCache, "", 1);
    EXPECT_NE(build(build("7")).missing, "") << "switched off";
    setenv(settings::kOcloc, before.c_str(), 1);
    unsetenv(settings::kBuildCache);
}

TEST_F(BuildCacheTest, AProcessThatMayWriteNothingGoesOn) {
    const Answer answer = run(build("5"));
    const pid_t child = fork();
    if (child == 0) {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_FSIZE, &none);
        cache().keep(build("5"), answer);
        _exit(cache().find(build("5")) ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(entries(), 0) << "no draft stays";
}

}  // namespace
}  // namespace zetl::compiler
