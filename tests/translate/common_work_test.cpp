// Threads of a group that take over from each other what they do alike: where that is, and that each does, counts and
// holds what it would alone.
#include "emulator/isa/common_work.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <random>

#include "emulator/isa/float_mode.h"
#include "emulator/translate/plan/common_part.h"
#include "emulator/translate/translation.h"
#include "lone_thread.h"
#include "support/effort.h"
#include "thread_difference.h"

namespace zetl::test {
namespace {

using emulator::translate::CommonPart;

constexpr std::uint32_t kCommonBase = 0x10000;
constexpr std::uint32_t kLineBytes = 16;
constexpr std::uint32_t kAlikeThreads = 4;
constexpr const char* kReadsNumber = "(W) add (1|M0) r90.0<1>:d r0.2<0;1,0>:d 1:w\n";
/// What threads hold when they end is lost, unless a block begins there.
constexpr const char* kEnd = "(W) jmpi 16\n";

/// Lines that are the same for all.
std::string alike(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += fmt::format("(W) add (1|M0) r20.{}<1>:d r20.{}<0;1,0>:d {}:w\n", i % 4, (i + 1) % 4, i + 3);
    return text;
}

std::optional<CommonPart> partOf(const isa::Program::Code& code) {
    return emulator::translate::findCommonPart(code, emulator::translate::surveyFrom(code, 0), 0, 32);
}

/// Threads that start with the same registers but for their number, one after the other: by steps each alone, and in
/// host code with what is common.
class AlikeThreads {
  public:
    /// The kernel that is translated may begin elsewhere than the threads.
    explicit AlikeThreads(const Code& code, isa::Line kernel = 0) {
        world_.load(code, ~0u, {.base = kCommonBase});
        world_.payload.resize(1024);
        for (std::size_t i = 0; i < world_.payload.size(); ++i) world_.payload[i] = static_cast<std::byte>(i * 37);
        stepsPayload_ = world_.payload;
        steps_ = isa::lower(code, {.base = kCommonBase});
        program_ = isa::lower(code, {.base = kCommonBase});
        emulator::translate::translateAnyway(*program_, kCommonBase + kernel * kLineBytes, 32,
                                             emulator::translate::Registers::dropped);
        stepRuns_.assign(steps_->lineCount() + 1, 0);
        runs_.assign(steps_->lineCount() + 1, 0);
    }

    /// With registers filled from that number on.
    void fill(std::uint32_t seed) { seed_ = seed; }

    /// All threads, with turns of so many instructions at least. In words what differs.
    std::string run(std::int64_t quantum = isa::kQuantum) { return run(quantum, quantum); }
    /// The first one's turns may be others.
    std::string run(std::int64_t first, std::int64_t others) {
        work_->forget();
        std::string list;
        for (std::uint32_t number = 0; number < kAlikeThreads; ++number) {
            const std::int64_t quantum = number == 0 ? first : others;
            const auto alone = begin(number, *steps_, stepRuns_);
            const auto together = begin(number, *program_, runs_);
            together->common = work_.get();
            for (int turn = 0; turn < kTurns; ++turn) {
                isa::resume(*alone, quantum);
                isa::resume(*together, quantum);
                if (alone->status == isa::Status::done) dropEnd(*alone, *together);
                if (const std::string what = difference(*alone, *together); !what.empty())
                    return fmt::format("{}thread {}, turn {}:{}", list, number, turn, what);
                if (alone->status != isa::Status::paused) break;
            }
        }
        for (std::size_t line = 0; line < runs_.size(); ++line)
            if (runs_[line] != stepRuns_[line])
                list += fmt::format(" runs at line {}: {} by steps, {} in common;", line, stepRuns_[line], runs_[line]);
        return list;
    }
    bool found() const { return work_->found != 0; }
    bool payloadsAreEqual() const { return stepsPayload_ == world_.payload; }
    const isa::CommonWork& work() const { return *work_; }
    /// One thread, with what another group has found.
    std::string runWith(const AlikeThreads& other) {
        const auto alone = begin(1, *steps_, stepRuns_);
        const auto together = begin(1, *program_, runs_);
        together->common = other.work_.get();
        isa::resume(*alone);
        isa::resume(*together);
        dropEnd(*alone, *together);
        return difference(*alone, *together);
    }
    std::optional<CommonPart> part() { return partOf(program_->code()); }
    std::int64_t runsOf(isa::Line line) const {
        std::int64_t count = 0;
        for (isa::Line i = 0; i <= line; ++i) count += runs_[i];
        return count;
    }

