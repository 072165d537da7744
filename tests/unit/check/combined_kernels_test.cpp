// Kernels whose mistake lies in how two things meet: atomics as flags, groups of three dimensions, local memory that is
// used again, sub-groups. Each stands beside a twin without the mistake.
#include "checked_kernels.h"

namespace zetl::emulator::check {
namespace {

using zetl::check::Finding;
using zetl::check::Kind;

const Planted kCombined[] = {
    // Atomics as flags.
    {"released_by_another_thread", Kind::raceGlobal,
     "kernel void k(global int*o,global atomic_int*a){if(W==0){if(L==0){atomic_fetch_add_explicit(a+1,1,memory_order_"
     "acq_rel,memory_scope_device);o[0]=42;}WRONG(,barrier(3);)if(L==63)atomic_store_explicit(a,1,memory_order_"
     "release,memory_scope_device);}else if(L==0){if(atomic_load_explicit(a,memory_order_acquire,memory_scope_device)"
     "==1)o[1]=o[0];}}",
     64, 2},
    {"fence_of_local_memory", Kind::raceGlobal,
     "kernel void k(global int*o,global atomic_int*a){if(L!=0)return;if(W==0){o[0]=42;atomic_work_item_fence(WRONG("
     "CLK_LOCAL_MEM_FENCE,CLK_GLOBAL_MEM_FENCE),memory_order_release,memory_scope_device);atomic_store_explicit(a,1,"
     "memory_order_relaxed,memory_scope_device);}else if(atomic_load_explicit(a,memory_order_acquire,memory_scope_"
     "device)==1)o[1]=o[0];}",
     16, 2},
    {"ticket_lock", Kind::raceGlobal,
     "kernel void k(global int*o,global atomic_int*a){int t=atomic_fetch_add_explicit(a,1,memory_order_relaxed,memory_"
     "scope_device);while(atomic_load_explicit(a+1,memory_order_acquire,memory_scope_device)!=t){}o[0]+=G+1;"
     "atomic_store_explicit(a+1,t+1,WRONG(memory_order_relaxed,memory_order_release),memory_scope_device);}",
     1, 4},
    {"flag_set_before_the_data", Kind::raceGlobal,
     "kernel void k(global int*o,global atomic_int*a){if(L!=0)return;if(W==0){WRONG(,o[0]=42;)atomic_store_explicit(a,"
     "1,memory_order_release,memory_scope_device);WRONG(o[0]=42;,)}else if(atomic_load_explicit(a,memory_order_acquire,"
     "memory_scope_device)==1)o[1]=o[0];}",
     16, 2},
    {"first_one_takes_it", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){if(WRONG(o[32+L]==0,atomic_xchg(a+L,1)==0)){WRONG(o[32+L]=1;,)o[L]=W+1;}"
     "}",
     16, 4},
    {"slot_of_another_group", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int i=atomic_inc(a);o[i]=G;if(i>0)a[1+i]=o[WRONG(i-1,i)];}", 1, 8},
    {"box_with_the_wrong_pitch",
     Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[128];int "
     "x=get_local_id(0),y=get_local_id(1),z=get_local_id(2),i=x+y*WRONG(3,4)+z*16;s[i]=a[0]+x+y*10+z*100;barrier(1);"
     "o[x+y*4+z*16]=s[i];}",
     4,
     1,
     {},
     256,
     false,
     4,
     4},
    {"box_one_layer_too_far",
     Kind::global,
     "kernel void k(global int*o,global int*a){int x=get_local_id(0),y=get_local_id(1),z=get_local_id(2);"
     "o[x+y*4+(z+WRONG(1,0))*16]=x;}",
     4,
     1,
     {},
     256,
     false,
     4,
     4},
    {"box_of_neighbours",
     Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[4][4][8];int "
     "x=get_local_id(0),y=get_local_id(1),z=get_local_id(2);s[z][y][x]=a[0]+x;WRONG(,barrier(1);)"
     "o[x+y*8+z*32]=s[(z+1)&3][y][x];}",
     8,
     1,
     {},
     512,
     false,
     4,
     4},
    {"boxes_that_overlap",
     Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int x=get_local_id(0),y=get_local_id(1),z=get_local_id(2);"
     "o[x+y*4+z*16+W*WRONG(60,64)]=W+1;}",
     4,
     4,
     {},
     1024,
     false,
     4,
     4},
    {"barrier_of_some_layers",
     Kind::divergent,
     "kernel void k(global int*o,global int*a){local int s[64];int "
     "i=get_local_id(0)+get_local_id(1)*4+get_local_id(2)*16;s[i]=i;if(get_local_id(2)<WRONG(3,4)&&get_local_id(0)<"
     "WRONG(3,4)){barrier(1);o[i]=s[63-i];}}",
     4,
     1,
     {},
     256,
     false,
     4,
     4},
    // Local memory that is used again.
    {"used_again_as_floats", Kind::raceLocal,
     "kernel void k(global float*o,global int*a){local int s[64];local float*f=(local float*)s;s[L]=a[L]+L;barrier(1);"
     "float v=s[63-L];WRONG(,barrier(1);)f[L]=v*2.0f;barrier(1);o[G]=f[(L+17)&63];}"},
    {"fetched_ahead_into_the_same_half", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[2][64];s[0][L]=a[L];barrier(1);int v=0;for(int i=0;i<4;i++)"
     "{s[WRONG(i,i+1)&1][L]=a[(L+i)&63]+i;v+=s[i&1][63-L];barrier(1);}o[G]=v;}"},
    {"copied_by_the_group_into_what_is_read", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[64];int v=0;for(int i=0;i<2;i++){event_t "
     "e=async_work_group_copy(s,a,64,0);wait_group_events(1,&e);v+=s[63-L];WRONG(,barrier(1);)}o[G]=v;}"},
    {"scratch_in_global_memory", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int v=0;for(int i=0;i<3;i++){o[L]=L+i;barrier(2);v+=o[63-L];WRONG(,"
     "barrier(2);)}a[G]=v;}"},
    {"one_barrier_for_two_memories", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;o[L]=L;barrier(WRONG(CLK_LOCAL_MEM_FENCE,3));"
     "a[G]=s[63-L]+o[63-L];}"},
    {"leader_resets_what_others_read", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int n;int v=0;if(L==0)n=0;barrier(1);for(int i=0;i<3;i++){"
     "atomic_inc(&n);barrier(1);v+=n;WRONG(,barrier(1);)if(L==0)n=0;barrier(1);}o[G]=v;}"},
    {"flag_behind_a_barrier", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int n;local atomic_int flag;int v=0;if(L==0)atomic_init(&flag,0);"
     "barrier(1);if(L==0){n=7;atomic_store_explicit(&flag,1,WRONG(memory_order_relaxed,memory_order_release),"
     "memory_scope_work_group);}else if(L==63){while(atomic_load_explicit(&flag,memory_order_acquire,"
     "memory_scope_work_group)==0){}v=n;}o[G]=v;}"},
    {"sub_groups_without_a_barrier", Kind::raceLocal,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){local int s[4];int "
     "x=sub_group_reduce_add(a[G]+L);if(get_sub_group_local_id()==0)s[get_sub_group_id()]=x;WRONG(sub_group_barrier(1),"
     "barrier(1));o[G]=s[0]+s[1]+s[2]+s[3];}"},
    {"work_group_sum_of_some", Kind::divergent,
     "kernel void k(global int*o,global int*a){if(L<WRONG(40,64))o[G]=work_group_reduce_add(a[G]+L);}"},
    // Pointers that may point to either memory, blocks.
    {"either_memory_behind", Kind::local,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;barrier(1);int*p=a[0]==0?(int*)s:(int*)o;"
     "p[L+WRONG(64,0)]=1;barrier(1);o[G]=s[L];}"},
    {"either_memory_raced", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[64];int*p=a[0]==0?(int*)s:(int*)o;p[L]=L;WRONG(,barrier(3);)"
     "a[G]=p[63-L];}"},
    {"blocks_that_overlap", Kind::raceGlobal,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global uint*o,global uint*a){"
     "intel_sub_group_block_write(o+W*WRONG(12,16),(uint)G+1);}",
     16, 3},
    {"block_behind", Kind::global,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global uint*o,global uint*a){"
     "o[G]=intel_sub_group_block_read(a+W*16+WRONG(16,0))+1;}",
     16, 4},
    {"rounds_that_are_loaded", Kind::global,
     "kernel void k(global int*o,global int*a){int n=a[0]+WRONG(65,64),s=0;for(int i=0;i<n;i++)s+=a[i]+i;o[G]=s;}"},
    {"plain_store_beside_a_maximum", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int n=G*7+1,old=atomic_or(o,0);while(old<n){int "
     "was=atomic_cmpxchg(o,old,n);"
     "if(was==old)break;old=was;}WRONG(if(L==0&&W==3)o[0]=0;,)}",
     16, 4},
};

/// Of these `a` is not written.
const Planted kCombinedTooEarly[] = {
    {"last_items_of_a_tile",
     Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){local int s[64];if(L<WRONG(60,64))s[L]=L;barrier(1);o[G]=s[63-L]+1;}",
     64,
     1,
     {},
     256,
     true},
    {"sum_by_sub_groups", Kind::uninitOutput,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){"
     "o[G]=sub_group_reduce_add(a[G]);}"},
    {"box_half_filled",
     Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){local int s[4][4][4];int "
     "x=get_local_id(0),y=get_local_id(1),z=get_local_id(2);if(WRONG(y<z,1))s[z][y][x]=x;barrier(1);"
     "o[x+y*4+z*16]=s[y][z][x]*3;}",
     4,
     1,
     {},
     256,
     true,
     4,
     4},
    {"by_async_copy", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){local int s[64];event_t e=async_work_group_copy(s,a,64,0);"
     "wait_group_events(1,&e);o[G]=s[63-L]*3;}"},
};

class CombinedMistakes : public CheckedKernels {};
class CombinedUnwritten : public KernelsThatReadTooEarly {};

TEST_P(CombinedMistakes, AreFound) {
    const std::vector<Finding> findings = found(kCombined, true);
    EXPECT_TRUE(has(findings, GetParam().kind)) << told(findings);
}
TEST_P(CombinedMistakes, AreNotInTheTwin) { EXPECT_EQ(told(found(kCombined, false)), ""); }

TEST_P(CombinedUnwritten, IsFound) {
    const std::vector<Finding> findings = found(kCombinedTooEarly, true);
    EXPECT_TRUE(has(findings, GetParam().kind)) << told(findings);
}
TEST_P(CombinedUnwritten, IsNothingInTheTwin) { EXPECT_EQ(told(found(kCombinedTooEarly, false)), ""); }

INSTANTIATE_TEST_SUITE_P(Kernels, CombinedMistakes, testing::ValuesIn(kCombined), kNameOf);
INSTANTIATE_TEST_SUITE_P(Kernels, CombinedUnwritten, testing::ValuesIn(kCombinedTooEarly), kNameOf);

}  // namespace
}  // namespace zetl::emulator::check
