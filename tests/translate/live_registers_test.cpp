// Registers that nobody reads any more where a block ends: which these are, and that threads do without them what they
// do by steps.
#include "emulator/translate/plan/live_registers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "emulator/translate/translation.h"
#include "lone_thread.h"
#include "support/effort.h"
#include "thread_difference.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kLiveBase = 0x10000;
/// Stores 32 dwords from r28 on at the addresses in r60 to r63.
constexpr const char* kStore = "send.ugm (32|M0) null r60 r28:2 0x0 0x08000584\n";

/// Whether r20 may be read behind the first line of a program, which goes on at the next.
bool isLiveBefore(const std::string& text) {
    const auto program = isa::lower(assembleProgram("jmpi 16\n" + text), {.base = kLiveBase});
    const auto& code = program->code();
    const emulator::translate::LiveRegisters live(code, emulator::translate::surveyFrom(code, 0));
    const isa::StateSlots* const slots = live.behind(0);
    return slots == nullptr || slots->contains(20 * isa::layout::kRegisterBytes);
}

TEST(LiveRegisters, AreThoseThatAreReadBeforeTheyAreWritten) {
    EXPECT_FALSE(isLiveBefore(""));
    EXPECT_TRUE(isLiveBefore("mov (16|M0) r21.0<1>:d r20.0<1;1,0>:d\n"));
    EXPECT_FALSE(isLiveBefore("mov (16|M0) r20.0<1>:d r21.0<1;1,0>:d\nmov (16|M0) r21.0<1>:d r20.0<1;1,0>:d\n"));
    EXPECT_TRUE(isLiveBefore("(f0.0) mov (16|M0) r20.0<1>:d 1:w\nmov (16|M0) r21.0<1>:d r20.0<1;1,0>:d\n"));
    EXPECT_TRUE(isLiveBefore("mov (8|M0) r20.0<1>:d 1:w\nmov (16|M0) r21.0<1>:d r20.0<1;1,0>:d\n"));
    EXPECT_TRUE(isLiveBefore("mov (16|M0) r20.0<2>:w 1:w\nmov (16|M0) r21.0<1>:d r20.0<1;1,0>:d\n"));
}

TEST(LiveRegisters, LanesHideOnlyWhatTheyReadThemselves) {
    const std::string own = "mov (16|M0) r20.0<1>:d 1:w\n";
    EXPECT_FALSE(isLiveBefore(own + "mov (16|M0) r21.0<1>:w r20.0<2;1,0>:w\n"));
    EXPECT_TRUE(isLiveBefore(own + "mov (16|M0) r21.0<1>:d r20.0<0;1,0>:d\n"));
    EXPECT_TRUE(isLiveBefore(own + "mov (16|M16) r21.0<1>:d r20.0<1;1,0>:d\n"));
    EXPECT_TRUE(isLiveBefore(own + "(W) mov (16|M0) r21.0<1>:d r20.0<1;1,0>:d\n"));
    EXPECT_FALSE(isLiveBefore("(W) " + own + "(W) mov (16|M0) r21.0<1>:d r20.0<1;1,0>:d\n"));
}

TEST(LiveRegisters, AreThoseOfAllWays) {
    const std::string reads = "mov (16|M0) r21.0<1>:d r20.0<1;1,0>:d\n";
    const std::string writes = "(W) mov (16|M0) r20.0<1>:d 1:w\n";
    EXPECT_TRUE(isLiveBefore("(W&f0.0) jmpi 32\n" + writes + reads)) << "past the write";
    EXPECT_FALSE(isLiveBefore("(W&f0.0) jmpi 32\n" + writes + writes + reads)) << "both ways write";
    EXPECT_TRUE(isLiveBefore("mov (16|M0) r21.0<1>:d 1:w\n" + reads + "(W&f0.0) jmpi -32\n")) << "in a loop";
    EXPECT_TRUE(isLiveBefore("mov (16|M0) r21.0<1>:d 1:w\n(f0.0) goto (16|M0) L1 L1\n" + writes +
                             "L1:\njoin (16|M0) L2\nL2:\n" + reads));
}

TEST(LiveRegisters, AreNotAllBeforeAFenceOrBarrier) {
    EXPECT_FALSE(isLiveBefore("(W) send.slm (1|M0) r12 r10 null:0 0x0 0x0210011F\n")) << "a fence";
    const std::string barrier = "(W) send.gtwy (1|M0) null r20 null:0 0x0 0x02000004\n";
    EXPECT_TRUE(isLiveBefore(barrier));
    EXPECT_FALSE(isLiveBefore("(W) mov (1|M0) r20.2<1>:d 0:w\n" + barrier));
}

