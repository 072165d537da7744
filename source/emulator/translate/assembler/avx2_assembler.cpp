#include "emulator/translate/assembler/avx2_assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Error;
using asmjit::Imm;
using asmjit::InstOptions;
using namespace avx2;

namespace {

constexpr std::uint32_t kTemporaries = 6;  // below: in registers; and lane(), of 16 bytes

using Bytes32 = std::array<std::uint64_t, 4>;
template <class Lane, std::size_t count>
constexpr Bytes32 lanes(const std::array<Lane, count>& values) {
    static_assert(sizeof values == sizeof(Bytes32));
    return std::bit_cast<Bytes32>(values);
}
/// Lane i has bit first + i.
template <class Lane>
constexpr Bytes32 bitsFrom(std::uint32_t first) {
    std::array<Lane, 32 / sizeof(Lane)> values{};
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<Lane>(Lane{1} << (first + i) % (8 * sizeof(Lane)));
    return lanes(values);
}
template <class Lane>
constexpr Bytes32 all(Lane value) {
    std::array<Lane, 32 / sizeof(Lane)> values{};
    values.fill(value);
    return lanes(values);
}
constexpr Bytes32 bytesOfMask() {
    std::array<std::uint8_t, 32> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i / 8);
    return lanes(values);
}

constexpr std::array<Bytes32, kConstants> kValues = {
    bitsFrom<std::uint32_t>(0),
    bitsFrom<std::uint32_t>(8),
    bitsFrom<std::uint64_t>(0),
    bitsFrom<std::uint64_t>(4),
    bitsFrom<std::uint16_t>(0),
    bitsFrom<std::uint8_t>(0),
    bytesOfMask(),
    all<std::uint64_t>(~0ull),
    all<std::uint32_t>(0x80000000),
    all<std::uint64_t>(1ull << 63),
    all<std::uint32_t>(0xffff),
    all<std::uint32_t>(0xff),
    Bytes32{0xff, 0xffff, 0xffffffff, ~0ull},
};

bool isVector(const asmjit::Operand_& o) { return o.isReg() && o.as<asmjit::BaseReg>().isVec(); }
bool isMask(const asmjit::Operand_& o) { return Reg::isKReg(o); }
/// What hosts with AVX2 know, on registers that are the same there.
bool isPlain(const asmjit::Operand_& o) {
    if (!isVector(o)) return !isMask(o);
    return !Reg::isZmm(o) && o.id() <= kTemporaries;
}

/// Whether hosts with AVX2 have the instruction.
bool isKnown(asmjit::InstId id, const asmjit::Operand_& to, const asmjit::Operand_& from) {
    if (!isVector(to) && !isVector(from)) return true;
    const bool broadcasts = id == Inst::kIdVpbroadcastd || id == Inst::kIdVpbroadcastq || id == Inst::kIdVpbroadcastw;
    if (broadcasts) return !Reg::isGp(from);
    return InstDB::infoById(id).isVex();
}

}  // namespace

bool Avx2Assembler::runsHere() noexcept {
    // Whoever has AVX2 has F16C.
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi");
}

void Avx2Assembler::enterFrame() {
    mov(rax, rsp);
    put(Inst::kIdSub, rsp, Imm(kFrameBytes));
    and_(rsp, -kSlotBytes);
    mov(ptr(rsp, kCallersStack, 8), rax);
    pushed_ = 0;
}
void Avx2Assembler::leaveFrame() { mov(rsp, ptr(rsp, kCallersStack, 8)); }

void Avx2Assembler::finish() {
    if (calledAt_) emitTrampoline();
    if (!constants_.isValid()) return;
    align(asmjit::AlignMode::kZero, 32);
    bind(constants_);
    embed(kValues.data(), sizeof kValues);
}

Error Avx2Assembler::_emit(InstId id, const Operand& o0, const Operand& o1, const Operand& o2, const Operand* more) {
    noteStack(id, o0, o1);
    // Code is longer here.
    setInstOptions(instOptions() & ~InstOptions::kShortForm);
    if (tested_) jumpOnTested(id);
    if (id == Inst::kIdRet) pushed_ = 0;  // what follows belongs to the function before
    const bool plain = isPlain(o0) && isPlain(o1) && isPlain(o2) && isPlain(more[0]) && !hasExtraReg();
    if (plain && isKnown(id, o0, o1)) return Assembler::_emit(id, o0, o1, o2, more);
    Wide i{.id = id, .operand = {o0, o1, o2, more[0]}};
    i.mask = hasExtraReg() ? extraReg().id() : 0;
    i.zeroes = asmjit::Support::test(instOptions(), InstOptions::kX86_ZMask);
    for (const Operand& o : i.operand)
        if (isVector(o)) i.bytes = std::max(i.bytes, bytesOf(o));
    for (Operand& o : i.operand)
        if (o.isMem() && bytesOf(o) == 0) o.as<Mem>().setSize(i.bytes);
    resetExtraReg();
    resetInstOptions();
    if (assemble(i)) return asmjit::kErrorOk;
    asmjit::String name;
    asmjit::InstAPI::instIdToString(asmjit::Arch::kX64, i.id, name);
    const std::string words = fmt::format("nothing does on this host what {} does", name.data());
    return reportError(asmjit::kErrorInvalidInstruction, words.c_str());
}

