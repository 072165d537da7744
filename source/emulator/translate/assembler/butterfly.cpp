// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Stores of lanes that lie as the low or the high sides of a butterfly do: runs of one, two, four or eight dwords with
// gaps of the same length between them, as sorts and Fourier transforms have them. A permutation brings eight lanes to
// their places in a line, and a blend keeps what lies there between them and where lanes are off.
#include <array>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using namespace avx2;

namespace {

constexpr std::int32_t kLineOfButterfly = 64;
constexpr std::uint32_t kSide = 8;
constexpr std::uint32_t kBothSides = 2 * kSide;
constexpr std::uint32_t kInLine = 4 * (kBothSides - 1);  // bits that the place of an aligned dword may have

/// How eight lanes lie in a line.
struct Placement {
    std::array<std::uint32_t, kSide> places{};      ///< of the lanes, in bytes
    std::array<std::uint32_t, kBothSides> lanes{};  ///< by dword of the line; one that belongs to no lane has a sign
};
static_assert(sizeof(Placement) == 96);

/// By the sum of the first and the last lane's dwords. Where no side of a butterfly has that sum, no places are equal.
constexpr std::array<Placement, 2 * kBothSides> kPlacements = [] {
    constexpr std::uint32_t kNowhere = 1;
    constexpr std::uint32_t kNoLane = 1u << 31;
    std::array<Placement, 2 * kBothSides> list{};
    for (Placement& p : list) {
        p.places.fill(kNowhere);
        p.lanes.fill(kNoLane);
    }
    for (std::uint32_t run = 1; run <= kSide; run *= 2)
        for (const std::uint32_t first : {0u, run}) {
            const auto dwordOf = [&](std::uint32_t lane) { return first + 2 * lane - lane % run; };
            Placement& p = list[first + dwordOf(kSide - 1)];
            for (std::uint32_t lane = 0; lane < kSide; ++lane) {
                p.places[lane] = 4 * dwordOf(lane);
                p.lanes[dwordOf(lane)] = lane;
            }
        }
    return list;
}();

}  // namespace

/// A function that all places of a kernel share does eight lanes: their places, data, and the signs of those that are
/// on are in the registers for temporary values. It leaves the flag for "not equal" if they lie otherwise.
void Avx2Assembler::storeButterfly(const Zmm& places, const Zmm& data, const Label& otherwise) {
    if (!butterfly_.isValid()) butterfly_ = newLabel();
    butterflyAt_ = pushed_;
    for (const Gp& lost : {rax, rcx, rdx, r8}) state_.general[lost.id()] = 0;
    for (const std::uint32_t h : {0u, 1u}) {
        release();
        put(Inst::kIdVmovdqa, kC, signsOf(kLanesOfMessage, h, 4, 32));
        put(Inst::kIdVmovdqu, kB, half(data, h));
        put(Inst::kIdVmovdqu, kA, half(places, h));
        if (h != 0) {
            put(Inst::kIdVpsubd, kA, kA, constant(kLines, 32));
            put(Inst::kIdAdd, rcx, Imm(kLineOfButterfly));
        }
        put(Inst::kIdCall, butterfly_);
        jnz(otherwise);
    }
}

void Avx2Assembler::emitButterfly() {
    const Label end = newLabel();
    const Ymm one = ymm0;
    Assembler::bind(butterfly_);
    pushed_ = butterflyAt_ + 8;  // the way back
    put(Inst::kIdVmovdqu, frame(kSpare, 32), one);
    put(Inst::kIdVmovd, eax, kA.xmm());
    put(Inst::kIdVextracti128, one.xmm(), kA, Imm(1));
    put(Inst::kIdVpextrd, edx, one.xmm(), Imm(3));
    put(Inst::kIdLea, r8d, ptr(rax, rdx));
    put(Inst::kIdOr, eax, edx);
    put(Inst::kIdTest, eax, Imm(static_cast<std::int32_t>(~kInLine)));
    put(Inst::kIdJnz, end);
    put(Inst::kIdLea, r8d, ptr(r8, r8, 1));  // 96 bytes for each dword
    put(Inst::kIdMov, rdx, Imm(reinterpret_cast<std::uint64_t>(kPlacements.data())));
    put(Inst::kIdLea, r8, ptr(rdx, r8, 3));
    put(Inst::kIdVpcmpeqd, one, kA, ptr(r8, offsetof(Placement, places), 32));
    put(Inst::kIdVmovmskps, eax, one);
    put(Inst::kIdXor, eax, Imm((1 << kSide) - 1));
    put(Inst::kIdJnz, end);
    put(Inst::kIdVpxor, kC, kC, constant(kOnes, 32));
    for (const std::int32_t at : {0, 32}) {
        put(Inst::kIdVmovdqu, kA, ptr(r8, static_cast<std::int32_t>(offsetof(Placement, lanes)) + at, 32));
        put(Inst::kIdVpermd, one, kA, kC);
        put(Inst::kIdVpor, one, one, kA);
        put(Inst::kIdVpermd, kA, kA, kB);
        put(Inst::kIdVblendvps, kA, kA, ptr(rcx, at, 32), one);
        put(Inst::kIdVmovdqu, ptr(rcx, at, 32), kA);
    }
    put(Inst::kIdXor, eax, eax);
    Assembler::bind(end);
    put(Inst::kIdVmovdqu, one, frame(kSpare, 32));
    put(Inst::kIdRet);
    pushed_ = 0;
}

}  // namespace zetl::emulator::translate
