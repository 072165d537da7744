// Products of dwords in threads of a group: their second line computes all of it, so the first one is done only for an
// accumulator that is read.
#include <algorithm>
#include <string>

#include "emulator/translate/plan/group_plan.h"
#include "group_ids.h"

namespace zetl::test {
namespace {

class GroupProducts : public GroupIds {
  protected:
    /// Whether threads do the line with the opcode.
    static bool isDone(LoneThread& t, isa::Opcode opcode) {
        const isa::Program::Code& code = t.program().code();
        const auto planned = emulator::translate::planGroup(code, code.find(kIdsBase),
                                                            code.bodyOf[static_cast<int>(isa::Version::lanes16)]);
        EXPECT_TRUE(planned.plan) << "line " << planned.obstacle;
        return planned.plan && std::ranges::any_of(planned.plan->always, [&](const auto& line) {
                   return code.instructions[line.line].opcode == opcode;
               });
    }
    static std::string product(const std::string& second, const std::string& behind = "") {
        return kBegin +
               "add (16|M0) r40.0<1>:ud r1.0<1;1,0>:uw 0x12345678:ud\n"
               "(W) mul (16|M0) acc0.0<1>:ud r40.0<1;1,0>:ud r5.4<0;1,0>:uw\n" +
               second + " (16|M0) r30.0<1>:ud r40.0<1;1,0>:ud r5.2<0;1,0>:ud\n" + behind + storeOf("r30");
    }
    static constexpr Given kGiven{.uniform = {0x87654321}};
};

TEST_F(GroupProducts, TheFirstLineIsNotDoneForItsSecond) {
    for (const char* const second : {"macl", "mach"}) {
        const Code code = assembleProgram(product(second));
        LoneThread t;
        t.load(code);
        EXPECT_FALSE(isDone(t, isa::Opcode::mul)) << second;
        EXPECT_EQ(compare(code, kGiven), kIdThreads - 1) << second;
    }
}

TEST_F(GroupProducts, TheFirstLineIsDoneForAnAccumulatorThatIsRead) {
    const Code code = assembleProgram(product("macl", "add (16|M0) r30.0<1>:ud r30.0<1;1,0>:ud acc0.0<1;1,0>:ud\n"));
    LoneThread t;
    t.load(code);
    EXPECT_TRUE(isDone(t, isa::Opcode::mul));
    EXPECT_EQ(compare(code, kGiven), kIdThreads - 1);
}

}  // namespace
}  // namespace zetl::test
