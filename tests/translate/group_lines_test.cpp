// Lines of which only some lanes are written, and numbers of which halves are, in threads of a group together and one
// after the other by steps.
#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "group_ids.h"

namespace zetl::test {
namespace {

class GroupLines : public GroupIds {};

const std::string kNumber = "add (16|M0) r30.0<1>:d r1.0<1;1,0>:uw r10.1<0;1,0>:d\n";

/// Of four lanes, which nobody reads: threads together do without, but a thread alone leaves its mask to them.
const std::string kOtherMask = "mov (16|M0) r60.0<1>:d r1.0<1;1,0>:uw\n(W) add (4|M0) r60.0<1>:d r60.0<1;1,0>:d 1:w\n";

TEST_F(GroupLines, LanesOfALineThatWritesFewAreThose) {
    for (const char* const line : {
             "(W) mov (8|M0) r30.0<1>:d 0x7:d\n",
             "(W) add (8|M0) r30.0<1>:d r30.0<1;1,0>:d 0x7:d\n",
             "mov (8|M0) r30.0<1>:d r1.0<1;1,0>:uw\n",
             "(W) mov (2|M0) r30.0<1>:ud r5.2<1;1,0>:ud\n",
             "(W) mov (1|M0) r30.3<1>:ud r1.0<0;1,0>:uw\n",
             "mov (16|M0) r30.0<2>:uw r1.0<1;1,0>:uw\n",
             "mov (16|M0) r30.1<2>:uw r1.0<1;1,0>:uw\n",
         }) {
        const std::string text = kBegin + kNumber + line + kOtherMask + storeOf("r30");
        EXPECT_EQ(compare(assembleProgram(text), {.uniform = {11, 12}}), kIdThreads - 1) << line;
    }
}

TEST_F(GroupLines, LanesThatAreTheSameForAllThreadsAreKeptBesideOthers) {
    const std::string copy =
        "(W) mov (1|M0) r5.4<1>:ud r10.0<0;1,0>:ud\n"
        "(W) mov (16|M0) r60.0<1>:ud r5.0<1;1,0>:ud\n";
    for (const char* const read : {
             "add (16|M0) r30.0<1>:d r1.0<1;1,0>:uw r60.2<0;1,0>:d\n",
             "add (16|M0) r30.0<1>:d r1.0<1;1,0>:uw r60.4<0;1,0>:d\n",
             "add (16|M0) r30.0<1>:d r60.0<1;1,0>:d r10.0<0;1,0>:d\n",
             "(W) mov (16|M0) r61.0<1>:ud r60.0<1;1,0>:ud\nadd (16|M0) r30.0<1>:d r61.0<1;1,0>:d r61.3<0;1,0>:d\n",
             "(W) add (1|M0) r60.3<1>:d r60.2<0;1,0>:d 0x1:d\nmov (16|M0) r30.0<1>:d r60.3<0;1,0>:d\n",
             "add (16|M0) r30.0<1>:d r60.4<0;1,0>:d r60.3<0;1,0>:d\n(W) mov (1|M0) r60.3<1>:ud 0x7:ud\n"
             "add (16|M0) r30.0<1>:d r30.0<1;1,0>:d r60.3<0;1,0>:d\n",
         })
        // The address goes with the memory, so it is left out.
        EXPECT_EQ(
            compare(assembleProgram(kBegin + copy + "(W) mov (2|M0) r60.0<1>:ud 0x5:ud\n" + read + storeOf("r30")),
                    {.uniform = {11, 12, 13, 14, 15}}),
            kIdThreads - 1)
            << read;
    // A lane that is kept and not the thread's own as well: nothing runs together, or all as it should.
    compareIfAny(assembleProgram(kBegin + copy +
                                 "(W) mov (2|M0) r60.0<1>:ud 0x5:ud\n(W) mov (1|M0) r60.3<1>:ud 0x7:ud\n"
                                 "add (16|M0) r30.0<1>:d r60.0<1;1,0>:d r1.0<1;1,0>:uw\n" +
                                 storeOf("r30")),
                 {.uniform = {11, 12, 13, 14, 15}});
}

/// Numbers of dwords for so many arrays, each in a register of its own; what is read there goes into r34.
/// `other`: by bits, which of them are worked out in another way, so that other registers are free.
std::string numbers(std::uint32_t count, std::uint32_t other) {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(50 + i);
        if ((other >> i % 3 & 1) != 0) {
            text += "add (16|M0) r" + number + ".0<1>:d r20.0<1;1,0>:d " + std::to_string(i) + ":w\n";
            continue;
        }
        text += "(W) mul (1|M0) r12.0<1>:d r10.1<0;1,0>:d " + std::to_string(2 * i + 1) + ":w\n";
        text += "add (16|M0) r" + number + ".0<1>:d r1.0<1;1,0>:uw r12.0<0;1,0>:d\n";
    }
    return text;
}
std::string readThere(std::uint32_t count) {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i)
        text += "mov (16|M0) r16.0<2>:ud r" + std::to_string(50 + i) +
                ".0<1;1,0>:ud\nshl (16|M0) r18.0<1>:q r16.0<2;1,0>:ud 2:w\n"
                "add (16|M0) r18.0<1>:q r18.0<1;1,0>:q r5.0<0;1,0>:q\n"
                "send.ugm (16|M0) r80 r18 null:0 0x0 0x04100580\n"
                "xor (16|M0) r34.0<1>:d r34.0<1;1,0>:d r80.0<1;1,0>:d\n"
                "rol (16|M0) r34.0<1>:ud r34.0<1;1,0>:ud 3:w\n";
    return text;
}

