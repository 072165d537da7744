// More kernels with a mistake planted, each beside a twin without it: other element types, address arithmetic that
// wraps, algorithms that people write.
#include "checked_kernels.h"

namespace zetl::emulator::check {
namespace {

using zetl::check::Finding;
using zetl::check::Kind;

const Planted kAccesses[] = {
    {"short_behind", Kind::global, "kernel void k(global short*o,global int*a){o[G+WRONG(65,0)]=G;}"},
    {"long_behind", Kind::global, "kernel void k(global long*o,global int*a){o[G+WRONG(1,0)]=G;}", 32},
    {"double_read_behind", Kind::global, "kernel void k(global double*o,global double*a){o[G]=a[G+WRONG(1,0)]*2.0;}",
     32},
    {"half_behind", Kind::global,
     "kernel void k(global int*o,global int*a){vstore_half(1.0f,G+WRONG(65,0),(global half*)o);}"},
    {"bytes_behind", Kind::global, "kernel void k(global uchar*o,global int*a){vstore16((uchar16)(1),G+WRONG(1,0),o);}",
     16},
    {"three_of_four", Kind::global,
     "kernel void k(global int*o,global int*a){int3 v=vload3(G+WRONG(1,0),a);o[G]=v.x+v.y+v.z;}", 21},
    {"one_round_more", Kind::global,
     "kernel void k(global int*o,global int*a){if(G==0){int s=0;for(int i=0;i<WRONG(65,64);i++)s+=a[i];o[0]=s;}}"},
    {"one_round_less", Kind::global,
     "kernel void k(global int*o,global int*a){for(int i=63-G;i>=WRONG(-1,0);i-=64)o[i]=G;if(G==63)o[WRONG(-1,0)]=1;}"},
    {"twice_the_stride", Kind::global, "kernel void k(global int*o,global int*a){o[G*WRONG(2,1)]=G;}"},
    {"group_too_far", Kind::global, "kernel void k(global int*o,global int*a){o[(W+WRONG(1,0))*16+L]=G;}", 16, 4},
    {"exchange_behind", Kind::global, "kernel void k(global int*o,global int*a){atomic_cmpxchg(o+WRONG(64,G),0,1);}"},
    {"maximum_behind", Kind::global, "kernel void k(global int*o,global int*a){atomic_max(a+G+WRONG(1,0),1);}"},
    {"member_behind", Kind::global,
     "struct S{int n;int of[4];};kernel void k(global struct S*o,global int*a){o[G].of[WRONG(8,3)]=1;}", 12},
    {"unsigned_before_zero", Kind::global, "kernel void k(global int*o,global int*a){uint i=G;o[WRONG(i-1,i)]=1;}"},
    {"short_index", Kind::global,
     "kernel void k(global int*o,global int*a){short i=(short)(a[G]+G+WRONG(32767,0));o[i]=1;}"},
    // Addresses that attack what checks remember by address.
    {"far_away", Kind::global, "kernel void k(global int*o,global int*a){o[WRONG(((long)1<<44)+G,(long)G)]=1;}"},
    {"no_canonical_address", Kind::global,
     "kernel void k(global int*o,global int*a){if(G==0)*(global int*)WRONG(0x8000000000000000UL,(ulong)o)=1;}"},
    {"wraps_to_before", Kind::global,
     "kernel void k(global int*o,global int*a){*(global int*)((ulong)o+WRONG(0xffffffffffffff00UL,0UL)+G*4)=G;}"},
    {"last_address", Kind::global,
     "kernel void k(global long*o,global int*a){if(G==0)*(global long*)WRONG(0xfffffffffffffff8UL,(ulong)o)=1;}"},
    {"vector_over_the_end", Kind::global,
     "kernel void k(global int*o,global int*a){if(G==0)vstore4((int4)(1),0,(global "
     "int*)WRONG(0xfffffffffffffff4UL,(ulong)o));}"},
    {"atomic_far_away", Kind::global,
     "kernel void k(global int*o,global int*a){atomic_inc((global int*)WRONG(0x7ffffffffff0UL,(ulong)o));}"},
    {"null_atomic", Kind::null,
     "kernel void k(global int*o,global int*a){atomic_inc(WRONG((global int*)(size_t)a[0],o));}"},
    {"null_vector", Kind::null,
     "kernel void k(global int*o,global int*a){int4 v=vload4(0,WRONG((global int*)(size_t)a[G],a));o[G]=v.x+v.w;}"},
    {"null_member", Kind::null,
     "struct T{int n;int of[4];};kernel void k(global int*o,global int*a){global struct T*s=WRONG((global struct "
     "T*)(size_t)a[G],(global struct T*)a);o[G]=s->of[2];}"},
    {"misaligned_atomic", Kind::misaligned,
     "kernel void k(global int*o,global int*a){atomic_inc((global int*)((global char*)o+WRONG(2,0)));}"},
    {"misaligned_number", Kind::misaligned,
     "kernel void k(global int*o,global int*a){*(global int*)((global char*)o+G*4+WRONG(2,0))=a[G]+1;}", 32},
    {"misaligned_read", Kind::misaligned,
     "kernel void k(global int*o,global int*a){o[G]=*(global int*)((global char*)a+G*4+WRONG(2,0))+1;}", 32},
    {"misaligned_local_number", Kind::misaligned,
     "kernel void k(global int*o,global int*a){local char s[260];*(local int*)(s+L*4+WRONG(2,0))=a[G]+L;barrier(1);"
     "o[G]=s[L];}"},
    {"misaligned_local_read", Kind::misaligned,
     "kernel void k(global int*o,global int*a){local char s[260];for(int i=L;i<260;i+=64)s[i]=i;barrier(1);"
     "o[G]=*(local int*)(s+L*4+WRONG(1,0))+1;}"},
    {"misaligned_local_double", Kind::misaligned,
     "kernel void k(global double*o,global int*a){local int s[66];for(int i=L;i<66;i+=32)s[i]=i;barrier(1);"
     "o[G]=*(local double*)(s+L*2+WRONG(1,0))*2.0;}",
     32},
    // Local memory.
    {"local_one_round_more", Kind::local,
     "kernel void k(global int*o,global int*a){local int s[64];for(int "
     "i=L;i<WRONG(65,64)+a[0];i+=64)s[i]=a[L]+i;barrier(1);o[G]=s[L];}"},
    {"local_long_behind", Kind::local,
     "kernel void k(global long*o,global int*a){local long s[32];s[L+WRONG(1,0)]=G;barrier(1);o[G]=s[L];}", 32},
    {"local_bytes_behind", Kind::local,
     "kernel void k(global int*o,global int*a){local uchar s[256];s[L*4+WRONG(4,3)]=1;barrier(1);o[G]=s[L*4+3];}"},
    {"local_atomic_behind", Kind::local,
     "kernel void k(global int*o,global int*a){local int "
     "s[64];s[L]=0;barrier(1);atomic_inc(s+WRONG(64,L));barrier(1);o[G]=s[L];}"},
    {"local_vector_behind", Kind::local,
     "kernel void k(global int*o,global int*a){local int "
     "s[64];vstore4((int4)(G),L+WRONG(1,0),s);barrier(1);o[G]=s[L];}",
     16},
    {"local_rows", Kind::local,
     "kernel void k(global int*o,global int*a){local int "
     "s[8][8];s[L/8+WRONG(1,0)][L%8]=G;barrier(1);o[G]=s[L/8][L%8];}"},
    {"local_before", Kind::local,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;barrier(1);o[G]=s[WRONG(L-1,max(L-1,0))];}"},
};

const Planted kRaces[] = {
    // Work-items of one message.
    {"one_element_for_all", Kind::raceGlobal, "kernel void k(global int*o,global int*a){o[WRONG(a[G],G)]=G;}", 16},
    {"two_work_items_each", Kind::raceGlobal, "kernel void k(global int*o,global int*a){o[WRONG((G+a[G])/2,G)]=G+1;}",
     16},
    {"reversed_and_over_each_other", Kind::raceGlobal,
     "kernel void k(global char*o,global char*a){*(global short*)(o+62-G*WRONG(1,2)*(1+a[0]))=G+1;}", 16},
    {"local_element_for_all", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[64];s[WRONG(a[L],L)]=L+7;barrier(1);o[G]=s[L];}", 16},
    {"local_scan", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=1;barrier(1);for(int d=1;d<64;d*=2){int "
     "v=L>=d?s[L-d]:0;WRONG(,barrier(1);)s[L]+=v;barrier(1);}o[G]=s[L];}"},
    {"local_transposed", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int "
     "s[8][8];s[L/8][L%8]=a[G];WRONG(,barrier(1);)o[G]=s[L%8][L/8];}"},
    {"local_chosen_by_one", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int f;if(L==0)f=a[0]+1;WRONG(,barrier(1);)o[G]=f;}"},
    {"local_histogram", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int "
     "s[8];if(L<8)s[L]=0;barrier(1);WRONG(s[L&7]+=L;,atomic_add(s+(L&7),L);)barrier(1);o[G]=s[L&7];}"},
    {"local_plain_read_of_counter", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int "
     "n;if(L==0)n=0;barrier(1);atomic_inc(&n);WRONG(,barrier(1);)o[G]=n;}"},
    {"local_counter_read_by_the_last", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int "
     "n;if(L==0)n=0;barrier(1);atomic_add(&n,L);WRONG(,barrier(1);)if(L==63)n=n+1;barrier(1);o[G]=n;}"},
    {"global_counter_read_by_the_last", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){atomic_add(a,L);WRONG(,barrier(2);)if(L==63)o[0]=a[0];}"},
    {"counter_of_groups_read_by_the_last", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){if(L==0){int n=atomic_inc(a);if(n==3)o[0]=WRONG(a[0],n+1);}}", 16, 4},
    {"set_and_then_added_to", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){if(L==0)o[0]=1;WRONG(,barrier(2);)atomic_add(o,L);}"},
    {"local_set_and_then_added_to", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int "
     "n;if(L==0)n=1;WRONG(,barrier(1);)atomic_add(&n,L);barrier(1);o[G]=n;}"},
    {"local_one_buffer_of_two", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[2][64];int v=0;for(int "
     "i=0;i<4;i++){s[WRONG(0,i&1)][L]=L+i;barrier(1);v+=s[WRONG(0,i&1)][63-L];}o[G]=v;}"},
    {"local_barrier_not_taken", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int "
     "s[64];s[L]=L;if(a[0]==WRONG(1,0))barrier(1);o[G]=s[63-L];}"},
    {"local_copy_not_waited_for", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int s[64];event_t "
     "e=async_work_group_copy(s,a,64,0);WRONG(,wait_group_events(1,&e);)o[G]=s[63-L];}"},
    {"last_group_adds_up", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){if(L==0){o[W]=W+1;WRONG(,atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,"
     "memory_order_acq_rel,memory_scope_device);)if(atomic_inc(a)==3){WRONG(,atomic_work_item_fence(CLK_GLOBAL_MEM_"
     "FENCE,memory_order_acq_rel,memory_scope_device);)int s=0;for(int i=0;i<4;i++)s+=o[i];o[8]=s;}}}",
     16, 4},
    {"message_without_fence", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){if(W==0){o[L]=1;WRONG(,atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,"
     "memory_order_acq_rel,memory_scope_device);)if(L==0)atomic_xchg(a,1);}else "
     "if(atomic_or(a,0)==1){WRONG(,atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,memory_order_acq_rel,memory_scope_"
     "device);)a[8+L]=o[L];}}",
     8, 2},
    {"halo", Kind::raceGlobal, "kernel void k(global int*o,global int*a){o[(G+WRONG(W&1,0))&63]=W+1;}", 16, 4},
    {"shift_in_place", Kind::raceGlobal, "kernel void k(global int*o,global int*a){o[G]=o[WRONG((G+1)&63,G)]+1;}", 16,
     4},
    {"histogram", Kind::raceGlobal, "kernel void k(global int*o,global int*a){WRONG(o[L]+=W+1;,atomic_add(o+L,W+1);)}",
     16, 4},
    {"one_of_two_counters", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){atomic_inc(o);WRONG(o[1]+=W+1;,atomic_add(o+1,W+1);)}", 16, 4},
    {"maximum", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){WRONG(if(o[0]<G+1)o[0]=G+1;,atomic_max(o,G+1);)}", 16, 4},
    {"half_of_them_atomic", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){if(W&1)WRONG(if(L==0)o[0]=W;,atomic_xchg(o,W);)else atomic_inc(o);}", 16,
     4},
    {"bits_of_a_byte", Kind::raceGlobal,
     "kernel void k(global uchar*o,global int*a){WRONG(if(L==0)o[W/2]|=1<<W;,o[G]=1;)}", 4, 4},
    {"shorts_of_groups", Kind::raceGlobal, "kernel void k(global short*o,global int*a){o[W*WRONG(3,4)+L]=W+1;}", 4, 2},
    {"queue_too_short", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int i=atomic_inc(a);o[i&WRONG(3,63)]=G+1;}", 4, 4},
    {"stencil_in_one_launch", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){a[G]=G;barrier(3);o[G]=a[WRONG((G+16)&63,G)];}", 16, 4},
    {"vectors_overlap", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){vstore4((int4)(G+1),0,o+G*WRONG(3,4));}", 4, 4},
    {"sum_of_floats", Kind::raceGlobal,
     "kernel void k(global float*o,global float*a){WRONG(if(L==0)o[0]+=W+1.0f;,if(G==0)o[0]=1.0f;)}", 16, 4},
    {"lock_without_order", Kind::raceGlobal,
     "kernel void k(global int*o,global atomic_int*a){for(;;){int "
     "e=0;if(atomic_compare_exchange_strong_explicit(a,&e,1,"
     "WRONG(memory_order_relaxed,memory_order_acquire),memory_order_relaxed,memory_scope_device))break;}o[0]+=G+1;"
     "atomic_store_explicit(a,0,WRONG(memory_order_relaxed,memory_order_release),memory_scope_device);}",
     1, 4},
    {"lock_without_release", Kind::raceGlobal,
     "kernel void k(global int*o,global atomic_int*a){for(;;){int "
     "e=0;if(atomic_compare_exchange_strong_explicit(a,&e,1,memory_order_acquire,memory_order_relaxed,memory_scope_"
     "device)){o[0]+=G+1;atomic_store_explicit(a,0,WRONG(memory_order_relaxed,memory_order_release),memory_scope_device"
     ");break;}}}",
     1, 4},
    {"written_behind_release", Kind::raceGlobal,
     "kernel void k(global int*o,global atomic_int*a){if(L==0){o[W]=W+1;int "
     "n=atomic_fetch_add_explicit(a,1,memory_order_acq_rel,memory_scope_device);o[16+W]=W;if(n==3){int s=0;for(int "
     "i=0;i<4;i++)s+=o[WRONG(16,0)+i];o[32]=s;}}}",
     16, 4},
    {"flag_without_release", Kind::raceGlobal,
     "kernel void k(global int*o,global atomic_int*a){if(W==0){if(L==0){o[0]=42;atomic_store_explicit(a,1,"
     "WRONG(memory_order_relaxed,memory_order_release),memory_scope_device);}}else if(L==0){if(atomic_load_explicit(a,"
     "memory_order_acquire,memory_scope_device)==1)o[1]=o[0];}}",
     16, 2},
    {"flag_without_acquire", Kind::raceGlobal,
     "kernel void k(global int*o,global atomic_int*a){if(W==0){if(L==0){o[0]=42;atomic_store_explicit(a,1,"
     "memory_order_release,memory_scope_device);}}else if(L==0){if(atomic_load_explicit(a,"
     "WRONG(memory_order_relaxed,memory_order_acquire),memory_scope_device)==1)o[1]=o[0];}}",
     16, 2},
    {"last_group_replaces_what_all_read", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){if(L==0){int v=o[0];o[8+W]=v;WRONG(,atomic_work_item_fence("
     "CLK_GLOBAL_MEM_FENCE,memory_order_acq_rel,memory_scope_device);)if(atomic_inc(a)==3){WRONG(,"
     "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,memory_order_acq_rel,memory_scope_device);)o[0]=v+5;}}}",
     16, 4},
    {"scattered_by_what_is_loaded",
     Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){o[a[G]^((G*40503)&WRONG(127,255))]=G;}",
     16,
     16,
     {},
     1024},
    {"set_then_counted", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){WRONG(if(G==0)o[0]=0;,)atomic_add(o,G);}", 16, 4},
    {"set_by_each_group_then_counted", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){if(L==0)o[WRONG(0,W)]=W;barrier(3);atomic_add(o+WRONG(0,W),G);}", 64, 4},
    {"returns_before_barrier", Kind::divergent,
     "kernel void k(global int*o,global int*a){local int "
     "s[64];if(L>=WRONG(40,64))return;s[L]=L;barrier(1);o[G]=s[L];}"},
    {"barrier_in_a_case", Kind::divergent,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;switch(WRONG(L&1,a[G])){case "
     "0:barrier(1);o[G]=s[L];break;default:o[G]=1;}}"},
    {"leaves_the_loop_early", Kind::divergent,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;for(int "
     "i=0;i<4;i++){if(WRONG(i==L%4,a[L]))break;barrier(1);s[L]+=i;}o[G]=s[L];}"},
    {"a_barrier_for_each_half", Kind::different,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;for(int "
     "i=0;i<2;i++){if(WRONG((L/32+i)%2,a[i])){barrier(1);o[G]=s[L]+i;}else{barrier(3);o[G]=s[L];}}}"},
};

const Planted kReadTooEarly[] = {
    {"switch_on_global", Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){switch(a[G]&3){case 0:o[G]=G;break;case 1:atomic_inc(o);break;case "
     "2:atomic_dec(o+1);break;default:break;}}"},
    {"float_compared", Kind::uninitBranch,
     "kernel void k(global float*o,global float*a){if(a[G]>0.5f)o[G]=1.0f;else atomic_inc((global int*)o+63);}"},
    {"selected", Kind::uninitBranch, "kernel void k(global int*o,global int*a){o[G]=a[G]>0?7:G;}"},
    {"rounds_of_a_loop", Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){int n=a[G]&7;while(n>0){atomic_inc(o);n--;}}"},
    {"second_condition", Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){if(G<32&&a[G]==5)o[G]=1;else atomic_inc(o+63);}"},
    {"shifted", Kind::uninitOutput, "kernel void k(global int*o,global int*a){o[G]=a[G]>>1;}"},
    {"smaller_of_two", Kind::uninitOutput, "kernel void k(global int*o,global int*a){o[G]=a[G]*2+a[0];}"},
    {"converted", Kind::uninitOutput, "kernel void k(global int*o,global float*a){o[G]=(int)a[G]+1;}"},
    {"double_product", Kind::uninitOutput, "kernel void k(global double*o,global double*a){o[G]=a[G]*3.0;}", 32},
    {"sum_of_bytes", Kind::uninitOutput, "kernel void k(global int*o,global uchar*a){o[G]=a[G]+a[G+1]+a[G+2];}"},
    {"index_into_local", Kind::uninitAddress,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;barrier(1);o[G]=s[a[G]&63];}"},
    {"index_of_atomic", Kind::uninitAddress, "kernel void k(global int*o,global int*a){atomic_inc(o+(a[G]&63));}"},
    {"counter_never_set", Kind::uninitOutput, "kernel void k(global int*o,global int*a){atomic_add(a+(G&3),G);}"},
    {"maximum_never_set", Kind::uninitOutput, "kernel void k(global int*o,global int*a){o[G]=atomic_max(a+G,G);}"},
    {"slot_never_set", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){if(atomic_cmpxchg(a+G,0,1)==0)o[G]=1;else o[G]=2;}"},
    {"local_counter_never_set",
     Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){local int n;WRONG(,if(L==0)n=0;barrier(1);)atomic_inc(&n);barrier(1);"
     "o[G]=n+G;}",
     64,
     1,
     {},
     256,
     true},
    {"added_by_atomic", Kind::uninitOutput, "kernel void k(global int*o,global int*a){atomic_add(o+(G&7),a[G]);}"},
};

/// Of these `a` is not written, and that decides nothing.
const Planted kMoves[] = {
    {"swizzled", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){if(G<16)vstore4(vload4(G,a).wzyx,G,o);}"},
    {"as_another_type", Kind::uninitOutput, "kernel void k(global float*o,global int*a){o[G]=as_float(a[G]);}"},
    {"copy_of_shorts", Kind::uninitOutput, "kernel void k(global short*o,global short*a){o[G]=a[G];o[G+64]=a[G+64];}"},
    {"copy_in_a_loop", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){if(G==0)for(int i=0;i<64;i++)o[i]=a[i];}"},
    {"exchanged", Kind::uninitOutput, "kernel void k(global int*o,global int*a){o[G]=atomic_xchg(a+G,G);}"},
    {"chosen_by_what_is_written", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){int n=o[G];o[G]=n>5?G:a[G];}"},
};

class AccessesOfKernels : public CheckedKernels {};
class RacesOfKernels : public CheckedKernels {};
class UnwrittenInKernels : public KernelsThatReadTooEarly {};
class MovesInKernels : public KernelsThatReadTooEarly {};

TEST_P(AccessesOfKernels, AreFoundWrong) {
    const std::vector<Finding> findings = found(kAccesses, true);
    EXPECT_TRUE(has(findings, GetParam().kind)) << told(findings);
}
TEST_P(AccessesOfKernels, AreRightInTheTwin) { EXPECT_EQ(told(found(kAccesses, false)), ""); }

TEST_P(RacesOfKernels, AreFoundWrong) {
    const std::vector<Finding> findings = found(kRaces, true);
    EXPECT_TRUE(has(findings, GetParam().kind)) << told(findings);
}
TEST_P(RacesOfKernels, AreRightInTheTwin) { EXPECT_EQ(told(found(kRaces, false)), ""); }

TEST_P(UnwrittenInKernels, IsFound) {
    const std::vector<Finding> findings = found(kReadTooEarly, true);
    EXPECT_TRUE(has(findings, GetParam().kind)) << told(findings);
}
TEST_P(UnwrittenInKernels, IsNothingInTheTwin) { EXPECT_EQ(told(found(kReadTooEarly, false)), ""); }

TEST_P(MovesInKernels, DecideNothing) { EXPECT_EQ(told(found(kMoves, true)), ""); }

INSTANTIATE_TEST_SUITE_P(Kernels, AccessesOfKernels, testing::ValuesIn(kAccesses), kNameOf);
INSTANTIATE_TEST_SUITE_P(Kernels, RacesOfKernels, testing::ValuesIn(kRaces), kNameOf);
INSTANTIATE_TEST_SUITE_P(Kernels, UnwrittenInKernels, testing::ValuesIn(kReadTooEarly), kNameOf);
INSTANTIATE_TEST_SUITE_P(Kernels, MovesInKernels, testing::ValuesIn(kMoves), kNameOf);

}  // namespace
}  // namespace zetl::emulator::check
