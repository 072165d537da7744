// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/messages/settled_reads.h"

#include <cstddef>
#include <span>

#include "emulator/isa/local_reads.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using isa::LaneAccess;
using isa::LocalReader;
using isa::LocalReads;
using isa::MemorySpace;

namespace {

constexpr std::uint32_t kMarkBytes = 4;
constexpr std::uint32_t kMarkShift = 2;

/// A member of the group's LocalReads, to which rsi points.
Mem known(std::size_t member, std::uint32_t bytes = kMarkBytes) {
    return ptr(rsi, static_cast<std::int32_t>(member), bytes);
}
/// A member of the thread's LocalReader.
Mem reader(std::size_t member, std::uint32_t bytes = kMarkBytes) {
    return field(offsetof(isa::Thread, localReader) + member, bytes);
}

/// Marks of dwords from the one in rax on, so many bytes behind it.
Mem marksAt(const Gp& marks, std::int32_t at, std::uint32_t bytes) { return ptr(marks, rax, kMarkShift, at, bytes); }

}  // namespace

std::optional<SettledReads::Read> SettledReads::readOf(Line line) const {
    const auto& b = code_.body[host_.body];
    const std::span<const Step> steps = std::span(b.steps).subspan(b.start[line], b.start[line + 1] - b.start[line]);
    if (steps.empty()) return {};
    const Step& m = steps.back();
    const Meaning* const what = host_.meaningOf(m);
    if (what == nullptr || what->family != Family::laneAccess) return {};
    const LaneAccess::Form& form = what->laneForm();
    const bool isRead = form.space == MemorySpace::local && !form.write && elementBytes(form) == kMarkBytes;
    if (!isRead || !form.whole || (m.mask.lanes & 0xffff) != 0xffff) return {};
    Read read{line, LaneAccess::of(m), m.chunks, 0};
    if (read.access.components * kMarkBytes >= MessageAccess::kSteps) return {};
    if (steps.size() == 1) return read;
    const auto displacement = access_.displacementOf(steps);  // as messages of Xe2 have
    if (!displacement) return {};
    read.access.addresses = static_cast<std::uint32_t>(steps.front().src[0]);
    read.displacement = *displacement;
    return read;
}

void SettledReads::settle(const Read& read, const Label& otherwise) {
    a_.sub(reader(offsetof(LocalReader, left)), 1);
    a_.jb(otherwise);
    a_.mov(rsi, reader(offsetof(LocalReader, of), 8));
    a_.test(rsi, rsi);
    a_.jz(otherwise);
    Lanes16 l{.access = read.access,
              .area = {},
              .refused = otherwise,
              .space = MemorySpace::local,
              .bytes = kMarkBytes,
              .whole = true,
              .displacement = read.displacement};
    for (; l.chunk < read.chunks; ++l.chunk) {
        cache_.release();
        settleChunk(l, read.line);
    }
}

/// Sixteen lanes that read dwords behind each other, or all the same ones, or others.
void SettledReads::settleChunk(const Lanes16& l, Line line) {
    const std::uint32_t count = l.access.components;
    access_.loadAddresses(l);
    access_.readDistances(l, 0);
    access_.readDistances(l, count * kMarkBytes);
    access_.measureDistances(l);
    a_.test(eax, kMarkBytes - 1);
    a_.jnz(l.refused);
    a_.shr(eax, kMarkShift);
    const Label apart = a_.newForwardLabel();
    const Label done = a_.newForwardLabel();
    access_.unlessApart(l, count * kMarkBytes, apart);
    findMarks(count * kMessageLanes, l.refused);
    for (std::uint32_t vector = 0; vector < count; ++vector)
        settleRun(static_cast<std::int32_t>(vector * kMessageLanes * kMarkBytes), line, l.refused);
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(apart);
    const Label scattered = a_.newForwardLabel();
    access_.unlessApart(l, 0, scattered);
    findMarks(count, l.refused);
    for (std::uint32_t dword = 0; dword < count; ++dword)
        settleDword(static_cast<std::int32_t>(dword * kMarkBytes), line, l.refused);
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(scattered);
    findLanes(l);
    for (std::uint32_t dword = 0; dword < count; ++dword)
        settleLanes(static_cast<std::int32_t>(dword * kMarkBytes), line, l.refused);
    a_.forgetTemporaries();
    a_.bind(done);
}

