// Expressions at a stop in code that no module has.
#include <gtest/gtest.h>

#include "core/failure.h"
#include "core/run_control.h"
#include "scripted_link.h"

namespace zetl::debugger {
namespace {

using test::kFirst;

class ExpressionTest : public testing::Test {
  protected:
    ExpressionTest() {
        link.stop(kFirst, registers::kIllegal);
        control.proceed();
    }
    Value evaluated(const std::string& text) {
        const auto items = control.itemsOf(kFirst);
        const auto frames = control.framesOf(kFirst);
        Inspector inspector(frames.front(), control.thread(kFirst), control.memory(), items, 0, history, locations);
        return evaluateExpression(text, inspector);
    }
    void expectRefusal(const std::string& text, const std::string& words) try {
        evaluated(text);
        ADD_FAILURE() << text.substr(0, 20) << " is accepted";
    } catch (const Failure& failure) {
        EXPECT_NE(std::string(failure.what()).find(words), std::string::npos) << failure.what();
    }

    test::ScriptedLink link;
    ValueHistory history;
    SourceText source;
    LocationCheck locations{source};
    RunControl control{link, {}, history, locations};
};

std::string repeated(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

TEST_F(ExpressionTest, NestingHasAnEnd) {
    constexpr int kVeryDeep = 200'000;
    for (const auto* each : {"(", "-", "*", "$r0 = ", "1 + (", "$r0["})
        expectRefusal(repeated(each, kVeryDeep) + "1", "nested too deeply");
    expectRefusal("(int " + repeated("*", kVeryDeep) + ")0", "nested too deeply");
    EXPECT_EQ(asBits(scalarOf(evaluated(repeated("(", 20) + "7" + repeated(")", 20)))), 7u);
    EXPECT_EQ(asBits(scalarOf(evaluated("1" + repeated(" + 1", 1000)))), 1001u) << "a long one is not a deep one";
}

TEST_F(ExpressionTest, VectorsAreMadeAndTakenApart) {
    const auto text = [&](const std::string& expression) { return textOf(evaluated(expression)); };
    EXPECT_EQ(text("(int4)(1, (int2)(2, 3), 4)"), "{1, 2, 3, 4}");
    EXPECT_EQ(text("(uchar2)300"), "{44 ',', 44 ','}");
    EXPECT_EQ(text("((float4)(1, 2, 3, 4)).zw"), "{3, 4}");
    EXPECT_EQ(text("((float3)(1, 2, 3)).s2"), "3");
    EXPECT_EQ(nameOf(evaluated("((float4)2).xyz").type), "float3");
    EXPECT_EQ(text("sizeof(double16) + sizeof(char3)"), "132");
    EXPECT_EQ(textOf(evaluated("(short2)(-1, 1)"), 'x', 200), "{0xffff, 0x1}");
    expectRefusal("(int4)(1, 2)", "has 2 components, and int4 has 4");
    expectRefusal("((float4)1).q", "no components q");
    expectRefusal("(int4)(" + repeated("1, ", 20) + "1)", "at most 16");
    expectRefusal("(struct nothing*)0", "no struct nothing");
    expectRefusal("offsetof(int, x)", "int has no member x");
    expectRefusal("offsetof(1)", "needs a type");
    expectRefusal("((float2)1).x = 3", "cannot be assigned to");
}

TEST_F(ExpressionTest, TheHistoryIsByNumberAndFromItsEnd) {
    expectRefusal("$", "0 values were printed");
    for (const std::int64_t each : {10, 20, 30}) history.add(valueOf(each), nullptr);
    for (const auto& [text, value] : {std::pair("$1", 10u),
                                      {"$3", 30u},
                                      {"$", 30u},
                                      {"$$", 20u},
                                      {"$$0", 30u},
                                      {"$$2", 10u},
                                      {"$ - $$ * $1", -170u}})
        EXPECT_EQ(static_cast<unsigned>(asBits(scalarOf(evaluated(text)))), value) << text;
    for (const auto* each : {"$0", "$4", "$$3", "$$18446744073709551615"}) expectRefusal(each, "3 values were printed");
    expectRefusal("$1 = 5", "cannot be assigned to");
    EXPECT_EQ(evaluated("$lane").type->kind, Type::Kind::natural) << "names are names still";
}

}  // namespace
}  // namespace zetl::debugger
