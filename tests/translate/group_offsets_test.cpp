// Threads of groups whose lanes reach memory by dwords that they loaded: gathered and scattered together as by each
// thread alone, whatever those dwords are and wherever the memory begins and ends.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>

#include "emulator/isa/code.h"
#include "emulator/translate/executable_memory.h"
#include "emulator/translate/held/offset_lanes.h"
#include "emulator/translate/translation.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

using emulator::translate::GroupWork;
using emulator::translate::Linear;
using emulator::translate::Offset;
using emulator::translate::OffsetLanes;

constexpr std::uint32_t kOffsetsBase = 0x10000;
constexpr std::uint32_t kOffsetThreads = 3;
constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kItems = 2 * kOffsetThreads * kLanes;  // of two groups
constexpr std::uint32_t kPayloadBytes = 128;                   // of a thread
// One allocation: what lanes go by, what they read, what they write.
constexpr std::size_t kIndexAt = 0;
constexpr std::size_t kDataAt = kIndexAt + kItems * 4;
constexpr std::size_t kDataBytes = 4096;
constexpr std::size_t kResultAt = kDataAt + kDataBytes;
constexpr std::size_t kResultBytes = 4096;
constexpr std::size_t kBytes = kResultAt + kResultBytes;

/// The number of the work-item in r20 and r21: groups of three threads of 32.
const std::string kItem =
    "(W) and (1|M0) r10.0<1>:ud r0.4<0;1,0>:uw 0xFF:uw\n"
    "(W) shl (1|M0) r11.0<1>:ud r10.0<0;1,0>:ud 7:w\n"
    "send.ugm (1|M0) r1 r11 null:0 0xFF000000 0x6228E500\n"
    "(W) mul (1|M0) r10.1<1>:ud r0.1<0;1,0>:ud 96:w\n"
    "add (32|M0) r20.0<1>:d r1.0<1;1,0>:uw r10.1<0;1,0>:d\n";
/// Addresses in r30 to r33, of elements of so many bytes by the dwords of two registers, behind the one in r5.
std::string addressesBy(int dwords, int shift, const char* begin) {
    const std::string low = std::to_string(dwords);
    const std::string high = std::to_string(dwords + 1);
    const std::string by = std::to_string(shift);
    return "mov (16|M0) r22.0<2>:ud r" + low + ".0<1;1,0>:ud\n" + "mov (16|M16) r24.0<2>:ud r" + high +
           ".0<1;1,0>:ud\n" + "shl (16|M0) r26.0<1>:q r22.0<2;1,0>:ud " + by + ":w\n" +
           "shl (16|M16) r28.0<1>:q r24.0<2;1,0>:ud " + by + ":w\n" + "add (16|M0) r30.0<1>:q r26.0<1;1,0>:q " + begin +
           "<0;1,0>:q\n" + "add (16|M16) r32.0<1>:q r28.0<1;1,0>:q " + begin + "<0;1,0>:q\n";
}
std::string loadTo(int reg) { return "send.ugm (32|M0) r" + std::to_string(reg) + " r30 null:0 0x0 0x08200580\n"; }
std::string longLoadTo(int reg) { return "send.ugm (32|M0) r" + std::to_string(reg) + " r30 null:0 0x0 0x08400780\n"; }
std::string storeOfRegister(int reg) {
    return "send.ugm (32|M0) null r30 r" + std::to_string(reg) + ":2 0x0 0x08000584\n";
}
std::string longStoreOf(int reg) { return "send.ugm (32|M0) null r30 r" + std::to_string(reg) + ":4 0x0 0x08000784\n"; }
/// What the items go by, in r40.
const std::string kIndex = kItem + addressesBy(20, 2, "r5.0") + loadTo(40);

/// By item, what it goes by.
using Index = std::function<std::uint32_t(std::uint32_t)>;
std::uint32_t same(std::uint32_t item) { return item; }
std::uint32_t apart(std::uint32_t item) { return item * 37 % 512; }

class GroupOffsets : public testing::Test {
  protected:
    void SetUp() override {
        if (!emulator::translate::hostObstacle().empty()) GTEST_SKIP() << "nothing is translated here";
    }
    /// Pointers to data and results are so many bytes away from where these are.
    std::int64_t dataAway = 0;
    std::int64_t resultsAway = 0;
    /// Of the allocation, less at its end.
    std::size_t missing = 0;
    /// In Thread::expected.
    std::uint64_t expectation = 0;

