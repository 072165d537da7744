// The software scoreboard as the vendor's assembler writes it.
#include "isa/xe/scoreboard.h"

#include <gtest/gtest.h>

#include "assembler.h"
#include "isa/xe/decode.h"

namespace zetl::isa::xe {
namespace {

using Distance = Scoreboard::Distance;
using Token = Scoreboard::Token;

Scoreboard decoded(const std::string& text) {
    const auto in = decode(kXeHpc, test::assemble(text), 0);
    EXPECT_TRUE(in) << text;
    return in ? scoreboardOf(*in) : Scoreboard{};
}

struct Case {
    const char* annotation;
    Distance in;
    InOrderPipe pipe;
    int distance;
    Token token;
    int number;
};

void check(const std::string& instruction, const Case& c) {
    const Scoreboard s = decoded(instruction + " {" + c.annotation + "}");
    EXPECT_EQ(s.in, c.in) << c.annotation;
    if (s.in == Distance::named) {
        EXPECT_EQ(s.pipe, c.pipe) << c.annotation;
    }
    EXPECT_EQ(s.distance, c.distance) << c.annotation;
    EXPECT_EQ(s.token, c.token) << c.annotation;
    EXPECT_EQ(s.number, c.number) << c.annotation;
}

TEST(Scoreboard, OfArithmetic) {
    constexpr auto real = InOrderPipe::real;
    for (const Case& c :
         {Case{"A@1", Distance::all, real, 1, Token::none, 0}, Case{"F@2", Distance::named, real, 2, Token::none, 0},
          Case{"I@7", Distance::named, InOrderPipe::integer, 7, Token::none, 0},
          Case{"L@1", Distance::named, InOrderPipe::wide, 1, Token::none, 0},
          Case{"M@1", Distance::named, InOrderPipe::math, 1, Token::none, 0},
          Case{"$0.dst", Distance::none, real, 0, Token::written, 0},
          Case{"$31.dst", Distance::none, real, 0, Token::written, 31},
          Case{"$5.src", Distance::none, real, 0, Token::read, 5},
          Case{"@2,$5.dst", Distance::own, real, 2, Token::written, 5},
          Case{"@2,$5.src", Distance::own, real, 2, Token::read, 5},
          Case{"A@3,$5.dst", Distance::all, real, 3, Token::written, 5}})
        check("(W) add (1|M0) r1.0<1>:d r2.0<0;1,0>:d 1:w", c);
    check("math.inv (16|M0) r1.0<1>:f r2.0<1;1,0>:f", {"$3", Distance::none, real, 0, Token::set, 3});
    EXPECT_EQ(decoded("(W) add (1|M0) r1.0<1>:d r2.0<0;1,0>:d 1:w").in, Distance::none);
}

TEST(Scoreboard, OfMessages) {
    constexpr auto real = InOrderPipe::real;
    for (const Case& c :
         {Case{"$2", Distance::none, real, 0, Token::set, 2}, Case{"A@1,$2", Distance::all, real, 1, Token::set, 2},
          Case{"F@2,$2", Distance::named, real, 2, Token::set, 2},
          Case{"I@7,$31", Distance::named, InOrderPipe::integer, 7, Token::set, 31}})
        check("send.ugm (16|M0) r10 r4 null:0 0x0 0x04200580", c);
}

TEST(Scoreboard, PipesOfInstructions) {
    const auto pipe = [](const char* text) { return pipeOf(*decode(kXeHpc, test::assemble(text), 0)); };
    EXPECT_EQ(pipe("add (16|M0) r1.0<1>:f r2.0<1;1,0>:f r3.0<1;1,0>:f"), InOrderPipe::real);
    EXPECT_EQ(pipe("mov (16|M0) r1.0<1>:f r2.0<1;1,0>:d"), InOrderPipe::real);
    EXPECT_EQ(pipe("add (16|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<1;1,0>:d"), InOrderPipe::integer);
    EXPECT_EQ(pipe("add (16|M0) r1.0<1>:q r3.0<1;1,0>:q r5.0<1;1,0>:q"), InOrderPipe::wide);
    EXPECT_EQ(pipe("mul (16|M0) r1.0<1>:df r3.0<1;1,0>:df r5.0<1;1,0>:df"), InOrderPipe::wide);
    EXPECT_EQ(pipe("math.inv (16|M0) r1.0<1>:f r2.0<1;1,0>:f"), InOrderPipe::math);
}

}  // namespace
}  // namespace zetl::isa::xe
