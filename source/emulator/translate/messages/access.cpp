// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/messages/access.h"

#include <array>
#include <bit>
#include <cstring>

#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using isa::MemorySpace;
using isa::Thread;

namespace {

constexpr std::uint32_t kSteps = MessageAccess::kSteps;

/// Distances of sixteen lanes from the first, by the bytes between them.
template <class Address>
struct alignas(64) Distances {
    Address lane[kSteps][kMessageLanes];
};
template <class Address>
constexpr Distances<Address> makeDistances() {
    Distances<Address> d{};
    for (std::uint32_t step = 0; step < kSteps; ++step)
        for (std::uint32_t lane = 0; lane < kMessageLanes; ++lane) d.lane[step][lane] = step * lane;
    return d;
}
constexpr Distances<std::uint64_t> kLongDistances = makeDistances<std::uint64_t>();
constexpr Distances<std::uint32_t> kShortDistances = makeDistances<std::uint32_t>();

struct alignas(64) WordDistances {
    std::uint16_t lane[2 * kMessageLanes];
};
constexpr WordDistances kWordDistances = [] {
    WordDistances d{};
    for (std::uint16_t lane = 0; lane < 2 * kMessageLanes; ++lane) d.lane[lane] = lane;
    return d;
}();

std::uint64_t addressOf(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

/// What a step adds to all lanes, where it does nothing else.
std::optional<std::int32_t> addedBy(const Step& m, const Meaning& what) {
    const bool adds = what.family == isa::Family::compute && what.row == static_cast<std::uint16_t>(isa::Opcode::add);
    const bool wide = what.wide && (what.lanes == isa::LaneType::u32 || what.lanes == isa::LaneType::u64);
    if (!adds || !wide || m.src[0] >= isa::layout::kBytes || m.src[1] < isa::layout::kBytes) return {};
    std::array<std::uint64_t, 32> words;
    std::memcpy(words.data(), reinterpret_cast<const void*>(m.src[1]), sizeof words);
    const auto value = static_cast<std::int32_t>(words[0]);
    const bool exact = what.lanes == isa::LaneType::u32 || words[0] == static_cast<std::uint64_t>(std::int64_t{value});
    const bool same = std::ranges::all_of(words, [&](std::uint64_t word) { return word == words[0]; });
    return exact && same ? std::optional(value) : std::nullopt;
}

/// The two words of a span in a thread, in the order in which the host's library keeps them.
struct SpanWords {
    std::size_t data;
    std::size_t size;
};
SpanWords wordsOfSpan() {
    static std::byte one[1];
    const std::span<std::byte> probe(one);
    const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(probe);
    return words[0] == 1 ? SpanWords{8, 0} : SpanWords{0, 8};
}

}  // namespace

Area MessageAccess::areaOf(MemorySpace space, bool write, const Step& m) const {
    const SpanWords span = wordsOfSpan();
    const auto ofSpan = [&](std::size_t at) {
        return Area{.begin = {}, .bytes = field(at + span.size, 8), .host = field(at + span.data, 8)};
    };
    switch (space) {
        case MemorySpace::local:
            return ofSpan(offsetof(Thread, local));
        case MemorySpace::scratch:
            return ofSpan(offsetof(Thread, scratch));
        case MemorySpace::payload:
            return ofSpan(offsetof(Thread, payload));
        default:
            break;
    }
    const std::size_t at = (write ? offsetof(Thread, writable) : offsetof(Thread, readable)) +
                           isa::windowOf(m) * sizeof(isa::MemoryWindow);
    return {.begin = field(at + offsetof(isa::MemoryWindow, begin), 8),
            .bytes = field(at + offsetof(isa::MemoryWindow, bytes), 8),
            .host = field(at + offsetof(isa::MemoryWindow, host), 8)};
}

std::optional<std::int32_t> MessageAccess::displacementOf(std::span<const Step> two) const {
    if (two.size() != 2) return {};
    const Meaning* const add = host_.meaningOf(two[0]);
    const Meaning* const what = host_.meaningOf(two[1]);
    if (add == nullptr || what == nullptr || what->family != isa::Family::laneAccess) return {};
    const bool feeds = two[0].dst == isa::layout::kRaw && isa::LaneAccess::of(two[1]).addresses == isa::layout::kRaw;
    return feeds ? addedBy(two[0], *add) : std::nullopt;
}

/// The address in rax becomes a host address in rcx, if all bytes are in the area.
void MessageAccess::findRun(const Area& area, std::uint32_t bytes, const Label& refused) {
    if (!area.begin) {  // an offset of 32 bits
        a_.lea(rdx, ptr(rax, static_cast<std::int32_t>(bytes)));
        a_.cmp(rdx, area.bytes);
        a_.ja(refused);
        a_.mov(rcx, area.host);
        a_.add(rcx, rax);
        return;
    }
    a_.mov(rcx, rax);
    a_.sub(rcx, *area.begin);
    a_.mov(rdx, rcx);
    a_.add(rdx, static_cast<std::int32_t>(bytes));
    a_.jc(refused);
    a_.cmp(rdx, area.bytes);
    a_.ja(refused);
    a_.add(rcx, area.host);
}

Traffic MessageAccess::trafficOf(MemorySpace space, bool write) {
    constexpr std::size_t kCells[][2] = {{offsetof(isa::Traffic, globalRead), offsetof(isa::Traffic, globalWritten)},
                                         {offsetof(isa::Traffic, localRead), offsetof(isa::Traffic, localWritten)},
                                         {offsetof(isa::Traffic, scratchRead), offsetof(isa::Traffic, scratchWritten)}};
    if (space == MemorySpace::payload) return {};
    return {offsetof(Thread, traffic) + kCells[isa::indexOf(space)][write]};
}

/// The addresses in zmm1 and zmm2, or all in zmm1; the first one in rax, as an offset where the space has offsets. Only
/// where lanes go ways of their own does the displacement move all of them.
void MessageAccess::loadAddresses(const Lanes16& l) {
    const std::uint32_t size = l.space == MemorySpace::global ? 8 : 4;
    const std::uint32_t place = l.access.addresses + l.chunk * kMessageLanes * size;
    const auto vector = [&](const Zmm& to, std::uint32_t at) {
        if (at % RegisterCache::kSlotBytes == 0)
            a_.vmovdqa64(to, cache_.read(at));
        else
            a_.vmovdqu64(to, state(at, 64));
    };
    vector(zmm1, place);
    if (size == 8) vector(zmm2, place + 64);
    size == 8 ? a_.vmovq(rax, xmm1) : a_.vmovd(eax, xmm1);
    if (l.displacement != 0) a_.add(size == 8 ? Gp(rax) : Gp(eax), l.displacement);
}

/// Distances from the first lane's address, in zmm3 and zmm4, or zmm3.
void MessageAccess::measureDistances(const Lanes16& l) {
    if (l.space == MemorySpace::global) {
        a_.vpbroadcastq(zmm0, xmm1);
        a_.vpsubq(zmm3, zmm1, zmm0);
        a_.vpsubq(zmm4, zmm2, zmm0);
    } else {
        a_.vpbroadcastd(zmm0, xmm1);
        a_.vpsubd(zmm3, zmm1, zmm0);
        if (l.space == MemorySpace::local) a_.and_(eax, static_cast<std::int32_t>(isa::kLocalOffsetMask));
    }
}

/// Distances of eight lanes of 64 bits, from the first or the eighth on.
Zmm MessageAccess::distances(std::uint32_t step, std::uint32_t vector) {
    return cache_.read(addressOf(&kLongDistances.lane[step][vector * 8]));
}

/// Of sixteen lanes of 32 bits.
Zmm MessageAccess::shortDistances(std::uint32_t step) { return cache_.read(addressOf(&kShortDistances.lane[step][0])); }

/// Of 32 lanes of words that are one apart.
Zmm MessageAccess::wordDistances() { return cache_.read(addressOf(kWordDistances.lane)); }

/// zmm0 and so much more in each lane than in the one before. zmm1 is lost.
void MessageAccess::addSteps(const Zmm& to, std::int64_t step, std::uint32_t laneBytes) {
    const bool wide = laneBytes == 8;
    const bool known = step >= 0 && step < kSteps;
    const std::uint32_t row = known ? static_cast<std::uint32_t>(step) : 1;
    const Zmm distance = wide ? distances(row, 0) : shortDistances(row);
    if (known) {
        wide ? a_.vpaddq(to, zmm0, distance) : a_.vpaddd(to, zmm0, distance);
        return;
    }
    values_.broadcast(zmm1, static_cast<std::uint64_t>(step), laneBytes);
    wide ? a_.vpmullq(zmm1, zmm1, distance) : a_.vpmulld(zmm1, zmm1, distance);
    wide ? a_.vpaddq(to, zmm0, zmm1) : a_.vpaddd(to, zmm0, zmm1);
}

/// Those of the sixteen lanes that are on, in k5; jumps if there are none. A gather takes as long for none as for all.
void MessageAccess::unlessOff(const Lanes16& l, const Label& otherwise) {
    if (l.whole) return;
    a_.kshiftrd(k5, k1, l.chunk * kMessageLanes);
    a_.kortestw(k5, k5);
    a_.jz(otherwise);
}

/// What unlessApart() compares with, loaded here: a constant that is first read behind a branch would be taken for
/// loaded on all ways.
void MessageAccess::readDistances(const Lanes16& l, std::uint32_t step) {
    if (l.space == MemorySpace::global) {
        distances(step, 0);
        distances(step, 1);
    } else {
        shortDistances(step);
    }
}

/// Whether the lanes lie `step` bytes apart, those that are on; jumps if not.
void MessageAccess::unlessApart(const Lanes16& l, std::uint32_t step, const Label& otherwise) {
    if (l.space == MemorySpace::global) {
        a_.vpcmpeqq(k3, zmm3, distances(step, 0));
        a_.vpcmpeqq(k4, zmm4, distances(step, 1));
        a_.kunpckbw(k3, k4, k3);
    } else {
        a_.vpcmpeqd(k3, zmm3, shortDistances(step));
    }
    if (l.whole) {
        a_.kortestw(k3, k3);
        a_.forgetTestedMasks();
        a_.jnc(otherwise);
        return;
    }
    a_.kandnw(k4, k3, k5);
    a_.kortestw(k4, k4);
    a_.forgetTestedMasks();
    a_.jnz(otherwise);
}

/// Adds the displacement to the addresses in zmm1 and zmm2.
void MessageAccess::moveAddresses(const Lanes16& l) {
    if (l.displacement == 0) return;
    if (l.space == MemorySpace::global) {
        values_.broadcast(zmm0, static_cast<std::uint64_t>(std::int64_t{l.displacement}), 8);
        a_.vpaddq(zmm1, zmm1, zmm0);
        a_.vpaddq(zmm2, zmm2, zmm0);
    } else {
        values_.broadcast(zmm0, static_cast<std::uint32_t>(l.displacement), 4);
        a_.vpaddd(zmm1, zmm1, zmm0);
    }
}

/// Makes every address an offset in the area, in zmm1 and zmm2; refused if a lane that is on is outside of it. rcx is
/// the area's host address; the lanes that are on stay in k5, which has all of them then if they are whole.
void MessageAccess::findLanes(const Lanes16& l) {
    const auto bytes = static_cast<std::int32_t>(l.access.components * l.bytes);
    a_.mov(rdx, l.area.bytes);
    a_.sub(rdx, bytes);
    a_.jb(l.refused);
    moveAddresses(l);
    if (l.space == MemorySpace::global) {
        a_.vpbroadcastq(zmm0, *l.area.begin);
        a_.vpsubq(zmm1, zmm1, zmm0);
        a_.vpsubq(zmm2, zmm2, zmm0);
        a_.vpbroadcastq(zmm0, rdx);
        a_.vpcmpuq(k3, zmm1, zmm0, Imm(2));
        a_.vpcmpuq(k4, zmm2, zmm0, Imm(2));
        a_.kunpckbw(k3, k4, k3);
    } else {
        if (l.space == MemorySpace::local) {
            a_.mov(r8d, static_cast<std::uint32_t>(isa::kLocalOffsetMask));
            a_.vpbroadcastd(zmm0, r8d);
            a_.vpandd(zmm1, zmm1, zmm0);
        }
        a_.vpbroadcastd(zmm0, edx);
        a_.vpcmpud(k3, zmm1, zmm0, Imm(2));
    }
    if (l.whole) {
        a_.kortestw(k3, k3);
        a_.forgetTestedMasks();
        a_.jnc(l.refused);
        a_.kxnorw(k5, k5, k5);
    } else {
        a_.kandnw(k4, k3, k5);
        a_.kortestw(k4, k4);
        a_.forgetTestedMasks();
        a_.jnz(l.refused);
    }
    a_.mov(rcx, l.area.host);
}

Zmm MessageAccess::resultOf(const Lanes16& l, std::uint32_t component, std::uint32_t part) {
    const std::uint32_t place = l.access.registers + component * l.access.componentBytes +
                                l.chunk * kMessageLanes * std::max(l.bytes, 4u) + part * RegisterCache::kSlotBytes;
    return l.whole ? cache_.replace(place) : cache_.update(place);
}

Zmm MessageAccess::dataOf(const Lanes16& l, std::uint32_t component, std::uint32_t part) {
    return cache_.read(l.access.registers + component * l.access.componentBytes +
                       l.chunk * kMessageLanes * std::max(l.bytes, 4u) + part * RegisterCache::kSlotBytes);
}

/// Prefetches the memory that a later thread, or the next group, will move if its lanes go on like these, with
/// successive addresses. The host address is in rcx; unmapped memory does no harm.
void MessageAccess::fetchAhead(std::uint32_t bytes, bool write) {
    constexpr std::uint32_t kAhead = 8192;
    for (std::uint32_t at = 0; at < bytes; at += RegisterCache::kSlotBytes) {
        const Mem line = ptr(rcx, static_cast<std::int32_t>(kAhead + at));
        write ? a_.prefetchw(line) : a_.prefetcht0(line);
    }
}

/// For an instruction that moves a vector of lanes that run on: those that are on, of eight lanes the first or the
/// second.
HostAssembler& MessageAccess::ofRun(const Lanes16& l, std::uint32_t vector) {
    if (l.whole) return a_;
    if (vector != 0) a_.kshiftrw(k4, k5, 8);
    a_.k(vector == 0 ? k5 : k4);
    return a_;
}

}  // namespace zetl::emulator::translate