    bool idsRunOn = true;

    void load(LoneThread& t, const Code& code) const {
        t.load(code, ~0u);
        for (std::uint16_t i = 0; i < kOffsetThreads * kLanes; ++i) {
            const auto id = static_cast<std::uint16_t>(idsRunOn ? i : i ^ 1u);
            std::memcpy(t.payload.data() + i / kLanes * kPayloadBytes + i % kLanes * sizeof id, &id, sizeof id);
        }
    }
    void prepare(LoneThread& t, const std::vector<std::byte>& area, std::uint32_t group, std::uint32_t index) const {
        isa::Thread& thread = t.thread();
        thread.reset();
        thread.dispatched = ~0u;
        thread.at<std::uint32_t>(4) = group;
        thread.at<std::uint32_t>(8) = index | kOffsetThreads << 24;
        const std::uint64_t begin = LoneThread::addressOf(area);
        const std::array<std::uint64_t, 4> pointers{begin + kIndexAt,
                                                    begin + kDataAt + static_cast<std::uint64_t>(dataAway),
                                                    begin + kResultAt + static_cast<std::uint64_t>(resultsAway), 8};
        std::memcpy(thread.grf(5), pointers.data(), sizeof pointers);
        std::ranges::fill(thread.expected, expectation);
    }
    isa::Status runAlone(LoneThread& t, const std::vector<std::byte>& area, std::uint32_t group, std::uint32_t index) {
        prepare(t, area, group, index);
        t.thread().enter(t.program(), kOffsetsBase);
        isa::resume(t.thread(), isa::kQuantum, isa::Windows::kept);
        return t.thread().status;
    }
    /// Both groups, all but the first thread by the function for groups as far as that goes. How many it did.
    std::uint32_t compare(const std::string& text, const Index& index) {
        const Code code = assembleProgram(text);
        LoneThread bySteps;
        LoneThread together;
        std::array<std::vector<std::byte>*, 2> areas{};
        for (const auto& [t, area] : {std::pair(&bySteps, &areas[0]), std::pair(&together, &areas[1])}) {
            load(*t, code);
            *area = &t->allocate(kBytes - missing);
            for (std::size_t i = 0; i < (*area)->size(); ++i) (**area)[i] = static_cast<std::byte>(i * 7 ^ i >> 8);
            for (std::uint32_t i = 0; i < kItems; ++i) {
                const std::uint32_t value = index(i);
                std::memcpy((*area)->data() + kIndexAt + i * 4, &value, sizeof value);
            }
        }
        isa::Status last = isa::Status::done;
        for (std::uint32_t i = 0; i < 2 * kOffsetThreads && last == isa::Status::done; ++i)
            last = runAlone(bySteps, *areas[0], i / kOffsetThreads, i % kOffsetThreads);
        report = emulator::translate::translateAnyway(together.program(), kOffsetsBase, kLanes,
                                                      emulator::translate::Registers::dropped);
        if (report.group == nullptr || !report.group->linear) {
            ADD_FAILURE() << "no code for a group\n" << text;
            return 0;
        }
        std::uint32_t done = 0;
        isa::Status ended = runAlone(together, *areas[1], 0, 0);  // finds memory
        for (std::uint32_t next = 1; next < 2 * kOffsetThreads && ended == isa::Status::done;) {
            const std::uint32_t group = next / kOffsetThreads;
            GroupWork work{.first = next % kOffsetThreads, .threads = kOffsetThreads, .groups = 2 - group};
            prepare(together, *areas[1], group, work.first);
            report.group->run(together.thread(), work);
            const std::uint32_t stopped = (2 - work.groups) * kOffsetThreads + work.first;
            done += stopped - next;
            next = stopped;
            if (next == 2 * kOffsetThreads) break;
            ended = runAlone(together, *areas[1], next / kOffsetThreads, next % kOffsetThreads);
            ++next;
        }
        EXPECT_EQ(ended, last);
        if (last == isa::Status::faulted) {
            EXPECT_EQ(together.thread().fault.address - LoneThread::addressOf(*areas[1]),
                      bySteps.thread().fault.address - LoneThread::addressOf(*areas[0]));
        }
        EXPECT_TRUE(*areas[0] == *areas[1]) << text;
        return done;
    }

