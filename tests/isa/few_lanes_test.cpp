// One lane, or a few, of a register after others of it have been written: as halves, as parts, moved together.
#include <gtest/gtest.h>

#include "lone_thread.h"

namespace zetl::test {
namespace {

class FewLanes : public testing::Test {
  protected:
    FewLanes() {
        std::vector<std::uint32_t> lanes(16);
        for (std::uint32_t i = 0; i < lanes.size(); ++i) lanes[i] = valueOf(i);
        registers = lanes;
    }
    static std::uint32_t valueOf(std::uint32_t lane) { return 0x01020304 * (lane + 1); }
    /// r10 and r11 are numbered lanes, r20 to r23 zero.
    void run(const std::string& assembly, const isa::StepTable& table) {
        t.load(assembleProgram(assembly), 0xffff, {.base = 0x10000}, table);
        t.set(10, registers);
        t.set(11, registers);
        t.set(20, std::vector<std::uint32_t>(64));
        ASSERT_EQ(t.resume(), isa::Status::done) << describe(t.thread().fault);
    }
    LoneThread t;
    std::vector<std::uint32_t> registers;
};

TEST_F(FewLanes, TwoHalvesAreOneNumber) {
    const std::string halves =
        "(W) add (1|M0) r20.0<1>:d r10.3<0;1,0>:d 1:w\n"
        "(W) add (1|M0) r20.1<1>:d r10.4<0;1,0>:d 2:w\n";
    const std::uint64_t whole = std::uint64_t{valueOf(4) + 2} << 32 | (valueOf(3) + 1);
    for (const isa::StepTable* table : usableTables()) {
        run(halves + "(W) add (1|M0) r21.0<1>:q r20.0<0;1,0>:q 1:w\n", *table);
        EXPECT_EQ(t.scalar<std::uint64_t>(21), whole + 1) << table->name;
        run(halves + "(W) add (8|M0) r22.0<1>:q r20.0<0;1,0>:q 3:w\n", *table);
        for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(t.scalar<std::uint64_t>(22, i), whole + 3) << table->name;
    }
}

TEST_F(FewLanes, AreMovedTogether) {
    struct Form {
        const char* text;
        std::uint32_t lanes;
    };
    for (const Form& form :
         {Form{"(W) mov (2|M0) r20.0<1>:d r11.2<1;1,0>:d\n", 2}, Form{"(W) mov (4|M0) r20.0<1>:d r11.2<1;1,0>:d\n", 4},
          Form{"(W) mov (2|M0) r20.0<1>:q r11.1<1;1,0>:q\n", 4}})
        for (const isa::StepTable* table : usableTables()) {
            SCOPED_TRACE(std::string(form.text) + table->name);
            // What one lane was given before is no longer what it holds.
            run("(W) add (1|M0) r20.0<1>:d r10.7<0;1,0>:d 1:w\n" + std::string(form.text) +
                    "(W) add (1|M0) r21.0<1>:d r20.0<0;1,0>:d 1:w\n"
                    "(W) add (1|M0) r21.1<1>:d r20.1<0;1,0>:d 1:w\n"
                    "(W) mov (16|M0) r22.0<1>:d r20.0<1;1,0>:d\n",
                *table);
            EXPECT_EQ(t.scalar<std::uint32_t>(21, 0), valueOf(2) + 1);
            EXPECT_EQ(t.scalar<std::uint32_t>(21, 1), valueOf(3) + 1);
            for (std::uint32_t i = 0; i < 16; ++i)
                EXPECT_EQ(t.scalar<std::uint32_t>(22, i), i < form.lanes ? valueOf(i + 2) : 0) << i;
        }
}

}  // namespace
}  // namespace zetl::test
