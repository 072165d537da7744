#include "emulator/translate/assembler/host_assembler.h"

#include <algorithm>

namespace zetl::emulator::translate {

using namespace asmjit::x86;

void HostAssembler::pickDwords(const Zmm& to, std::span<const asmjit::Operand> vectors, const DwordNumbers& numbers,
                               const Mem& order) {
    const auto pick = [&](const Zmm& at, std::span<const asmjit::Operand> pair) {
        vmovdqu32(at, order);
        if (pair.size() == 1)
            emit(Inst::kIdVpermd, at, at, pair[0]);
        else
            emit(Inst::kIdVpermi2d, at, pair[0], pair[1]);
    };
    pick(to, vectors.first(std::min<std::size_t>(vectors.size(), 2)));
    if (vectors.size() <= 2) return;
    std::uint32_t second = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) second |= numbers[i] / 32 << i;
    pick(zmm4, vectors.subspan(2));
    mov(eax, second);
    kmovw(k3, eax);
    k(k3).vmovdqa32(to, zmm4);
}

void HostAssembler::jumpIfAnyHas(const Zmm& lanes, const Mem& bits, const asmjit::Label& to) {
    vptestmd(k3, lanes, bits);
    kortestw(k3, k3);
    jnz(to);
}

}  // namespace zetl::emulator::translate