  private:
    static constexpr int kTurns = 40;

    std::unique_ptr<isa::Thread> begin(std::uint32_t number, const isa::Program& program,
                                       std::vector<std::int64_t>& runs) {
        auto thread = std::make_unique<isa::Thread>();
        thread->reset();
        std::mt19937 random(seed_);
        for (std::uint32_t at = 4 * 64; at < 128 * 64; at += 4)
            thread->at<std::uint32_t>(at) = random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : random() % 64;
        for (std::uint32_t flag = 0; flag < 4; ++flag)
            thread->at<std::uint32_t>(isa::layout::kFlags + flag * 4) = random() % 2 == 0 ? 0u : ~0u;
        reinterpret_cast<std::uint32_t*>(thread->grf(0))[2] = number;
        thread->dispatched = ~0u;
        thread->environment = &world_;
        thread->hostMode = mode_.current();
        thread->payload = &program == steps_.get() ? stepsPayload_ : world_.payload;
        thread->runs = runs.data();
        thread->enter(program, kCommonBase);
        return thread;
    }

    /// What the last block has written is lost in host code.
    static void dropEnd(isa::Thread& alone, isa::Thread& together) {
        constexpr std::uint32_t kMessage = 112;
        std::memcpy(together.grf(kMessage), alone.grf(kMessage), isa::layout::kRegisterBytes);
    }

    isa::FloatModeGuard mode_;
    LoneThread world_;
    std::unique_ptr<isa::Program> steps_;
    std::unique_ptr<isa::Program> program_;
    std::vector<std::byte> stepsPayload_;  // kernels may write there
    std::vector<std::int64_t> stepRuns_;
    std::vector<std::int64_t> runs_;
    std::uint32_t seed_ = 1;
    std::unique_ptr<isa::CommonWork> work_ = std::make_unique<isa::CommonWork>();
};

class CommonWorkTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!emulator::translate::hostObstacle().empty()) GTEST_SKIP() << "nothing is translated here";
    }
    /// A group whose program is these lines, all of which do the same by both ways. Whether a part was common.
    static void expectFound(const std::string& text) {
        AlikeThreads group(assembleProgram(text + kEnd));
        EXPECT_EQ(group.run(), "") << text;
        EXPECT_TRUE(group.found()) << text;
    }
    static void expectNone(const std::string& text) {
        AlikeThreads group(assembleProgram(text + kEnd));
        EXPECT_EQ(group.run(), "") << text;
        EXPECT_FALSE(group.part()) << text;
        EXPECT_FALSE(group.found()) << text;
    }
};

TEST_F(CommonWorkTest, BeginsBehindWhatTheNumberDecidesAndEndsBeforeIt) {
    AlikeThreads group(assembleProgram(kReadsNumber + alike(60) + kReadsNumber + kEnd));
    const auto part = group.part();
    ASSERT_TRUE(part);
    EXPECT_EQ(part->from, 1u);
    EXPECT_EQ(part->to, 61u);
    ASSERT_EQ(part->slots.size(), 1u);
    EXPECT_EQ(part->slots[0].place, 20u * 64);
    EXPECT_TRUE(part->slots[0].whole);
    EXPECT_FALSE(part->setsMode);
    EXPECT_EQ(group.run(), "");
    EXPECT_TRUE(group.found());
    EXPECT_EQ(group.runsOf(30), std::int64_t{kAlikeThreads});
}

// An implicit accumulator begins where the destination does, which may be in its second register.
TEST_F(CommonWorkTest, AccumulatorsBeyondTheirFirstRegisterAreTakenOver) {
    for (const char* const line : {"mach (8|M0) r30.8<1>:ud r10.0<8;8,1>:ud r11.0<8;8,1>:ud\n",
                                   "(W) addc (1|M0) r30.9<1>:ud r10.0<0;1,0>:ud r11.0<0;1,0>:ud\n"}) {
        AlikeThreads group(assembleProgram(alike(40) + line + alike(4) + kReadsNumber +
                                           "mach (8|M0) r31.8<1>:ud r12.0<8;8,1>:ud r13.0<8;8,1>:ud\n" + kEnd));
        EXPECT_EQ(group.run(), "") << line;
    }
}

