// Kernels in which something that nobody has written decides something, each beside a twin in which it is written.
#include <algorithm>
#include <random>
#include <vector>

#include "checked_kernels.h"
#include "emulator/check/register_set.h"

namespace zetl::emulator::check {
namespace {

using zetl::check::Finding;
using zetl::check::Kind;

const Planted kUnwritten[] = {
    {"hole_in_an_array",
     Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){int t[8];for(int "
     "i=0;i<8;i++)if(WRONG(i!=3,1))t[i]=i;o[G]=t[(a[G]+3)&7]>1000?1:2;}",
     16,
     1,
     {},
     256,
     true},
    {"array_that_address_registers_write",
     Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){int t[8],n=a[0]+8,s=0;\n#pragma unroll 1\nfor(int "
     "i=0;i<n;i++)if(WRONG(i!=3,1))t[(i+G)&7]=G*i;\n#pragma unroll 1\nfor(int i=0;i<n;i++)s+=t[(i*5+G)&7];o[G]=s;}",
     16,
     1,
     {},
     256,
     true},
    {"branch_on_global", Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){if(a[G]>0)o[G]=1+G;else o[G]=2;}"},
    {"branch_on_sum", Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){int s=0;for(int i=0;i<4;i++)s+=a[(G+i)&63];if(s>3)o[G]=1+G;else "
     "atomic_inc(o+63-G);}"},
    {"output_of_sum", Kind::uninitOutput, "kernel void k(global int*o,global int*a){o[G]=a[G]+a[63-G];}"},
    {"output_of_product", Kind::uninitOutput, "kernel void k(global float*o,global float*a){o[G]=a[G]*3.0f+1.0f;}"},
    {"address", Kind::uninitAddress, "kernel void k(global int*o,global int*a){o[a[G]&63]=1;}"},
    {"address_of_load", Kind::uninitAddress, "kernel void k(global int*o,global int*a){o[G]=o[a[G]&63];}"},
    {"local_branch",
     Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){local int "
     "s[64];if(WRONG(L<63,1))s[L]=L;barrier(1);if(s[63-L]>=0)o[G]=1;else atomic_inc(o);}",
     64,
     1,
     {},
     256,
     true},
    {"local_output",
     Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){local int s[64];if(WRONG(L<63,1))s[L]=L;barrier(1);o[G]=s[63-L]+s[L];}",
     64,
     1,
     {},
     256,
     true},
    {"local_through_copy", Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=a[G];barrier(1);if(s[63-L]>=5)o[G]=1;else "
     "atomic_inc(o);}"},
    {"local_that_was_written_before", Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;barrier(1);int "
     "x=s[63-L];barrier(1);s[L]=a[G];barrier(1);if(s[63-L]>=x)o[G]=1;else atomic_inc(o);}"},
    {"local_of_a_later_group",
     Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){local int "
     "s[64];if(WRONG(W<9||L<63,1))s[L]=L;barrier(1);if(s[63-L]>=0)o[L]=1;else atomic_inc(o);}",
     64,
     10,
     {},
     256,
     true},
    {"vector_component", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){int4 v=vload4(G&15,a);o[G]=v.x+v.w;}"},
    {"loop_bound", Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){int n=a[G]&15;for(int i=0;i<n;i++)atomic_inc(o+i);}"},
};

/// Of these `a` is not written, and that decides nothing.
const Planted kCopies[] = {
    {"copy", Kind::uninitOutput, "kernel void k(global int*o,global int*a){o[G]=a[G];}"},
    {"copy_of_vectors", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){if(G<16)vstore4(vload4(G,a),G,o);}"},
    {"copy_of_bytes", Kind::uninitOutput,
     "kernel void k(global uchar*o,global uchar*a){for(int i=0;i<4;i++)o[G*4+i]=a[G*4+i];}"},
    {"copy_through_local", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=a[G];barrier(1);o[G]=s[63-L];}"},
    {"masked_out", Kind::uninitOutput, "kernel void k(global int*o,global int*a){o[G]=a[G]&0;}"},
    {"times_zero", Kind::uninitOutput, "kernel void k(global int*o,global int*a){o[G]=a[G]*o[G];}"},
    {"written_first", Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){a[G]=G;if(a[G]>5)o[G]=1;else o[G]=2;}"},
    {"part_that_is_written", Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){global uchar*b=(global uchar*)a;b[G*4]=G;if(b[G*4]>5)o[G]=1;else "
     "o[G]=2;}"},
};

class InitCheckTest : public KernelsThatReadTooEarly {};
class InitCheckOfCopies : public InitCheckTest {};

TEST_P(InitCheckTest, FindsIt) {
    const std::vector<Finding> findings = found(kUnwritten, true);
    EXPECT_TRUE(has(findings, GetParam().kind)) << told(findings);
}

TEST_P(InitCheckTest, IsSilentAboutItsTwin) { EXPECT_EQ(told(found(kUnwritten, false)), ""); }

TEST_P(InitCheckOfCopies, SaysNothing) { EXPECT_EQ(told(found(kCopies, true)), ""); }

TEST(MemoryLevels, AreWholeOnceEachByteIsDefined) {
    constexpr std::uint32_t kBytes = 77;
    const auto levels = MemoryLevels::make(kBytes);
    std::vector<bool> defined(kBytes);
    std::mt19937 random(40);
    std::size_t whole = 0;
    for (int step = 0; step < 5000; ++step) {
        const auto at = static_cast<std::uint32_t>(random() % kBytes);
        const auto bytes = std::min<std::uint32_t>(1 + random() % 40, kBytes - at);
        if (random() % 50 == 0) {
            levels->forget();
            defined.assign(kBytes, false);
        } else if (random() % 8 == 0) {
            levels->set(at, Level::computed);
            defined[at] = false;
        } else {
            levels->define(at, bytes);
            std::fill_n(defined.begin() + at, bytes, true);
        }
        levels->lookFurther();
        const bool all = std::ranges::find(defined, false) == defined.end();
        ASSERT_EQ(levels->isWhole(), all) << step;
        whole += all;
    }
    EXPECT_GT(whole, 100u);
}

TEST(RegisterSet, GoesThroughWhatIsInAnotherToo) {
    RegisterSet used;
    used.addAll();
    RegisterSet marked;
    for (const std::uint32_t number : {3u, 64u, RegisterSet::kFlags}) marked.add(number);
    std::vector<std::uint32_t> met;
    used.eachIn(marked, [&](std::uint32_t number) {
        met.push_back(number);
        marked.remove(number);
    });
    EXPECT_EQ(met, (std::vector{3u, 64u, RegisterSet::kFlags}));
    EXPECT_TRUE(marked.empty());
}

INSTANTIATE_TEST_SUITE_P(Kernels, InitCheckTest, testing::ValuesIn(kUnwritten), kNameOf);
INSTANTIATE_TEST_SUITE_P(Kernels, InitCheckOfCopies, testing::ValuesIn(kCopies), kNameOf);

}  // namespace
}  // namespace zetl::emulator::check
