// What system management makes of other processes, which may say and leave what they like.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "emulator/machine/profile.h"
#include "emulator/peers/past_use.h"
#include "emulator/peers/use_record.h"

namespace zetl::emulator::peers {
namespace {

class Directory {
  public:
    Directory() {
        std::string path = (std::filesystem::temp_directory_path() / "zetl-use-XXXXXX").string();
        path_ = mkdtemp(path.data());
        descriptor_ = FileDescriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    ~Directory() { std::filesystem::remove_all(path_); }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    int get() const { return descriptor_.get(); }
    std::filesystem::path file() const { return path_ / "used"; }

  private:
    std::filesystem::path path_;
    FileDescriptor descriptor_;
};

std::optional<PastUse> lockIn(const Directory& directory) {
    return PastUse::lock(directory.get(), "used", std::chrono::milliseconds(1));
}

DeviceUse copied(std::uint64_t bytes) {
    DeviceUse use;
    use.tiles[1].bytesIn = bytes;
    use.tiles[1].memory = 7;
    return use;
}

TEST(PastUse, AddsUpCountersAndForgetsMemory) {
    const Directory directory;
    for (int i = 0; i < 3; ++i) {
        const auto past = lockIn(directory);
        ASSERT_TRUE(past);
        EXPECT_FALSE(lockIn(directory)) << "one at a time";
        EXPECT_TRUE(past->add(copied(5)));
    }
    const auto sum = lockIn(directory)->read();
    EXPECT_EQ(sum.tiles[1].bytesIn, 15u);
    EXPECT_EQ(sum.tiles[1].memory, 0u);
}

TEST(PastUse, WhatNobodyWroteIsNothing) {
    const Directory directory;
    ASSERT_TRUE(lockIn(directory)->add(copied(5)));
    const auto size = std::filesystem::file_size(directory.file());
    std::filesystem::resize_file(directory.file(), size - 1);
    EXPECT_EQ(lockIn(directory)->read().tiles[1].bytesIn, 0u);
    {
        const FileDescriptor file(open(directory.file().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
        const std::vector<char> bytes(size, '\xff');
        ASSERT_EQ(write(file.get(), bytes.data(), size), static_cast<ssize_t>(size));
    }
    EXPECT_EQ(lockIn(directory)->read().tiles[1].bytesIn, 0u);
    EXPECT_TRUE(lockIn(directory)->add(copied(4))) << "it begins anew";
    EXPECT_FALSE(lockIn(directory)->add(copied(std::numeric_limits<std::uint64_t>::max())));
    EXPECT_EQ(lockIn(directory)->read().tiles[1].bytesIn, 4u);
    std::filesystem::remove(directory.file());
    ASSERT_EQ(mkfifo(directory.file().c_str(), 0600), 0);
    EXPECT_FALSE(lockIn(directory));
    std::filesystem::remove(directory.file());
    std::filesystem::create_symlink("/dev/null", directory.file());
    EXPECT_FALSE(lockIn(directory));
}

TEST(DeviceUse, WhatShrinksDoesNotGrow) {
    DeviceUse sum;
    sum.addGrowth(copied(3), copied(5));
    EXPECT_EQ(sum.tiles[1].bytesIn, 0u);
    sum.addGrowth(copied(9), copied(5));
    EXPECT_EQ(sum.tiles[1].bytesIn, 4u);
    EXPECT_TRUE(sum.plausible());
    sum.tiles[7].memory = std::numeric_limits<std::uint64_t>::max();
    EXPECT_FALSE(sum.plausible());
}

TEST(Transfers, TimeOfCopiesEndsWithTheLastOne) {
    const auto machine = machine::Machine::create(machine::loadProfile("tiny"), 1);
    machine::Tile& tile = machine->device(0).tile(0);
    machine::Transfers& transfers = machine->device(0).transfers(0);
    EXPECT_EQ(transfers.read(tile).copyTime, 0u);
    {
        const machine::Transfers::Copy first(transfers, tile, machine::Transfers::Engine::copy);
        const machine::Transfers::Copy second(transfers, tile, machine::Transfers::Engine::copy);
        std::uint64_t before = 0;
        for (int i = 0; i < 3; ++i) {
            while (transfers.read(tile).copyTime == before) continue;
            EXPECT_GT(transfers.read(tile).copyTime, before);
            before = transfers.read(tile).copyTime;
        }
    }
    const auto done = transfers.read(tile);
    EXPECT_GT(done.copyTime, 0u);
    EXPECT_EQ(done.bothTime, 0u) << "no kernel ran";
    EXPECT_EQ(transfers.read(tile).copyTime, done.copyTime);
}

TEST(Transfers, CopiesOfTheComputeEngineAreItsTime) {
    const auto machine = machine::Machine::create(machine::loadProfile("tiny"), 1);
    machine::Tile& tile = machine->device(0).tile(0);
    machine::Transfers& transfers = machine->device(0).transfers(0);
    EXPECT_EQ(transfers.read(tile).computeTime, 0u);
    {
        const machine::Transfers::Copy computes(transfers, tile, machine::Transfers::Engine::compute);
        while (transfers.read(tile).computeTime == 0) continue;
        EXPECT_EQ(transfers.read(tile).copyTime, 0u);
        const machine::Transfers::Copy copies(transfers, tile, machine::Transfers::Engine::copy);
        while (transfers.read(tile).copyTime == 0) continue;
    }
    const auto done = transfers.read(tile);
    EXPECT_EQ(done.bothTime, done.copyTime) << "the other copy began before, and ended behind it";
    EXPECT_GT(done.computeTime, done.copyTime);
    EXPECT_EQ(transfers.read(tile).computeTime, done.computeTime);
}

TEST(UseRecord, OnlyTrueRecordsAreRead) {
    const auto machine = machine::Machine::create(machine::loadProfile("small-two-by-two"), 1);
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    const FileDescriptor ours(ends[0]);
    const FileDescriptor theirs(ends[1]);
    machine->device(0).transfers(1).moved(machine::Transfers::Side::host, machine::Transfers::Side::device, 11);
    ASSERT_TRUE(answerUse(theirs.get(), *machine));
    std::vector<char> bytes(1 << 16);
    const auto got = recv(ours.get(), bytes.data(), bytes.size(), MSG_PEEK);
    ASSERT_GT(got, 0);
    bytes.resize(static_cast<std::size_t>(got));
    const auto use = readUse(ours.get(), machine->device(0));
    ASSERT_TRUE(use);
    EXPECT_EQ(use->tiles[1].bytesIn, 11u);
    EXPECT_EQ(use->tiles[1].bytesWritten, 11u);
    EXPECT_EQ(use->tiles[1].bytesRead, 0u);
    EXPECT_FALSE(readUse(ours.get(), machine->device(0))) << "nothing came";
    const auto answerOf = [&](const std::vector<char>& record) {
        EXPECT_EQ(send(theirs.get(), record.data(), record.size(), 0), static_cast<ssize_t>(record.size()));
        return readUse(ours.get(), machine->device(0)).has_value();
    };
    EXPECT_TRUE(answerOf(bytes));
    for (const std::size_t at : {0, 4, 8, 12, 16}) {
        auto other = bytes;
        other[at] ^= 1;
        EXPECT_FALSE(answerOf(other)) << "byte " << at;
    }
    auto absurd = bytes;
    absurd[16 + 16 + 7] = '\x7f';  // of the first counter of the first entry
    EXPECT_FALSE(answerOf(absurd));
    EXPECT_FALSE(answerOf({'x'}));
    EXPECT_FALSE(answerOf({bytes.begin(), bytes.end() - 1}));
}

}  // namespace
}  // namespace zetl::emulator::peers