/// Marks of writers at rcx and of readers at rdx, if so many dwords have some.
void SettledReads::findMarks(std::uint32_t dwords, const Label& otherwise) {
    a_.lea(r8d, ptr(rax, static_cast<std::int32_t>(dwords)));
    a_.cmp(r8d, known(offsetof(LocalReads, dwords)));
    a_.ja(otherwise);
    a_.mov(rcx, known(offsetof(LocalReads, writers), 8));
    a_.mov(rdx, known(offsetof(LocalReads, readers), 8));
}

/// Jumps unless k3 has all of sixteen lanes.
void SettledReads::unlessAll(const Label& otherwise) {
    a_.kortestw(k3, k3);
    a_.forgetTestedMasks();
    a_.jnc(otherwise);
}

/// The thread's own mark in r9d.
void SettledReads::takeOwn(std::size_t kind) {
    a_.mov(r9d, known(kind));
    a_.or_(r9d, reader(offsetof(LocalReader, bits)));
}

/// Of the sixteen marks in zmm1.
template <class Mark>
void SettledReads::unlessAllAre(const Mark& mark, const Label& otherwise) {
    a_.vpbroadcastd(zmm0, mark);
    a_.vpcmpeqd(k3, zmm0, zmm1);
    unlessAll(otherwise);
}

/// Sixteen dwords.
void SettledReads::settleRun(std::int32_t at, Line line, const Label& otherwise) {
    constexpr std::uint32_t kBytes = kMessageLanes * kMarkBytes;
    const Label read = a_.newForwardLabel();
    const Label readByOthers = a_.newForwardLabel();
    const Label readByAnother = a_.newForwardLabel();
    const Label settled = a_.newForwardLabel();
    a_.vpbroadcastd(zmm0, known(offsetof(LocalReads, visible)));
    a_.vmovdqu32(zmm1, marksAt(rcx, at, kBytes));
    a_.vpcmpgtd(k3, zmm0, zmm1);
    unlessAll(otherwise);
    a_.vmovdqu32(zmm1, marksAt(rdx, at, kBytes));
    a_.vpbroadcastd(zmm0, known(offsetof(LocalReads, newer)));
    a_.vpcmpgtd(k3, zmm0, zmm1);
    unlessAll(read);
    takeOwn(offsetof(LocalReads, one));
    markRun(at, line);
    a_.jmp(settled);
    a_.bind(read);
    takeOwn(offsetof(LocalReads, one));
    unlessAllAre(r9d, readByOthers);
    a_.jmp(settled);
    a_.bind(readByOthers);
    a_.vpbroadcastd(zmm0, known(offsetof(LocalReads, kept)));
    a_.vpandd(zmm1, zmm1, zmm0);
    unlessAllAre(known(offsetof(LocalReads, many)), readByAnother);
    a_.jmp(settled);
    a_.bind(readByAnother);
    unlessAllAre(known(offsetof(LocalReads, one)), otherwise);
    a_.vmovdqu32(zmm1, marksAt(rdx, at, kBytes));
    unlessNoneIsOwn(otherwise);
    takeOwn(offsetof(LocalReads, two));
    markRun(at, line);
    a_.bind(settled);
}

void SettledReads::unlessNoneIsOwn(const Label& otherwise) {
    takeOwn(offsetof(LocalReads, one));
    a_.vpbroadcastd(zmm0, r9d);
    a_.vpcmpeqd(k3, zmm0, zmm1);
    a_.kortestw(k3, k3);
    a_.forgetTestedMasks();
    a_.jnz(otherwise);
}

void SettledReads::markRun(std::int32_t at, Line line) {
    constexpr std::uint32_t kBytes = kMessageLanes * kMarkBytes;
    a_.vpbroadcastd(zmm0, r9d);
    a_.vmovdqu32(marksAt(rdx, at, kBytes), zmm0);
    a_.mov(r8, known(offsetof(LocalReads, lines), 8));
    a_.mov(r9d, line);
    a_.vpbroadcastd(zmm0, r9d);
    a_.vmovdqu32(marksAt(r8, at, kBytes), zmm0);
}

