// Atomics that are made of a load and a compare-exchange: nothing is said of them, but of loads whose value is used for
// something else as well.
#include "checked_kernels.h"

namespace zetl::emulator::check {
namespace {

using zetl::check::Finding;
using zetl::check::Kind;

const Planted kExchanges[] = {
    {"stored_too", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int v=*a,w;WRONG(o[G]=v,);do{w=v;v=atomic_cmpxchg(a,w,w*3+G);}"
     "while(v!=w);}",
     32, 2},
    {"stored_when_it_failed", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int v=*(volatile global int*)a;if(WRONG(atomic_cmpxchg(a,v,v+5)!=v,"
     "v=atomic_cmpxchg(a,v,v+5)))o[G]=v;}",
     32, 2},
    {"stored_when_it_succeeded", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int v=*a,w;do{w=v;v=atomic_cmpxchg(a,w,w^G);}while(v!=w);"
     "o[G]=w+WRONG(*(volatile global int*)a,1);}",
     32, 2},
    {"decides_whether_to_try", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int v=WRONG(*(volatile global int*)a,atomic_or(a,0));"
     "if(v<G*5)atomic_cmpxchg(a,v,G*5);}",
     32, 2},
    {"of_another_address", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int v=*(volatile global int*)(a+WRONG(1,0));"
     "for(int w=~v;v!=w;){w=v;v=atomic_cmpxchg(a,w,w+1);}atomic_inc(a+1);}",
     32, 2},
    {"with_another_number", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int v=*a,w;do{w=v;v=atomic_cmpxchg(a,w,w+WRONG(*(volatile global "
     "int*)(a+1),7));}while(v!=w);atomic_inc(a+1);}",
     32, 2},
    {"beside_a_store", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int v=*a,w;do{w=v;v=atomic_cmpxchg(a,w,w*3+G);}while(v!=w);"
     "if(G==40)WRONG(a[0]=7,o[0]=7);}",
     32, 2},
    {"as_an_address", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){int v=*a,w;WRONG(o[v&31]=G;,)do{w=v;v=atomic_cmpxchg(a,w,w+1);}"
     "while(v!=w);}",
     32, 2},
    {"read_for_something_else_before", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){WRONG(o[G]=*(volatile global int*)a;,)int v=*(volatile global int*)a,w;"
     "do{w=v;v=atomic_cmpxchg(a,w,w*3+G);}while(v!=w);}",
     32, 2},
    {"float_sum", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){union{int i;float f;}v,w;do{v.i=WRONG(*a,*(volatile global int*)a);"
     "w.f=v.f+G;}while(WRONG((*a=w.i,0),atomic_cmpxchg(a,v.i,w.i)!=v.i));}",
     32, 2},
    {"float_sums_by_lanes", Kind::raceGlobal,
     "kernel void k(global int*o,global int*a){global int*p=a+(G&3);int v=*p,w;do{w=v;v=atomic_cmpxchg(p,w,"
     "as_int(as_float(w)+2.5f));}while(v!=w);o[G]=WRONG(*(volatile global int*)p,1);}",
     32, 2},
    {"longs_by_lanes", Kind::raceGlobal,
     "kernel void k(global long*o,global long*a){global long*p=a+(G&3);long v=*p,w;do{w=v;v=atom_cmpxchg(p,w,w*3+G);}"
     "while(v!=w);if(G==WRONG(40,80))a[0]=1;}",
     32, 2},
    {"local_int", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int n;if(L==0)n=0;barrier(1);int v=n,w;do{w=v;v=atomic_cmpxchg(&n,"
     "w,w*3+L);}while(v!=w);WRONG(,barrier(1);)o[G]=n;}"},
    {"local_long_decrement", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local long n;if(L==0)n=9;barrier(1);atom_dec(&n);WRONG(,barrier(1);)"
     "o[G]=(int)n;}"},
    {"local_long_results", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local long n;if(L==0)n=9;WRONG(,barrier(1);)o[G]=(int)atom_inc(&n);}"},
    // Each thread reads back what it has released itself, which is no order for others.
    {"fences_around_atomics", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int n;if(L==0)n=9;WRONG(,barrier(1);)int s=0;for(int i=0;i<3;i++){"
     "mem_fence(1);s+=atomic_add(&n,1+i);mem_fence(1);}o[G]=s;}"},
    {"local_long_maxima", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local long n[4];if(L<4)n[L]=0;WRONG(,barrier(1);)"
     "atom_max(n+(L&3),(long)G*7);barrier(1);if(L<4)o[L]=(int)n[L];}"},
    {"read_before_the_barrier", Kind::raceLocal,
     "kernel void k(global int*o,global int*a){local int n;if(L==0)n=0;barrier(1);o[G]=n;WRONG(,barrier(1);)"
     "int v=n,w;do{w=v;v=atomic_cmpxchg(&n,w,w*3+L);}while(v!=w);}"},
};

class ExchangesOfKernels : public CheckedKernels {};

TEST_P(ExchangesOfKernels, AreFoundWrong) {
    const std::vector<Finding> findings = found(kExchanges, true);
    EXPECT_TRUE(has(findings, GetParam().kind)) << told(findings);
}
TEST_P(ExchangesOfKernels, AreRightInTheTwin) { EXPECT_EQ(told(found(kExchanges, false)), ""); }

INSTANTIATE_TEST_SUITE_P(Kernels, ExchangesOfKernels, testing::ValuesIn(kExchanges), kNameOf);

}  // namespace
}  // namespace zetl::emulator::check
