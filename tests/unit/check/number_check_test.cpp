// Kernels in which a number goes wrong, each beside a twin in which it does not.
#include "emulator/check/number_check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "planted.h"

namespace zetl::emulator::check {
namespace {

using machine::bench::KernelBench;
using zetl::check::Finding;
using zetl::check::Kind;

const Planted kWrongNumbers[] = {
    {"nan_of_division", Kind::nan, "kernel void k(global float*o,global float*a){o[G]=a[G]/WRONG(a[G],(a[G]+1.0f));}"},
    {"nan_of_difference", Kind::nan,
     "kernel void k(global float*o,global float*a){float x=WRONG(INFINITY,1.0f)+a[G];float "
     "y=WRONG(INFINITY,1.0f)-a[G+1&63];o[G]=x-y;}"},
    {"nan_of_product", Kind::nan,
     "kernel void k(global float*o,global float*a){o[G]=(a[G]+WRONG(INFINITY,2.0f))*a[63-G];}"},
    {"nan_of_root", Kind::nan,
     "kernel void k(global float*o,global float*a){o[G]=native_sqrt(a[G]+WRONG(-1.0f,1.0f));}"},
    {"nan_of_logarithm", Kind::nan,
     "kernel void k(global float*o,global float*a){o[G]=native_log2(a[G]+WRONG(-1.0f,1.0f));}"},
    {"nan_of_sum_in_place", Kind::nan,
     "kernel void k(global float*o,global float*a){float s=WRONG(INFINITY,0.0f);for(int "
     "i=0;i<8;i++)s+=a[i]-WRONG(INFINITY,0.0f);o[G]=s;}"},
    {"inf_of_product", Kind::infinity,
     "kernel void k(global float*o,global float*a){float x=a[G]+WRONG(1e30f,0.0f);o[G]=x*x;}"},
    {"inf_of_sum", Kind::infinity,
     "kernel void k(global float*o,global float*a){float x=a[G]+WRONG(3e38f,1e30f);o[G]=x+x;}"},
    {"inf_of_reciprocal", Kind::infinity,
     "kernel void k(global float*o,global float*a){o[G]=native_recip(a[G]+WRONG(0.0f,1.0f));}"},
    {"inf_of_exponential", Kind::infinity,
     "kernel void k(global float*o,global float*a){o[G]=native_exp2(a[G]+WRONG(200.0f,20.0f));}"},
    {"inf_of_multiply_add", Kind::infinity,
     "kernel void k(global float*o,global float*a){float x=a[G]+WRONG(1e30f,1.0f);o[G]=fma(x,x,x);}"},
    {"inf_in_double", Kind::infinity,
     "kernel void k(global double*o,global double*a){double x=a[G&31]+WRONG(1e300,1.0);o[G&31]=x*x;}"},
    {"inf_of_half", Kind::infinity,
     "#pragma OPENCL EXTENSION cl_khr_fp16:enable\nkernel void k(global half*o,global half*a){half "
     "x=a[G]+(half)WRONG(60000.0f,1.0f);o[G]=x*x;}"},
    {"inf_of_conversion", Kind::infinity,
     "#pragma OPENCL EXTENSION cl_khr_fp16:enable\nkernel void k(global half*o,global "
     "float*a){o[G]=(half)(a[G]+WRONG(1e6f,1.0f));}"},
    {"denormal_of_product", Kind::denormal,
     "kernel void k(global float*o,global float*a){float x=a[G]+WRONG(1e-20f,1.0f);o[G]=x*x;}"},
    {"division_by_zero", Kind::division, "kernel void k(global int*o,global int*a){o[G]=G/WRONG(a[G],(a[G]+1));}"},
    {"division_unsigned", Kind::division,
     "kernel void k(global uint*o,global uint*a){o[G]=(uint)G/WRONG(a[G],(a[G]+1));}"},
    {"division_of_shorts", Kind::division,
     "kernel void k(global short*o,global short*a){o[G]=(short)((short)(G+5)/(short)(a[G]+WRONG(0,3)));}"},
    {"remainder_of_unsigned", Kind::division,
     "kernel void k(global uint*o,global uint*a){o[G]=77u%(a[G]+WRONG(0u,3u));}"},
    {"to_int", Kind::conversion, "kernel void k(global int*o,global float*a){o[G]=(int)(a[G]+WRONG(1e10f,5.0f));}"},
    {"to_least_int", Kind::conversion,
     "kernel void k(global int*o,global float*a){o[G]=(int)(a[G]-WRONG(2147483904.0f,2147483648.0f));}"},
    {"nan_to_int", Kind::conversion,
     "kernel void k(global int*o,global float*a){o[G]=(int)native_sqrt(a[G]+WRONG(-1.0f,1.0f));}"},
    {"to_unsigned", Kind::conversion,
     "kernel void k(global uint*o,global float*a){o[G]=(uint)(a[G]-WRONG(5.0f,0.5f));}"},
    {"to_byte", Kind::conversion,
     "kernel void k(global uchar*o,global float*a){o[G]=(uchar)(a[G]+WRONG(300.0f,255.9f));}"},
    {"to_short", Kind::conversion,
     "kernel void k(global short*o,global float*a){o[G]=(short)(a[G]+WRONG(40000.0f,32767.5f));}"},
    {"double_to_int", Kind::conversion,
     "kernel void k(global int*o,global double*a){o[G&31]=(int)(a[G&31]+WRONG(1e15,5.0));}"},
    {"float_to_long", Kind::conversion,
     "kernel void k(global long*o,global float*a){o[G&31]=(long)(a[G&31]+WRONG(1e20f,1e18f));}"},
    {"division_by_zero_for_all", Kind::division,
     "kernel void k(global int*o,global int*a){o[G]=(G+9)/(a[0]+WRONG(0,3));}"},
    {"remainder_by_zero_for_all", Kind::division,
     "kernel void k(global uint*o,global uint*a){o[G]=(G+9u)%(a[0]+WRONG(0u,3u));}"},
    {"division_of_bytes", Kind::division,
     "kernel void k(global char*o,global char*a){o[G]=(char)(G+5)/(char)(a[G]+WRONG(0,3));}"},
    {"division_of_longs", Kind::division,
     "kernel void k(global long*o,global long*a){o[G&31]=(G+9L)/(a[G&31]+WRONG(0,3));}"},
    {"remainder_of_longs", Kind::division,
     "kernel void k(global ulong*o,global ulong*a){o[G&31]=(G+9UL)%(a[G&31]+WRONG(0,3));}"},
    {"index_of_product", Kind::overflow,
     "kernel void k(global int*o,global int*a){int i=(a[G]+WRONG(65536,1))*(a[63-G]+WRONG(65536,2));o[i]=1;}"},
    {"product_as_long", Kind::overflow,
     "kernel void k(global long*o,global int*a){o[G&31]=(long)((a[G]+WRONG(100000,9))*(a[63-G]+WRONG(100000,9)));}"},
    {"nan_of_exact_division", Kind::nan,
     "kernel void k(global double*o,global double*a){o[G&31]=a[G&31]/(a[G&31]+WRONG(0.0,1.0));}"},
    {"inf_of_exact_division", Kind::infinity,
     "kernel void k(global double*o,global double*a){o[G&31]=(a[G&31]+2.0)/(a[G&31]+WRONG(0.0,1.0));}"},
    {"inf_of_small_divisor", Kind::infinity,
     "kernel void k(global double*o,global double*a){o[G&31]=(a[G&31]+1e200)/(a[G&31]+WRONG(1e-200,1e-100));}"},
    {"nan_of_exact_root", Kind::nan,
     "kernel void k(global double*o,global double*a){o[G&31]=sqrt(a[G&31]-WRONG(1.0,-1.0));}"},
    {"remainder_by_zero", Kind::division, "kernel void k(global int*o,global int*a){o[G]=G%WRONG(a[G],(a[G]+1));}"},
};

/// What is no mistake of numbers: what is passed on, and what a program tests for itself.
const Planted kSilent[] = {
    {"nan_passed_on", Kind::nan, "kernel void k(global float*o,global float*a){o[G]=(a[G]+NAN)*2.0f;}"},
    {"inf_passed_on", Kind::infinity, "kernel void k(global float*o,global float*a){o[G]=(a[G]+INFINITY)*2.0f;}"},
    {"inf_as_start_of_maximum", Kind::infinity,
     "kernel void k(global float*o,global float*a){float m=-INFINITY;for(int i=0;i<8;i++)m=fmax(m,a[i]);o[G]=m;}"},
    {"kept_within_bounds", Kind::conversion,
     "kernel void k(global int*o,global float*a){o[G]=convert_int_sat((a[G]+1.0f)*1e12f);}"},
    {"kept_below_the_end", Kind::conversion,
     "kernel void k(global int*o,global float*a){float x=(a[G]+1.0f)*1e12f;"
     "o[G]=(int)fmin(fmax(x,-2147483648.0f),2147483648.0f);}"},
    {"kept_within_bounds_of_bytes", Kind::conversion,
     "kernel void k(global uchar*o,global float*a){o[G]=convert_uchar_sat((a[G]-1.0f)*1e12f);}"},
    {"rounded_and_kept_within_bounds", Kind::conversion,
     "kernel void k(global short*o,global float*a){o[G]=convert_short_sat_rte((a[G]+1.0f)*1e12f);}"},
    {"quotients_of_large_numbers", Kind::conversion,
     "kernel void k(global uint*o,global uint*a){o[G]=0xffffffffu/(a[G]+1u)+(uint)(0x80000000/(int)(a[G]+7));}"},
    {"hash_as_index", Kind::overflow,
     "kernel void k(global int*o,global int*a){uint h=(a[G]+77u)*2654435761u;o[(int)(h>>27)]=1;o[(h*31u)&63u]=2;}"},
    {"unsigned_index_wraps", Kind::overflow,
     "kernel void k(global int*o,global int*a){uint i=a[G]+5u;o[(uint)G+i-5u]=1;}"},
    {"divisor_tested", Kind::division, "kernel void k(global int*o,global int*a){if(a[G]==0)o[G]=7;else o[G]=G/a[G];}"},
};

class NumberCheckTest : public testing::TestWithParam<Planted> {
  protected:
    KernelBench bench{"small", 1};
    NumberCheck numbers{bench.machine()};
};
class NumberCheckOfSound : public NumberCheckTest {};
class NumberCheckOfQuotient : public testing::Test {
  protected:
    KernelBench bench{"small", 1};
    NumberCheck numbers{bench.machine()};
};

TEST_P(NumberCheckTest, FindsIt) {
    const std::vector<Finding> findings = findingsOf(bench, numbers, kWrongNumbers, GetParam(), true);
    EXPECT_TRUE(std::ranges::any_of(findings, [](const Finding& one) { return one.kind == GetParam().kind; }))
        << told(findings);
}

TEST_F(NumberCheckOfQuotient, ReportsTheNanAlone) {
    const Planted quotient{"quotient", Kind::nan, "kernel void k(global float*o,global float*a){o[G]=a[G]/a[G];}"};
    const std::vector<Finding> findings = findingsOf(bench, numbers, {&quotient, 1}, quotient, true);
    EXPECT_EQ(findings.size(), 1u) << told(findings);
}

TEST_P(NumberCheckTest, IsSilentAboutItsTwin) {
    EXPECT_EQ(told(findingsOf(bench, numbers, kWrongNumbers, GetParam(), false)), "");
}

TEST_P(NumberCheckOfSound, SaysNothing) { EXPECT_EQ(told(findingsOf(bench, numbers, kSilent, GetParam(), false)), ""); }

INSTANTIATE_TEST_SUITE_P(Kernels, NumberCheckTest, testing::ValuesIn(kWrongNumbers),
                         [](const auto& one) { return one.param.name; });
INSTANTIATE_TEST_SUITE_P(Kernels, NumberCheckOfSound, testing::ValuesIn(kSilent),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace zetl::emulator::check
