// What expressions, variables and images are shown as, in `zetl debug`.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "console_session.h"

namespace zetl::test {
namespace {

using testing::HasSubstr;

TEST_F(Console, ShowsTheChainOfInlinedCallsAndTheirVariables) {
    const std::vector<std::string> program = {inBuildTree("tests/zetl/debugged_program"), "inlined", kUnoptimised};
    const auto outcome = debugged({"break inlined.cl:3 if $global_x == 37", "run", "p number", "where", "up",
                                   "p number", "up", "p i", "set i = 38", "p i", "p squares[3]", "delete", "continue"},
                                  program);
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output,
                testing::ContainsRegex("#0 .* in keep \\(.*\\) at .*inlined.cl:3 \\(inlined\\)\n"
                                       "#1 .* in keepSquare \\(.*, number=37\\) at .*inlined.cl:6 \\(inlined\\)\n"
                                       "#2 .* in inlined \\(.*\\) at .*inlined.cl:10\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": number = 1369\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": number = 37\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": i = 37\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": i = 38\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": squares[3] = "));
    EXPECT_THAT(outcome.output, HasSubstr("squares[37] = 1369\n"));
}

TEST_F(Console, ExpressionsHaveTypes) {
    const auto outcome =
        debugged({"tbreak saxpy.cl:" + lineOf("if (i < n)") + " if $global_x == 37", "run", "p *x@4", "p x[1]@2",
                  "whatis &y[2]", "p *&x[2] + 1", "ptype both", "p sizeof(int) + sizeof both", "p (float)i / 2",
                  "p (int)-2.7", "p *(global uint *)(x + 1)", "p (unsigned char)300", "p (i)",
                  "p *(local float *)0 @ 2", "info symbol $pc", "p *x@0"},
                 saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 1) << "the last is refused" << outcome;
    for (const auto* each :
         {"*x@4 = {0, 1, 2, 3}\n", "x[1]@2 = {1, 2}\n", "type = float *\n", "*&x[2] + 1 = 3\n",
          "type = pair {\n    int first;\n    float second;\n}\n", "sizeof(int) + sizeof both = 12\n",
          "(float)i / 2 = 18.5\n", "(int)-2.7 = -2\n", "*(global uint *)(x + 1) = 1065353216\n",
          "(unsigned char)300 = 44 ','\n", "(i) = 37\n", "*(local float *)0 @ 2 = {32, 33}\n", "\nsaxpy+0x"})
        EXPECT_THAT(outcome.output, HasSubstr(each));
    EXPECT_THAT(outcome.output, HasSubstr("an array of 0 elements cannot be shown; give @ a number from 1 to 1048576"));
}

TEST_F(Console, PrintedValuesStayWhatTheyWere) {
    const auto outcome =
        debugged({"break scaled if $global_x == 37", "run", "p factor", "p value * 2", "p $ + $1", "p $$2 * 10", "up",
                  "p both", "set both.first = 1", "p $5.first + 100", "p both.first", "p x", "p *($ + 3)", "p/x $2",
                  "p steps", "p $[3]", "kill", "info values", "p $99"},
                 saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 1) << "the last is refused" << outcome;
    for (const auto* each : {"$1: factor = 0.5\n", "$2: value * 2 = 74\n", "$3: $ + $1 = 74.5\n", "$4: $$2 * 10 = 5\n",
                             "$5: both = {first = 37, second = 0.5}\n", "$6: $5.first + 100 = 137\n",
                             "$7: both.first = 1\n", "$9: *($ + 3) = 3\n", "$10: $2 = 0x4a\n", "$12: $[3] = 3\n"})
        EXPECT_THAT(outcome.output, HasSubstr(each));
    EXPECT_THAT(outcome.output, HasSubstr("\n$5 = {first = 37, second = 0.5}\n")) << "their types outlive the program";
}

TEST_F(Console, ListGoesBack) {
    const auto outcome = debugged({"break saxpy", "run", "list scaled", "list -", "kill"}, saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("   2  (.|\n)*   1     // What")) << outcome;
}

TEST_F(Console, InfoFrameTellsTheCallerAndTheCalled) {
    const auto outcome = debugged({"break scaled if $global_x == 37", "run", "info frame", "up", "info frame", "kill"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("#0 .* in scaled .*\ncalled by frame 1, saxpy at 0x"))
        << outcome;
    EXPECT_THAT(outcome.output, testing::ContainsRegex("#1 .* in saxpy .*\ncaller of frame 0, scaled\n"));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("registers with their own values in this frame: r[0-9]+"));
}

/// Kernels that call nothing, or have local memory of their own, have lists of locations in DWARF 5.
TEST_F(Console, ShowsVectorsAndStructures) {
    const std::vector<std::string> program = {inBuildTree("tests/zetl/debugged_program"), "shapes", kUnoptimised};
    const auto outcome = debugged({"tbreak shapes.cl:39 if i == 37",
                                   "run",
                                   "info locals",
                                   "p v.s3",
                                   "p v.xyz",
                                   "p v.lo",
                                   "p v.even",
                                   "p/x v",
                                   "p/x w.parts[1]",
                                   "p w.parts[1].pos.x",
                                   "p grid[1][2]",
                                   "p sizeof(struct inner) + sizeof(float3)",
                                   "p offsetof(whole, parts[1].id)",
                                   "p *(global float4*)(out + 32)@2",
                                   "p ((global body*)(out + 32))->id",
                                   "p *((local int*)0 + 3)",
                                   "x/4dw (local int*)0",
                                   "x/2s text",
                                   "p out@2",
                                   "set v.y = 99",
                                   "p v",
                                   "set v = (float4)(v.xy, 1, 2)",
                                   "p v.wzyx",
                                   "set w.parts[1].id = 77",
                                   "p w.parts[1]",
                                   "ptype &w",
                                   "whatis grid",
                                   "whatis struct inner",
                                   "info scope corner",
                                   "break corner if $global_x == 37",
                                   "continue",
                                   "p which->pos.y",
                                   "p shift.w + 2",
                                   "delete",
                                   "continue",
                                   "echo over"},
                                  program);
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    for (const auto* each : {

             "narrow = {1, 2, 255}\n",
             "wide = {0.5, -0.25}\n",
             "eight = {0, 1, 2, 3, 4, 5, 6, -7}\n",
             "v.s3 = 40\n",
             "v.xyz = {37, 38, 39}\n",
             "v.lo = {37, 38}\n",
             "v.even = {37, 39}\n",
             "v = {0x25, 0x26, 0x27, 0x28}\n",
             "{pos = {0x28, 0x27, 0x26, 0x25}, id = 0x8}\n",
             "pos.x = 40\n",
             "grid[1][2] = 6\n",
             "sizeof(float3) = 112\n",
             "id) = 64\n",
             "(out + 32)@2 = {{0, 0, 0, 0}, {0, 0, 0, 0}}\n",
             "->id = 0\n",
             "*((local int*)0 + 3) = 19\n",

             "0x0: 16 17 18 19\n",

             ": \"seven \\x07 words\"\n",
             "out@2 = {(float *) 0x",
             "v = {37, 99, 39, 40}\n",
             "v.wzyx = {2, 1, 99, 37}\n",
             "{pos = {40, 39, 38, 37}, id = 77}\n",
             "    body [2] parts;\n    float * link;\n} *\n",
             "type = int [2][3]\n",
             "type = inner\n",
             "shift: argument of type float4, 16 bytes\n",
             "which->pos.y = 39\n",
             "shift.w + 2 = 4\n"})
        EXPECT_THAT(outcome.output, HasSubstr(each));
}

/// Debian 12's compiler does not describe arrays in local memory.
TEST_F(Console, ShowsLocalMemoryByName) {
    if (!std::filesystem::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
        GTEST_SKIP() << "run scripts/compiler newest";
    setenv("ZETL_COMPILER", "newest", 1);
    const std::vector<std::string> program = {inBuildTree("tests/zetl/debugged_program"), "shapes", kUnoptimised};
    const auto outcome = debugged({"tbreak shapes.cl:39 if i == 37", "run", "p counts", "p rows", "p *(counts + 3)",
                                   "p &counts[3]", "x/4dw counts", "p scratch[3]@4", "x/4fw scratch", "kill"},
                                  program);
    unsetenv("ZETL_COMPILER");
    for (const auto* each : {"counts = {16, 17, 18, 19, 20,", "rows = {{0, 1, 2, 3}, {1, 1, 2, 3}, ",
                             "*(counts + 3) = 19\n", "&counts[3] = (local int *) 0x1000000c\n", "0x0: 16 17 18 19\n",
                             "scratch[3]@4 = {6, 8, 10, 12}\n", "0x80: 0 2 4 6\n"})
        EXPECT_THAT(outcome.output, HasSubstr(each));
}

/// Xe2 has images, and no other compiler than the newest. Commands come from standard input, so that wrong ones do not
/// end the session.
TEST_F(Console, ShowsImagesAsNumbers) {
    if (!std::filesystem::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
        GTEST_SKIP() << "run scripts/compiler newest";
    const std::string commands =
        "tbreak picture.cl:8\\nrun\\np from\\ninfo args\\ntexels from 1,2 2x2\\ntexels deep 6,1,1\\n"
        "texels from 7,3 9x9\\ntexels to 0,0 1x1\\ntexels\\ntexels seen\\ntexels none 0,0\\ntexels from 8,0\\n"
        "texels from 0,0,1\\ntexels from 0,0 1000x1000\\ntexels from 1,2,3,4\\ntexels from 1, 2x2\\nkill\\n";
    const auto outcome = Process({"/bin/sh", "-c",
                                  "printf '" + commands + "' | ZETL_COMPILER=newest " + inBuildTree("bin/zetl") +
                                      " debug --device b580-small -- " + inBuildTree("tests/zetl/debugged_program") +
                                      " picture '" + kUnoptimised + "'"})
                             .run(std::chrono::seconds(120));
    for (const auto* each :
         {"from = 2D image of 8 x 4 texels, R8G8B8A8 UNORM, at 0x",
          "\nto = 2D image of 8 x 4 texels, R8G8B8A8 UNORM, at",
          "\ndeep = 3D image of 8 x 2 x 2 texels, R32 FLOAT, at 0x", "seen = (float4 *) 0x",
          "(1, 2): {0.26666668, 0.27058825, 0.27450982, 0.2784314} {0.28235295, ", "\n(1, 3): {0.39215687, ",
          "(6, 1, 1): {15, 0, 0, 1} {15.5, 0, 0, 1}\n", "(7, 3): {0.4862745, 0.49019608, 0.49411765, 0.49803922}\n",
          // As the kernel wrote it: backwards.
          "(0, 0): {0.011764706, 0.007843138, 0.003921569, 0}\n",
          // Refusals.
          "name an image", "seen is no image argument", "none is no image argument",
          "begins outside of a 2D image of 8 x 4", "1000 x 1000 texels are too many", "at most 3 coordinates",
          "not a number"})
        EXPECT_THAT(outcome.output, HasSubstr(each)) << outcome;
}

TEST_F(Console, OptimisedAwayIsSaidAndCodeWithoutDebugInformationCanBeStopped) {
    const auto optimised = debugged({"break entry", "run", "info locals", "delete", "c"}, saxpyProgram("-g"));
    // Debian's compiler names variables of the inlined function here, newer ones those of the kernel.
    EXPECT_THAT(optimised.output, testing::ContainsRegex("(product|both) = <optimised away>")) << optimised;
    EXPECT_THAT(optimised.output,
                HasSubstr("This code is optimised: variables may be missing, and those that are known to be wrong"));
    const auto plain = debugged({"break entry", "run", "where", "disassemble", "stepi 3", "info modules", "kill"},
                                {inBuildTree("tests/zetl/debugged_program"), "spin", "-cl-opt-disable"});
    EXPECT_EQ(plain.exitCode, 128 + SIGKILL) << plain;
    EXPECT_THAT(plain.output, HasSubstr("in spin+0x"));
    EXPECT_THAT(plain.output, HasSubstr("no debug information (build with -g)"));
    EXPECT_THAT(plain.output, HasSubstr("There are no source lines here: the module was built without -g"));
}

}  // namespace
}  // namespace zetl::test