void SettledReads::settleDword(std::int32_t at, Line line, const Label& otherwise) {
    const Label read = a_.newForwardLabel();
    const Label settled = a_.newForwardLabel();
    a_.mov(r8d, marksAt(rcx, at, kMarkBytes));
    a_.cmp(r8d, known(offsetof(LocalReads, visible)));
    a_.jge(otherwise);
    a_.mov(r8d, marksAt(rdx, at, kMarkBytes));
    a_.cmp(r8d, known(offsetof(LocalReads, newer)));
    a_.jge(read);
    takeOwn(offsetof(LocalReads, one));
    markDword(at, line);
    a_.jmp(settled);
    a_.bind(read);
    takeOwn(offsetof(LocalReads, one));
    a_.cmp(r8d, r9d);
    a_.je(settled);
    a_.and_(r8d, known(offsetof(LocalReads, kept)));
    a_.cmp(r8d, known(offsetof(LocalReads, many)));
    a_.je(settled);
    a_.cmp(r8d, known(offsetof(LocalReads, one)));
    a_.jne(otherwise);
    takeOwn(offsetof(LocalReads, two));
    markDword(at, line);
    a_.bind(settled);
}

void SettledReads::markDword(std::int32_t at, Line line) {
    a_.mov(marksAt(rdx, at, kMarkBytes), r9d);
    a_.mov(r8, known(offsetof(LocalReads, lines), 8));
    a_.mov(marksAt(r8, at, kMarkBytes), line);
}

/// The numbers of the lanes' first dwords in zmm3, if all that they read have marks.
void SettledReads::findLanes(const Lanes16& l) {
    constexpr std::uint32_t kBits = 32;
    access_.moveAddresses(l);
    values_.broadcast(zmm0, static_cast<std::uint32_t>(isa::kLocalOffsetMask), kMarkBytes);
    a_.vpandd(zmm1, zmm1, zmm0);
    a_.vpsrld(zmm3, zmm1, kMarkShift);
    a_.vpslld(zmm1, zmm1, kBits - kMarkShift);  // addresses within a dword become numbers that no dword has
    a_.vpord(zmm3, zmm3, zmm1);
    a_.mov(r8d, known(offsetof(LocalReads, dwords)));
    a_.sub(r8d, l.access.components - 1);
    a_.jbe(l.refused);
    a_.vpbroadcastd(zmm0, r8d);
    a_.vpcmpud(k3, zmm3, zmm0, Imm(1));
    unlessAll(l.refused);
    a_.kxnorw(k5, k5, k5);
}

/// The lanes' marks in zmm1, and their place in rcx.
void SettledReads::gather(std::size_t marks, std::int32_t at) {
    a_.mov(rcx, known(marks, 8));
    a_.kmovw(k3, k5);
    a_.k(k3).vpgatherdd(zmm1, ptr(rcx, zmm3, kMarkShift, at));
}

/// Of each lane the dword that lies so many bytes behind its first one.
void SettledReads::settleLanes(std::int32_t at, Line line, const Label& otherwise) {
    const Label read = a_.newForwardLabel();
    const Label readByOthers = a_.newForwardLabel();
    const Label settled = a_.newForwardLabel();
    gather(offsetof(LocalReads, writers), at);
    a_.vpbroadcastd(zmm0, known(offsetof(LocalReads, visible)));
    a_.vpcmpgtd(k3, zmm0, zmm1);
    unlessAll(otherwise);
    gather(offsetof(LocalReads, readers), at);
    a_.vpbroadcastd(zmm0, known(offsetof(LocalReads, newer)));
    a_.vpcmpgtd(k3, zmm0, zmm1);
    unlessAll(read);
    takeOwn(offsetof(LocalReads, one));
    a_.vpbroadcastd(zmm0, r9d);
    scatter(at);
    a_.mov(rcx, known(offsetof(LocalReads, lines), 8));
    a_.mov(r9d, line);
    a_.vpbroadcastd(zmm0, r9d);
    scatter(at);
    a_.jmp(settled);
    a_.bind(read);
    takeOwn(offsetof(LocalReads, one));
    unlessAllAre(r9d, readByOthers);
    a_.jmp(settled);
    a_.bind(readByOthers);
    a_.vpbroadcastd(zmm0, known(offsetof(LocalReads, kept)));
    a_.vpandd(zmm1, zmm1, zmm0);
    unlessAllAre(known(offsetof(LocalReads, many)), otherwise);
    a_.bind(settled);
}

/// Stores zmm0 to the lanes' places from rcx on.
void SettledReads::scatter(std::int32_t at) {
    a_.kmovw(k3, k5);
    a_.k(k3).vpscatterdd(ptr(rcx, zmm3, kMarkShift, at), zmm0);
}

}  // namespace zetl::emulator::translate
