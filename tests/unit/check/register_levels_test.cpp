// Flag registers that instructions write as numbers: which lanes of a predicate something unwritten still decides.
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
        if (levels.reads(in, kAllLanes))
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

}  // namespace
}  // namespace zetl::emulator::check
