#include "emulator/translate/assembler/avx2_assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/translate/assembler/layout.h"
#include "emulator/translate/assembler/vex.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Error;
using asmjit::Imm;
using asmjit::InstOptions;
using namespace avx2;

namespace {

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
/// Both dwords of lane i have bit first + i.
constexpr Bytes32 bitsOfPairs(std::uint32_t first) {
    std::array<std::uint32_t, 8> values{};
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = 1u << (first + i / 2);
    return lanes(values);
}
/// How far bit first + i of lane i is from the 32nd.
template <class Lane>
constexpr Bytes32 toSigns(std::uint32_t first) {
    std::array<Lane, 32 / sizeof(Lane)> values{};
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = 31 - first - i;
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
    bitsFrom<std::uint32_t>(16),
    bitsFrom<std::uint32_t>(24),
    bitsOfPairs(0),
    bitsOfPairs(4),
    bitsOfPairs(8),
    bitsOfPairs(12),
    bitsOfPairs(16),
    bitsOfPairs(20),
    bitsOfPairs(24),
    bitsOfPairs(28),
    bitsFrom<std::uint16_t>(0),
    bitsFrom<std::uint8_t>(0),
    toSigns<std::uint32_t>(0),
    toSigns<std::uint32_t>(8),
    toSigns<std::uint32_t>(16),
    toSigns<std::uint32_t>(24),
    toSigns<std::uint64_t>(0),
    toSigns<std::uint64_t>(4),
    toSigns<std::uint64_t>(8),
    toSigns<std::uint64_t>(12),
    toSigns<std::uint64_t>(16),
    toSigns<std::uint64_t>(20),
    toSigns<std::uint64_t>(24),
    toSigns<std::uint64_t>(28),
    bytesOfMask(),
    all<std::uint64_t>(~0ull),
    all<std::uint64_t>(1ull << 63),
    all<std::uint32_t>(0xffff),
    all<std::uint32_t>(0xff),
    all<std::uint32_t>(31),
    all<std::uint64_t>(63),
    lanes(std::array<std::uint32_t, 8>{0, 4, 1, 5, 2, 6, 3, 7}),
    Bytes32{0xff, 0xffff, 0xffffffff, ~0ull},
    all<std::uint32_t>(64),
};

bool isVector(const asmjit::Operand_& o) { return o.isReg() && o.as<asmjit::BaseReg>().isVec(); }
bool isMask(const asmjit::Operand_& o) { return Reg::isKReg(o); }
bool hasVectors(const asmjit::Operand_& o) { return isVector(o) || isMask(o); }

/// Those that change general registers beside their first operand.
bool changesOthers(asmjit::InstId id) {
    constexpr asmjit::InstId kIds[] = {Inst::kIdMul,  Inst::kIdImul, Inst::kIdDiv,        Inst::kIdIdiv,
                                       Inst::kIdCdq,  Inst::kIdCqo,  Inst::kIdXchg,       Inst::kIdCmpxchg,
                                       Inst::kIdXadd, Inst::kIdMulx, Inst::kIdCmpxchg16b, Inst::kIdRdtsc};
    return std::ranges::find(kIds, id) != std::end(kIds);
}

}  // namespace

bool Avx2Assembler::runsHere() noexcept {
    // A processor with AVX2 has F16C.
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi");
}

Avx2Assembler::Avx2Assembler() { beginAnew(); }

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
    emitScatterers();
    if (butterfly_.isValid()) emitButterfly();
    if (constants_.isValid()) {
        align(asmjit::AlignMode::kZero, 32);
        bind(constants_);
        embed(kValues.data(), sizeof kValues);
    }
    resolveReferences();
}

Error Avx2Assembler::_emit(InstId id, const Operand& o0, const Operand& o1, const Operand& o2, const Operand* more) {
    noteStack(id, o0, o1);
    // Code is longer here.
    setInstOptions(instOptions() & ~InstOptions::kShortForm);
    release();
    if (isJump(id)) return jump(id, o0);
    state_.reachable = true;
    const bool vectors = hasVectors(o0) || hasVectors(o1) || hasVectors(o2) || hasVectors(more[0]);
    if (!vectors) return passOn(id, o0, o1, o2, more);
    Wide i{.id = id, .operand = {o0, o1, o2, more[0]}};
    i.mask = hasExtraReg() ? extraReg().id() : 0;
    i.zeroes = asmjit::Support::test(instOptions(), InstOptions::kX86_ZMask);
    for (const Operand& o : i.operand)
        if (isVector(o)) i.bytes = std::max(i.bytes, bytesOf(o));
    for (Operand& o : i.operand)
        if (o.isMem() && bytesOf(o) == 0) o.as<Mem>().setSize(i.bytes);
    resetExtraReg();
    resetInstOptions();
    return assemble(i) && !failed_ ? asmjit::kErrorOk : refuse(i.id);
}

Error Avx2Assembler::refuse(InstId id) {
    asmjit::String name;
    asmjit::InstAPI::instIdToString(asmjit::Arch::kX64, id, name);
    const std::string words = failed_ ? fmt::format("registers of this host do not suffice for {}", name.data())
                                      : fmt::format("nothing does on this host what {} does", name.data());
    return reportError(asmjit::kErrorInvalidInstruction, words.c_str());
}

