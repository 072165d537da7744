// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Raw bytes of regions that are no plain lanes: elements anywhere in a register, registers that a0 names, latches.
#include "emulator/translate/lanes/regions.h"

#include <algorithm>
#include <bit>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::InstId;
using isa::Step;
namespace layout = isa::layout;

namespace {

constexpr std::uint32_t kOffsets = 16;  // that a vector has
constexpr std::uint32_t kPlaces = layout::kGrfBytes - 1;
constexpr std::uint32_t kMostBytes = 8;   // of an element, which may lie across the end of the registers
constexpr std::uint32_t kAddresses = 32;  // of Xe3P; the others have half of them

// As the steps number them: Step::kind.
enum Addressing : std::uint8_t { kDirect, kOneAddress, kAddressPerRow };

std::uint32_t offsetOf(const Step& m, std::uint32_t lane) {
    return reinterpret_cast<const std::uint16_t*>(m.src[1])[lane];
}
std::uint32_t laneCount(const Step& m) { return static_cast<std::uint32_t>(std::bit_width(m.mask.lanes)); }
/// Whether the elements are successive.
bool runsOn(const Step& m) {
    for (std::uint32_t lane = 0; lane < laneCount(m); ++lane)
        if (offsetOf(m, lane) != lane * m.size) return false;
    return true;
}
/// The address that names the lane's row.
std::uint32_t addressOf(const Step& m, std::uint32_t lane) {
    return (m.extra + lane / m.stride) & static_cast<std::uint32_t>(m.src[2]);
}
/// Whether the addresses of each vector of lanes are in the same vector.
bool addressesStayTogether(const Step& m) {
    if (m.src[2] >= kAddresses) return false;
    for (std::uint32_t lane = 0; lane < laneCount(m); ++lane)
        if (addressOf(m, lane) / kOffsets != addressOf(m, lane / kOffsets * kOffsets) / kOffsets) return false;
    return true;
}

}  // namespace

/// The place that the step's one address names, in rax.
void Regions::placeTo(const Step& m, std::uint32_t offset) {
    a_.movzx(eax, state(layout::kAddress + m.extra * 2, 2));
    if (const std::uint32_t add = static_cast<std::uint32_t>(m.value) + offset; add != 0) a_.add(eax, add);
    a_.and_(eax, kPlaces);
}

/// Places of sixteen elements, in zmm4.
void Regions::placesTo(const Step& m, std::uint32_t first) {
    Numbers offsets{};
    for (std::uint32_t i = 0; i < kOffsets; ++i) {
        offsets[i] = offsetOf(m, first + i);
        offsets[i] += m.kind == kDirect ? static_cast<std::uint32_t>(m.src[0]) : static_cast<std::uint32_t>(m.value);
    }
    if (m.kind == kDirect) {
        a_.vmovdqu64(zmm4, numbers_.of(offsets));
        return;
    }
    if (m.kind == kOneAddress) {
        a_.movzx(eax, state(layout::kAddress + m.extra * 2, 2));
        a_.vpbroadcastd(zmm4, eax);
    } else {
        const std::uint32_t addresses = addressOf(m, first) / kOffsets * kOffsets;
        Numbers rows{};
        for (std::uint32_t i = 0; i < kOffsets; ++i) rows[i] = addressOf(m, first + i) % kOffsets;
        a_.vpmovzxwd(zmm5, state(layout::kAddress + 2 * addresses, 2 * kOffsets));
        a_.vmovdqu64(zmm4, numbers_.of(rows));
        a_.vpermd(zmm4, zmm4, zmm5);
    }
    a_.vpaddd(zmm4, zmm4, numbers_.of(offsets));
    a_.mov(eax, kPlaces);
    a_.vpbroadcastd(zmm5, eax);
    a_.vpandd(zmm4, zmm4, zmm5);
}

/// What elements may be in, at home.
void Regions::storeElements(const Step& m) {
    if (m.kind != kDirect) {
        cache_.store(layout::kGrf, layout::kGrfBytes + kMostBytes);
        cache_.store(layout::kAddress, layout::kRegisterBytes);
        return;
    }
    std::uint32_t last = 0;
    for (std::uint32_t lane = 0; lane < laneCount(m); ++lane) last = std::max(last, offsetOf(m, lane));
    cache_.store(static_cast<std::uint32_t>(m.src[0]), last + m.size);
}

