// Flag registers that instructions write as numbers: which lanes of a predicate something unwritten still decides.
// Registers that instructions name by address registers.
#include "emulator/check/register_levels.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "assembler.h"
#include "emulator/isa/program.h"

namespace zetl::emulator::check {
namespace {

constexpr std::uint32_t kAllLanes = 0xffff;
constexpr std::uint32_t kFirstUnwritten = 20;  // register

/// Of register 20, nobody has written the upper 8 numbers. Flag f0.1 holds a comparison of all 16, then comes `code`.
std::uint32_t undecidedBehind(const std::string& code) {
    const std::string compare = "(W) cmp (16|M0) (eq)f0.1 null<1>:d r20.0<1;1,0>:d 0:w\n";
    const std::string branch = "(W&f0.1) mov (16|M0) r30.0<1>:d 1:w\n";
    const auto program = isa::lower(zetl::test::assembleProgram(compare + code + branch));
    const auto thread = std::make_unique<isa::Thread>();
    thread->at<std::uint32_t>(isa::layout::kFlags) = 0x0fff'0fff;  // f0.0 and f0.1
    RegisterLevels levels;
    constexpr std::uint32_t kBytes = isa::layout::kRegisterBytes;
    const std::array runs = {isa::StateSlots::Run{kFirstUnwritten * kBytes + kBytes / 2, kBytes / 2}};
    levels.begin(runs, 0);
    for (isa::Line line = 0;; ++line) {
        const auto& in = program->instruction(line);
        if (in.predicate != zetl::isa::xe::Predicate::none) return levels.undecided(in, kAllLanes);
        if (levels.reads(*thread, in, kAllLanes))
            levels.compute(*thread, in, kAllLanes);
        else
            levels.defineResult(*thread, in, kAllLanes);
    }
}

struct Written {
    const char* code;
    std::uint32_t undecided;
};

constexpr Written kWritten[] = {
    {"", 0xff00},
    {"(W) mov (1|M0) f0.1<1>:uw 0xFFFE:uw\n", 0},
    {"(W) mov (1|M0) f0.0<1>:uw 0xFFFE:uw\n", 0xff00},
    {"(W) mov (1|M0) f0.0<1>:ud 0xFFFE:ud\n", 0},
    {"(W) mov (1|M0) f1.1<1>:uw 0xFFFE:uw\n", 0xff00},
    {"(W) and (1|M0) f0.1<1>:uw f0.1<0;1,0>:uw 0xFFFF:uw\n", 0xff00},
    {"(W) and (1|M0) f0.1<1>:uw f0.1<0;1,0>:uw 0x0FF:uw\n", 0},
    {"(W) and (1|M0) f0.1<1>:uw f0.1<0;1,0>:uw f0.0<0;1,0>:uw\n", 0x0f00},
    {"(W) or (1|M0) f0.1<1>:uw f0.1<0;1,0>:uw 0xF000:uw\n", 0x0f00},
    {"(W) not (1|M0) f0.1<1>:uw f0.1<0;1,0>:uw\n", 0xff00},
    {"(W) xor (1|M0) f0.1<1>:uw f0.1<0;1,0>:uw f0.0<0;1,0>:uw\n", 0xff00},
    {"(W) mov (1|M0) f1.0<1>:uw f0.1<0;1,0>:uw\n(W) mov (1|M0) f0.1<1>:uw f1.0<0;1,0>:uw\n", 0xff00},
    {"(W) mov (1|M0) f0.1<1>:uw r20.16<0;1,0>:uw\n", 0xffff},
    {"(W) shl (1|M0) f0.1<1>:uw f0.1<0;1,0>:uw 1:w\n", 0xffff},
};

TEST(RegisterLevels, FlagsThatAreWrittenAsNumbersAreDecidedByThem) {
    for (const Written& one : kWritten) EXPECT_EQ(undecidedBehind(one.code), one.undecided) << one.code;
}

/// Nobody has written registers 20 and 21, to which a0.0 points in their middle; a0.1 points to register 10.
class AddressedRegisters : public testing::Test {
  protected:
    static constexpr std::uint32_t kBytes = isa::layout::kRegisterBytes;
    static constexpr std::uint32_t kBegin = kFirstUnwritten * kBytes;
    static constexpr std::uint32_t kMiddle = kBegin + kBytes / 2;

