// Threads of a group that execute a kernel for Xe3P, together and one after the other by steps: their ids and arguments
// come from global memory, by addresses in s0, which the kernel writes anew for each message.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "emulator/isa/float_mode.h"
#include "emulator/translate/executable_memory.h"
#include "emulator/translate/translation.h"
#include "isa/xe/architecture.h"
#include "lone_thread.h"

namespace zetl::test::group_of_xe3p {
namespace {

/// Compiled for Crescent Island by 26.27:
///   kernel void scatter(global const uint* at, global const uint* from, global uint* to) {
///       uint i = get_global_id(0), n = get_global_size(0);
///       to[at[i]] = from[at[(i + 5) & (n - 1)]] + i;
///   }
constexpr std::array<std::uint64_t, 56> kScatter{
    0x2001812080000065, 0x00ff00ff01000024, 0x6041033080000061, 0x00000000000000e4, 0x2002c1208000005b,
    0x0040200002010020, 0x0205022080100061, 0x0000000000100104, 0x3f05822080000040, 0x0000000002002000,
    0x0100100680012033, 0x16800000f0283f0c, 0x0000000000000060, 0x0000000000000000, 0x0000000000000060,
    0x0000000000000000, 0x6061433080000061, 0x0000000000000000, 0x0300180680012133, 0x96000000f028020c,
    0x0000000428100061, 0x8001822080000966, 0x400004c002008000, 0x00000000348c0901, 0x020506608000a141,
    0x0010041406000274, 0x1706011000148061, 0x0000000000100104, 0x2001066000141940, 0x0000170401000204,
    0x2002866800140052, 0x0005024406052000, 0x0215866080008140, 0xffffffff05000304, 0x6041077080000061,
    0x00000000000002a4, 0x0d05066000141a65, 0x0010021406102000, 0x0f00110600172233, 0x10000000f0000d14,
    0x6061077080000061, 0x00000000000002c4, 0x0804066000140052, 0x0244170401060204, 0x1300110600172333,
    0x10000000f0000814, 0x6081077080000061, 0x00000000000002e4, 0x110019060014c233, 0x10000000f0000f14,
    0x1505066000148240, 0x0000080406101104, 0x0000210400172333, 0x10041514f0001314, 0x000000018000c433,
    0x000000003000000c,
};
constexpr std::uint32_t kCodeAt = 0x10000;
constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kInGroup = 4;  // threads
constexpr std::uint32_t kItems = kLanes * kInGroup;
constexpr std::uint32_t kIdsAt = 32;  // in the arguments, behind the global size

/// Memory of a launch; what kernels write is in one piece.
struct Memory {
    explicit Memory(LoneThread& t) : all(t.allocate(kBytes)) {}
    static constexpr std::uint32_t kArguments = 4 * kItems;
    static constexpr std::uint32_t kAt = kArguments + 1024;
    static constexpr std::uint32_t kFrom = kAt + 4 * kItems;
    static constexpr std::uint32_t kTo = kFrom + 4 * kItems;
    static constexpr std::uint32_t kBytes = kTo + 4 * kItems;

    std::uint64_t address(std::uint32_t at) const { return LoneThread::addressOf(all) + at; }
    template <class T>
    void put(std::uint32_t at, T value) {
        std::memcpy(all.data() + at, &value, sizeof value);
    }