bool Avx2Assembler::assemble(const Wide& i) {
    return laneWise(i) || move(i) || compare(i) || onMasks(i) || blend(i) || resize(i) || scattered(i) || call(i);
}

Error Avx2Assembler::put(InstId id, const Operand& a, const Operand& b, const Operand& c, const Operand& d) {
    const Operand more[3] = {d, {}, {}};
    return Assembler::_emit(id, a, b, c, more);
}

std::uint32_t Avx2Assembler::bytesOf(const Operand& operand) noexcept {
    return operand.isMem() ? operand.as<Mem>().size() : operand.as<asmjit::BaseReg>().size();
}

bool Avx2Assembler::inRegister(const Operand& vector) noexcept {
    return isVector(vector) && vector.id() <= kTemporaries;
}

bool Avx2Assembler::isForeign(const Operand& operand) noexcept {
    return operand.isMem() && (!operand.as<Mem>().hasBaseReg() || operand.as<Mem>().baseId() != rbx.id());
}

Vec Avx2Assembler::sized(std::uint32_t number, std::uint32_t bytes) {
    return bytes > 16 ? Vec(Ymm(number)) : Vec(Xmm(number));
}

Avx2Assembler::Operand Avx2Assembler::half(const Operand& operand, std::uint32_t number) const {
    const std::uint32_t bytes = std::min(bytesOf(operand), 32u);
    if (operand.isMem()) {
        Mem place = operand.as<Mem>();
        place.addOffset(32 * static_cast<std::int64_t>(number));
        place.setSize(bytes);
        return place;
    }
    if (inRegister(operand)) return sized(operand.id() + 8 * number, bytes);
    return frame(kSlots + static_cast<std::int32_t>(operand.id()) * kSlotBytes + 32 * static_cast<std::int32_t>(number),
                 bytes);
}

Avx2Assembler::Operand Avx2Assembler::part(const Operand& operand, std::uint32_t offset, std::uint32_t bytes,
                                           const Vec& into) {
    if (operand.isMem() || !inRegister(operand)) {
        Mem place = operand.isMem() ? operand.as<Mem>() : half(operand, 0).as<Mem>();
        place.addOffset(offset);
        place.setSize(bytes);
        return place;
    }
    const std::uint32_t number = operand.id() + 8 * (offset / 32);
    const std::uint32_t within = offset % 32;
    if (within == 0) return Xmm(number);
    Xmm to(into.id());
    if (within >= 16)
        put(Inst::kIdVextracti128, to, Ymm(number), Imm(1));
    else
        put(Inst::kIdVpsrldq, to, Xmm(number), Imm(within));
    if (within > 16) put(Inst::kIdVpsrldq, to, to, Imm(within - 16));
    return to;
}

Vec Avx2Assembler::loaded(const Operand& operand, const Vec& into) {
    if (!operand.isMem()) return operand.as<Vec>();
    const Vec to = sized(into.id(), bytesOf(operand));
    put(Inst::kIdVmovdqu, to, operand);
    return to;
}

Mem Avx2Assembler::frame(std::int32_t offset, std::uint32_t bytes) const { return ptr(rsp, offset + pushed_, bytes); }
Mem Avx2Assembler::maskPlace(std::uint32_t number, std::uint32_t bytes) const {
    return frame(kMasks + 8 * static_cast<std::int32_t>(number), bytes);
}
Mem Avx2Assembler::constant(std::size_t place, std::uint32_t bytes) {
    if (!constants_.isValid()) constants_ = newLabel();
    return ptr(constants_, static_cast<std::int32_t>(place * sizeof(Bytes32)), bytes);
}

/// What functions of the emitter put on the stack for a while.
void Avx2Assembler::noteStack(InstId id, const Operand& a, const Operand& b) {
    if (id == Inst::kIdPush) pushed_ += 8;
    if (id == Inst::kIdPop) pushed_ -= 8;
    if (!a.isReg() || a.as<asmjit::BaseReg>() != rsp || !b.isImm()) return;
    const auto bytes = static_cast<std::int32_t>(b.as<Imm>().value());
    if (id == Inst::kIdSub) pushed_ += bytes;
    if (id == Inst::kIdAdd) pushed_ -= bytes;
}

}  // namespace zetl::emulator::translate
