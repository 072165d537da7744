// The file of names for profilers: what it says, and whose file it may be.
#include "emulator/translate/perf_map.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace zetl::test {
namespace {

namespace fs = std::filesystem;
using emulator::translate::HostSymbol;
using emulator::translate::PerfMap;

class PerfMapTest : public testing::Test {
  protected:
    PerfMapTest() {
        std::string name = testing::TempDir() + "perf_map_XXXXXX";
        directory_ = mkdtemp(name.data());
    }
    ~PerfMapTest() override { fs::remove_all(directory_); }

    fs::path directory() const { return directory_; }
    fs::path file() const { return directory_ / ("perf-" + std::to_string(getpid()) + ".map"); }
    static std::string contentOf(const fs::path& path) {
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }

  private:
    fs::path directory_;
};

constexpr std::uint64_t kAddress = 0x7f0012345000;

TEST_F(PerfMapTest, ASymbolIsALineOfAddressSizeAndName) {
    PerfMap map(directory());
    EXPECT_TRUE(map.add(std::vector<HostSymbol>{{kAddress, 0x40, "scale"}, {kAddress + 0x40, 0x100, "a b"}}));
    EXPECT_EQ(contentOf(file()), "7f0012345000 40 scale\n7f0012345040 100 a b\n");
}
TEST_F(PerfMapTest, WhatOthersNamedStays) {
    std::ofstream(file()) << "1000 10 theirs\n";
    PerfMap map(directory());
    EXPECT_TRUE(map.add(std::vector<HostSymbol>{{kAddress, 1, "ours"}}));
    EXPECT_EQ(contentOf(file()), "1000 10 theirs\n7f0012345000 1 ours\n");
}
TEST_F(PerfMapTest, ANameMakesNoLinesOfItsOwn) {
    PerfMap map(directory());
    EXPECT_TRUE(map.add(std::vector<HostSymbol>{{kAddress, 1, "a\n0 ffff forged\x1b[2J"}}));
    EXPECT_EQ(contentOf(file()), "7f0012345000 1 a?0 ffff forged?[2J\n");
}
TEST_F(PerfMapTest, ALinkThatSomebodyLaidIsNotFollowed) {
    const fs::path victim = directory() / "victim";
    std::ofstream(victim) << "mine";
    fs::create_symlink(victim, file());
    EXPECT_FALSE(PerfMap(directory()).add(std::vector<HostSymbol>{{kAddress, 1, "k"}}));
    fs::remove(file());
    fs::create_hard_link(victim, file());
    EXPECT_FALSE(PerfMap(directory()).add(std::vector<HostSymbol>{{kAddress, 1, "k"}}));
    EXPECT_EQ(contentOf(victim), "mine");
}
TEST_F(PerfMapTest, APipeInItsPlaceBlocksNobody) {
    ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
    EXPECT_FALSE(PerfMap(directory()).add(std::vector<HostSymbol>{{kAddress, 1, "k"}}));
}
TEST_F(PerfMapTest, OnlyItsUserReadsIt) {
    PerfMap map(directory());
    ASSERT_TRUE(map.add(std::vector<HostSymbol>{{kAddress, 1, "k"}}));
    struct stat status {};
    ASSERT_EQ(stat(file().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

}  // namespace
}  // namespace zetl::test
