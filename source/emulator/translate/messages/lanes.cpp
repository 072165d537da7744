// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Loads and stores by lanes, sixteen lanes at a time. Successive addresses take one check and one move, by the mask if
// lanes are off, and so do interleaved components (interleaved.cpp). If all lanes have the same address, a
// broadcast is enough; near addresses take a permutation (near.cpp), and others one comparison with the bounds
// and a gather or scatter. If a check refuses the lanes, the step executes the message: it finds the memory, takes
// accesses apart, or faults.
#include "emulator/translate/messages/lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>

#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::LaneAccess;
using isa::MemorySpace;

bool LaneMessages::access(const Step& m, const Meaning& what) { return accessFrom(m, what, {}); }

/// Two steps, of which the first moves the addresses of the second, as one; false if they are others. Nobody reads the
/// moved addresses but the second one.
bool LaneMessages::accessMoved(std::span<const Step> rest) {
    const auto displacement = access_.displacementOf(rest);
    return displacement && accessFrom(rest[1], *host_.meaningOf(rest[1]), {&rest[0], *displacement});
}

bool LaneMessages::accessFrom(const Step& m, const Meaning& what, const Moved& moved) {
    LaneAccess access = LaneAccess::of(m);
    if (moved.by != nullptr) access.addresses = static_cast<std::uint32_t>(moved.by->src[0]);
    const auto& form = what.laneForm();
    const std::uint32_t bytes = elementBytes(form);
    if (bytes == 0) return false;
    if (bytes == 8 && form.space != MemorySpace::global) return false;
    if (bytes < 4 && access.components != 1) return false;
    if (access.components == 0 || access.components * bytes >= MessageAccess::kSteps) return false;
    const bool all = form.whole && (m.mask.lanes & 0xffff) == 0xffff;
    Lanes16 l{.access = access,
              .area = access_.areaOf(form.space, form.write, m),
              .refused = host_.seldomLabel(),
              .space = form.space,
              .bytes = bytes,
              .whole = false,
              .displacement = moved.displacement};
    const std::uint32_t vectors = access.components * (bytes == 8 ? 2 : 1);
    const std::uint32_t addressBytes = form.space == MemorySpace::global ? 8 : 4;
    if (access.addresses % RegisterCache::kSlotBytes != 0)
        cache_.store(access.addresses, m.chunks * kMessageLanes * addressBytes);
    if (!form.write)
        for (std::uint32_t k = 0; k < access.components; ++k)
            cache_.store(access.registers + k * access.componentBytes, m.chunks * kMessageLanes * std::max(bytes, 4u));
    if (!all || Few::storesEach(l)) few_.takePlaces();
    constexpr std::uint32_t kConstants = 6;
    auto unstored = cache_.defer(m.chunks * (vectors + addressBytes / 4) + kConstants);
    if (form.space == MemorySpace::global) host_.additions.unlessPending(l.refused);
    if (!all) masks_.setLanes(m.mask);
    l.whole = all;
    const Label done = a_.newLabel();
    if (together_.movesTogether(l, m.chunks)) l.second = together_.secondHalf(l, form.write, done);
    a_.writesAlone(form.space != MemorySpace::global);
    for (l.chunk = 0; l.chunk < m.chunks; ++l.chunk) {
        cache_.release();
        form.write ? storeChunk(l) : loadChunk(l);
        l.second.reset();
    }
    a_.writesAlone(false);
    a_.bind(done);
    const auto perLane = static_cast<std::int32_t>(access.components * bytes);
    if (const Traffic traffic = access_.trafficOf(form.space, form.write); all) {
        a_.add(field(*traffic.cell, 8), perLane * static_cast<std::int32_t>(kMessageLanes * m.chunks));
    } else {
        a_.kmovd(eax, k1);
        a_.popcnt(eax, eax);
        a_.imul(eax, eax, perLane);
        a_.add(field(*traffic.cell, 8), rax);
    }
    host_.otherwiseStep(m, l.refused, std::move(unstored), moved.by);
    return true;
}