// What is between would lead to other places of the same memory, if it changed a number.
TEST_F(GroupLines, NumbersStayWhatTheyAreBesideOthers) {
    const std::string loaded =
        "mov (16|M0) r16.0<2>:ud r20.0<1;1,0>:ud\nshl (16|M0) r18.0<1>:q r16.0<2;1,0>:ud 2:w\n"
        "add (16|M0) r18.0<1>:q r18.0<1;1,0>:q r5.0<0;1,0>:q\nsend.ugm (16|M0) r32 r18 null:0 0x0 0x04100580\n"
        "and (16|M0) r32.0<1>:ud r32.0<1;1,0>:ud 0x3F:ud\n";
    const std::string own = "add (16|M0) r20.0<1>:d r1.0<1;1,0>:uw r10.1<0;1,0>:d\n";
    const std::string halves =
        "(W) and (1|M0) r44.0<1>:ud r5.2<0;1,0>:ud -8:d\n(W) add (1|M0) r44.1<1>:ud r5.3<0;1,0>:ud 1:d\n";
    const std::string narrowed = "mov (16|M0) r34.0<1>:uw r32.0<2;1,0>:uw\nmov (16|M0) r34.16<1>:uw r32.1<2;1,0>:uw\n";
    for (const std::string& line : {
             // halves of 64 bits, which all lanes read
             std::string("mov (16|M0) r46.0<1>:q r32.0<1;1,0>:d\nadd (16|M0) r46.0<1>:q r46.0<1;1,0>:q r44.0<0;1,0>:q\n"
                         "mov (16|M0) r34.0<1>:d r46.0<2;1,0>:d\nmov (16|M0) r36.0<1>:d r46.1<2;1,0>:d\n"
                         "xor (16|M0) r34.0<1>:d r34.0<1;1,0>:d r36.0<1;1,0>:d\n"),
             // a few lanes, as one number
             narrowed + "(W) mov (2|M0) r34.0<1>:ud r32.0<1;1,0>:ud\n",
             narrowed + "(W) mov (1|M0) r34.0<1>:ud r32.0<0;1,0>:ud\n",
             narrowed + "(W) mov (2|M0) r34.0<1>:ud r32.0<1;1,0>:ud\n" + narrowed +
                 "(W) mov (2|M0) r34.0<1>:ud r32.0<1;1,0>:ud\n"
                 "add (16|M0) r34.0<1>:d r34.0<1;1,0>:d r34.0<0;1,0>:d\n",
         })
        for (std::uint32_t i = 16; i < 72; ++i) {
            const std::uint32_t count = 1 + i / 8;
            const std::string text =
                kBegin + halves + own + numbers(count, i % 8) + loaded + line + readThere(count) + storeOf("r34");
            EXPECT_EQ(compare(assembleProgram(text), {.x = 8, .uniform = {16, 5}}), kIdThreads - 1) << count << line;
            EXPECT_TRUE(report.group != nullptr && report.group->linear);
        }
}

/// Lines of all widths between such of ids, by which registers hold vectors, single numbers or both.
class RandomWidths {
  public:
    explicit RandomWidths(std::uint64_t seed) : random_(seed) {}

    std::string program() {
        std::string text = kBegin;
        for (const int reg : {30, 32, 34, 36})
            text += "mov (16|M0) r" + std::to_string(reg) + ids() + ":d r1.0<1;1,0>:uw\n";
        for (const int reg : {40, 42, 44})
            text += "mov (16|M0) r" + std::to_string(reg) + ids() + ":q r2.0<1;1,0>:uw\n";
        for (int i = 0; i < 14; ++i) text += line();
        return text + kOtherMask + storeOf(any(3) != 0 ? narrow() : "r" + std::to_string(40 + any(6)));
    }