// A kernel jumps into another one, of which the part is, with registers that are its own.
TEST_F(CommonWorkTest, IsOfThreadsThatBeginWhereTheKernelDoes) {
    constexpr isa::Line kOther = 2;
    AlikeThreads group(
        assembleProgram("(W) add (1|M0) r20.1<1>:d r0.2<0;1,0>:d 5:w\n(W) jmpi 16\n" + alike(40) + kReadsNumber + kEnd),
        kOther);
    EXPECT_EQ(group.run(), "");
}

TEST_F(CommonWorkTest, ArgumentsThatThreadsWriteAreEachOnes) {
    AlikeThreads group(
        assembleProgram("(W) mov (16|M0) r50.0<1>:ud 64:uw\n"
                        "send.ugm (1|M0) r52 r50 null:0 0xFF000000 0x6228E500\n" +
                        alike(40) + kReadsNumber +
                        "(W) add (16|M0) r52.0<1>:d r52.0<1;1,0>:d 1:w\n"
                        "send.ugm (1|M0) null r50 r52:2 0xFF000000 0x6208E504\n" +
                        kEnd));
    EXPECT_EQ(group.run(), "");
    EXPECT_TRUE(group.payloadsAreEqual());
}

/// What is found is reported without host code, in builds with sanitizers, too.
std::optional<CommonPart> partOf(const Code& code) { return partOf(isa::lower(code, {.base = kCommonBase})->code()); }

TEST(CommonPart, LoadsArgumentsBesideAKernelThatWritesThem) {
    const std::string address = "(W) mov (16|M0) r50.0<1>:ud 64:uw\n";
    const std::string load = "send.ugm (1|M0) r52 r50 null:0 0xFF000000 0x6228E500\n";
    const std::string store = "send.ugm (1|M0) null r50 r52:2 0xFF000000 0x6208E504\n";
    const Code reading = assembleProgram(address + load + alike(40) + kReadsNumber);
    Code both = reading;
    const Code writing = assembleProgram(address + store);
    both.insert(both.end(), writing.begin(), writing.end());
    const auto alone = partOf(reading);
    const auto beside = partOf(both);
    ASSERT_TRUE(alone && beside);
    EXPECT_EQ(beside->to, alone->to);
    EXPECT_GT(beside->to, 40u);
    EXPECT_FALSE(partOf(assembleProgram(address + load + alike(40) + store))) << "a kernel that writes them itself";
}

TEST(CommonPart, JumpsThatItDoesNotComeToMayLeadAnywhere) {
    std::string text = kReadsNumber + alike(20) + "(W) jmpi 32\n(W) jmpi 8000\n" + alike(20);
    for (int i = 0; i < 500; ++i) text += kReadsNumber;
    const auto part = partOf(assembleProgram(text));
    ASSERT_TRUE(part);
    EXPECT_EQ(part->to, 43u);
}

TEST(CommonPart, InstructionsOfMoreLanesThanThereAreEndIt) {
    constexpr std::size_t kLine = 30;
    Code code = assembleProgram(alike(60) + kReadsNumber);
    for (const unsigned width : {6u, 7u}) {  // of bits 18 to 20
        auto& byte = code[kLine * kLineBytes + 2];
        byte = (byte & ~std::byte{0x1c}) | std::byte(width << 2);
        const auto part = partOf(code);
        ASSERT_TRUE(part);
        EXPECT_EQ(part->to, 30u);
    }
}

TEST(CommonPart, RegionsOfFlagsMayReachAnywhere) {
    // Any two bits of the lines that read and write them are turned over.
    const Code code = assembleProgram(alike(30) + "(W) mov (32|M0) r22.0<1>:ud f3.0<16;8,2>:ud\n" +
                                      "(W) mov (32|M0) f3.0<4>:ud r22.0<0;1,0>:ud\n" + alike(30) + kReadsNumber);
    std::size_t tried = 0;
    std::size_t found = 0;
    for (std::size_t line = 30; line < 32; ++line)
        for (std::size_t bit = 0; bit < 8 * kLineBytes; ++bit)
            for (std::size_t other = bit; other < 8 * kLineBytes; other += test::effort(1, 7)) {
                Code turned = code;
                turned[line * kLineBytes + bit / 8] ^= std::byte{1} << bit % 8;
                if (other != bit) turned[line * kLineBytes + other / 8] ^= std::byte{1} << other % 8;
                const auto part = partOf(turned);
                ++tried;
                found += part ? 1 : 0;
                ASSERT_TRUE(!part || (part->to >= 30 && part->to <= 32))
                    << "bits " << bit << " and " << other << " of line " << line << " end it at " << part->to;
            }
    EXPECT_GT(found, tried * 95 / 100) << "only of jumps there may be none";
}

