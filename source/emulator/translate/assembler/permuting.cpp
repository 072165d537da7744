// Dwords out of one or several registers, by numbers that are known when the code is written or only when it runs.
#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using namespace avx2;

/// Of 64 bytes, from the first or the second on.
Vec Avx2Assembler::everySecondDword(const Operand& from, bool odd) {
    const Vec first = loaded(from, 0);
    const Vec made = fresh(32);
    put(Inst::kIdVshufps, made, first, half(from, 1), Imm(odd ? 0xdd : 0x88));
    put(Inst::kIdVpermq, made, made, Imm(0xd8));
    return made;
}

void Avx2Assembler::pickDwords(const Zmm& to, std::span<const asmjit::Operand> vectors, const DwordNumbers& numbers,
                               const Mem& order) {
    const auto isTwo = [](std::uint32_t first, std::uint32_t next) { return next == first + 2; };
    const bool everySecond = vectors.size() == 2 && numbers[0] < 2 &&
                             std::ranges::adjacent_find(numbers, std::not_fn(isTwo)) == numbers.end();
    for (const std::uint32_t h : {0u, 1u}) {
        release();
        become(to, h,
               everySecond ? everySecondDword(vectors[h], numbers[0] != 0) : pickHalf(vectors, numbers, order, h));
    }
}

/// Half of them: a permutation of each half that has any.
Vec Avx2Assembler::pickHalf(std::span<const asmjit::Operand> vectors, const DwordNumbers& numbers, const Mem& order,
                            std::uint32_t number) {
    constexpr std::uint32_t kLanes = 8;
    const Vec made = fresh(32);
    put(Inst::kIdVmovdqu, kA, half(order, number));
    bool begun = false;
    for (std::uint32_t s = 0; s < 2 * vectors.size(); ++s) {
        std::uint32_t here = 0;
        for (std::uint32_t i = 0; i < kLanes; ++i)
            if (numbers[number * kLanes + i] / kLanes == s) here |= 1u << i;
        if (here == 0) continue;
        put(Inst::kIdVpermd, begun ? Vec(kB) : made, kA, half(vectors[s / 2], s % 2));
        if (begun) put(Inst::kIdVpblendd, made, made, kB, Imm(here));
        begun = true;
    }
    return made;
}

/// By numbers in a register, out of one vector or two.
bool Avx2Assembler::permute(const Wide& i) {
    const bool two = i.id == Inst::kIdVpermi2d;
    if (!two && i.id != Inst::kIdVpermd) return false;
    if (i.mask != 0 || i.halves() != 2) return false;
    const Operand numbers = i.operand[two ? 0 : 1];
    std::vector<Operand> vectors{i.operand[two ? 1 : 2]};
    if (two) vectors.push_back(i.operand[2]);
    std::array<Vec, 2> made;
    for (const std::uint32_t h : {0u, 1u}) {
        release();
        if (h != 0) use(made[0].id());
        made[h] = permuteHalf(loaded(numbers, h), vectors);
    }
    for (const std::uint32_t h : {0u, 1u}) become(i.operand[0], h, made[h]);
    return true;
}

/// Eight of them: out of each half, then by the bits of the number above those within one.
Vec Avx2Assembler::permuteHalf(const Vec& numbers, const std::vector<Operand>& vectors) {
    constexpr std::uint8_t kSecondHalf = 32 - 4;  // what brings the number's bit to the lane's sign
    constexpr std::uint8_t kSecondVector = 32 - 5;
    const Vec made = fresh(32);
    put(Inst::kIdVpslld, kA, numbers, Imm(kSecondHalf));
    const auto ofVector = [&](const Vec& to, const Operand& vector) {
        put(Inst::kIdVpermd, to, numbers, half(vector, 0));
        put(Inst::kIdVpermd, kB, numbers, half(vector, 1));
        put(Inst::kIdVblendvps, to, to, kB, kA);
    };
    ofVector(made, vectors[0]);
    if (vectors.size() == 1) return made;
    ofVector(kC, vectors[1]);
    put(Inst::kIdVpslld, kA, numbers, Imm(kSecondVector));
    put(Inst::kIdVblendvps, made, made, kC, kA);
    return made;
}

}  // namespace zetl::emulator::translate