    static constexpr std::uint32_t kAll = 2 * kOffsetThreads - 1;
    emulator::translate::Report report;
};

std::string gathers(int shift) {
    return kIndex + addressesBy(40, shift, "r5.1") + loadTo(42) + addressesBy(20, 2, "r5.2") + storeOfRegister(42);
}
std::string scatters(int shift) { return kIndex + addressesBy(40, shift, "r5.2") + storeOfRegister(20); }

TEST_F(GroupOffsets, AreGatheredAndScatteredWhereverTheyLie) {
    for (const Index& index :
         {Index(same), Index(apart), Index([](std::uint32_t i) { return i / 2; }),
          Index([](std::uint32_t) { return 5u; }), Index([](std::uint32_t i) { return i % 32 == 31 ? 0 : i; }),
          Index([](std::uint32_t i) { return i % 32 == 5 ? 0 : i; })})
        for (int shift = 0; shift <= 3; ++shift) {
            EXPECT_EQ(compare(gathers(shift), index), kAll) << shift;
            EXPECT_EQ(compare(scatters(shift), index), kAll) << shift;
        }
}

TEST_F(GroupOffsets, OfElementsOfEightBytes) {
    const auto gathered = [](int shift) {
        return kIndex + addressesBy(40, shift, "r5.1") + longLoadTo(42) + addressesBy(20, 3, "r5.2") + longStoreOf(42);
    };
    const auto scattered = [](int shift) {
        return kIndex + "mov (16|M0) r42.0<1>:q r20.0<1;1,0>:d\nmov (16|M16) r44.0<1>:q r40.0<1;1,0>:d\n" +
               addressesBy(40, shift, "r5.2") + longStoreOf(42);
    };
    for (const Index& index : {Index(same), Index(apart), Index([](std::uint32_t) { return 5u; })})
        for (const int shift : {2, 3}) {
            EXPECT_EQ(compare(gathered(shift), index), kAll);
            EXPECT_EQ(compare(scattered(shift), index), kAll);
        }
}