TEST_F(CommonWorkTest, ShortPartsDoNotPay) { expectNone(kReadsNumber + alike(20) + kReadsNumber); }

TEST_F(CommonWorkTest, WhatALaneOwnsStaysItsOwn) {
    // r21 is the thread's own but for one element.
    expectFound("mov (16|M0) r21.0<1>:d r0.2<0;1,0>:d\n" + alike(40) + "(W) mov (1|M0) r21.3<1>:w r20.1<0;1,0>:w\n" +
                "add (16|M0) r22.0<1>:d r21.0<1;1,0>:d r20.2<0;1,0>:d\n");
}

TEST_F(CommonWorkTest, WaysThatWriteMoreAreRemembered) {
    // r21 is the thread's own, but for elements 0 and 1 on one way, 2 on the other.
    const std::string text = "mov (16|M0) r21.0<1>:d r0.2<0;1,0>:d\n" + alike(20) +
                             "cmp (32|M0) (lt)f0.0 null<1>:d r30.0<0;1,0>:d r31.0<0;1,0>:d\n"
                             "(W&f0.0) jmpi 48\n"
                             "(W) mov (2|M0) r21.0<1>:d r30.0<1;1,0>:d\n"
                             "(W) jmpi 32\n"
                             "(W) mov (1|M0) r21.2<1>:d r31.0<0;1,0>:d\n" +
                             alike(20) + kReadsNumber + kEnd;
    AlikeThreads group(assembleProgram(text));
    const auto part = group.part();
    ASSERT_TRUE(part);
    EXPECT_EQ(part->detours.size(), 2u);
    std::uint32_t ways = 0;
    for (std::uint32_t seed = 1; seed < 12; ++seed) {
        group.fill(seed);
        ASSERT_EQ(group.run(), "");
        ASSERT_TRUE(group.found());
        ways |= 1u << (group.work().detours & 3);
    }
    EXPECT_EQ(ways, 1u << 1 | 1u << 2);
}

TEST_F(CommonWorkTest, LoopsAreCountedForAll) {
    const auto loop = [](int rounds) {
        return "(W) mov (1|M0) r30.0<1>:d 0:w\n(W) add (1|M0) r30.0<1>:d r30.0<0;1,0>:d 1:w\n" + alike(4) +
               fmt::format("cmp (32|M0) (lt)f1.0 null<1>:d r30.0<0;1,0>:d {}:w\n(W&f1.0) jmpi -96\n", rounds) +
               alike(40) + kReadsNumber;
    };
    expectFound(loop(10));
    AlikeThreads longer(assembleProgram(loop(30) + kEnd));  // more than is noted
    EXPECT_EQ(longer.run(), "");
    EXPECT_TRUE(longer.part());
    EXPECT_FALSE(longer.found());
}

TEST_F(CommonWorkTest, LinesThatRunAgainAreNoPart) {
    expectNone("(W) mov (1|M0) r91.0<1>:d 0:w\n(W) add (1|M0) r91.0<1>:d r91.0<0;1,0>:d 1:w\n" +
               std::string(kReadsNumber) + alike(40) + kReadsNumber +
               fmt::format("cmp (32|M0) (lt)f1.0 null<1>:d r91.0<0;1,0>:d 3:w\n(W&f1.0) jmpi {}\n", -44 * 16));
}

TEST_F(CommonWorkTest, ThreadsThatMustPauseDoAllThemselves) {
    const std::string text = kReadsNumber + alike(20) +
                             "cmp (32|M0) (lt)f0.0 null<1>:d r30.0<0;1,0>:d r31.0<0;1,0>:d\n"
                             "(W&f0.0) jmpi 32\n" +
                             alike(10) + "(W) jmpi 16\n" + alike(20) + kReadsNumber + kEnd;
    for (std::int64_t quantum = 0; quantum < 70; ++quantum) {
        AlikeThreads group(assembleProgram(text));
        ASSERT_EQ(group.run(quantum), "") << quantum;
        EXPECT_EQ(group.found(), quantum >= 34) << quantum;
    }
}