TEST(LiveRegisters, AreThoseThatAShuffleMayRead) {
    const std::string shuffle =
        "and (16|M0) r17.0<1>:uw r16.0<2;1,0>:uw 15:uw\nshl (16|M0) r17.0<1>:uw r17.0<1;1,0>:uw 2:w\n"
        "add (16|M0) a0.0<1>:uw r17.0<1;1,0>:uw {}:uw\nmov (16|M0) r21.0<1>:d r[a0.0]<1,0>:d\n";
    EXPECT_FALSE(isLiveBefore(fmt::format(fmt::runtime(shuffle), 19 * isa::layout::kRegisterBytes)));
    EXPECT_TRUE(isLiveBefore(fmt::format(fmt::runtime(shuffle), 20 * isa::layout::kRegisterBytes)));
    EXPECT_FALSE(isLiveBefore(fmt::format(fmt::runtime(shuffle), 21 * isa::layout::kRegisterBytes)));
}

TEST(LiveRegisters, AreAllWhereItCannotBeTold) {
    const std::string writes = "(W) mov (16|M0) r21.0<1>:d 1:w\n";
    EXPECT_TRUE(isLiveBefore("mov (16|M0) r21.0<1>:ud r[a0.0]<1;1,0>:ud\n"));
    EXPECT_TRUE(isLiveBefore(writes + "ret (16|M0) r10.0\n"));
    EXPECT_TRUE(isLiveBefore(writes + "(W) goto (16|M0) L1 L1\nL1:\njoin (16|M0) L2\nL2:\n"));
}

/// Whether what the line, the number of which is given, leaves of lanes that are off is not read.
bool losesOthers(const std::string& text, isa::Line line) {
    const auto program = isa::lower(assembleProgram(text), {.base = kLiveBase});
    const auto& code = program->code();
    return emulator::translate::LiveRegisters(code, emulator::translate::surveyFrom(code, 0)).losesOthers(line);
}

TEST(LiveRegisters, LinesLoseWhatOnlyLanesReadThatWroteIt) {
    const std::string writes = "mov (16|M0) r20.0<1>:d 1:w\n";
    EXPECT_TRUE(losesOthers(writes + "mov (16|M0) r21.0<1>:d r20.0<1;1,0>:d\n", 0));
    EXPECT_TRUE(losesOthers(writes, 0)) << "nobody reads it";
    EXPECT_FALSE(losesOthers(writes + "(W) mov (16|M0) r21.0<1>:d r20.0<1;1,0>:d\n", 0));
    EXPECT_FALSE(losesOthers(writes + "mov (16|M0) r21.0<1>:d r20.0<0;1,0>:d\n", 0));
    EXPECT_FALSE(losesOthers(writes + "mov (16|M16) r21.0<1>:d r20.0<1;1,0>:d\n", 0));
    EXPECT_FALSE(losesOthers("(W) " + writes, 0)) << "that is for all lanes";
    EXPECT_FALSE(losesOthers("(f0.0) " + writes, 0)) << "lanes that are on may not write it";
}

TEST(LiveRegisters, LinesKeepWhatWaitingLanesRead) {
    const std::string reads = "mov (16|M0) r21.0<1>:d r20.0<1;1,0>:d\n";
    const std::string begin = "(f0.0) goto (16|M0) L1 L1\nmov (16|M0) r20.0<1>:d 1:w\n";
    const std::string join = "L1:\njoin (16|M0) L2\nL2:\n";
    EXPECT_TRUE(losesOthers(begin + reads + join, 1));
    EXPECT_FALSE(losesOthers(begin + reads + join + reads, 1));
    EXPECT_TRUE(losesOthers(begin + reads + join + "mov (16|M0) r20.0<1>:d 2:w\n" + reads, 1));
    EXPECT_FALSE(losesOthers(begin + reads + join + "ret (16|M0) r10.0\n", 1));
}

/// Bytes of the host code of a program, and of one that stores all registers.
struct CodeBytes {
    explicit CodeBytes(const std::string& text)
        : needed(of(text, Registers::needed)), all(of(text, Registers::dropped)) {}

    std::size_t needed;
    std::size_t all;

  private:
    using Registers = emulator::translate::Registers;
    static std::size_t of(const std::string& text, Registers registers) {
        const auto program = isa::lower(assembleProgram(text), {.base = kLiveBase});
        return emulator::translate::translateAnyway(*program, kLiveBase, 32, registers).codeBytes;
    }
};