TEST_F(GroupOffsets, MayNotReachBeyondTheAllocation) {
    const std::string text = gathers(2);
    // Behind the data lie the results; the last element is the allocation's last.
    constexpr std::uint32_t kLast = (kBytes - kDataAt) / 4 - 1;
    const auto at = [](std::uint32_t item, std::uint32_t value) {
        return Index([=](std::uint32_t i) { return i == item ? value : apart(i); });
    };
    EXPECT_EQ(compare(text, at(37, kLast)), kAll);
    for (const std::uint32_t item : {37u, 63u, 100u, 191u})
        for (const std::uint32_t value : {kLast + 1, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
            EXPECT_EQ(compare(text, at(item, value)), item / kLanes - 1) << item << " " << value;
            EXPECT_EQ(compare(scatters(2), at(item, value)), item / kLanes - 1) << item << " " << value;
        }
}

TEST_F(GroupOffsets, ThatRunOnMayNotReachBeyondItEither) {
    const auto from = [](std::uint32_t first) {
        return Index([=](std::uint32_t i) { return i < kLanes ? i : first + i % kLanes; });
    };
    constexpr std::uint32_t kLast = (kBytes - kDataAt) / 4 - kLanes;
    EXPECT_EQ(compare(gathers(2), from(kLast)), kAll);
    for (const std::uint32_t first : {kLast + 1, 0x7ffffff0u, 0x80000000u, 0xffffffe0u, 0xfffffff0u, 0xffffffffu})
        EXPECT_EQ(compare(gathers(2), from(first)), 0u) << first;
}

TEST_F(GroupOffsets, MayBeginOutsideTheAllocation) {
    const auto behind = [](std::uint32_t i) { return apart(i) + 0x4000; };
    dataAway = -0x10000;
    EXPECT_EQ(compare(gathers(2), behind), kAll);
    std::swap(dataAway, resultsAway);
    EXPECT_EQ(compare(scatters(2), behind), kAll);
}

TEST_F(GroupOffsets, ThatRunOnOverTheLastDwordDoNot) {
    constexpr std::uint32_t kFirst = 0xfffffff0;
    dataAway = -std::int64_t{kFirst} * 4;
    const auto over = [](std::uint32_t i) { return i < kLanes ? kFirst - kLanes + i : kFirst + i % kLanes; };
    EXPECT_EQ(compare(gathers(2), over), 0u);
}

/// Whose allocation is not the one that the message touched last, or is said to be larger than dwords reach.
TEST_F(GroupOffsets, OfOtherAllocationsAreLeftToTheSteps) {
    for (const std::string& text : {gathers(2), gathers(3), scatters(2)}) {
        LoneThread t;
        load(t, assembleProgram(text));
        std::array<std::vector<std::byte>*, 2> areas{&t.allocate(kBytes), &t.allocate(kBytes)};
        for (std::vector<std::byte>* area : areas) std::ranges::fill(*area, std::byte{0});
        report = emulator::translate::translateAnyway(t.program(), kOffsetsBase, kLanes,
                                                      emulator::translate::Registers::dropped);
        ASSERT_NE(report.group, nullptr);
        const auto stopsAt = [&](const std::vector<std::byte>& data) {
            GroupWork work{.first = 1, .threads = kOffsetThreads};
            prepare(t, *areas[0], 0, 1);
            for (const int pointer : {1, 2}) {
                const std::uint64_t begin = LoneThread::addressOf(data) + (pointer == 1 ? kDataAt : kResultAt);
                std::memcpy(t.thread().grf(5) + pointer * 8, &begin, sizeof begin);
            }
            report.group->run(t.thread(), work);
            return work.groups == 0 ? kOffsetThreads : work.first;
        };
        ASSERT_EQ(runAlone(t, *areas[0], 0, 0), isa::Status::done);
        EXPECT_EQ(stopsAt(*areas[0]), kOffsetThreads);
        EXPECT_EQ(stopsAt(*areas[1]), 1u);
        std::swap(areas[0], areas[1]);
        ASSERT_EQ(runAlone(t, *areas[0], 0, 0), isa::Status::done);
        EXPECT_EQ(stopsAt(*areas[0]), kOffsetThreads);
        EXPECT_EQ(stopsAt(*areas[1]), 1u);
    }
}

/// In an allocation that reaches further than the host's numbers.
TEST_F(GroupOffsets, OfTheUpperHalfAreAddedWithoutSign) {
    constexpr std::uint64_t kLarge = 13ull << 29;
    constexpr std::uint32_t kHigh = 0x80000000;
    void* const large =
        mmap(nullptr, kLarge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (large == MAP_FAILED) GTEST_SKIP() << "no address space";
    const std::span memory(static_cast<std::byte*>(large), kLarge);
    LoneThread t;
    load(t, assembleProgram(gathers(0)));
    report = emulator::translate::translateAnyway(t.program(), kOffsetsBase, kLanes,
                                                  emulator::translate::Registers::dropped);
    ASSERT_NE(report.group, nullptr);
    const isa::MemoryWindow window{
        .begin = reinterpret_cast<std::uint64_t>(large), .bytes = kLarge, .host = memory.data()};
    prepare(t, {}, 0, 0);
    const std::array<std::uint64_t, 3> pointers{window.begin + kIndexAt, window.begin + kDataAt,
                                                window.begin + kResultAt};
    std::memcpy(t.thread().grf(5), pointers.data(), sizeof pointers);
    for (auto* windows : {&t.thread().readable, &t.thread().writable}) std::ranges::fill(*windows, window);
    const std::uint32_t value = 77;
    std::memcpy(&memory[kIndexAt + 4 * 5], &kHigh, sizeof kHigh);
    std::memcpy(&memory[kDataAt + kHigh], &value, sizeof value);
    GroupWork work{.threads = 1};
    report.group->run(t.thread(), work);
    EXPECT_EQ(work.groups, 0u);
    EXPECT_EQ(std::memcmp(&memory[kResultAt + 4 * 5], &value, sizeof value), 0);
    munmap(large, kLarge);
}

TEST_F(GroupOffsets, AreFoundWhateverIsExpected) {
    for (const std::uint64_t expected : {std::uint64_t{1}, ~std::uint64_t{0}}) {
        expectation = expected;
        EXPECT_EQ(compare(gathers(2), apart), kAll);
    }
}

TEST_F(GroupOffsets, OfAShorterAllocationEndInASmallerOne) {
    missing = 64;
    EXPECT_EQ(compare(gathers(2), apart), kAll);
}

/// A line for each half: d are their dwords, s those spread, q lanes of 64 bits, a their addresses, l linear ones, g
/// others.
std::string halves(const std::string& line) {
    const std::map<char, std::array<const char*, 2>> registers{
        {'d', {"r40", "r41"}}, {'s', {"r22", "r24"}}, {'q', {"r26", "r28"}}, {'a', {"r30", "r32"}},
        {'l', {"r60", "r62"}}, {'m', {"M0", "M16"}},  {'g', {"r44", "r45"}}};
    std::string both;
    for (const std::size_t half : {0u, 1u})
        for (std::size_t i = 0; i < line.size(); ++i)
            line[i] == '%' ? both += registers.at(line[++i])[half] : both += line[i];
    return both;
}

/// What comes between a dword and the address that is made of it.
TEST_F(GroupOffsets, AreMadeBeforeTheirDwordsChange) {
    const std::string end = loadTo(42) + addressesBy(20, 2, "r5.2") + storeOfRegister(42);
    const std::string spread = halves("mov (16|%m) %s.0<2>:ud %d.0<1;1,0>:ud\n");
    const std::string shifted = halves("shl (16|%m) %q.0<1>:q %s.0<2;1,0>:ud 2:w\n");
    const std::string sums =
        "add (16|M0) r30.0<1>:q r26.0<1;1,0>:q r5.1<0;1,0>:q\n"
        "add (16|M16) r32.0<1>:q r5.1<0;1,0>:q r28.0<1;1,0>:q\n";
    for (const char* const between :
         {"mov (16|M0) r40.0<1>:ud r20.0<1;1,0>:ud\n", "mov (16|M16) r41.0<1>:ud r21.0<1;1,0>:ud\n",
          "xor (32|M0) r40.0<1>:ud r40.0<1;1,0>:ud 0x1:ud\n", "(W) mov (1|M0) r40.3<1>:ud r20.1<0;1,0>:ud\n",
          "(W) mov (1|M0) r22.2<1>:ud r20.1<0;1,0>:ud\n", "(W) mov (1|M0) r26.1<1>:uq r20.1<0;1,0>:ud\n",
          "(W) mov (8|M0) r30.0<1>:ud r20.0<1;1,0>:ud\n", "mov (16|M0) r22.1<2>:ud r20.0<1;1,0>:ud\n",
          "mov (16|M0) r44.0<1>:ud r22.0<2;1,0>:ud\n", "add (16|M0) r20.0<1>:d r22.0<2;1,0>:d 0:w\n",
          "mov (16|M0) r44.0<1>:q r26.0<1;1,0>:q\n"}) {
        for (const auto& text : {kIndex + between + spread + shifted + sums, kIndex + spread + between + shifted + sums,
                                 kIndex + spread + shifted + between + sums}) {
            for (const bool runOn : {true, false}) {
                idsRunOn = runOn;
                compare(text + end, same);
                compare(text + end, apart);
            }
        }
        if (HasFailure()) FAIL() << between;
    }
}

/// The number is computed, and others are wanted as long as it is.
TEST_F(GroupOffsets, KeepTheirNumberWhileOthersAreMade) {
    constexpr int kNumbers = 12;
    std::string made;
    std::string read;
    for (int i = 0; i < kNumbers; ++i) {
        const std::string number = "r14." + std::to_string(i);
        made += "(W) add (1|M0) " + number + "<1>:ud r10.0<0;1,0>:ud " + std::to_string(100 * i + 1) + ":w\n" +
                "(W) mul (1|M0) " + number + "<1>:ud " + number + "<0;1,0>:ud " + std::to_string(i + 3) + ":w\n";
        read += "xor (32|M0) r42.0<1>:ud r42.0<1;1,0>:ud " + number + "<0;1,0>:ud\n";
    }
    const std::string text = kIndex + halves("mov (16|%m) %s.0<2>:ud %d.0<1;1,0>:ud\n") +
                             halves("shl (16|%m) %q.0<1>:q %s.0<2;1,0>:ud 2:w\n") +
                             halves("add (16|%m) %q.0<1>:q %q.0<1;1,0>:q r5.3<0;1,0>:q\n") +
                             halves("add (16|%m) %a.0<1>:q %q.0<1;1,0>:q r5.1<0;1,0>:q\n") + made + loadTo(42) + read +
                             addressesBy(20, 2, "r5.2") + storeOfRegister(42);
    EXPECT_EQ(compare(text, apart), kAll);
}

TEST_F(GroupOffsets, LeaveWhatLiesBetweenThem) {
    const std::string text =
        kIndex + halves("mov (16|%m) %s.1<2>:ud %d.0<1;1,0>:ud\n") + halves("mov (16|%m) %s.0<2>:ud %d.0<1;1,0>:ud\n") +
        halves("mov (16|%m) %g.0<1>:ud %s.1<2;1,0>:ud\n") + addressesBy(20, 2, "r5.2") + storeOfRegister(44);
    EXPECT_EQ(compare(text, apart), kAll);
}

TEST_F(GroupOffsets, AreExtendedWithTheirSign) {
    for (const char* const type : {"d", "ud"}) {
        const std::string text = kIndex + halves(std::string("shl (16|%m) %q.0<1>:q %d.0<1;1,0>:") + type + " 1:w\n") +
                                 halves("mov (16|%m) %g.0<1>:ud %q.1<2;1,0>:ud\n") + addressesBy(20, 2, "r5.2") +
                                 storeOfRegister(44);
        EXPECT_EQ(compare(text, [](std::uint32_t i) { return i * 37 % 64 - 32; }), kAll) << type;
    }
}

TEST_F(GroupOffsets, OfOtherSumsAreVectors) {
    const std::string small = "and (32|M0) r40.0<1>:ud r40.0<1;1,0>:ud 0x1F:ud\n";
    const std::string spread = halves("mov (16|%m) %s.0<2>:ud %d.0<1;1,0>:ud\n");
    const std::string base = halves("add (16|%m) %a.0<1>:q %q.0<1;1,0>:q r5.1<0;1,0>:q\n");
    const auto shl = [](const char* from, int by) {
        return halves(std::string("shl (16|%m) %q.0<1>:q ") + from + " " + std::to_string(by) + ":w\n");
    };
    const char* const kSpread = "%s.0<2;1,0>:ud";
    const char* const kLong = "%q.0<1;1,0>:q";
    const std::string chains[] = {
        spread + shl(kSpread, 2) + shl(kLong, 2) + base,
        spread + shl(kSpread, 1) + shl(kLong, 1) + base,
        spread + shl(kSpread, 1) + halves("shl (16|%m) %q.0<1>:q %q.0<1;1,0>:q 0xFFFFFFFF:ud\n") + base,
        spread + shl(kSpread, 4) + base,
        spread + shl(kSpread, 6) + base,
        spread + shl(kSpread, 0) + halves("add (16|%m) %q.0<1>:q %q.0<1;1,0>:q r5.3<0;1,0>:q\n") + shl(kLong, 2) + base,
        spread + shl(kSpread, 2) + halves("add (16|%m) %q.0<1>:q %q.0<1;1,0>:q r5.3<0;1,0>:q\n") + base,
        spread + shl(kSpread, 2) + halves("add (16|%m) %q.0<1>:q %q.0<1;1,0>:q 64:w\n") + base,
        spread + shl(kSpread, 2) + halves("shl (16|%m) %l.0<1>:q r1.0<1;1,0>:uw 2:w\n") +
            halves("add (16|%m) %q.0<1>:q %q.0<1;1,0>:q %l.0<1;1,0>:q\n") + base,
        spread + shl(kSpread, 2) + halves("add (16|%m) %q.0<1>:q %q.0<1;1,0>:q %q.0<1;1,0>:q\n") + base,
        halves("shl (16|%m) %q.0<1>:q %d.0<1;1,0>:ud 2:w\n") + base,
        halves("shl (16|%m) %q.0<1>:q %d.0<1;1,0>:d 2:w\n") + base,
        halves("mov (16|%m) %q.0<1>:q %d.0<1;1,0>:d\n") + shl(kLong, 2) + base,
        halves("mov (16|%m) %q.0<1>:q %d.0<1;1,0>:ud\n") + shl(kLong, 2) + base,
        spread + halves("mov (16|%m) %q.0<1>:q %s.0<2;1,0>:d\n") + shl(kLong, 2) + base,
        spread + shl("%s.0<2;1,0>:d", 2) + base,
        halves("shl (16|%m) %q.0<1>:q %d.0<1;1,0>:d 1:w\n") +
            halves("add (16|%m) %q.0<1>:q %q.0<1;1,0>:q %q.0<1;1,0>:q\n") + base,
        // dwords of such lanes; those in whose place others go; a number of each thread
        spread + shl(kSpread, 2) + halves("mov (16|%m) %l.0<2>:ud %q.0<1;1,0>:ud\n") + shl("%l.0<2;1,0>:ud", 0) + base,
        "mov (16|M0) r64.0<1>:ud r41.0<1;1,0>:ud\n"
        "shl (16|M0) r40.0<1>:q r40.0<1;1,0>:ud 1:w\n"
        "shl (16|M16) r64.0<1>:q r64.0<1;1,0>:ud 1:w\n"
        "add (16|M0) r66.0<1>:q r40.0<1;1,0>:q r40.0<1;1,0>:q\n"
        "add (16|M16) r68.0<1>:q r64.0<1;1,0>:q r64.0<1;1,0>:q\n"
        "add (16|M0) r30.0<1>:q r66.0<1;1,0>:q r5.1<0;1,0>:q\n"
        "add (16|M16) r32.0<1>:q r68.0<1;1,0>:q r5.1<0;1,0>:q\n",
        "(W) add (1|M0) r12.0<1>:ud r10.0<0;1,0>:ud 0x1:ud\n"
        "xor (32|M0) r40.0<1>:ud r40.0<1;1,0>:ud r12.0<0;1,0>:ud\n" +
            spread + shl(kSpread, 2) + base,
        // a line's result where the next register's lanes are still to be read
        spread +
            "shl (16|M16) r28.0<1>:q r24.0<2;1,0>:ud 2:w\n"
            "shl (16|M0) r23.0<1>:q r22.0<2;1,0>:ud 2:w\n"
            "add (16|M0) r30.0<1>:q r23.0<1;1,0>:q r5.1<0;1,0>:q\n"
            "add (16|M16) r32.0<1>:q r28.0<1;1,0>:q r5.1<0;1,0>:q\n",
    };
    const std::string end = loadTo(42) + addressesBy(20, 2, "r5.2") + storeOfRegister(42);
    for (const std::string& chain : chains) {
        for (const bool runOn : {false, true}) {
            idsRunOn = runOn;
            EXPECT_EQ(compare(kIndex + small + chain + end, same), kAll);
            EXPECT_EQ(compare(kIndex + small + chain + end, apart), kAll);
        }
        dataAway = 256;  // negative ones are within as well
        compare(kIndex + chain + end, [](std::uint32_t i) { return i * 37 % 64 - 32; });
        dataAway = 0;
        if (HasFailure()) FAIL() << chain;
    }
}

/// Random lines that lead from loaded dwords to addresses, of which some go astray.
class RandomOffsets {
  public:
    explicit RandomOffsets(std::uint64_t seed) : random_(seed) {}

    std::string program() {
        std::string text =
            kIndex + "mov (32|M0) r42.0<1>:ud r20.0<1;1,0>:ud\nmov (32|M0) r44.0<1>:ud r20.0<1;1,0>:ud\n";
        text += "add (16|M0) r60.0<1>:q r20.0<1;1,0>:d 0:w\nadd (16|M0) r62.0<1>:q r20.0<1;1,0>:d 0:w\n";
        for (std::uint32_t loads = any(3); loads-- > 0;) text += chain() + loadTo(dwords());
        for (std::uint32_t lines = any(3); lines-- > 0;) text += line();
        return text + chain("r5.2") + storeOfRegister(dwords());
    }

  private:
    std::uint32_t any(std::uint32_t below) {
        return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
    }
    int dwords() { return 40 + 2 * static_cast<int>(any(3)); }
    std::string reg(int number) { return "r" + std::to_string(number); }
    /// To r30 to r33.
    std::string chain(const char* begin = "r5.1") {
        const int from = dwords();
        std::string text;
        // Within the memory, most of the time.
        if (any(8) != 0) text += "and (32|M0) " + reg(from) + ".0<1>:ud " + reg(from) + ".0<1;1,0>:ud 0xFF:ud\n";
        std::string whole = addressesBy(from, static_cast<int>(any(4)), begin);
        if (any(3) == 0)
            for (std::size_t at; (at = whole.find("<2;1,0>:ud")) != std::string::npos;)
                whole.replace(at, 10, "<2;1,0>:d");
        for (std::size_t end; (end = whole.find('\n')) != std::string::npos; whole.erase(0, end + 1)) {
            text += whole.substr(0, end + 1);
            if (any(6) == 0) text += line();
        }
        return text;
    }
    /// Reads or changes what a chain is made of.
    std::string line() {
        const int a = dwords();
        const int b = dwords();
        const int spread = 22 + 2 * static_cast<int>(any(2));
        switch (any(8)) {
            case 0:
                return "add (32|M0) " + reg(a) + ".0<1>:d " + reg(b) + ".0<1;1,0>:d 1:w\n";
            case 1:
                return "mov (16|M0) " + reg(a) + ".0<1>:ud " + reg(spread) + ".0<2;1,0>:ud\n";
            case 2:
                return "mov (16|M0) r60.0<1>:q " + reg(26 + 2 * static_cast<int>(any(2))) + ".0<1;1,0>:q\n";
            case 3:
                return "add (16|M0) r26.0<1>:q r26.0<1;1,0>:q 0:w\n";
            case 4:
                return "mov (16|M0) r62.0<2>:ud " + reg(a) + ".0<1;1,0>:ud\n";
            case 5:
                return "mov (16|M0) " + reg(a) + ".0<1>:d r60.0<2;1,0>:d\n";
            case 6:
                return "xor (32|M0) " + reg(a) + ".0<1>:ud " + reg(b) + ".0<1;1,0>:ud 0x3:ud\n";
            default:
                return "(W) mov (1|M0) " + reg(a) + "." + std::to_string(any(16)) + "<1>:ud r20.1<0;1,0>:ud\n";
        }
    }
    std::mt19937_64 random_;
};

TEST_F(GroupOffsets, OfRandomLinesAreAsByEachThreadAlone) {
    const char* const more = std::getenv("ZETL_TEST_RANDOM_PROGRAMS");
    const std::uint64_t count = more != nullptr ? std::strtoull(more, nullptr, 10) / 20 : 150;
    std::uint64_t done = 0;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        const std::string text = RandomOffsets(seed).program();
        for (const Index& index : {Index(same), Index(apart)}) done += compare(text, index);
        if (HasFailure()) FAIL() << "program " << seed << "\n" << text;
    }
    EXPECT_GE(done, count * kAll) << "most of them go astray";
}

TEST(OffsetLanes, SeveralThatGoOnFromEachOtherAreOne) {
    OffsetLanes held;
    const Linear base{.scalar = 3};
    held.hold({0x400, 8, 8, 16}, {0x100, 2, base});
    held.hold({0x480, 8, 8, 16}, {0x140, 2, base});
    const auto both = held.find({0x400, 8, 8, 32});
    ASSERT_TRUE(both);
    EXPECT_EQ(both->place, 0x100u);
    EXPECT_EQ(both->shift, 2u);
    EXPECT_EQ(held.numbers(), (std::vector<std::uint32_t>{3, 3}));
    for (const Offset& other :
         {Offset{0x144, 2, base}, Offset{0x140, 3, base}, Offset{0x140, 2, {}}, Offset{0x140, 2, base, true}}) {
        held.forget(held.overlapping({0x480, 8, 8, 16}).front());
        held.hold({0x480, 8, 8, 16}, other);
        EXPECT_FALSE(held.find({0x400, 8, 8, 32}));
        EXPECT_TRUE(held.find({0x480, 8, 8, 16}));
    }
    EXPECT_FALSE(held.find({0x400, 4, 8, 16}));
}

TEST(OffsetLanes, AreToldByWhereTheyLieAndByTheirDwords) {
    OffsetLanes held;
    held.hold({0x400, 8, 8, 16}, {0x100, 0, {}});
    EXPECT_EQ(held.overlapping({0x47f, 1, 1, 1}).size(), 1u);
    EXPECT_TRUE(held.overlapping({0x480, 1, 1, 1}).empty());
    EXPECT_EQ(held.madeOf({0x13f, 1, 1, 1}).size(), 1u);
    EXPECT_TRUE(held.madeOf({0x140, 1, 1, 1}).empty());
    isa::StateSlots dwords;
    held.addDwords(dwords);
    EXPECT_TRUE(dwords.contains(0x100));
    EXPECT_FALSE(dwords.contains(0x140));
    isa::StateSlots needed;
    needed.add(0x440, 64);
    held.keepOnly(needed);
    EXPECT_FALSE(held.overlapping({0x400, 8, 8, 16}).empty());
    held.keepOnly({});
    EXPECT_TRUE(held.overlapping({0x400, 8, 8, 16}).empty());
}

}  // namespace
}  // namespace zetl::test