    AddressedRegisters() {
        levels.begin(std::array{isa::StateSlots::Run{kBegin, 2 * kBytes}}, 0);
        pointTo(0, kMiddle);
        pointTo(1, 10 * kBytes);
    }
    void pointTo(std::uint32_t part, std::uint32_t place) {
        thread->at<std::uint16_t>(isa::layout::kAddress + part * 2) = static_cast<std::uint16_t>(place);
    }
    const isa::Instruction& line(const std::string& code) {
        program = isa::lower(zetl::test::assembleProgram(code + "\n"));
        return program->instruction(0);
    }
    bool meets(const std::string& code) { return levels.mayMeetAddressed(*thread, line(code)); }
    void execute(const std::string& code, std::uint32_t lanes = kAllLanes) {
        const isa::Instruction& in = line(code);
        if (levels.reads(*thread, in, lanes))
            levels.compute(*thread, in, lanes);
        else
            levels.defineResult(*thread, in, lanes);
    }

    const std::unique_ptr<isa::Thread> thread = std::make_unique<isa::Thread>();
    std::shared_ptr<const isa::Program> program;
    RegisterLevels levels;
};

TEST_F(AddressedRegisters, AreThoseOfTheAddress) {
    EXPECT_TRUE(meets("mov (16|M0) r[a0.0]<1>:d r30.0<1;1,0>:d"));
    EXPECT_TRUE(meets("mov (16|M0) r30.0<1>:d r[a0.0]<1;1,0>:d"));
    EXPECT_TRUE(meets("mov (16|M0) r30.0<1>:d r[a0.1,704]<1;1,0>:d"));
    EXPECT_TRUE(meets("mov (16|M0) r30.0<1>:d r[a0.1,616]<1;1,0>:d"));  // its last lanes
    EXPECT_FALSE(meets("mov (16|M0) r[a0.1]<1>:d r20.0<1;1,0>:d"));     // by name is another question
    EXPECT_FALSE(meets("mov (16|M0) r30.0<1>:d r[a0.1,576]<1;1,0>:d"));
    EXPECT_FALSE(meets("mov (16|M0) r30.0<1>:d r[a0.0,96]<1;1,0>:d"));
}

TEST_F(AddressedRegisters, AreOfEachLaneItsOwn) {
    for (std::uint32_t part = 0; part < 16; ++part) pointTo(part, 12 * kBytes + part * 4);
    EXPECT_FALSE(meets("mov (16|M0) r30.0<1>:d r[a0.0]<1,0>:d"));
    pointTo(7, kBegin + 4);
    EXPECT_TRUE(meets("mov (16|M0) r30.0<1>:d r[a0.0]<1,0>:d"));
    execute("mov (16|M0) r30.0<1>:d r[a0.0]<1,0>:d");
    for (std::uint32_t lane = 0; lane < 16; ++lane)
        EXPECT_EQ(levels.at(30 * kBytes + lane * 4), lane == 7 ? Level::unwritten : Level::defined) << lane;
}

TEST_F(AddressedRegisters, AreWrittenThen) {
    execute("mov (16|M0) r[a0.0]<1>:d r30.0<1;1,0>:d");
    EXPECT_EQ(levels.highest(kMiddle, kBytes), Level::defined);
    EXPECT_EQ(levels.at(kMiddle - 1), Level::unwritten);
    EXPECT_EQ(levels.at(kMiddle + kBytes), Level::unwritten);
    EXPECT_FALSE(levels.marked().empty());
    execute("mov (16|M0) r[a0.0,-32]<1>:d r30.0<1;1,0>:d");
    execute("mov (16|M0) r[a0.0,32]<1>:d r30.0<1;1,0>:d");
    EXPECT_TRUE(levels.marked().empty());
}

TEST_F(AddressedRegisters, AreWrittenByLanesThatAreOn) {
    execute("mov (16|M0) r[a0.0]<1>:d r30.0<1;1,0>:d", 0x4);
    EXPECT_EQ(levels.highest(kMiddle + 8, 4), Level::defined);
    EXPECT_EQ(levels.at(kMiddle + 7), Level::unwritten);
    EXPECT_EQ(levels.at(kMiddle + 12), Level::unwritten);
}

TEST_F(AddressedRegisters, TakeLevelsOver) {
    execute("add (16|M0) r[a0.1]<1>:d r20.0<1;1,0>:d 1:w");
    EXPECT_EQ(levels.at(10 * kBytes), Level::computed);
    EXPECT_EQ(levels.at(11 * kBytes - 1), Level::computed);
    EXPECT_EQ(levels.at(11 * kBytes), Level::defined);
}

}  // namespace
}  // namespace zetl::emulator::check
