// What a reader makes of a process that is not what it says it is.
#include "emulator/peers/peer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

namespace zetl::emulator::peers {
namespace {

using machine::Counter;

struct Pair {
    Pair() {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
        ours = FileDescriptor(ends[0]);
        theirs = FileDescriptor(ends[1]);
    }
    FileDescriptor ours;
    FileDescriptor theirs;
};

DeviceCounts instructions(std::uint64_t number) {
    DeviceCounts counts{};
    counts[0].counts[Counter::instructions] = number;
    return counts;
}

std::uint64_t instructionsOf(const DeviceCounts& sum) { return sum[0].counts[Counter::instructions]; }

/// All that it published so far. Returns whether it made sense.
bool addTo(Peer& peer, DeviceCounts& sum) {
    while (peer.addNext(sum)) {
    }
    return peer.sound();
}

/// A record with these bytes and descriptors.
void sendRaw(int socket, const std::vector<char>& bytes, const std::vector<int>& descriptors) {
    std::vector<char> data(bytes);
    data.reserve(1);
    iovec part{data.data(), data.size()};
    std::vector<char> control(CMSG_SPACE(descriptors.size() * sizeof(int)));
    msghdr record{};
    record.msg_iov = &part;
    record.msg_iovlen = 1;
    if (!descriptors.empty()) {
        record.msg_control = control.data();
        record.msg_controllen = control.size();
        cmsghdr* const head = CMSG_FIRSTHDR(&record);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
        std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size() * sizeof(int));
    }
    ASSERT_EQ(sendmsg(socket, &record, 0), static_cast<ssize_t>(data.size()));
}

/// The bytes of a true introduction.
std::vector<char> trueBytes() {
    Pair pair;
    auto shared = SharedCounts::create();
    EXPECT_TRUE(introduce(pair.theirs.get(), *shared, {}));
    std::vector<char> bytes(1 << 16);
    const auto got = recv(pair.ours.get(), bytes.data(), bytes.size(), 0);
    EXPECT_GT(got, 0);
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
}

int openDescriptors() {
    int count = 0;
    for (int i = 0; i < 1024; ++i) count += fcntl(i, F_GETFD) != -1;
    return count;
}

TEST(Peer, CountsWhatCameSinceItsIntroduction) {
    Pair pair;
    auto shared = SharedCounts::create();
    ASSERT_TRUE(shared);
    shared->publish(instructions(100));
    ASSERT_TRUE(introduce(pair.theirs.get(), *shared, instructions(100)));
    Peer peer(std::move(pair.ours));
    DeviceCounts sum{};
    EXPECT_TRUE(addTo(peer, sum));
    ASSERT_TRUE(peer.serve());
    ASSERT_TRUE(peer.introduced());
    EXPECT_TRUE(addTo(peer, sum));
    EXPECT_EQ(instructionsOf(sum), 0u);
    shared->publish(instructions(142));
    EXPECT_TRUE(addTo(peer, sum));
    EXPECT_EQ(instructionsOf(sum), 42u);
    shared->publish(instructions(7));
    EXPECT_TRUE(addTo(peer, sum));
    EXPECT_EQ(instructionsOf(sum), 42u) << "never back";
}

// Each moment by itself, as far as they are kept; what is not kept is in the next one.
TEST(Peer, TellsOfEachTimeItPublished) {
    Pair pair;
    auto shared = SharedCounts::create();
    ASSERT_TRUE(introduce(pair.theirs.get(), *shared, {}));
    Peer peer(std::move(pair.ours));
    ASSERT_TRUE(peer.serve());
    DeviceCounts sum{};
    for (const std::uint64_t number : {1, 5, 6}) shared->publish(instructions(number));
    for (const std::uint64_t number : {1, 5, 6}) {
        EXPECT_TRUE(peer.addNext(sum));
        EXPECT_EQ(instructionsOf(sum), number);
    }
    EXPECT_FALSE(peer.addNext(sum));
    constexpr std::uint64_t kMany = 3 * SharedCounts::kKept;
    for (std::uint64_t number = 7; number < kMany; ++number) shared->publish(instructions(number));
    for (std::uint64_t number = kMany - SharedCounts::kKept + 1; number < kMany; ++number) {
        EXPECT_TRUE(peer.addNext(sum));
        EXPECT_EQ(instructionsOf(sum), number);
    }
    EXPECT_FALSE(peer.addNext(sum));
}

TEST(Peer, WhatItPublishedIsThereWhenItIsGone) {
    Pair pair;
    auto shared = SharedCounts::create();
    ASSERT_TRUE(introduce(pair.theirs.get(), *shared, {}));
    Peer peer(std::move(pair.ours));
    ASSERT_TRUE(peer.serve());
    DeviceCounts sum{};
    shared->publish(instructions(9));
    pair.theirs = FileDescriptor();
    shared.reset();
    EXPECT_FALSE(peer.serve());
    EXPECT_TRUE(addTo(peer, sum));
    EXPECT_EQ(instructionsOf(sum), 9u);
}

TEST(Peer, NumbersThatNoCounterReachesAreRefused) {
    Pair pair;
    auto shared = SharedCounts::create();
    ASSERT_TRUE(introduce(pair.theirs.get(), *shared, {}));
    Peer peer(std::move(pair.ours));
    ASSERT_TRUE(peer.serve());
    DeviceCounts sum{};
    shared->publish(instructions(5));
    EXPECT_TRUE(addTo(peer, sum));
    auto absurd = instructions(6);
    absurd[7].workTime = std::numeric_limits<std::uint64_t>::max();
    shared->publish(absurd);
    EXPECT_FALSE(addTo(peer, sum));
    EXPECT_EQ(instructionsOf(sum), 5u) << "all of it or nothing";
}

TEST(Peer, SecondWordEndsTheConnection) {
    Pair pair;
    auto shared = SharedCounts::create();
    ASSERT_TRUE(introduce(pair.theirs.get(), *shared, {}));
    Peer peer(std::move(pair.ours));
    ASSERT_TRUE(peer.serve());
    ASSERT_TRUE(introduce(pair.theirs.get(), *shared, {}));
    EXPECT_FALSE(peer.serve());
}

TEST(Peer, NonsenseIsRefusedAndLeavesNoDescriptor) {
    const auto good = trueBytes();
    auto otherVersion = good;
    auto otherCounters = good;
    auto shorter = good;
    auto longer = good;
    otherVersion[4] ^= 1;
    otherCounters[8] ^= 1;
    shorter.pop_back();
    longer.push_back('x');
    const FileDescriptor zero(open("/dev/zero", O_RDONLY | O_CLOEXEC));
    const int before = openDescriptors();
    for (const auto& bytes : {std::vector<char>(), std::vector<char>{'x'}, otherVersion, otherCounters, shorter, longer,
                              std::vector<char>(good.size(), '\xff')})
        for (const int count : {0, 1, 2, 200}) {
            Pair pair;
            sendRaw(pair.theirs.get(), bytes, std::vector<int>(static_cast<std::size_t>(count), zero.get()));
            Peer peer(std::move(pair.ours));
            EXPECT_FALSE(peer.serve()) << bytes.size() << " bytes, " << count << " descriptors";
        }
    EXPECT_EQ(openDescriptors(), before);
}

/// A memory file of that size, with seals.
FileDescriptor memory(off_t bytes, int seals) {
    FileDescriptor made(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(ftruncate(made.get(), bytes), 0);
    EXPECT_EQ(fcntl(made.get(), F_ADD_SEALS, seals), 0);
    return made;
}

TEST(Peer, MemoryThatCouldShrinkOrHasAnotherSizeIsRefused) {
    struct stat real {};
    auto shared = SharedCounts::create();
    ASSERT_EQ(fstat(shared->descriptor(), &real), 0);
    constexpr int kFixed = F_SEAL_SHRINK | F_SEAL_GROW;
    EXPECT_TRUE(SeenCounts::map(memory(real.st_size, kFixed)));
    EXPECT_FALSE(SeenCounts::map(memory(real.st_size, 0)));
    EXPECT_FALSE(SeenCounts::map(memory(real.st_size, F_SEAL_GROW)));
    EXPECT_FALSE(SeenCounts::map(memory(0, kFixed)));
    EXPECT_FALSE(SeenCounts::map(memory(real.st_size - 1, kFixed)));
    EXPECT_FALSE(SeenCounts::map(memory(real.st_size * 2, kFixed)));
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    EXPECT_FALSE(SeenCounts::map(FileDescriptor(ends[0])));
    EXPECT_FALSE(SeenCounts::map(FileDescriptor(ends[1])));
    EXPECT_FALSE(SeenCounts::map(FileDescriptor(open("/dev/zero", O_RDWR | O_CLOEXEC))));
    EXPECT_FALSE(SeenCounts::map(FileDescriptor()));
}

TEST(Peer, NobodyChangesTheSizeOrTheNumbersOfOthers) {
    auto shared = SharedCounts::create();
    struct stat real {};
    ASSERT_EQ(fstat(shared->descriptor(), &real), 0);
    EXPECT_NE(ftruncate(shared->descriptor(), 0), 0);
    const FileDescriptor again(
        open(("/proc/self/fd/" + std::to_string(shared->descriptor())).c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_EQ(mmap(nullptr, static_cast<std::size_t>(real.st_size), PROT_READ | PROT_WRITE, MAP_SHARED,
                   again ? again.get() : shared->descriptor(), 0),
              MAP_FAILED);
}

TEST(SharedCounts, LimitOnFilesIsNoSignal) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    EXPECT_FALSE(SharedCounts::create());
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
}

/// The version stays odd, as a writer that was killed there leaves it.
TEST(Peer, WriterThatNeverEndsHoldsNobodyUp) {
    struct stat real {};
    auto shared = SharedCounts::create();
    ASSERT_EQ(fstat(shared->descriptor(), &real), 0);
    const auto size = static_cast<std::size_t>(real.st_size);
    const auto file = memory(real.st_size, F_SEAL_SHRINK | F_SEAL_GROW);
    auto* const words =
        static_cast<std::uint64_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
    words[0] = 1;  // how often it published
    words[1] = 1;  // the version of the first place
    auto seen = SeenCounts::map(file);
    ASSERT_TRUE(seen);
    auto counts = instructions(3);
    EXPECT_FALSE(seen->read(counts));
    EXPECT_EQ(counts[0].counts[Counter::instructions], 3u);
    munmap(words, size);
}

TEST(Peer, ReadsAreNeverTorn) {
    auto shared = SharedCounts::create();
    auto seen = SeenCounts::map(FileDescriptor(dup(shared->descriptor())));
    ASSERT_TRUE(seen);
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        DeviceCounts counts{};
        for (std::uint64_t i = 1; !stop; ++i) {
            for (auto& tile : counts) {
                tile.workTime = i;
                tile.counts.values.fill(i);
            }
            shared->publish(counts);
        }
    });
    int reads = 0;
    for (int tries = 0; tries < 200'000 && reads < 1000; ++tries) {
        DeviceCounts counts{};
        if (!seen->read(counts)) continue;
        ++reads;
        EXPECT_EQ(counts.front().workTime, counts.back().counts.values.back());
    }
    stop = true;
    writer.join();
    EXPECT_GT(reads, 0);
}

}  // namespace
}  // namespace zetl::emulator::peers