/// So many that their bytes are more than those by which a function's end is aligned.
constexpr int kLines = 24;

/// Lines that write registers from r40 on, a branch, and lines that read as many.
std::string writtenBeforeABranch(int firstRead) {
    std::string written;
    std::string read;
    for (int i = 0; i < kLines; ++i) {
        written += fmt::format("mov (16|M0) r{}.0<1>:d {}:w\n", 40 + i, i);
        read += fmt::format("add (16|M0) r28.0<1>:d r28.0<1;1,0>:d r{}.0<1;1,0>:d\n", firstRead + i);
    }
    return written + "(W) jmpi 16\n" + read + kStore;
}

TEST(LiveRegisters, OthersAreNotStoredWhereABlockEnds) {
    if (!emulator::translate::hostObstacle().empty()) GTEST_SKIP() << emulator::translate::hostObstacle();
    const auto saved = [](const std::string& text) {
        const CodeBytes bytes(text);
        return bytes.all - bytes.needed;
    };
    EXPECT_GT(saved(writtenBeforeABranch(70)), saved(writtenBeforeABranch(40)) + kLines * 4);
}

TEST(LiveRegisters, EndWithTheirLastLine) {
    const std::string text =
        "mov (16|M0) r21.0<1>:d 1:w\n"
        "add (16|M0) r22.0<1>:d r21.0<1;1,0>:d 1:w\n"
        "add (16|M0) r23.0<1>:d r21.0<1;1,0>:d r22.0<1;1,0>:d\n"
        "mov (16|M0) r28.0<1>:d r23.0<1;1,0>:d\n";
    const auto program = isa::lower(assembleProgram(text + kStore), {.base = kLiveBase});
    const emulator::translate::LiveRegisters live(program->code(), emulator::translate::surveyFrom(program->code(), 0));
    const auto endingAt = [&](isa::Line line) {
        std::vector<std::uint32_t> registers;
        for (const std::uint32_t place : live.endingAt(line)) registers.push_back(place / isa::layout::kRegisterBytes);
        return registers;
    };
    EXPECT_EQ(endingAt(0), std::vector<std::uint32_t>());
    EXPECT_EQ(endingAt(1), std::vector<std::uint32_t>());
    EXPECT_EQ(endingAt(2), (std::vector<std::uint32_t>{21, 22}));
    EXPECT_EQ(endingAt(3), std::vector<std::uint32_t>{23});
}

TEST(LiveRegisters, AccumulatorsOfProductsAreNotWrittenForNobody) {
    if (!emulator::translate::hostObstacle().empty()) GTEST_SKIP() << emulator::translate::hostObstacle();
    const std::string product =
        "(W) mul (16|M0) acc0.0<1>:ud r22.0<1;1,0>:ud 0xAAAB:uw\n"
        "mach (16|M0) r28.0<1>:ud r22.0<1;1,0>:ud 0xAAAAAAAB:ud\n"
        "(W) jmpi 16\n";
    const auto saved = [](const std::string& text) {
        const CodeBytes bytes(text);
        return bytes.all - bytes.needed;
    };
    const std::size_t ofRead = saved(product + "mov (16|M0) r29.0<1>:d acc0.0<1;1,0>:d\n" + kStore);
    EXPECT_GT(saved(product + kStore), ofRead + 40) << "the first line is left out, and stores of the second";
}

/// More registers than the host has, each of which is read once, in the order in which they were written.
TEST(LiveRegisters, OthersAreNotStoredWhereRegistersAreShort) {
    if (!emulator::translate::hostObstacle().empty()) GTEST_SKIP() << emulator::translate::hostObstacle();
    std::string text;
    for (int i = 0; i < 40; ++i)
        text += fmt::format("mov (16|M0) r{}.0<1>:d {}:w\nadd (16|M0) r28.0<1>:d r28.0<1;1,0>:d r{}.0<1;1,0>:d\n",
                            40 + i, i, 40 + i);
    const CodeBytes bytes(text + kStore);
    EXPECT_LT(bytes.needed + 30 * 6, bytes.all);
}