    std::vector<std::byte>& all;
};

struct Inputs {
    std::uint32_t step = 1;  ///< from one index to the next; odd
    bool idsRunOn = true;
    bool ontoArguments = false;  ///< the kernel's first item writes to the global size
};

class GroupOfXe3P : public testing::Test {
  protected:
    void SetUp() override {
        if (!emulator::translate::hostObstacle().empty()) GTEST_SKIP() << "nothing is translated here";
    }
    static void load(LoneThread& t) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(kScatter.data());
        t.load(Code(bytes, bytes + sizeof kScatter), ~0u, {.architecture = &zetl::isa::xe::kXe3P, .base = kCodeAt});
    }
    static void give(Memory& memory, const Inputs& in) {
        memory.put(Memory::kArguments, kItems);
        for (std::uint32_t i = 0; i < kItems; ++i) {
            const std::uint32_t id = i ^ (in.idsRunOn ? 0u : 1u);
            memory.put(Memory::kArguments + kIdsAt + 2 * i, static_cast<std::uint16_t>(id));
            memory.put(Memory::kAt + 4 * i, (i * in.step + kItems - 1) % kItems);
            memory.put(Memory::kFrom + 4 * i, i / 2 + 1);  // the last index is that of the global size, if asked for
        }
    }
    void prepare(LoneThread& t, const Memory& memory, const Inputs& in, std::uint32_t index) {
        isa::Thread& thread = t.thread();
        thread.reset();
        thread.dispatched = ~0u;
        thread.runs = runs.data();
        thread.hostMode = mode_.current();
        thread.at<std::uint32_t>(8) = index | kInGroup << 24;
        const std::uint64_t arguments = memory.address(Memory::kArguments);
        std::memcpy(thread.grf(0) + 56, &arguments, sizeof arguments);
        const auto inLine = [&](std::uint32_t at, const auto& value) {
            std::memcpy(thread.grf(1) + at, &value, sizeof value);
        };
        inLine(0, arguments);
        inLine(28, kItems);  // of a group
        inLine(40, memory.address(Memory::kAt));
        inLine(48, memory.address(Memory::kFrom));
        inLine(56, memory.address(in.ontoArguments ? Memory::kArguments - 4 * (kItems - 1) : Memory::kTo));
    }
    void runAlone(LoneThread& t, const Memory& memory, const Inputs& in, std::uint32_t index) {
        prepare(t, memory, in, index);
        ASSERT_TRUE(t.thread().enter(t.program(), kCodeAt));
        isa::resume(t.thread(), isa::kQuantum, isa::Windows::kept);
        ASSERT_EQ(t.thread().status, isa::Status::done) << t.thread().fault.address;
    }
    /// The same memory and counts by steps and together. How many threads the group's function did, of all but the
    /// first.
    std::uint32_t compare(const Inputs& in) {
        LoneThread bySteps;
        LoneThread together;
        Memory expected(bySteps);
        Memory memory(together);
        for (LoneThread* t : {&bySteps, &together}) load(*t);
        give(expected, in);
        give(memory, in);
        runs.assign(bySteps.program().lineCount() + 1, 0);
        for (std::uint32_t i = 0; i < kInGroup; ++i) runAlone(bySteps, expected, in, i);
        const std::vector<std::int64_t> counted = std::exchange(runs, std::vector<std::int64_t>(runs.size()));
        report = emulator::translate::translateAnyway(together.program(), kCodeAt, kLanes,
                                                      emulator::translate::Registers::dropped);
        EXPECT_NE(report.group, nullptr);
        if (report.group == nullptr) return 0;
        runAlone(together, memory, in, 0);  // finds memory
        std::uint32_t done = 0;
        for (std::uint32_t i = 1; i < kInGroup; ++i) {
            prepare(together, memory, in, i);
            emulator::translate::GroupWork work{.first = i, .threads = kInGroup};
            report.group->run(together.thread(), work);
            const std::uint32_t next = work.groups == 0 ? kInGroup : work.first;
            done += next - i;
            i = next;
            if (i < kInGroup) runAlone(together, memory, in, i);
        }
        EXPECT_EQ(runs, counted);
        EXPECT_EQ(together.thread().traffic.globalRead, bySteps.thread().traffic.globalRead);
        EXPECT_EQ(together.thread().traffic.globalWritten, bySteps.thread().traffic.globalWritten);
        EXPECT_TRUE(memory.all == expected.all);
        return done;
    }

    emulator::translate::Report report;
    std::vector<std::int64_t> runs;  ///< of lines, as threads count them

  private:
    isa::FloatModeGuard mode_;
};

TEST_F(GroupOfXe3P, AddressesInS0AreKnown) {
    for (const std::uint32_t step : {1u, 3u, 37u}) EXPECT_EQ(compare({.step = step}), kInGroup - 1) << step;
    EXPECT_TRUE(report.group->linear);
}

TEST_F(GroupOfXe3P, IdsThatDoNotRunOnAreTakenOneByOne) {
    EXPECT_EQ(compare({.step = 5, .idsRunOn = false}), kInGroup - 1);
}

TEST_F(GroupOfXe3P, ArgumentsThatThreadsWriteAreReadAnew) { EXPECT_EQ(compare({.ontoArguments = true}), kInGroup - 1); }

}  // namespace
}  // namespace zetl::test::group_of_xe3p
