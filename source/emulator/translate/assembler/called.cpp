// Instructions that become calls of C++: hosts with AVX2 have no such instruction, and a sequence would be long.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/instruction_table.h"
#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using namespace avx2;

namespace {

using CalledFunction = void (*)(std::byte* to, const std::byte* x, const std::byte* y, std::uint64_t extra);

template <class Lane, std::size_t count>
std::array<Lane, count> read(const std::byte* from) {
    std::array<Lane, count> lanes;
    std::memcpy(lanes.data(), from, sizeof lanes);
    return lanes;
}

/// to[i] = f(x[i]), as many as the wider ones of 64 bytes.
template <class To, class From, To (*f)(From)>
void one(std::byte* to, const std::byte* x, const std::byte*, std::uint64_t) {
    constexpr std::size_t kCount = 64 / std::max(sizeof(To), sizeof(From));
    const auto in = read<From, kCount>(x);
    std::array<To, kCount> out;
    for (std::size_t i = 0; i < kCount; ++i) out[i] = f(in[i]);
    std::memcpy(to, out.data(), sizeof out);
}
template <class Lane, Lane (*f)(Lane, Lane)>
void two(std::byte* to, const std::byte* x, const std::byte* y, std::uint64_t) {
    constexpr std::size_t kCount = 64 / sizeof(Lane);
    const auto a = read<Lane, kCount>(x);
    const auto b = read<Lane, kCount>(y);
    std::array<Lane, kCount> out;
    for (std::size_t i = 0; i < kCount; ++i) out[i] = f(a[i], b[i]);
    std::memcpy(to, out.data(), sizeof out);
}

std::int64_t shiftedRight(std::int64_t x, std::int64_t by) {
    return x >> std::min<std::uint64_t>(static_cast<std::uint64_t>(by), 63);
}
std::uint32_t leadingZeros(std::uint32_t x) { return static_cast<std::uint32_t>(std::countl_zero(x)); }
std::uint64_t magnitude(std::uint64_t x) { return static_cast<std::int64_t>(x) < 0 ? 0 - x : x; }

/// By the mode that the host is in, as the instructions round.
template <class Real, class Whole>
Real toReal(Whole x) {
    return static_cast<Real>(x);
}
float fromUnsigned32(std::uint32_t x) { return static_cast<float>(static_cast<std::int64_t>(x)); }
double exactly(std::uint32_t x) { return static_cast<double>(x); }

/// What is no such number becomes the highest, or of signed ones the lowest.
std::uint32_t toUnsigned32(float x) {
    if (!(x > -1.0F && x < 0x1p32F)) return ~0u;
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(x));
}
std::int64_t toSigned64(double x) {
    if (!(x >= -0x1p63 && x < 0x1p63)) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(x);
}
std::uint64_t toUnsigned64(double x) {
    if (!(x > -1.0 && x < 0x1p64)) return ~0ull;
    if (x < 0x1p63) return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x - 0x1p63)) | 1ull << 63;
}

struct Called {
    asmjit::InstId id;
    CalledFunction function;
    std::uint8_t laneBytes;  ///< of the result
    std::uint8_t sources;
};
constexpr Called kCalled[] = {
    {Inst::kIdVpsravq, two<std::int64_t, shiftedRight>, 8, 2},
    {Inst::kIdVplzcntd, one<std::uint32_t, std::uint32_t, leadingZeros>, 4, 1},
    {Inst::kIdVpabsq, one<std::uint64_t, std::uint64_t, magnitude>, 8, 1},
    {Inst::kIdVcvtudq2ps, one<float, std::uint32_t, fromUnsigned32>, 4, 1},
    {Inst::kIdVcvtudq2pd, one<double, std::uint32_t, exactly>, 8, 1},
    {Inst::kIdVcvtqq2pd, one<double, std::int64_t, toReal<double, std::int64_t>>, 8, 1},
    {Inst::kIdVcvtuqq2pd, one<double, std::uint64_t, toReal<double, std::uint64_t>>, 8, 1},
    {Inst::kIdVcvtqq2ps, one<float, std::int64_t, toReal<float, std::int64_t>>, 4, 1},
    {Inst::kIdVcvtuqq2ps, one<float, std::uint64_t, toReal<float, std::uint64_t>>, 4, 1},
    {Inst::kIdVcvttps2udq, one<std::uint32_t, float, toUnsigned32>, 4, 1},
    {Inst::kIdVcvttpd2qq, one<std::int64_t, double, toSigned64>, 8, 1},
    {Inst::kIdVcvttpd2uqq, one<std::uint64_t, double, toUnsigned64>, 8, 1},
};
constexpr InstructionTable kCalledTable(kCalled);

