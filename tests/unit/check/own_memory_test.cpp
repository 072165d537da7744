// Memory that belongs to one work-item, and functions that a whole sub-group has to execute: kernels with a mistake
// planted beside their twins, and kernels that only look as if they had one.
#include <memory>

#include "checked_kernels.h"

namespace zetl::emulator::check {
namespace {

using zetl::check::Kind;

constexpr const char* kUnoptimized = "-cl-std=CL2.0 -cl-opt-disable";

/// Compiler 22.43 lays the variables of all work-items out in turns, 26.27 their elements: of that code, only what
/// leaves the memory of the thread is found.
const Planted kPrivate[] = {
    {"write_behind", Kind::privateMemory,
     "kernel void k(global int*o,global int*a){int t[16];for(int "
     "i=0;i<16;i++)t[i]=i;t[a[G]+WRONG(20,1)]=1;o[G]=t[a[G]+1];}",
     16},
    {"read_behind", Kind::privateMemory,
     "kernel void k(global int*o,global int*a){int t[16];for(int i=0;i<16;i++)t[i]=i;o[G]=t[a[G]+WRONG(40,15)];}", 16},
    {"read_far_behind", Kind::privateMemory,
     "kernel void k(global int*o,global int*a){int x=7;int t[8];for(int "
     "i=0;i<8;i++)t[i]=i;o[G]=t[a[G]+WRONG(30,0)]+x;}",
     16},
    {"row_behind", Kind::privateMemory,
     "kernel void k(global int*o,global int*a){int t[4][4];for(int i=0;i<16;i++)t[i/4][i%4]=i;int "
     "s=0;for(int i=0;i<WRONG(9,4);i++)s+=t[i][a[G]];o[G]=s;}",
     16},
};

/// Arguments are kept in private memory, too.
const Planted kPointers[] = {
    {"write_beside", Kind::neighbour, "kernel void k(global int*o,global int*a){o[WRONG((int)(a-o)+G,G)]=1;}"},
    {"read_beside", Kind::neighbour, "kernel void k(global int*o,global int*a){o[G]=a[WRONG((int)(o-a)+63-G,63-G)];}"},
    {"read_by_some", Kind::neighbour,
     "kernel void k(global int*o,global int*a){if(G%3==1)o[G]=a[WRONG((int)(o-a)+63-G,63-G)];}"},
};

/// Pointers that lead to several allocations, and differ among work-items.
const Planted kSoundPointers[] = {
    {"chosen", Kind::neighbour,
     "kernel void k(global int*o,global int*a){global int*p=G%2?o:a;p[G]=1;p=G%2?a:o;p[G^1]=2;}"},
    {"moved", Kind::neighbour,
     "kernel void k(global int*o,global int*a){global int*p=a+64;global int*q=o;for(int i=1;i<=4;i++)q[G]=p[-i];"
     "p=q;p[63-G]=3;}",
     1},
    {"by_difference", Kind::neighbour,
     "kernel void k(global int*o,global int*a){global int*p=o+(a-o);o[G]=p[G];p[G]=2;}"},
};

const Planted kUnwrittenPrivate[] = {
    {"hole",
     Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){int t[8];for(int "
     "i=0;i<8;i++)if(WRONG(i!=3,1))t[i]=i;o[G]=t[a[G]+3]>1000?1:2;}",
     16,
     1,
     {},
     256,
     true},
    {"scalar",
     Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){int x;if(WRONG(a[G]>5,1))x=G;if(x>3)o[G]=1;else o[G]=2;}",
     16,
     1,
     {},
     256,
     true},
    {"sum",
     Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){int s;WRONG(,s=0;)for(int i=0;i<4;i++)s+=a[i];o[G]=s;}",
     16,
     1,
     {},
     256,
     true},
    {"member",
     Kind::uninitOutput,
     "struct S{int x;int y;};kernel void k(global int*o,global int*a){struct S "
     "s;s.x=a[G];WRONG(,s.y=1;)o[G]=s.x+s.y;}",
     16,
     1,
     {},
     256,
     true},
};

/// Arrays that optimized code keeps in scratch memory, because registers are too few or because it does not know how
/// to.
const Planted kUnwrittenScratch[] = {
    {"hole_of_large_array",
     Kind::uninitBranch,
     "kernel void k(global int*o,global int*a){int t[200];for(int "
     "i=0;i<200;i++)if(WRONG(i!=7,1))t[i]=i;o[G]=t[a[G]+7]>1000?1:2;}",
     64,
     1,
     {},
     256,
     true},
    {"first_sum",
     Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){int c[200];for(int i=WRONG(1,0);i<200;i++)c[i]=0;for(int "
     "i=0;i<64;i++)c[(a[i]*3+a[G])%200]+=a[i];int s=0;for(int i=0;i<200;i++)s+=c[i]*i+c[0];o[G]=s;}",
     64,
     1,
     {},
     256,
     true},
    {"index_of_index",
     Kind::uninitAddress,
     "kernel void k(global int*o,global int*a){int t[200];for(int "
     "i=0;i<199;i++)t[i]=i&7;WRONG(,t[199]=3;)o[G]=a[t[a[G]+199]&63];}",
     64,
     1,
     {},
     256,
     true},
    {"array_of_a_struct",
     Kind::uninitBranch,
     "struct S{int v[8];int n;};kernel void k(global int*o,global int*a){struct S s;int "
     "c=a[G]&7;WRONG(;,for(int i=0;i<8;i++)s.v[i]=0;)for(int i=0;i<c;i++)s.v[(a[G]*5+i)&7]=i;int r=0;for(int "
     "i=0;i<8;i++)if(s.v[(i+a[G])&7]>2)r+=i;o[G]=r;}",
     64,
     1,
     {},
     256,
     true},
    {"array_of_longs",
     Kind::uninitOutput,
     "kernel void k(global long*o,global int*a){long t[150];for(int "
     "i=0;i<150;i++)if(WRONG(i%10!=9,1))t[i]=a[i&63];long s=0;for(int i=0;i<150;i++)s+=t[(i*7+a[i&7])%150];o[G&31]=s;}",
     64,
     1,
     {},
     256,
     true},
};

/// Of more values than there are registers.
const Planted kSoundScratch[] = {
    {"spilled", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){int v[160];for(int i=0;i<160;i++)v[i]=a[(G+i)&63]*i;for(int "
     "r=0;r<4;r++)for(int i=0;i<160;i++)v[i]=v[i]*3+v[(i+7)%160];int s=0;for(int i=0;i<160;i++)s^=v[i];o[G]=s;}"},
    {"written_by_some_work_items", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){int t[200];if(L&1)for(int i=0;i<200;i++)t[i]=a[i&7];int "
     "s=0;if(L&1)for(int i=0;i<200;i++)s+=t[(i*3+a[G])%200];o[G]=s;}"},
    {"chars_of_ints", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){int t[200];for(int i=0;i<200;i++)t[i]=a[i&7];o[G]=((char*)t)[(a[G]*4+"
     "13)%800];}"},
};

const Planted kSubGroups[] = {
    {"reduction", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){WRONG(if(L<5) "
     "o[G]=sub_group_reduce_add((int)L);,o[G]=sub_group_reduce_add((int)L);)}",
     16},
    {"wide_maximum", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(32))) kernel void k(global int*o,global int*a){if(WRONG(L>7,a[G]==0)) "
     "o[G]=sub_group_reduce_max(a[G]+L);}",
     32},
    {"minimum_of_floats", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global float*o,global "
     "float*a){if(WRONG(L<9,a[G]==0)) o[G]=sub_group_reduce_min(a[G]+L);}",
     16},
    {"scan", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){if(WRONG(L%2,a[G]==0)) "
     "o[G]=sub_group_scan_inclusive_add(a[G]+L);}",
     16},
    {"scan_of_floats", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(32))) kernel void k(global float*o,global "
     "float*a){if(WRONG(L%2,a[G]==0)) o[G]=sub_group_scan_exclusive_add(a[G]+L);}",
     32},
    {"shuffle", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){int x=a[G]+L*3;"
     "if(WRONG(L<5,a[G]==0)) o[G]=sub_group_shuffle(x+L,(L+a[0]+7)&15);}",
     16},
    {"exchange_of_neighbours", Kind::subGroup,
     "kernel void k(global int*o,global int*a){int x=a[G];"
     "if(WRONG(L&1,x==0)) o[G]=intel_sub_group_shuffle_xor(x+L,1);}",
     32},
    {"exchange_of_pairs", Kind::subGroup,
     "kernel void k(global int*o,global int*a){int x=a[G];"
     "if(WRONG(L&2,L&1)) o[G]=intel_sub_group_shuffle_xor(x+L,2)+1;}",
     32},
    {"shuffle_of_a_wide_sub_group", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(32))) kernel void k(global int*o,global int*a){"
     "if(L%2||WRONG(a[G]!=0,a[G]==0)) o[G]=sub_group_shuffle(a[G]+L,L^(a[0]+1));}",
     32},
    {"broadcast", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){if(WRONG(L<5,a[G]==0)) "
     "o[G]=sub_group_broadcast(a[G],7);}",
     16},
    {"any", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){if(WRONG(L<5,a[G]==0)) "
     "o[G]=sub_group_any(a[G]>2);}",
     16},
};

/// The compiler combines what lanes add to one word. Some launches have fewer work-items than a sub-group.
const Planted kSoundSubGroups[] = {
    {"atomics", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){if(L<5) "
     "atomic_add(o,a[G]+L);}",
     16},
    {"atomics_with_results", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){if(L<5) "
     "o[L+1]=atomic_add(o,a[G]+L);}",
     16},
    {"wide_atomics", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(32))) kernel void k(global int*o,global int*a){if(L%3) "
     "atomic_max(o,a[G]+L);}",
     32},
    {"few_items", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){"
     "o[G]=sub_group_reduce_add((int)L)+sub_group_scan_exclusive_add((int)L);}",
     11},
    {"one_value_for_all", Kind::subGroup,
     "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){if(L<5) "
     "o[G]=a[7]*L+a[W+3];}",
     16},
};

/// With -cl-opt-disable.
const Planted kSoundPrivate[] = {
    // What compilers of C++ make of fields of bits.
    {"field_of_a_word", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){uint w;w=(w&~7u)|(a[G]&7);o[G]=(w&7)>2?1:2;}", 16},
    {"copied_with_a_hole", Kind::uninitOutput,
     "struct P{char c;int n;};kernel void k(global int*o,global int*a){struct P p;p.c=1;p.n=a[G];struct P "
     "q=p;o[G]=q.n+q.c;}",
     16},
    {"functions", Kind::uninitOutput,
     "int sum(int*t,int n){int s=0;for(int i=0;i<n;i++)s+=t[i];return s;}int two(int x){int u[4];for(int "
     "i=0;i<4;i++)u[i]=x+i;return sum(u,4);}kernel void k(global int*o,global int*a){int t[6];for(int "
     "i=0;i<6;i++)t[i]=two(i+a[G]);o[G]=sum(t,6);}",
     16},
    {"types", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){char c[16];short s[8];long l[4];double d[2];for(int "
     "i=0;i<16;i++)c[i]=i;for(int i=0;i<8;i++)s[i]=c[i*2];for(int i=0;i<4;i++)l[i]=s[i*2];for(int "
     "i=0;i<2;i++)d[i]=l[i*2];int4 v=(int4)(a[G]);v.z=3;o[G]=(int)d[1]+v.z+v.x;}",
     64},
    {"two_pieces", Kind::uninitOutput,
     "kernel void k(global int*o,global int*a){int "
     "s=0;for(int r=0;r<3;r++){if(a[G]==0){int t[8];for(int i=0;i<8;i++)t[i]=i;s+=t[(a[G]+r)&7];}else{long "
     "u[4];for(int i=0;i<4;i++)u[i]=i;s+=u[(a[G]+r)&3];}}o[G]=s;}",
     64},
};

template <class Check>
class OwnMemory : public testing::TestWithParam<Planted> {
  protected:
    OwnMemory() {
        if constexpr (std::is_same_v<Check, Checker>)
            check = std::make_unique<Checker>(bench.machine(), zetl::check::Groups::all());
        else
            check = std::make_unique<InitCheck>(bench.machine());
    }
    std::vector<zetl::check::Finding> found(std::span<const Planted> all, bool wrong, const char* options) {
        return findingsOf(bench, *check, all, GetParam(), wrong, options);
    }
    machine::bench::KernelBench bench{"small", 1};
    std::unique_ptr<Check> check;
};

class PrivateMemory : public OwnMemory<Checker> {};
TEST_P(PrivateMemory, IsKeptByItsWorkItem) {
    const std::vector<zetl::check::Finding> findings = found(kPrivate, true, kUnoptimized);
    EXPECT_TRUE(has(findings, GetParam().kind)) << told(findings);
    EXPECT_EQ(told(found(kPrivate, false, kUnoptimized)), "");
}
INSTANTIATE_TEST_SUITE_P(Kernels, PrivateMemory, testing::ValuesIn(kPrivate), kNameOf);

class LoadedPointers : public OwnMemory<Checker> {};
TEST_P(LoadedPointers, LeadToTheirAllocations) {
    EXPECT_TRUE(has(found(kPointers, true, kUnoptimized), GetParam().kind));
    EXPECT_EQ(told(found(kPointers, false, kUnoptimized)), "");
}
INSTANTIATE_TEST_SUITE_P(Kernels, LoadedPointers, testing::ValuesIn(kPointers), kNameOf);

class SoundPointers : public OwnMemory<Checker> {};
TEST_P(SoundPointers, AreSilent) { EXPECT_EQ(told(found(kSoundPointers, false, kUnoptimized)), ""); }
INSTANTIATE_TEST_SUITE_P(Kernels, SoundPointers, testing::ValuesIn(kSoundPointers), kNameOf);

class UnwrittenPrivateMemory : public OwnMemory<InitCheck> {};
TEST_P(UnwrittenPrivateMemory, IsNotUsed) {
    EXPECT_TRUE(has(found(kUnwrittenPrivate, true, kUnoptimized), GetParam().kind));
    EXPECT_EQ(told(found(kUnwrittenPrivate, false, kUnoptimized)), "");
}
INSTANTIATE_TEST_SUITE_P(Kernels, UnwrittenPrivateMemory, testing::ValuesIn(kUnwrittenPrivate), kNameOf);

class UnwrittenScratchMemory : public OwnMemory<InitCheck> {};
TEST_P(UnwrittenScratchMemory, IsNotUsed) {
    const std::vector<zetl::check::Finding> findings = found(kUnwrittenScratch, true, "-cl-std=CL2.0");
    EXPECT_TRUE(has(findings, GetParam().kind)) << told(findings);
    EXPECT_EQ(told(found(kUnwrittenScratch, false, "-cl-std=CL2.0")), "");
}
INSTANTIATE_TEST_SUITE_P(Kernels, UnwrittenScratchMemory, testing::ValuesIn(kUnwrittenScratch), kNameOf);

class WrittenScratchMemory : public OwnMemory<InitCheck> {};
TEST_P(WrittenScratchMemory, IsSilent) { EXPECT_EQ(told(found(kSoundScratch, false, "-cl-std=CL2.0")), ""); }
INSTANTIATE_TEST_SUITE_P(Kernels, WrittenScratchMemory, testing::ValuesIn(kSoundScratch), kNameOf);

class SubGroupFunctions : public OwnMemory<Checker> {};
TEST_P(SubGroupFunctions, AreReachedByAll) {
    EXPECT_TRUE(has(found(kSubGroups, true, "-cl-std=CL2.0"), GetParam().kind));
    EXPECT_EQ(told(found(kSubGroups, false, "-cl-std=CL2.0")), "");
}
INSTANTIATE_TEST_SUITE_P(Kernels, SubGroupFunctions, testing::ValuesIn(kSubGroups), kNameOf);

class SoundSubGroups : public OwnMemory<Checker> {};
TEST_P(SoundSubGroups, AreSilent) { EXPECT_EQ(told(found(kSoundSubGroups, true, "-cl-std=CL2.0")), ""); }
INSTANTIATE_TEST_SUITE_P(Kernels, SoundSubGroups, testing::ValuesIn(kSoundSubGroups), kNameOf);

class SoundPrivateMemory : public OwnMemory<Checker> {};
TEST_P(SoundPrivateMemory, IsSilent) { EXPECT_EQ(told(found(kSoundPrivate, false, kUnoptimized)), ""); }
INSTANTIATE_TEST_SUITE_P(Kernels, SoundPrivateMemory, testing::ValuesIn(kSoundPrivate), kNameOf);

class WrittenPrivateMemory : public OwnMemory<InitCheck> {};
TEST_P(WrittenPrivateMemory, IsSilent) { EXPECT_EQ(told(found(kSoundPrivate, false, kUnoptimized)), ""); }
INSTANTIATE_TEST_SUITE_P(Kernels, WrittenPrivateMemory, testing::ValuesIn(kSoundPrivate), kNameOf);

}  // namespace
}  // namespace zetl::emulator::check