/// Programs of a loop with ways on which lanes part and meet again; what is in two registers is stored at its end.
class BranchingPrograms {
  public:
    std::string text() {
        std::string text = "Top:\n";
        registers_ = below(2) == 0 ? 10 : 36;  // or more than the host has
        const int parts = 2 + below(4);
        for (int part = 0; part < parts; ++part) {
            text += lines();
            text += parted(part);
        }
        text += lines();
        text += "(W) add (1|M0) r5.0<1>:d r5.0<0;1,0>:d -1:w\n";
        text += "(W) cmp (1|M0) (gt)f2.0 null<1>:d r5.0<0;1,0>:d 0:w\n(W&f2.0) jmpi Top\n";
        return text + kStore;
    }
    int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }

  private:
    std::string parted(int part) {
        const std::string name = fmt::format("L{}", part);
        if (below(3) == 0) return fmt::format("(W&f1.0) jmpi {}\n{}{}:\n", name, lines(), name);
        return fmt::format("({}) goto (32|M0) {} {}\n{}{}:\njoin (32|M0) {}e\n{}e:\n", below(2) == 0 ? "f0.0" : "~f0.0",
                           name, name, lines(), name, name, name);
    }
    std::string lines() {
        std::string text;
        for (int left = 1 + below(registers_ / 2); left > 0; --left) text += below(9) == 0 ? shuffle() : line();
        return text;
    }
    /// Lanes of some registers, in an order that others say; now and then with lines between.
    std::string shuffle() {
        const auto masked = [&](const std::string& rest) {
            const std::string mask =
                std::vector<std::string>{"", "", "(W) ", "(f0.0) "}[static_cast<unsigned>(below(4))];
            return mask + rest + (below(4) == 0 ? line() : "");
        };
        return masked(fmt::format("and (16|M0) r16.0<1>:uw r{}.0<2;1,0>:uw {}:uw\n", reg(), 15 << below(3))) +
               masked("shl (16|M0) r17.0<1>:uw r16.0<1;1,0>:uw 2:w\n") +
               masked(fmt::format("add (16|M0) a0.0<1>:uw r17.0<1;1,0>:uw {}:uw\n", 64 * reg())) +
               masked(fmt::format("mov (16|M0) r{}.0<1>:d r[a0.0]<1,0>:d\n", reg()));
    }
    int reg() { return 20 + below(registers_); }
    std::string line() {
        const std::string mask =
            std::vector<std::string>{"", "", "", "(W) ", "(f0.0) "}[static_cast<unsigned>(below(5))];
        switch (below(12)) {
            case 0:
                return fmt::format("{}add (16|M0) r{}.0<1>:d r{}.0<1;1,0>:d r{}.0<1;1,0>:d\n", mask, reg(), reg(),
                                   reg());
            case 1:
                return fmt::format("{}xor (16|M16) r{}.0<1>:d r{}.0<1;1,0>:d {}:w\n", mask, reg(), reg(), below(99));
            case 2:
                return fmt::format("{}mov (16|M0) r{}.0<1>:q r{}.0<1;1,0>:d\n", mask, reg(), reg());
            case 3:
                return fmt::format("{}mov (16|M0) r{}.0<1>:d r{}.0<2;1,0>:d\n", mask, reg(), reg());
            case 4:
                return fmt::format("{}mov (16|M0) r{}.{}<2>:w r{}.0<1;1,0>:w\n", mask, reg(), below(2), reg());
            case 5:
                return fmt::format("(W) mov (1|M0) r{}.{}<1>:d r{}.{}<0;1,0>:d\n", reg(), below(16), reg(), below(16));
            case 6:
                return fmt::format("cmp (32|M0) (lt)f0.0 null<1>:d r{}.0<1;1,0>:d r{}.0<1;1,0>:d\n", reg(), reg());
            case 7:
                return fmt::format("(W) cmp (32|M0) (gt)f1.0 null<1>:d r{}.{}<0;1,0>:d 7:w\n", reg(), below(16));
            case 8:
                return product();
            case 9:
                return combinedFlags();
            case 10:
                return fmt::format("(f0.0) sel (32|M0) r{}.0<1>:d r{}.0<1;1,0>:d r{}.0<1;1,0>:d\n", reg(), reg(),
                                   reg());
            default:
                return fmt::format("add (32|M0) r{}.0<1>:d r{}.0<1;1,0>:d 3:w\n", reg(), reg());
        }
    }

    /// By way of numbers, which may be read once more.
    std::string combinedFlags() {
        const int x = reg();
        const int y = reg();
        const auto select = [&](int to) {
            return fmt::format("({}f{}.0) sel (32|M0) r{}.0<1>:uw r6.0<0;1,0>:uw 0x0:uw\n", below(2) == 0 ? "~" : "",
                               below(3), to);
        };
        const std::vector<std::string> logic{"and", "or", "xor"};
        std::string text = below(8) == 0 ? "" : "(W) mov (1|M0) r6.0<1>:hf 0x1:hf\n";
        text += select(x);
        if (below(4) == 0) text += fmt::format("cmp (32|M0) (lt)f1.0 null<1>:d r{}.0<1;1,0>:d 5:w\n", reg());
        text += select(y);
        if (below(4) == 0) text += fmt::format("mov (16|M0) r{}.0<1>:d r{}.0<1;1,0>:uw\n", reg(), x);
        text += fmt::format("{} (32|M0) ({})f{}.0 null<1>:uw r{}.0<1;1,0>:uw r{}.0<1;1,0>:uw\n",
                            logic[static_cast<unsigned>(below(3))], below(2) == 0 ? "ne" : "eq", below(2), x, y);
        if (below(2) == 0) text += fmt::format("mov (32|M0) r{}.0<1>:d 0:w\nmov (32|M0) r{}.0<1>:d 0:w\n", x, y);
        return text;
    }

    /// In some programs the accumulator is also read elsewhere.
    std::string product() {
        if (registers_ > 10 && below(4) == 0) return fmt::format("mov (16|M0) r{}.0<1>:d acc0.0<1;1,0>:d\n", reg());
        const int from = reg();
        return fmt::format(
            "(W) mul (16|M0) acc0.0<1>:ud r{}.0<1;1,0>:ud 0xAAAB:uw\n"
            "mach (16|M0) r{}.0<1>:ud r{}.0<1;1,0>:ud 0xAAAAAAAB:ud\n",
            from, reg(), from);
    }

    std::mt19937 random_{11};
    int registers_ = 0;
};