constexpr std::int32_t argument(std::int32_t number) { return kArguments + 8 * number; }

// The registers that a call may change, except rax.
constexpr Gp kKept[] = {rcx, rdx, rsi, rdi, r8, r9, r10, r11};

}  // namespace

bool Avx2Assembler::call(const Wide& i) {
    const Called* const what = kCalledTable.find(i.id);
    if (what == nullptr) return false;
    for (std::uint32_t k = 0; k < state_.masks.size(); ++k)
        if (state_.masks[k].live) storeMask(k);
    storeAll();
    dropRegisters();
    put(Inst::kIdMov, frame(kScalar, 8), rax);
    givePointer(2, i.operand[1], kSpare + kSlotBytes);
    if (what->sources == 2) givePointer(3, i.operand[2], kSpare + 2 * kSlotBytes);
    put(Inst::kIdLea, rax, frame(kSpare, 8));
    put(Inst::kIdMov, frame(argument(1), 8), rax);
    callFunction(what->function);
    const std::uint32_t bytes = std::min(bytesOf(i.operand[0]), 32u);
    const std::uint32_t halves = bytesOf(i.operand[0]) > 32 ? 2 : 1;
    for (std::uint32_t h = 0; h < halves; ++h) {
        release();
        const Vec value = fresh(bytes);
        put(Inst::kIdVmovdqu, value, frame(kSpare + 32 * static_cast<std::int32_t>(h), bytes));
        if (!finishHalf(i, h, value, what->laneBytes)) return false;
    }
    return true;
}

/// Where a copy of the vector is, for the function; rax is lost.
void Avx2Assembler::givePointer(std::uint32_t number, const Operand& vector, std::int32_t spare) {
    const std::uint32_t halves = bytesOf(vector) > 32 ? 2 : 1;
    if (vector.isMem()) put(Inst::kIdMov, rax, frame(kScalar, 8));
    for (std::uint32_t h = 0; h < halves; ++h) {
        const Operand from = half(vector, h);
        const Vec value = sized(kA.id(), bytesOf(from));
        put(Inst::kIdVmovdqu, value, from);
        put(Inst::kIdVmovdqu, frame(spare + 32 * static_cast<std::int32_t>(h), value.size()), value);
    }
    put(Inst::kIdLea, rax, frame(spare, 8));
    put(Inst::kIdMov, frame(argument(static_cast<std::int32_t>(number)), 8), rax);
}

/// rax has been saved, and is restored here.
void Avx2Assembler::callFunction(Function function) {
    if (!calledAt_) trampoline_ = newLabel();
    calledAt_ = pushed_;
    put(Inst::kIdMov, rax, Imm(reinterpret_cast<std::uint64_t>(function)));
    put(Inst::kIdMov, frame(argument(0), 8), rax);
    put(Inst::kIdCall, trampoline_);
    put(Inst::kIdMov, rax, frame(kScalar, 8));
}

/// Calls the function in the frame; general registers and flags keep their values.
void Avx2Assembler::emitTrampoline() {
    Assembler::bind(trampoline_);
    pushed_ = *calledAt_ + 8;  // the way back
    const auto eachGeneral = [&](auto&& f) {
        for (std::size_t n = 0; n < std::size(kKept); ++n)
            f(kKept[n], frame(kGeneral + 8 * static_cast<std::int32_t>(n), 8));
    };
    put(Inst::kIdPushfq);
    pushed_ += 8;
    eachGeneral([&](const Gp& r, const Mem& at) { put(Inst::kIdMov, at, r); });
    put(Inst::kIdMov, rdi, frame(argument(1), 8));
    put(Inst::kIdMov, rsi, frame(argument(2), 8));
    put(Inst::kIdMov, rdx, frame(argument(3), 8));
    put(Inst::kIdMov, rcx, frame(argument(4), 8));
    put(Inst::kIdMov, rax, frame(argument(0), 8));
    put(Inst::kIdVzeroupper);
    put(Inst::kIdCall, rax);
    eachGeneral([&](const Gp& r, const Mem& at) { put(Inst::kIdMov, r, at); });
    put(Inst::kIdPopfq);
    put(Inst::kIdRet);
    pushed_ = 0;
}

}  // namespace zetl::emulator::translate