void LaneMessages::loadChunk(const Lanes16& l) {
    const std::uint32_t n = l.access.components;
    const std::uint32_t parts = l.bytes == 8 ? 2 : 1;
    // The same registers whichever way is taken.
    std::vector<Zmm> results;
    for (std::uint32_t k = 0; k < n; ++k)
        for (std::uint32_t p = 0; p < parts; ++p) results.push_back(access_.resultOf(l, k, p));
    access_.loadAddresses(l);
    const Label done = a_.newForwardLabel();
    const bool interleaved = interleaved_.isInterleaved(l);
    if (l.whole) access_.readDistances(l, 0);
    if (n == 1 || interleaved) access_.readDistances(l, n * l.bytes);
    access_.unlessOff(l, done);
    if (l.whole || n == 1 || interleaved) access_.measureDistances(l);
    if (n == 1) loadIfRunning(l, results, done);
    if (l.whole) loadIfSame(l, results, done);
    if (interleaved) loadIfRunning(l, results, done);
    if (l.bytes < 4) {
        if (near_.mayLoadNarrow(l)) near_.loadNarrow(l, results[0], done);
        access_.findLanes(l);
        if (few_.mayLoad(l)) few_.load(l, results, done);
        gatherNarrow(l, results[0]);
    } else {
        if (near_.mayLoad(l)) near_.load(l, results, done);
        access_.findLanes(l);
        if (few_.mayLoad(l)) few_.load(l, results, done);
        interleaved_.loadsLaneByLane(l) ? interleaved_.loadLaneByLane(l, results) : gather(l, results);
    }
    a_.forgetTemporaries();
    a_.bind(done);
}
/// For lanes with successive addresses.
void LaneMessages::loadIfRunning(const Lanes16& l, const std::vector<Zmm>& results, const Label& done) {
    const Label apart = a_.newForwardLabel();
    const std::uint32_t bytes = l.access.components * l.bytes;
    access_.unlessApart(l, bytes, apart);
    if (l.second) together_.moveTogether(l, results, false);
    access_.findRun(l.area, kMessageLanes * bytes, l.whole ? l.refused : apart);
    a_.forgetIntermediates();
    if (l.space == MemorySpace::global && l.bytes >= 4) access_.fetchAhead(kMessageLanes * bytes, false);
    l.access.components == 1 ? loadRun(l, results) : interleaved_.load(l, results);
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(apart);
}
/// If all have the same address.
void LaneMessages::loadIfSame(const Lanes16& l, const std::vector<Zmm>& results, const Label& done) {
    const Label different = a_.newForwardLabel();
    access_.unlessApart(l, 0, different);
    access_.findRun(l.area, l.access.components * l.bytes, l.refused);
    a_.forgetIntermediates();
    loadSame(l, results);
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(different);
}
void LaneMessages::loadRun(const Lanes16& l, const std::vector<Zmm>& results) {
    switch (l.bytes) {
        case 1:
        case 2: {
            const Zmm wide = l.whole ? results[0] : zmm0;
            l.bytes == 1 ? a_.vpmovzxbd(wide, ptr(rcx, 0, 16)) : a_.vpmovzxwd(wide, ptr(rcx, 0, 32));
            if (!l.whole) access_.ofRun(l, 0).vmovdqa32(results[0], wide);
            return;
        }
        case 4:
            access_.ofRun(l, 0).vmovdqu32(results[0], ptr(rcx, 0, 64));
            return;
        default:
            access_.ofRun(l, 0).vmovdqu64(results[0], ptr(rcx, 0, 64));
            access_.ofRun(l, 1).vmovdqu64(results[1], ptr(rcx, 64, 64));
    }
}
void LaneMessages::loadSame(const Lanes16& l, const std::vector<Zmm>& results) {
    for (std::uint32_t k = 0; k < l.access.components; ++k) {
        const auto at = static_cast<std::int32_t>(k * l.bytes);
        switch (l.bytes) {
            case 1:
            case 2:
                a_.movzx(edx, ptr(rcx, at, l.bytes));
                a_.vpbroadcastd(results[k], edx);
                break;
            case 4:
                a_.vpbroadcastd(results[k], ptr(rcx, at, 4));
                break;
            default:
                a_.vpbroadcastq(results[k * 2], ptr(rcx, at, 8));
                a_.vmovdqa64(results[k * 2 + 1], results[k * 2]);
        }
    }
}
void LaneMessages::gather(const Lanes16& l, const std::vector<Zmm>& results) {
    for (std::uint32_t k = 0; k < l.access.components; ++k) {
        const auto at = static_cast<std::int32_t>(k * l.bytes);
        if (l.bytes == 8) {
            a_.kmovw(k3, k5);
            a_.k(k3).vpgatherqq(results[k * 2], ptr(rcx, zmm1, 0, at));
            a_.kshiftrw(k3, k5, 8);
            a_.k(k3).vpgatherqq(results[k * 2 + 1], ptr(rcx, zmm2, 0, at));
        } else if (l.space == MemorySpace::global) {
            a_.vmovdqa64(ymm0, results[k].ymm());
            a_.vextracti64x4(ymm3, results[k], 1);
            a_.kmovw(k3, k5);
            a_.k(k3).vpgatherqd(ymm0, ptr(rcx, zmm1, 0, at));
            a_.kshiftrw(k3, k5, 8);
            a_.k(k3).vpgatherqd(ymm3, ptr(rcx, zmm2, 0, at));
            a_.vinserti64x4(results[k], zmm0, ymm3, 1);
        } else {
            a_.kmovw(k3, k5);
            a_.k(k3).vpgatherdd(results[k], ptr(rcx, zmm1, 0, at));
        }
    }
}