TEST_F(CommonWorkTest, ModesThatArePartOfItAreSet) {
    const std::string rounding = "(W) xor (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x30:uw\n";
    const std::string sum = "add (16|M0) r41.0<1>:f r42.0<1;1,0>:f r43.0<1;1,0>:f\n";
    const std::string reals = "(W) mov (16|M0) r42.0<1>:f 0x3f800000:f\n(W) mov (16|M0) r43.0<1>:f 0x30800000:f\n";
    expectFound(kReadsNumber + reals + rounding + alike(40) + kReadsNumber + sum + rounding);
    expectFound(kReadsNumber + reals + rounding + sum + alike(40) + rounding + kReadsNumber + sum);
}

TEST_F(CommonWorkTest, ArgumentsAreRead) {
    const std::string load =
        "(W) mov (1|M0) r50.0<1>:d 64:w\n"
        "send.ugm (1|M0) r52 r50 null:0 0xFF000000 0x6228E500\n";
    expectFound(load + alike(40) + "add (16|M0) r54.0<1>:d r52.0<1;1,0>:d r53.0<1;1,0>:d\n" + kReadsNumber);
    // Of those for each thread, which are not the same, one element is written.
    expectFound(
        "(W) shl (1|M0) r50.0<1>:d r0.2<0;1,0>:d 6:w\n"
        "send.ugm (1|M0) r52 r50 null:0 0xFF000000 0x6228E500\n" +
        alike(40) + "(W) mov (1|M0) r53.2<1>:d r20.0<0;1,0>:d\n" + kReadsNumber);
}

TEST_F(CommonWorkTest, AFaultOnTheWayLeavesNothing) {
    const std::string text = kReadsNumber + alike(30) + "(W) mov (1|M0) r50.0<1>:d 2000:w\n" +
                             "send.ugm (1|M0) r52 r50 null:0 0xFF000000 0x6228E500\n" + alike(30) + kReadsNumber + kEnd;
    AlikeThreads group(assembleProgram(text));
    EXPECT_TRUE(group.part());
    EXPECT_EQ(group.run(), "");
    EXPECT_FALSE(group.found());
    EXPECT_EQ(group.work().finder, nullptr);
}

TEST_F(CommonWorkTest, AnotherProgramTakesNothingOver) {
    AlikeThreads first(assembleProgram(kReadsNumber + alike(60) + kReadsNumber + kEnd));
    AlikeThreads second(assembleProgram(kReadsNumber + alike(40) + kReadsNumber + kEnd));
    ASSERT_EQ(first.run(), "");
    ASSERT_TRUE(first.found());
    EXPECT_EQ(second.runWith(first), "");
}

TEST_F(CommonWorkTest, ThreadsWithLessToGoPauseWhereTheyWould) {
    const std::string text =
        kReadsNumber + alike(20) + "(W) jmpi 16\n" + alike(10) + "(W) jmpi 16\n" + alike(20) + kReadsNumber + kEnd;
    for (std::int64_t quantum = 0; quantum < 70; ++quantum) {
        AlikeThreads group(assembleProgram(text));
        ASSERT_EQ(group.run(isa::kQuantum, quantum), "") << quantum;
        EXPECT_TRUE(group.found()) << quantum;
    }
}

TEST_F(CommonWorkTest, WaysAroundWhatIsOwnAreNoPart) {
    const std::string text = kReadsNumber + alike(40) +
                             "cmp (32|M0) (lt)f0.0 null<1>:d r30.0<0;1,0>:d r31.0<0;1,0>:d\n"
                             "(W&f0.0) jmpi 96\n" +
                             alike(3) + kReadsNumber + alike(1) + kEnd;
    AlikeThreads group(assembleProgram(text));
    const auto part = group.part();
    ASSERT_TRUE(part);
    EXPECT_EQ(part->to, 42u);  // the jump itself is outside
    for (std::uint32_t seed = 1; seed < 6; ++seed) {
        group.fill(seed);
        EXPECT_EQ(group.run(), "");
        EXPECT_TRUE(group.found());
    }
}

/// Flags that tell threads 0 and 1 from 2 and 3.
constexpr const char* kOwnFlag = "cmp (32|M0) (lt)f0.0 null<1>:d r0.2<0;1,0>:d 2:w\n";

