// Threads of a group that compute with the ids of their work-items, together and one after the other by steps.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/translate/executable_memory.h"
#include "emulator/translate/translation.h"
#include "lone_thread.h"

namespace zetl::test {

inline constexpr std::uint32_t kIdsBase = 0x10000;
inline constexpr std::uint32_t kIdThreads = 4;
inline constexpr std::uint32_t kIdBytes = 128;  // of a thread: two dimensions
inline constexpr std::size_t kAreaBytes = (0x10000 + kIdThreads * 16) * 4;

/// The ids in r1 and r2.
inline const std::string kBegin =
    "(W) and (1|M0) r10.0<1>:ud r0.4<0;1,0>:uw 0xFF:uw\n"
    "(W) shl (1|M0) r11.0<1>:ud r10.0<0;1,0>:ud 7:w\n"
    "send.ugm (1|M0) r1 r11 null:0 0xFF000000 0x6228E500\n"
    "(W) shl (1|M0) r10.1<1>:ud r10.0<0;1,0>:ud 4:w\n";
/// Stores the dwords of a register where sixteen for each thread lie behind the address in r5.
inline std::string storeOf(const std::string& reg) {
    return "add (16|M0) r20.0<1>:d r1.0<1;1,0>:uw r10.1<0;1,0>:d\n"
           "mov (16|M0) r22.0<2>:ud r20.0<1;1,0>:ud\n"
           "shl (16|M0) r24.0<1>:q r22.0<2;1,0>:ud 2:w\n"
           "add (16|M0) r26.0<1>:q r24.0<1;1,0>:q r5.0<0;1,0>:q\n"
           "send.ugm (16|M0) null r26 " +
           reg + ":1 0x0 0x04000584";
}

/// What the threads of a group are given.
struct Given {
    std::uint16_t x = 0;
    std::uint16_t y = 0;
    bool xRunsOn = true;
    bool yIsEqual = true;
    std::array<std::uint32_t, 8> uniform{};  ///< r5.2 and up
};

class GroupIds : public testing::Test {
  protected:
    void SetUp() override {
        if (!emulator::translate::hostObstacle().empty()) GTEST_SKIP() << "nothing is translated here";
    }
    void give(LoneThread& t, const Given& given) const {
        for (std::uint32_t thread = 0; thread < kIdThreads; ++thread)
            for (std::uint16_t lane = 0; lane < lanes; ++lane) {
                const auto put = [&](std::uint32_t at, std::uint32_t id) {
                    const auto word = static_cast<std::uint16_t>(id);
                    std::memcpy(t.payload.data() + thread * kIdBytes + at + lane * 2u, &word, sizeof word);
                };
                put(0, given.x + (given.xRunsOn ? lane : lane ^ 1u));
                put(64, given.y + (given.yIsEqual ? 0u : lane / 8u));
            }
    }
    void prepare(LoneThread& t, const Given& given, const std::vector<std::byte>& area, std::uint32_t index) {
        isa::Thread& thread = t.thread();
        thread.reset();
        thread.dispatched = lanes == 32 ? ~0u : 0xffff;
        thread.runs = runs.data();
        thread.at<std::uint32_t>(8) = index | kIdThreads << 24;
        const std::uint64_t address = LoneThread::addressOf(area);
        std::memcpy(thread.grf(5), &address, sizeof address);
        std::memcpy(thread.grf(5) + 8, given.uniform.data(), sizeof given.uniform);
    }
    void runAlone(LoneThread& t, const Given& given, const std::vector<std::byte>& area, std::uint32_t index) {
        prepare(t, given, area, index);
        t.thread().enter(t.program(), kIdsBase);
        isa::resume(t.thread(), isa::kQuantum, isa::Windows::kept);
        ASSERT_EQ(t.thread().status, isa::Status::done) << t.thread().fault.address;
    }

    /// Threads from the first to before the end. The first that the group's function did not do.
    std::uint32_t runTogether(LoneThread& t, std::uint32_t first, std::uint32_t end) const {
        emulator::translate::GroupWork work{.first = first, .threads = end};
        report.group->run(t.thread(), work);
        return work.groups == 0 ? end : work.first;
    }

    /// The same memory and counts by steps and together. How many threads the group's function did, of all but the
    /// first.
    std::uint32_t compare(const Code& code, const Given& given) {
        const std::uint32_t done = compareIfAny(code, given);
        EXPECT_NE(report.group, nullptr) << "no code for a group";
        return done;
    }
    std::uint32_t compareIfAny(const Code& code, const Given& given) {
        LoneThread bySteps;
        LoneThread together;
        for (LoneThread* t : {&bySteps, &together}) {
            t->load(code);
            give(*t, given);
        }
        std::vector<std::byte>& expected = bySteps.allocate(kAreaBytes);
        std::vector<std::byte>& area = together.allocate(kAreaBytes);
        for (std::size_t i = 0; i < kAreaBytes; ++i) area[i] = expected[i] = static_cast<std::byte>(i * 7 ^ i >> 12);
        runs.assign(bySteps.program().lineCount() + 1, 0);
        for (std::uint32_t i = 0; i < kIdThreads; ++i) runAlone(bySteps, given, expected, i);
        const std::vector<std::int64_t> counted = std::exchange(runs, std::vector<std::int64_t>(runs.size()));
        report = emulator::translate::translateAnyway(together.program(), kIdsBase, lanes,
                                                      emulator::translate::Registers::dropped);
        runAlone(together, given, area, 0);  // finds memory
        std::uint32_t done = 0;
        for (std::uint32_t i = 1; i < kIdThreads; ++i) {
            prepare(together, given, area, i);
            const std::uint32_t next = report.group == nullptr ? i : runTogether(together, i, kIdThreads);
            done += next - i;
            i = next;
            if (i < kIdThreads) runAlone(together, given, area, i);
        }
        EXPECT_TRUE(area == expected);
        EXPECT_EQ(runs, counted);
        EXPECT_EQ(together.thread().traffic.globalRead, bySteps.thread().traffic.globalRead);
        EXPECT_EQ(together.thread().traffic.globalWritten, bySteps.thread().traffic.globalWritten);
        return done;
    }

    std::uint8_t lanes = 16;  ///< of a thread, or 32
    emulator::translate::Report report;
    std::vector<std::int64_t> runs;  ///< of lines, as threads count them
};

}  // namespace zetl::test