/// Bytes or words, from the aligned dwords that they lie in, which a page of the host's has all of.
void LaneMessages::gatherNarrow(const Lanes16& l, const Zmm& result) {
    constexpr std::uint32_t kInDword = 3;
    const bool global = l.space == MemorySpace::global;
    a_.test(ecx, kInDword);
    a_.jnz(l.refused);
    if (global) {
        a_.vpmovqd(zmm4.ymm(), zmm1);
        a_.vpmovqd(ymm3, zmm2);
        a_.vinserti64x4(zmm4, zmm4, ymm3, 1);
    } else {
        a_.vmovdqa32(zmm4, zmm1);
    }
    values_.broadcast(zmm0, kInDword, 4);
    a_.vpandd(zmm4, zmm4, zmm0);
    if (l.bytes == 2) {  // some of which lie in two
        a_.vpcmpeqd(k3, zmm4, zmm0);
        a_.kandw(k3, k3, k5);
        a_.kortestw(k3, k3);
        a_.jnz(l.refused);
    }
    values_.broadcast(zmm0, global ? ~std::uint64_t{kInDword} : ~kInDword, global ? 8 : 4);
    a_.vpandq(zmm1, zmm1, zmm0);
    if (global) a_.vpandq(zmm2, zmm2, zmm0);
    a_.vpslld(zmm4, zmm4, 3);
    a_.vpxorq(zmm5, zmm5, zmm5);
    gather(l, {zmm5});
    a_.vpsrlvd(zmm5, zmm5, zmm4);
    values_.broadcast(zmm0, l.bytes == 1 ? 0xff : 0xffff, 4);
    if (!l.whole) a_.k(k5);
    a_.vpandd(result, zmm5, zmm0);
}