TEST_F(CommonWorkTest, WhatOwnFlagsSelectIsOwn) {
    for (const char* const line :
         {"(W&f0.0) sel (1|M0) r22.0<1>:d r20.0<0;1,0>:d r20.1<0;1,0>:d\n",
          "(W&f0.0) mov (1|M0) r22.0<1>:d r20.0<0;1,0>:d\n", "(f0.0) mov (16|M0) r22.0<1>:d r20.0<0;1,0>:d\n",
          "(W) mov (1|M0) r22.0<1>:ud f0.0<0;1,0>:ud\n", "(W&f0.0) jmpi 32\n"})
        expectFound(kOwnFlag + alike(40) + line + alike(1) + kReadsNumber);
}

TEST_F(CommonWorkTest, SelectingTheLesserLeavesFlagsAsTheyAre) {
    expectFound(kOwnFlag + alike(40) + "sel (32|M0) (lt)f0.0 r24.0<1>:d r20.1<0;1,0>:d r20.2<0;1,0>:d\n" + alike(10) +
                "(W&f0.0) sel (1|M0) r22.0<1>:d r20.0<0;1,0>:d r20.1<0;1,0>:d\n");
}

TEST_F(CommonWorkTest, AccumulatorsArePartOfIt) {
    const std::string product = "(W) mul (1|M0) acc0.0<1>:ud r20.0<0;1,0>:ud r20.2<0;1,0>:uw\n";
    const std::string high = "(W) mach (1|M0) r23.0<1>:ud r20.0<0;1,0>:ud r20.1<0;1,0>:ud\n";
    const std::string own = "(W) mul (1|M0) acc0.0<1>:ud r0.2<0;1,0>:ud 3:uw\n";
    const std::string read = "(W) mov (8|M0) r24.0<1>:d acc0.0<1;1,0>:d\n";
    expectFound(kReadsNumber + product + alike(40) + kReadsNumber + high);
    expectFound(kReadsNumber + own + alike(40) + high + alike(3) + kReadsNumber);
    expectFound(kReadsNumber + own + alike(40) + read + alike(3) + kReadsNumber);
    for (const char* const wide : {"(W) mul (16|M0) acc0.0<1>:d r20.0<0;1,0>:d r20.2<0;1,0>:uw\n",
                                   "(W) mul (8|M0) acc1.0<1>:d r20.0<0;1,0>:d r20.2<0;1,0>:uw\n"})
        expectFound(kReadsNumber + alike(30) + wide + alike(3) + kReadsNumber);
}