/// An instruction without vectors, which is the same here. Calls keep no vectors.
Error Avx2Assembler::passOn(InstId id, const Operand& o0, const Operand& o1, const Operand& o2, const Operand* more) {
    if (id == Inst::kIdCall || id == Inst::kIdVzeroupper) {
        const auto options = instOptions();
        resetInstOptions();
        for (std::uint32_t k = 0; k < state_.masks.size(); ++k)
            if (state_.masks[k].live) storeMask(k);
        storeAll();
        dropRegisters();
        state_.general = {};
        setInstOptions(options);
    } else if (Reg::isGp(o0)) {
        const bool copies = id == Inst::kIdMov && Reg::isGpd(o0) && Reg::isGpd(o1);
        state_.general[o0.id()] = copies ? state_.general[o1.id()] : 0;
    }
    if (changesOthers(id)) state_.general = {};
    const Error error = Assembler::_emit(id, o0, o1, o2, more);
    if (id != Inst::kIdRet) return error;
    pushed_ = 0;  // the following code belongs to the function before
    beginAnew();
    return error;
}

bool Avx2Assembler::assemble(const Wide& i) {
    return laneWise(i) || move(i) || compare(i) || onMasks(i) || blend(i) || resize(i) || permute(i) || scattered(i) ||
           call(i);
}

Error Avx2Assembler::put(InstId id, const Operand& a, const Operand& b, const Operand& c, const Operand& d) {
    if (putVex(id, a, b, c, d)) return asmjit::kErrorOk;
    const Operand more[3] = {d, {}, {}};
    return Assembler::_emit(id, a, b, c, more);
}

std::uint32_t Avx2Assembler::bytesOf(const Operand& operand) noexcept {
    return operand.isMem() ? operand.as<Mem>().size() : operand.as<asmjit::BaseReg>().size();
}

/// The same by less, if it is one of those that are known there.
bool Avx2Assembler::putVex(InstId id, const Operand& a, const Operand& b, const Operand& c, const Operand& d) {
    if (remainingSpace() < kMostVexBytes) return false;
    std::uint8_t* label = nullptr;
    std::uint8_t* const end = encodeVex(id, {&a, &b, &c, &d}, _bufferPtr, label);
    if (end == nullptr) return false;
    if (label != nullptr) {
        const Mem& memory = (c.isMem() ? c : b.isMem() ? b : a).as<Mem>();
        references_.push_back({.at = static_cast<std::uint32_t>(label - _bufferData),
                               .end = static_cast<std::uint32_t>(end - _bufferData),
                               .label = memory.baseId()});
    }
    _bufferPtr = end;
    _section->_buffer._size = offset();
    return true;
}
/// All labels are bound: what refers to one gets its distance.
void Avx2Assembler::resolveReferences() {
    for (const Reference& r : references_) {
        if (!code()->isLabelBound(r.label)) {
            refuse(Inst::kIdLea);
            continue;
        }
        std::int32_t distance;
        std::memcpy(&distance, _bufferData + r.at, sizeof distance);
        distance += static_cast<std::int32_t>(code()->labelOffset(r.label)) - static_cast<std::int32_t>(r.end);
        std::memcpy(_bufferData + r.at, &distance, sizeof distance);
    }
    references_.clear();
}

bool Avx2Assembler::isForeign(const Operand& operand) noexcept {
    return operand.isMem() && (!operand.as<Mem>().hasBaseReg() || operand.as<Mem>().baseId() != rbx.id());
}

Vec Avx2Assembler::sized(std::uint32_t number, std::uint32_t bytes) {
    return bytes > 16 ? Vec(Ymm(number)) : Vec(Xmm(number));
}

Mem Avx2Assembler::frame(std::int32_t offset, std::uint32_t bytes) const { return ptr(rsp, offset + pushed_, bytes); }
Mem Avx2Assembler::maskPlace(std::uint32_t number, std::uint32_t bytes) const {
    return frame(kMasks + 8 * static_cast<std::int32_t>(number), bytes);
}
Mem Avx2Assembler::constant(std::size_t place, std::uint32_t bytes) {
    if (!constants_.isValid()) constants_ = newLabel();
    return ptr(constants_, static_cast<std::int32_t>(place * sizeof(Bytes32)), bytes);
}

/// What translated functions put on the stack for a while.
void Avx2Assembler::noteStack(InstId id, const Operand& a, const Operand& b) {
    if (id == Inst::kIdPush) pushed_ += 8;
    if (id == Inst::kIdPop) pushed_ -= 8;
    if (!a.isReg() || a.as<asmjit::BaseReg>() != rsp || !b.isImm()) return;
    const auto bytes = static_cast<std::int32_t>(b.as<Imm>().value());
    if (id == Inst::kIdSub) pushed_ += bytes;
    if (id == Inst::kIdAdd) pushed_ -= bytes;
}

}  // namespace zetl::emulator::translate