bool Regions::gather(const Step& m) {
    const std::uint32_t lanes = laneCount(m);
    if (lanes == 0 || m.dst % RegisterCache::kSlotBytes != 0 || m.dst < layout::kNull || m.src[0] >= layout::kBytes)
        return false;
    if (m.kind == kAddressPerRow && !addressesStayTogether(m)) return false;
    storeElements(m);
    if (m.kind == kOneAddress && lanes == 1) {
        cache_.evict(m.dst, m.size);
        placeTo(m, offsetOf(m, 0));
        moveElement(ptr(rbx, rax, 0, 0, m.size), state(m.dst, m.size));
        return true;
    }
    if (m.kind == kOneAddress && runsOn(m)) {
        gatherRun(m, lanes * m.size);
        return true;
    }
    for (std::uint32_t first = 0; first < lanes; first += kOffsets) gatherVector(m, first);
    return true;
}

/// One element from place to place.
void Regions::moveElement(const Mem& from, const Mem& to) {
    switch (from.size()) {
        case 1:
            a_.mov(cl, from);
            a_.mov(to, cl);
            break;
        case 2:
            a_.movzx(ecx, from);
            a_.mov(to, cx);
            break;
        case 4:
            a_.mov(ecx, from);
            a_.mov(to, ecx);
            break;
        default:
            a_.mov(rcx, from);
            a_.mov(to, rcx);
    }
}

/// Elements one behind the other; if they go round the end of the registers, the step takes them.
void Regions::gatherRun(const Step& m, std::uint32_t bytes) {
    const Label refused = host_.seldomLabel();
    cache_.store(m.dst, bytes);
    auto unstored = cache_.defer((bytes + RegisterCache::kSlotBytes - 1) / RegisterCache::kSlotBytes);
    placeTo(m, 0);
    a_.cmp(eax, layout::kGrfBytes - bytes);
    a_.ja(refused);
    for (std::uint32_t at = 0; at < bytes; at += RegisterCache::kSlotBytes)
        a_.vmovdqu64(cache_.replace(m.dst + at), ptr(rbx, rax, 0, static_cast<std::int32_t>(at), 64));
    host_.otherwiseStep(m, refused, std::move(unstored));
}

void Regions::gatherVector(const Step& m, std::uint32_t first) {
    const std::uint32_t on = m.mask.lanes >> first & 0xffff;
    const std::uint32_t to = m.dst + first * m.size;
    cache_.release();
    placesTo(m, first);
    const auto load = [&](InstId id, const Vec& d, const Vec& places, std::uint32_t lanes) {
        a_.mov(ecx, lanes);
        a_.kmovd(k3, ecx);
        Mem from = ptr(rbx, places, 0, 0);
        a_.k(k3).emit(id, d, from);
    };
    if (m.size == 8) {
        load(Inst::kIdVpgatherdq, cache_.replace(to), ymm4, on & 0xff);
        if (on >> 8 == 0) return;
        a_.vextracti64x4(ymm4, zmm4, 1);
        load(Inst::kIdVpgatherdq, cache_.replace(to + RegisterCache::kSlotBytes), ymm4, on >> 8);
        return;
    }
    if (m.size == 4) return load(Inst::kIdVpgatherdd, cache_.replace(to), zmm4, on);
    cache_.evict(to, kOffsets * m.size);
    load(Inst::kIdVpgatherdd, zmm0, zmm4, on);
    m.size == 2 ? a_.vpmovdw(ymm0, zmm0) : a_.vpmovdb(xmm0, zmm0);
    m.size == 2 ? a_.vmovdqu(state(to, 32), ymm0) : a_.vmovdqu(state(to, 16), xmm0);
}