/// What a program leaves in memory, by steps and as host code, in turns of random length.
class Runs {
  public:
    explicit Runs(const Code& code) {
        world_.load(code, ~0u, {.base = kLiveBase});
        steps_ = isa::lower(code, {.base = kLiveBase});
        memory_ = &world_.allocate(kDwords * sizeof(std::uint32_t));
        std::mt19937 random(3);
        for (std::uint32_t at = 0; at < 64 * 64; at += 4)
            world_.thread().at<std::uint32_t>(at) = static_cast<std::uint32_t>(random());
        std::vector<std::uint64_t> addresses(kDwords);
        for (std::size_t i = 0; i < kDwords; ++i)
            addresses[i] = LoneThread::addressOf(*memory_) + i * sizeof(std::uint32_t);
        world_.set(60, addresses);
        world_.set<std::int32_t>(5, {3});
        began_ = std::make_unique<isa::Thread>(world_.thread());
    }
    void translate() {
        emulator::translate::translateAnyway(world_.program(), kLiveBase, 32, emulator::translate::Registers::needed);
    }
    /// In turns of up to so many instructions; some of them by steps.
    std::vector<std::byte> run(const std::function<int(int)>& below, int longest) {
        std::ranges::fill(*memory_, std::byte{});
        isa::Thread& thread = world_.thread();
        thread = *began_;
        const isa::Program& host = world_.program();
        for (int turn = 0; turn < kTurns; ++turn) {
            const isa::Program& in = below(4) == 0 ? *steps_ : host;
            thread.pc = sameStep(thread.pc, *thread.program, in);
            thread.program = &in;
            isa::resume(thread, 1 + below(longest));
            if (thread.status != isa::Status::paused) break;
        }
        EXPECT_EQ(thread.status, isa::Status::done);
        return *memory_;
    }

  private:
    static constexpr std::size_t kDwords = 32;
    static constexpr int kTurns = 100'000;

    LoneThread world_;
    std::unique_ptr<isa::Program> steps_;
    std::vector<std::byte>* memory_ = nullptr;
    std::unique_ptr<isa::Thread> began_;
};

TEST(LiveRegisters, ThreadsDoWithoutTheOthersWhatTheyDoBySteps) {
    if (!emulator::translate::hostObstacle().empty()) GTEST_SKIP() << emulator::translate::hostObstacle();
    BranchingPrograms programs;
    const auto below = [&](int end) { return programs.below(end); };
    for (int k = 0; k < effort(300, 60); ++k) {
        const std::string text = programs.text();
        Runs runs(assembleProgram(text));
        const auto bySteps = runs.run(below, 100'000);
        runs.translate();
        ASSERT_EQ(runs.run(below, 100'000), bySteps) << "program " << k << ":\n" << text;
        ASSERT_EQ(runs.run(below, 30), bySteps) << "program " << k << " in short turns:\n" << text;
    }
}

}  // namespace
}  // namespace zetl::test