/// Programs of lines that compilers write where they work out what all threads need, with ways around some of them.
class RandomCommonWork : public CommonWorkTest {
  protected:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
    std::string elementOf(std::uint32_t number, std::uint32_t bytes) {
        return fmt::format("r{}.{}", number, below(64 / bytes / 4) * (below(2) + 1));
    }
    /// r27 is a thread's own at first, and seldom read.
    std::string element(std::uint32_t bytes) { return elementOf(20 + below(below(80) == 0 ? 8 : 7), bytes); }
    std::string result(std::uint32_t bytes) { return elementOf(20 + below(8), bytes); }
    std::string line(std::uint32_t left) {
        static constexpr std::uint32_t kWidths[] = {1, 1, 1, 1, 2, 4, 8, 16};
        static constexpr const char* kOperations[] = {"add", "mul", "and", "or", "xor", "shl", "shr", "avg"};
        const std::uint32_t width = kWidths[below(8)];
        const std::uint32_t flag = below(4);
        const char* const region = below(3) == 0 || width == 1 ? "<0;1,0>" : "<1;1,0>";
        const auto mask = [&] { return below(6) == 0 ? "" : "(W) "; };
        switch (below(24)) {
            case 0:
                return fmt::format("(W) add (1|M0) {}<1>:d r0.2<0;1,0>:d {}<0;1,0>:d\n", result(4), element(4));
            case 1:
            case 2:
                return fmt::format("cmp (32|M0) (lt)f{}.0 null<1>:d {}<0;1,0>:d {}<0;1,0>:d\n", flag, element(4),
                                   element(4));
            case 3:
                return fmt::format("(W) cmp ({}|M0) (eq)f{}.0 null<1>:w {}{}:w 3:w\n", width, flag, element(2), region);
            case 4:
            case 5:
                return left < 3 ? alike(1)
                                : fmt::format("(W&{}f{}.0) jmpi {}\n", below(2) == 0 ? "~" : "", flag,
                                              kLineBytes * (2 + below(std::min(left - 2, 9u))));
            case 6:
                return left < 3 || below(3) != 0 ? alike(1)
                                                 : fmt::format("(W) jmpi {}\n", kLineBytes * (2 + below(left - 2) % 4));
            case 7:
                return fmt::format("(W&f{}.0) sel (1|M0) {}<1>:d {}<0;1,0>:d {}<0;1,0>:d\n", flag, result(4),
                                   element(4), element(4));
            case 8:
                return fmt::format("({}f{}.0) mov ({}|M0) {}<1>:d {}{}:d\n", below(2) == 0 ? "~" : "", flag, width,
                                   result(4), element(4), region);
            case 9:
                return fmt::format("{}mov (1|M0) {}<1>:q {}<0;1,0>:ud\n", mask(), result(8), element(4));
            case 10:
                return fmt::format("(W) add (1|M0) {}<1>:q {}<0;1,0>:q {}<0;1,0>:q\n", result(8), element(8),
                                   element(8));
            case 11:
                return "(W) xor (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x30:uw\n";
            case 12:
                return fmt::format("(W) add ({}|M0) {}<1>:f {}{}:f {}{}:f\n", width, result(4), element(4), region,
                                   element(4), region);
            case 13:
                return fmt::format("(W) mov (1|M0) {}<1>:ud f{}.0<0;1,0>:ud\n", result(4), flag);
            case 14:
                return fmt::format("(W) or (1|M0) f{}.0<1>:ud f{}.0<0;1,0>:ud {}<0;1,0>:ud\n", flag, below(4),
                                   element(4));
            case 15:
                return fmt::format("(W) mul (1|M0) acc0.0<1>:ud {}<0;1,0>:ud {}<0;1,0>:uw\n", element(4), element(2));
            case 16:
                return fmt::format("(W) {} (1|M0) {}<1>:ud {}<0;1,0>:ud {}<0;1,0>:ud\n",
                                   below(2) == 0 ? "macl" : "mach", result(4), element(4), element(4));
            case 17:
                return fmt::format("(W) mov ({}|M0) {}<{}>:b {}{}:b\n", width, result(1), below(2) + 1, element(1),
                                   region);
            default:
                return fmt::format("{}{} ({}|M0) {}<1>:d {}{}:d {}{}:d\n", mask(), kOperations[below(8)], width,
                                   result(4), element(4), region, element(4), region);
        }
    }
    std::string program() {
        std::string text = below(2) == 0 ? kReadsNumber : "(W) mov (16|M0) r27.0<1>:d r0.2<0;1,0>:d\n";
        const std::uint32_t lines = 40 + below(80);
        for (std::uint32_t i = 0; i < lines; ++i) text += line(lines - i);
        return text + kReadsNumber + kEnd;
    }

    std::mt19937_64 random_{20261127};
};

TEST_F(RandomCommonWork, DoesWhatEachThreadDoesAlone) {
    const char* more = std::getenv("ZETL_TEST_RANDOM_PROGRAMS");
    const int count = (more != nullptr ? std::atoi(more) : 3000) / 5;
    constexpr int kAtOnce = 200;  // assembled at once
    int found = 0;
    int byDetours = 0;
    for (int first = 0; first < count; first += kAtOnce) {
        std::vector<std::string> texts;
        std::string all;
        for (int k = 0; k < kAtOnce; ++k) all += texts.emplace_back(program());
        const Code code = assemble(all);
        const Code end = assembleProgram("");
        std::size_t at = 0;
        for (const std::string& text : texts) {
            const auto bytes = static_cast<std::size_t>(std::ranges::count(text, '\n')) * kLineBytes;
            Code own(code.begin() + static_cast<std::ptrdiff_t>(at),
                     code.begin() + static_cast<std::ptrdiff_t>(at + bytes));
            at += bytes;
            own.insert(own.end(), end.begin(), end.end());
            AlikeThreads group(own);
            group.fill(below(1000));
            ASSERT_EQ(group.run(below(3) == 0 ? below(120) : isa::kQuantum), "") << text;
            found += group.found();
            byDetours += group.found() && group.work().detours != 0;
        }
    }
    EXPECT_GT(found, count / 10);
    EXPECT_GT(byDetours, count / 100);
    RecordProperty("found", found);
    RecordProperty("detours", byDetours);
}

}  // namespace
}  // namespace zetl::test