/// Lanes to registers that a0 names.
bool Regions::scatter(const Step& m) {
    const std::uint32_t lanes = laneCount(m);
    const auto from = static_cast<std::uint32_t>(m.src[0]);
    const bool run = runsOn(m);
    if (lanes == 0 || m.kind != kOneAddress || from % RegisterCache::kSlotBytes != 0) return false;
    if (!run && (m.size < 4 || lanes == 1)) return false;
    if (m.line < code_.lines()) isa::addWritten(host_.calledWrite, code_.instructions[m.line]);
    masks_.setLanes(m.mask);
    cache_.store(layout::kAddress, layout::kRegisterBytes);
    cache_.evict(layout::kGrf, layout::kGrfBytes + kMostBytes);
    if (lanes == 1) {
        const Label off = a_.newLabel();
        cache_.store(from, m.size);
        a_.kmovd(eax, k1);
        a_.test(eax, 1);
        a_.jz(off);
        placeTo(m, 0);
        moveElement(state(from, m.size), ptr(rbx, rax, 0, 0, m.size));
        a_.bind(off);
        return true;
    }
    if (run) {
        scatterRun(m, lanes);
        return true;
    }
    for (std::uint32_t first = 0; first < lanes; first += kOffsets) scatterVector(m, first);
    return true;
}

void Regions::scatterRun(const Step& m, std::uint32_t lanes) {
    const std::uint32_t bytes = lanes * m.size;
    const std::uint32_t perVector = RegisterCache::kSlotBytes / m.size;
    const Label refused = host_.seldomLabel();
    auto unstored = cache_.defer(1);
    placeTo(m, 0);
    a_.cmp(eax, layout::kGrfBytes - bytes);
    a_.ja(refused);
    const InstId move = m.size == 1   ? Inst::kIdVmovdqu8
                        : m.size == 2 ? Inst::kIdVmovdqu16
                        : m.size == 4 ? Inst::kIdVmovdqu32
                                      : Inst::kIdVmovdqu64;
    for (std::uint32_t v = 0; v * RegisterCache::kSlotBytes < bytes; ++v) {
        cache_.release();
        const auto at = static_cast<std::int32_t>(v * RegisterCache::kSlotBytes);
        const Zmm value = cache_.read(static_cast<std::uint32_t>(m.src[0]) + v * RegisterCache::kSlotBytes);
        const Mem to = ptr(rbx, rax, 0, at, 64);
        a_.vmovdqu64(zmm0, to);
        a_.k(v == 0 ? k1 : masks_.lanesOf(v, perVector)).emit(move, zmm0, value);
        a_.vmovdqu64(to, zmm0);  // whole: loads would wait for a masked store
    }
    host_.otherwiseStep(m, refused, std::move(unstored));
}

void Regions::scatterVector(const Step& m, std::uint32_t first) {
    const auto from = static_cast<std::uint32_t>(m.src[0]) + first * m.size;
    cache_.release();
    placesTo(m, first);
    a_.kmovd(ecx, k1);
    if (first != 0) a_.shr(ecx, first);
    const auto store = [&](InstId id, const Vec& value, const Vec& places) {
        a_.kmovd(k3, ecx);
        a_.k(k3).emit(id, ptr(rbx, places, 0, 0), value);
    };
    if (m.size == 4) {
        a_.movzx(ecx, cx);
        return store(Inst::kIdVpscatterdd, cache_.read(from), zmm4);
    }
    store(Inst::kIdVpscatterdq, cache_.read(from), ymm4);
    a_.vextracti64x4(ymm4, zmm4, 1);
    a_.shr(ecx, 8);
    store(Inst::kIdVpscatterdq, cache_.read(from + RegisterCache::kSlotBytes), ymm4);
}

/// Bytes to the working space, where those behind them mean nothing.
bool Regions::latch(const Step& m) {
    const auto from = static_cast<std::uint32_t>(m.src[0]);
    const auto bytes = static_cast<std::uint32_t>(m.value);
    if (m.src[0] >= layout::kBytes || m.dst < layout::kNull || m.dst % RegisterCache::kSlotBytes != 0) return false;
    if (from < m.dst + bytes + RegisterCache::kSlotBytes && m.dst < from + bytes + RegisterCache::kSlotBytes)
        return false;
    for (std::uint32_t at = 0; at < bytes; at += RegisterCache::kSlotBytes) {
        cache_.release();
        const std::uint32_t place = from + at;
        if (place % RegisterCache::kSlotBytes == 0) {
            a_.vmovdqa64(zmm0, cache_.read(place));
        } else {
            cache_.store(place, RegisterCache::kSlotBytes);
            a_.vmovdqu64(zmm0, state(place, 64));
        }
        a_.vmovdqa64(cache_.replace(m.dst + at), zmm0);
    }
    return true;
}

}  // namespace zetl::emulator::translate
