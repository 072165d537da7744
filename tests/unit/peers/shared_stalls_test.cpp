// What a reader of samples makes of a process that is not what it says it is.
#include "emulator/peers/shared_stalls.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "emulator/peers/sampled_peer.h"

namespace zetl::emulator::peers {
namespace {

/// Two ends of a connection.
struct Ends {
    Ends() {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
        ours = FileDescriptor(ends[0]);
        theirs = FileDescriptor(ends[1]);
    }
    FileDescriptor ours;
    FileDescriptor theirs;
};

TEST(SharedStalls, AReaderAddsUpWhatGrows) {
    Ends ends;
    auto shared = SharedStalls::create();
    ASSERT_TRUE(shared && introduce(ends.theirs.get(), *shared));
    SampledPeer peer(std::move(ends.ours));
    ASSERT_TRUE(peer.serve());
    ASSERT_TRUE(peer.introduced());
    DeviceStalls sum;
    EXPECT_TRUE(peer.addTo(sum));
    EXPECT_TRUE(sum[0].empty());
    const auto row = shared->add(1, 0x1000);
    shared->raise(row, {5, 0, 7});
    EXPECT_TRUE(peer.addTo(sum));
    EXPECT_TRUE(sum[1].empty()) << "not published yet";
    shared->publish();
    EXPECT_TRUE(peer.addTo(sum));
    shared->raise(row, {4, 0, 9});
    shared->raise(shared->add(1, 0x2000), {1});
    shared->publish();
    EXPECT_TRUE(peer.addTo(sum));
    EXPECT_TRUE(peer.addTo(sum)) << "nothing new";
    EXPECT_EQ(sum[1][0x1000], (machine::StallCycles{5, 0, 9})) << "never back";
    EXPECT_EQ(sum[1][0x2000], machine::StallCycles{1});
    EXPECT_TRUE(introduce(ends.theirs.get(), *shared));
    EXPECT_FALSE(peer.serve()) << "a second word ends the connection";
}

TEST(SharedStalls, RowsBeyondTheTableAreLeftOut) {
    auto shared = SharedStalls::create();
    for (std::size_t i = 0; i < SharedStalls::kMostRows; ++i) ASSERT_EQ(shared->add(0, i), i);
    EXPECT_EQ(shared->add(0, 1), SharedStalls::kMostRows);
    shared->publish();
    auto seen = SeenStalls::map(FileDescriptor(dup(shared->descriptor())));
    ASSERT_TRUE(seen);
    std::vector<StallRow> growth;
    EXPECT_TRUE(seen->take(growth));
    EXPECT_TRUE(growth.empty()) << "no cycles yet";
}

/// A table as a hostile process writes it: words[0] is the version, words[1] the number of rows, then rows of an
/// address, a tile, and cycles.
class HostileTable {
  public:
    HostileTable() : file_(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
        struct stat real {};
        auto shared = SharedStalls::create();
        EXPECT_EQ(fstat(shared->descriptor(), &real), 0);
        size_ = static_cast<std::size_t>(real.st_size);
        EXPECT_EQ(ftruncate(file_.get(), real.st_size), 0);
        EXPECT_EQ(fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
        words_ = static_cast<std::uint64_t*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0));
    }
    ~HostileTable() { munmap(words_, size_); }
    HostileTable(const HostileTable&) = delete;
    HostileTable& operator=(const HostileTable&) = delete;

    std::uint64_t& operator[](std::size_t word) { return words_[word]; }
    /// Whether a reader takes it.
    bool taken() {
        auto seen = SeenStalls::map(file_);
        std::vector<StallRow> growth{StallRow{}};
        const bool good = seen && seen->take(growth);
        EXPECT_TRUE(good || growth.empty());
        return good;
    }

  private:
    FileDescriptor file_;
    std::size_t size_ = 0;
    std::uint64_t* words_ = nullptr;
};

TEST(SharedStalls, NumbersThatCannotBeAreRefused) {
    HostileTable table;
    table[0] = 1;
    table[1] = 1;
    table[2] = std::numeric_limits<std::uint64_t>::max();  // an address may be anything
    table[4] = 100;
    EXPECT_TRUE(table.taken());
    table[3] = machine::kMaxTiles;
    EXPECT_FALSE(table.taken());
    table[3] = (std::uint64_t{1} << 32);
    EXPECT_FALSE(table.taken());
    table[3] = 0;
    table[4] = std::numeric_limits<std::uint64_t>::max();
    EXPECT_FALSE(table.taken());
    table[4] = 100;
    table[1] = SharedStalls::kMostRows + 1;
    EXPECT_FALSE(table.taken());
    table[1] = std::numeric_limits<std::uint64_t>::max();
    EXPECT_FALSE(table.taken());
}

TEST(SharedStalls, OtherMemoryIsRefused) {
    EXPECT_FALSE(SeenStalls::map(FileDescriptor()));
    EXPECT_FALSE(SeenStalls::map(FileDescriptor(open("/dev/zero", O_RDWR | O_CLOEXEC))));
    auto counts = SharedCounts::create();
    EXPECT_FALSE(SeenStalls::map(FileDescriptor(dup(counts->descriptor()))));
    Ends ends;
    ASSERT_TRUE(introduce(ends.theirs.get(), *counts, {}));
    SampledPeer peer(std::move(ends.ours));
    EXPECT_FALSE(peer.serve()) << "counts are no samples";
}

}  // namespace
}  // namespace zetl::emulator::peers