void LaneMessages::storeChunk(const Lanes16& l) {
    const std::uint32_t n = l.access.components;
    const std::uint32_t parts = l.bytes == 8 ? 2 : 1;
    std::vector<Zmm> data;
    for (std::uint32_t k = 0; k < n; ++k)
        for (std::uint32_t p = 0; p < parts; ++p) data.push_back(access_.dataOf(l, k, p));
    access_.loadAddresses(l);
    const Label done = a_.newForwardLabel();
    access_.readDistances(l, n * l.bytes);
    access_.unlessOff(l, done);
    access_.measureDistances(l);
    if (mayStoreRuns(l)) storeIfRunning(l, data, done);
    if (near_.mayStore(l)) near_.store(l, data[0], done);
    access_.findLanes(l);
    if (Few::storesEach(l)) {
        few_.storeEach(l, data, done);
    } else {
        if (few_.mayStore(l)) few_.store(l, data, done);
        scatter(l, data);
    }
    a_.forgetTemporaries();
    a_.bind(done);
}
/// Without AVX-512, no instruction stores some of a register's bytes or words.
bool LaneMessages::mayStoreRuns(const Lanes16& l) const { return l.whole || l.bytes >= 4 || !a_.hasFewRegisters(); }
/// For lanes with successive addresses. Components of other lanes are refused if these overlap: they would be written
/// in another order than the step's.
void LaneMessages::storeIfRunning(const Lanes16& l, const std::vector<Zmm>& data, const Label& done) {
    const std::uint32_t n = l.access.components;
    const Label apart = a_.newForwardLabel();
    access_.unlessApart(l, n * l.bytes, n == 1 ? apart : l.refused);
    if (l.second) together_.moveTogether(l, data, true);
    if (n != 1 && !interleaved_.isInterleaved(l)) return;
    access_.findRun(l.area, kMessageLanes * n * l.bytes, l.whole && !Few::storesEach(l) ? l.refused : apart);
    a_.forgetIntermediates();
    n == 1 ? storeRun(l, data) : interleaved_.store(l, data);
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(apart);
}
void LaneMessages::storeRun(const Lanes16& l, const std::vector<Zmm>& data) {
    switch (l.bytes) {
        case 1:
            access_.ofRun(l, 0).vpmovdb(ptr(rcx, 0, 16), data[0]);
            return;
        case 2:
            access_.ofRun(l, 0).vpmovdw(ptr(rcx, 0, 32), data[0]);
            return;
        case 4:
            access_.ofRun(l, 0).vmovdqu32(ptr(rcx, 0, 64), data[0]);
            return;
        default:
            access_.ofRun(l, 0).vmovdqu64(ptr(rcx, 0, 64), data[0]);
            access_.ofRun(l, 1).vmovdqu64(ptr(rcx, 64, 64), data[1]);
    }
}
/// Lanes that share memory are written in their order, as by the step.
void LaneMessages::scatter(const Lanes16& l, const std::vector<Zmm>& data) {
    for (std::uint32_t k = 0; k < l.access.components; ++k) {
        const auto at = static_cast<std::int32_t>(k * l.bytes);
        a_.kmovw(k3, k5);
        a_.kshiftrw(k4, k5, 8);
        if (l.bytes == 8) {
            a_.k(k3).vpscatterqq(ptr(rcx, zmm1, 0, at), data[k * 2]);
            a_.k(k4).vpscatterqq(ptr(rcx, zmm2, 0, at), data[k * 2 + 1]);
        } else if (l.space == MemorySpace::global) {
            a_.vextracti64x4(ymm3, data[k], 1);
            a_.k(k3).vpscatterqd(ptr(rcx, zmm1, 0, at), data[k].ymm());
            a_.k(k4).vpscatterqd(ptr(rcx, zmm2, 0, at), ymm3);
        } else {
            a_.k(k3).vpscatterdd(ptr(rcx, zmm1, 0, at), data[k]);
        }
    }
}

void LaneMessages::moveRun(const Lanes16& l, const std::vector<Zmm>& data, bool write) {
    if (l.access.components == 1)
        write ? storeRun(l, data) : loadRun(l, data);
    else
        write ? interleaved_.store(l, data) : interleaved_.load(l, data);
}

}  // namespace zetl::emulator::translate