  private:
    std::uint32_t any(std::uint32_t below) {
        return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
    }
    static std::string ids() { return ".0<1>"; }
    std::string narrow() { return "r" + std::to_string(30 + 2 * any(4)); }
    std::string wide() { return "r" + std::to_string(40 + 2 * any(3)); }
    std::string at(const std::string& reg, std::uint32_t elements) { return reg + "." + std::to_string(any(elements)); }
    std::string uniform() { return "r5." + std::to_string(2 + any(8)) + "<0;1,0>"; }
    /// The first two, four or eight lanes, with a mask or without.
    std::string few(const std::string& what, const std::string& from) {
        static constexpr std::array kWidths{"2", "4", "8"};
        const std::uint32_t width = any(3);
        const char* const mask = width == 2 && any(2) == 0 ? "" : "(W) ";
        return std::string(mask) + "mov (" + kWidths[width] + "|M0) " + narrow() + ".0" + what + from + "\n";
    }
    std::string line() {
        switch (any(16)) {
            case 0:
                return few("<1>:d ", uniform() + ":d");
            case 1:
                return few("<1>:ud ", narrow() + ".0<1;1,0>:ud");
            case 2:
                return few("<1>:d ", "r1.0<1;1,0>:uw");
            case 3:
                return "(W) mov (1|M0) " + at(narrow(), 16) + "<1>:ud " + at(narrow(), 16) + "<0;1,0>:ud\n";
            case 4:
                return "(W) add (1|M0) " + at(wide(), 8) + "<1>:q " + at(wide(), 8) + "<0;1,0>:q r5.1<0;1,0>:q\n";
            case 5:
                return "(W) add (1|M0) " + at(wide(), 16) + "<1>:ud " + at(narrow(), 16) + "<0;1,0>:ud 1:w\n";
            case 6:
                return "mov (16|M0) " + narrow() + (any(2) ? ".0<2>:uw " : ".1<2>:uw ") + narrow() + ".0<2;1,0>:uw\n";
            case 7:
                return "mov (16|M0) " + narrow() + (any(2) ? ".0<1>:uw " : ".16<1>:uw ") + narrow() + ".1<2;1,0>:uw\n";
            case 8:
                return "mov (16|M0) " + wide() + (any(2) ? ".0<2>:d " : ".1<2>:d ") + narrow() + ".0<1;1,0>:d\n";
            case 9:
                return "mov (16|M0) " + narrow() + ".0<1>:d " + wide() + (any(2) ? ".0<2;1,0>:d\n" : ".1<2;1,0>:d\n");
            case 10:
                return "add (16|M0) " + wide() + ".0<1>:q " + wide() + ".0<1;1,0>:q " + at(wide(), 8) + "<0;1,0>:q\n";
            case 11:
                return "add (16|M0) " + narrow() + ".0<1>:d " + narrow() + ".0<1;1,0>:d " + at(narrow(), 16) +
                       "<0;1,0>:d\n";
            case 12:
                return "add (16|M0) " + narrow() + ".0<1>:d r1.0<1;1,0>:uw r10.1<0;1,0>:d\n";
            case 13:
                return "mov (16|M0) " + wide() + ".0<1>:q " + narrow() + ".0<1;1,0>:d\n";
            case 14:
                return "shl (16|M0) " + wide() + ".0<1>:q " + wide() + ".0<2;1,0>:ud 2:w\n";
            default:
                return "mul (16|M0) " + narrow() + ".0<1>:d " + narrow() + ".0<1;1,0>:d " + uniform() + ":w\n";
        }
    }
    std::mt19937_64 random_;
};

TEST_F(GroupLines, RandomLinesOfAllWidthsAreAsByEachThreadAlone) {
    const char* const more = std::getenv("ZETL_TEST_RANDOM_PROGRAMS");
    const std::uint64_t programs = more != nullptr ? std::strtoull(more, nullptr, 10) / 20 : 150;
    std::uint64_t together = 0;
    for (std::uint64_t seed = 1; seed <= programs; ++seed) {
        const std::string text = RandomWidths(seed).program();
        const Code code = assembleProgram(text);
        for (const std::uint16_t x : {0, 0x7ff8})
            for (const bool runsOn : {true, false})
                together += compareIfAny(code, {.x = x, .y = 3, .xRunsOn = runsOn, .uniform = {1, 0xfffffff0, 7, 9}});
        if (HasFailure()) FAIL() << "program " << seed << "\n" << text;
    }
    EXPECT_GT(together, programs * 4) << "most are left to the ordinary code";
}

}  // namespace
}  // namespace zetl::test
