// Kernels with a mistake planted, each beside a twin without it: the mistake is reported, by name and place, and of the
// twin nothing is said. They run as they do without checks, by host code where the host has it.
#include "checked_kernels.h"

namespace zetl::emulator::check {
namespace {

using zetl::check::Finding;
using zetl::check::Kind;

const Planted kKernels[] = {
    // Memory.
    {"global_write_behind", Kind::global, "kernel void k(global int*o,global int*a){o[G+WRONG(1,0)]=G;}"},
    {"global_read_behind", Kind::global, "kernel void k(global int*o,global int*a){o[G]=a[WRONG(G+1,min(G+1,63))];}"},
    {"global_read_before", Kind::global, "kernel void k(global int*o,global int*a){o[G]=a[WRONG(G-1,max(G-1,0))];}"},
    {"global_byte_behind",
     Kind::global,
     "kernel void k(global uchar*o,global int*a){if(WRONG(G*4+3<256,G*4+3<255)) o[G*4+3]=1;}",
     64,
     1,
     {},
     255},
    {"global_vector_behind", Kind::global,
     "kernel void k(global int*o,global int*a){int4 v=(int4)(G);if(WRONG(G<16,G<15)) vstore4(v,0,o+G*4+4);}"},
    {"global_atomic_behind", Kind::global, "kernel void k(global int*o,global int*a){atomic_inc(o+WRONG(64,G));}"},
    {"global_rows", Kind::global, "kernel void k(global int*o,global int*a){o[(G/8)*WRONG(9,8)+G%8]=G;}"},
    {"null_read", Kind::null,
     "kernel void k(global int*o,global int*a){global int*p=WRONG((global int*)(size_t)(a[G]*16),a);o[G]=p[G];}"},
    {"null_write", Kind::null,
     "kernel void k(global int*o,global int*a){global int*p=WRONG((global int*)(size_t)a[G],o);p[G]=1;}"},
    {"local_behind", Kind::local,
     "kernel void k(global int*o,global int*a){local int s[64];s[L+WRONG(1,0)]=G;barrier(1);o[G]=s[L];}"},
    {"local_argument_behind",
     Kind::local,
     "kernel void k(global int*o,global int*a,local int*s){s[L+WRONG(64,0)]=G;barrier(1);o[G]=s[L];}",
     64,
     1,
     {256}},
    {"local_read_behind", Kind::local,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=G;barrier(1);o[G]=s[L+WRONG(1,0)];}"},
    {"local_neighbour",
     Kind::neighbour,
     "kernel void k(global int*o,global int*a,local int*s,local "
     "int*t){t[L]=L;s[L+WRONG(64,0)]=G;barrier(1);o[G]=s[L]+t[L];}",
     64,
     1,
     {256, 256}},
    {"neighbour_write", Kind::neighbour, "kernel void k(global int*o,global int*a){o[WRONG((int)(a-o)+G,G)]=1;}"},
    {"neighbour_read", Kind::neighbour,
     "kernel void k(global int*o,global int*a){o[G]=a[WRONG((int)(o-a)+63-G,63-G)];}"},
    // Nothing is wrong with most groups, which are judged before they run.
    {"last_group_behind",
     Kind::global,
     "kernel void k(global int*o,global int*a){if(G<WRONG(2048,2047)) o[G]=G;}",
     64,
     32,
     {},
     8188},
    {"last_group_reads_behind",
     Kind::global,
     "kernel void k(global int*o,global int*a){o[G]=a[G+WRONG(1,0)]+1;}",
     64,
     32,
     {},
     8192},
    {"groups_read_the_next_one",
     Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){o[G]=o[G+WRONG(64,0)]+a[G];}",
     64,
     31,
     {},
     8192},
    {"groups_write_the_same",
     Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){o[WRONG(G&1023,G)]=a[G]+G;}",
     64,
     32,
     {},
     8192},
    // Races in local memory.
    {"local_read_after_write", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;WRONG(,barrier(1);)o[G]=s[63-L];}"},
    {"local_write_after_read", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[64];int v=0;for(int "
     "i=0;i<2;i++){s[L]=L+i;barrier(1);v+=s[63-L];"
     "WRONG(,barrier(1);)}o[G]=v;}"},
    {"local_write_after_write", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[64];s[WRONG(L%32,L)]=L;barrier(1);o[G]=s[L];}"},
    {"local_wrong_flag", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int "
     "s[64];s[L]=L;barrier(WRONG(CLK_GLOBAL_MEM_FENCE,CLK_LOCAL_MEM_FENCE));"
     "o[G]=s[63-L];}"},
    {"local_counter", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int "
     "n;if(L==0)n=0;barrier(1);WRONG(n+=L;,atomic_add(&n,L);)barrier(1);"
     "o[G]=n;}"},
    {"local_reduction", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[256];s[L]=a[0]+L;barrier(1);for(int "
     "w=128;w>0;w/=2){if(L<w)s[L]+=s[L+w];"
     "WRONG(if(w>128)barrier(1);,barrier(1);)}if(L==0)o[0]=s[0];}",
     256},
    // Races in global memory.
    {"groups_write_one", Kind::raceGlobal, "kernel void k(global int*o,global int*a){WRONG(o[L]=W+1;,if(W==3)o[L]=W;)}",
     16, 4},
    {"counter", Kind::raceGlobal, "kernel void k(global int*o,global int*a){WRONG(o[0]+=1;,atomic_inc(o);)}", 16, 4},
    {"plain_read_of_counter", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){atomic_inc(o);a[G]=WRONG(o[0],atomic_add(o,0))>0;}", 16, 4},
    {"neighbours_in_group", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){o[G]=G;barrier(WRONG(CLK_LOCAL_MEM_FENCE,CLK_GLOBAL_MEM_FENCE));int "
     "v=o[63-G];"
     "barrier(3);o[G]=v;}"},
    {"bytes_of_groups", Kind::raceGlobal, "kernel void k(global uchar*o,global int*a){o[W*WRONG(3,4)+L]=W+1;}", 4, 2},
    {"reversal", Kind::raceGlobal, "kernel void k(global int*o,global int*a){int v=WRONG(o[63-G],o[G]);o[G]=v+G;}", 16,
     4},
    {"shared_by_groups", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){o[G]=G;barrier(3);a[G]=o[WRONG(63-G,G)];}", 16, 4},
    {"same_vector", Kind::raceSameValue,
     "kernel void k(global int*o,global int*a){vstore4((int4)(1,2,3,7),WRONG(0,G),o);}", 4, 4},
    {"same_value", Kind::raceSameValue, "kernel void k(global int*o,global int*a){WRONG(o[0]=0;,if(G==0)o[0]=1;)}", 16,
     4},
    // Barriers.
    {"half_reaches_barrier", Kind::divergent,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;if(WRONG(L<40,1)){barrier(1);o[G]=s[L];}}"},
    {"trip_counts_differ", Kind::divergent,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;for(int "
     "i=0;i<WRONG(L%3+1,3);i++)barrier(1);o[G]=s[L];}"},
    {"two_barriers", Kind::different,
     "kernel void k(global int*o,global int*a){local int "
     "s[64];s[L]=L;WRONG(if(L<32){barrier(1);o[G]=s[L];}else{barrier(3);"
     "o[G]=s[L]+1;},barrier(1);o[G]=s[L];)}"},
};

class CheckerTest : public CheckedKernels {};

TEST_P(CheckerTest, FindsIt) {
    const std::vector<Finding> findings = found(kKernels, true);
    EXPECT_TRUE(has(findings, GetParam().kind)) << told(findings);
    for (const Finding& one : findings) {
        ASSERT_FALSE(one.sides.empty()) << told(findings);
        EXPECT_EQ(one.sides.front().kernel, GetParam().name) << one.message;
        EXPECT_GT(one.sides.front().ip, 0u) << one.message;
    }
}

TEST_P(CheckerTest, IsSilentAboutItsTwin) { EXPECT_EQ(told(found(kKernels, false)), ""); }

INSTANTIATE_TEST_SUITE_P(Kernels, CheckerTest, testing::ValuesIn(kKernels), kNameOf);

}  // namespace
}  // namespace zetl::emulator::check
