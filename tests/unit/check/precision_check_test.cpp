// Kernels whose float results are far from those of double precision, each beside a twin whose are not.
#include "emulator/check/precision_check.h"

#include <gtest/gtest.h>

#include "planted.h"

namespace zetl::emulator::check {
namespace {

using machine::bench::KernelBench;
using zetl::check::Kind;

const Planted kImprecise[] = {
    {"difference_of_neighbours", Kind::precision,
     "kernel void k(global float*o,global float*a){float x=a[G]+WRONG(1e8f,1.0f);o[G]=(x+G*0.3f)-x;}"},
    {"small_numbers_added_to_a_large_one", Kind::precision,
     "kernel void k(global float*o,global float*a){float s=WRONG(1e7f,1.0f)+a[G];for(int i=0;i<64;i++)s+=0.3f+a[i];"
     "o[G]=s-WRONG(1e7f,0.0f);}"},
    {"square_of_a_difference", Kind::precision,
     "kernel void k(global float*o,global float*a){float x=a[G]+WRONG(10000.0f,0.5f)+G*0.1f,y=x+0.37f;"
     "o[G]=y*y-x*x-2.0f*0.37f*x;}"},
    {"by_local_memory", Kind::precision,
     "kernel void k(global float*o,global float*a){local float s[64];s[L]=(a[G]+WRONG(1e8f,1.0f))+L*0.3f;barrier(1);"
     "o[G]=s[63-L]-WRONG(1e8f,1.0f);}"},
    {"argument_of_a_sine", Kind::precision,
     "kernel void k(global float*o,global float*a){float x=WRONG(3e5f,1.0f)+a[G]+G*0.01f;o[G]=native_sin(x)+2.0f;}"},
};

class PrecisionCheckTest : public testing::TestWithParam<Planted> {
  protected:
    KernelBench bench{"small", 1};
    PrecisionCheck precision{bench.machine(), PrecisionCheck::kUsualMost};
};

TEST_P(PrecisionCheckTest, FindsIt) {
    const auto findings = findingsOf(bench, precision, kImprecise, GetParam(), true);
    ASSERT_EQ(findings.size(), 1u) << told(findings);
    EXPECT_EQ(findings.front().kind, Kind::precision);
}

TEST_P(PrecisionCheckTest, IsSilentAboutItsTwin) {
    EXPECT_EQ(told(findingsOf(bench, precision, kImprecise, GetParam(), false)), "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, PrecisionCheckTest, testing::ValuesIn(kImprecise),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace zetl::emulator::check
