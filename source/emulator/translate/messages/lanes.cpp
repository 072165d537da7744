// Loads and stores by lanes, sixteen lanes at a time. Successive addresses take one check and one move, by the mask if
// lanes are off, and so do interleaved components (message_interleaved.cpp). If all lanes have the same address, a
// broadcast is enough; near addresses take a permutation (message_near.cpp), and others one comparison with the bounds
// and a gather or scatter. If a check refuses the lanes, the step executes the message: it finds the memory, takes
// accesses apart, or faults.
#include <array>
#include <bit>
#include <span>

#include "emulator/translate/held/emitter.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using isa::LaneAccess;
using isa::MemorySpace;
using isa::Thread;

namespace {

constexpr std::uint32_t kLanes = 16;
constexpr std::uint32_t kSteps = 65;

/// Distances of sixteen lanes from the first, by the bytes between them.
template <class Address>
struct alignas(64) Distances {
    Address lane[kSteps][kLanes];
};
template <class Address>
constexpr Distances<Address> makeDistances() {
    Distances<Address> d{};
    for (std::uint32_t step = 0; step < kSteps; ++step)
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) d.lane[step][lane] = step * lane;
    return d;
}
constexpr Distances<std::uint64_t> kLongDistances = makeDistances<std::uint64_t>();
constexpr Distances<std::uint32_t> kShortDistances = makeDistances<std::uint32_t>();

struct alignas(64) WordDistances {
    std::uint16_t lane[2 * kLanes];
};
constexpr WordDistances kWordDistances = [] {
    WordDistances d{};
    for (std::uint16_t lane = 0; lane < 2 * kLanes; ++lane) d.lane[lane] = lane;
    return d;
}();

std::uint64_t addressOf(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

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

Emitter::Area Emitter::areaOf(MemorySpace space, bool write, const Step& m) const {
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

/// The address in rax becomes a host address in rcx, if all bytes are in the area.
void Emitter::findRun(const Area& area, std::uint32_t bytes, const Label& refused) {
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

Emitter::Traffic Emitter::trafficOf(MemorySpace space, bool write) {
    constexpr std::size_t kCells[][2] = {{offsetof(isa::Traffic, globalRead), offsetof(isa::Traffic, globalWritten)},
                                         {offsetof(isa::Traffic, localRead), offsetof(isa::Traffic, localWritten)},
                                         {offsetof(isa::Traffic, scratchRead), offsetof(isa::Traffic, scratchWritten)}};
    if (space == MemorySpace::payload) return {};
    return {offsetof(Thread, traffic) + kCells[isa::indexOf(space)][write]};
}

/// The step does what the code before `refused` could not, and then that code's registers are as it leaves them. Where
/// it finds all of them home, the thread has not strayed.
void Emitter::otherwiseStep(const Step& m, const Label& refused, RegisterCache::Snapshot unstored) {
    const Label done = a_.newLabel();
    forgetLanes();
    a_.forgetTemporaries();
    a_.bind(done);
    cache_.settle();
    if (group_ != nullptr) {
        seldom([this, refused, otherwise = groupRefused_] {
            a_.bind(refused);
            a_.jmp(otherwise);
        });
        return;
    }
    const bool home = unstored.empty() && m.line < code_.lines();
    if (home) isa::addWritten(calledWrite_, code_.instructions[m.line]);
    seldom(
        [this, &m, refused, done, home, unstored = std::move(unstored), registers = cache_.snapshot(), body = body_] {
            a_.bind(refused);
            cache_.storeDeferred(unstored);
            if (!home) stray();
            callHandler(m, body);
            isa::StateSlots written;
            if (m.line < code_.lines()) isa::addWritten(written, code_.instructions[m.line]);
            cache_.reload(registers, m.line < code_.lines() ? unstored : RegisterCache::Snapshot{}, written);
            a_.jmp(done);
        });
}

bool Emitter::laneAccess(const Step& m, const Meaning& what) {
    if (group_ != nullptr) return runAccess(m, what);
    const LaneAccess access = LaneAccess::of(m);
    const auto& form = what.form;
    const std::uint32_t bytes = elementBytes(form);
    if (bytes == 0) return false;
    if (bytes == 8 && form.space != MemorySpace::global) return false;
    if (bytes < 4 && access.components != 1) return false;
    if (access.components == 0 || access.components * bytes >= kSteps) return false;
    const bool all = form.whole && (m.mask.lanes & 0xffff) == 0xffff;
    if (!all && bytes < 4) return false;
    Lanes16 l{.access = access,
              .area = areaOf(form.space, form.write, m),
              .refused = seldomLabel(),
              .space = form.space,
              .bytes = bytes,
              .whole = false};
    const std::uint32_t vectors = access.components * (bytes == 8 ? 2 : 1);
    const std::uint32_t addressBytes = form.space == MemorySpace::global ? 8 : 4;
    if (access.addresses % RegisterCache::kSlotBytes != 0)
        cache_.store(access.addresses, m.chunks * kLanes * addressBytes);
    if (!form.write)
        for (std::uint32_t k = 0; k < access.components; ++k)
            cache_.store(access.registers + k * access.componentBytes, m.chunks * kLanes * std::max(bytes, 4u));
    constexpr std::uint32_t kConstants = 6;
    auto unstored = cache_.defer(m.chunks * (vectors + addressBytes / 4) + kConstants);
    if (form.space == MemorySpace::global) unlessPending(l.refused);
    if (!all) setLanes(m.mask);
    l.whole = all;
    const Label done = a_.newLabel();
    if (movesTogether(l, m.chunks)) l.second = secondHalf(l, form.write, done);
    for (l.chunk = 0; l.chunk < m.chunks; ++l.chunk) {
        cache_.release();
        form.write ? storeChunk(l) : loadChunk(l);
        l.second.reset();
    }
    a_.bind(done);
    const auto perLane = static_cast<std::int32_t>(access.components * bytes);
    if (const Traffic traffic = trafficOf(form.space, form.write); all) {
        a_.add(field(*traffic.cell, 8), perLane * static_cast<std::int32_t>(kLanes * m.chunks));
    } else {
        a_.kmovd(eax, k1);
        a_.popcnt(eax, eax);
        a_.imul(eax, eax, perLane);
        a_.add(field(*traffic.cell, 8), rax);
    }
    otherwiseStep(m, l.refused, std::move(unstored));
    return true;
}

/// The addresses in zmm1 and zmm2, or all in zmm1; the first one in rax, as an offset where the space has offsets.
void Emitter::loadAddresses(const Lanes16& l) {
    const std::uint32_t size = l.space == MemorySpace::global ? 8 : 4;
    const std::uint32_t place = l.access.addresses + l.chunk * kLanes * size;
    const auto vector = [&](const Zmm& to, std::uint32_t at) {
        if (at % RegisterCache::kSlotBytes == 0)
            a_.vmovdqa64(to, cache_.read(at));
        else
            a_.vmovdqu64(to, state(at, 64));
    };
    vector(zmm1, place);
    if (size == 8) vector(zmm2, place + 64);
    size == 8 ? a_.vmovq(rax, xmm1) : a_.vmovd(eax, xmm1);
}

/// Distances from the first lane's address, in zmm3 and zmm4, or zmm3.
void Emitter::measureDistances(const Lanes16& l) {
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
Emitter::Zmm Emitter::distances(std::uint32_t step, std::uint32_t vector) {
    return cache_.read(addressOf(&kLongDistances.lane[step][vector * 8]));
}
/// Of sixteen lanes of 32 bits.
Emitter::Zmm Emitter::shortDistances(std::uint32_t step) {
    return cache_.read(addressOf(&kShortDistances.lane[step][0]));
}
/// Of 32 lanes of words that are one apart.
Emitter::Zmm Emitter::wordDistances() { return cache_.read(addressOf(kWordDistances.lane)); }
/// zmm0 and so much more in each lane than in the one before. zmm1 is lost.
void Emitter::addSteps(const Zmm& to, std::int64_t step, std::uint32_t laneBytes) {
    const bool wide = laneBytes == 8;
    const bool known = step >= 0 && step < kSteps;
    const std::uint32_t row = known ? static_cast<std::uint32_t>(step) : 1;
    const Zmm distance = wide ? distances(row, 0) : shortDistances(row);
    if (known) {
        wide ? a_.vpaddq(to, zmm0, distance) : a_.vpaddd(to, zmm0, distance);
        return;
    }
    broadcast(zmm1, static_cast<std::uint64_t>(step), laneBytes);
    wide ? a_.vpmullq(zmm1, zmm1, distance) : a_.vpmulld(zmm1, zmm1, distance);
    wide ? a_.vpaddq(to, zmm0, zmm1) : a_.vpaddd(to, zmm0, zmm1);
}
/// What unlessApart() compares with, loaded here: a constant that is first read behind a branch would be taken for
/// loaded on all ways.
void Emitter::readDistances(const Lanes16& l, std::uint32_t step) {
    if (l.space == MemorySpace::global) {
        distances(step, 0);
        distances(step, 1);
    } else {
        shortDistances(step);
    }
}
/// Whether the lanes lie `step` bytes apart, those that are on; jumps if not.
void Emitter::unlessApart(const Lanes16& l, std::uint32_t step, const Label& otherwise) {
    if (l.space == MemorySpace::global) {
        a_.vpcmpeqq(k3, zmm3, distances(step, 0));
        a_.vpcmpeqq(k4, zmm4, distances(step, 1));
        a_.kunpckbw(k3, k4, k3);
    } else {
        a_.vpcmpeqd(k3, zmm3, shortDistances(step));
    }
    if (l.whole) {
        a_.kortestw(k3, k3);
        a_.jnc(otherwise);
        return;
    }
    a_.kshiftrd(k5, k1, l.chunk * kLanes);
    a_.kandnw(k4, k3, k5);
    a_.kortestw(k4, k4);
    a_.jnz(otherwise);
}

/// Makes every address an offset in the area, in zmm1 and zmm2; refused if a lane that is on is outside of it. rcx is
/// the area's host address; k3 and k4 are the lanes that are on, as many as a gather takes.
void Emitter::findLanes(const Lanes16& l) {
    const auto bytes = static_cast<std::int32_t>(l.access.components * l.bytes);
    a_.mov(rdx, l.area.bytes);
    a_.sub(rdx, bytes);
    a_.jb(l.refused);
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
        a_.jnc(l.refused);
        a_.kxnorw(k5, k5, k5);
    } else {
        a_.kshiftrd(k5, k1, l.chunk * kLanes);
        a_.kandnw(k4, k3, k5);
        a_.kortestw(k4, k4);
        a_.jnz(l.refused);
    }
    a_.mov(rcx, l.area.host);
}

Emitter::Zmm Emitter::resultOf(const Lanes16& l, std::uint32_t component, std::uint32_t part) {
    const std::uint32_t place = l.access.registers + component * l.access.componentBytes +
                                l.chunk * kLanes * std::max(l.bytes, 4u) + part * RegisterCache::kSlotBytes;
    return l.whole ? cache_.replace(place) : cache_.update(place);
}
Emitter::Zmm Emitter::dataOf(const Lanes16& l, std::uint32_t component, std::uint32_t part) {
    return cache_.read(l.access.registers + component * l.access.componentBytes +
                       l.chunk * kLanes * std::max(l.bytes, 4u) + part * RegisterCache::kSlotBytes);
}

void Emitter::loadChunk(const Lanes16& l) {
    const std::uint32_t n = l.access.components;
    const std::uint32_t parts = l.bytes == 8 ? 2 : 1;
    // The same registers whichever way is taken.
    std::vector<Zmm> results;
    for (std::uint32_t k = 0; k < n; ++k)
        for (std::uint32_t p = 0; p < parts; ++p) results.push_back(resultOf(l, k, p));
    loadAddresses(l);
    const Label done = a_.newLabel();
    const bool interleaved = isInterleaved(l);
    if (l.whole || n == 1 || interleaved) measureDistances(l);
    if (l.whole) readDistances(l, 0);
    if (interleaved) readDistances(l, n * l.bytes);
    if (n == 1) loadIfRunning(l, results, done);
    if (l.whole) loadIfSame(l, results, done);
    if (interleaved) loadIfRunning(l, results, done);
    if (l.bytes < 4) {
        a_.jmp(l.refused);
    } else {
        if (loadsNear(l)) loadNear(l, results, done);
        findLanes(l);
        gather(l, results);
    }
    a_.forgetTemporaries();
    a_.bind(done);
}
/// For lanes with successive addresses.
void Emitter::loadIfRunning(const Lanes16& l, const std::vector<Zmm>& results, const Label& done) {
    const Label apart = a_.newLabel();
    const std::uint32_t bytes = l.access.components * l.bytes;
    unlessApart(l, bytes, apart);
    if (l.second) moveTogether(l, results, false);
    findRun(l.area, kLanes * bytes, l.whole ? l.refused : apart);
    if (l.space == MemorySpace::global && l.bytes >= 4) fetchAhead(kLanes * bytes, false);
    l.access.components == 1 ? loadRun(l, results) : loadInterleaved(l, results);
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(apart);
}
/// Prefetches the memory that a later thread, or the next group, will move if its lanes go on like these, with
/// successive addresses. The host address is in rcx; unmapped memory does no harm.
void Emitter::fetchAhead(std::uint32_t bytes, bool write) {
    constexpr std::uint32_t kAhead = 8192;
    for (std::uint32_t at = 0; at < bytes; at += RegisterCache::kSlotBytes) {
        const Mem line = ptr(rcx, static_cast<std::int32_t>(kAhead + at));
        write ? a_.prefetchw(line) : a_.prefetcht0(line);
    }
}
/// If all have the same address.
void Emitter::loadIfSame(const Lanes16& l, const std::vector<Zmm>& results, const Label& done) {
    const Label different = a_.newLabel();
    unlessApart(l, 0, different);
    findRun(l.area, l.access.components * l.bytes, l.refused);
    loadSame(l, results);
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(different);
}
void Emitter::loadRun(const Lanes16& l, const std::vector<Zmm>& results) {
    switch (l.bytes) {
        case 1:
            a_.vpmovzxbd(results[0], ptr(rcx, 0, 16));
            return;
        case 2:
            a_.vpmovzxwd(results[0], ptr(rcx, 0, 32));
            return;
        case 4:
            ofRun(l, 0).vmovdqu32(results[0], ptr(rcx, 0, 64));
            return;
        default:
            ofRun(l, 0).vmovdqu64(results[0], ptr(rcx, 0, 64));
            ofRun(l, 1).vmovdqu64(results[1], ptr(rcx, 64, 64));
    }
}
/// For an instruction that moves a vector of lanes that run on: those that are on, of eight lanes the first or the
/// second.
HostAssembler& Emitter::ofRun(const Lanes16& l, std::uint32_t vector) {
    if (l.whole) return a_;
    if (vector != 0) a_.kshiftrw(k4, k5, 8);
    a_.k(vector == 0 ? k5 : k4);
    return a_;
}
void Emitter::loadSame(const Lanes16& l, const std::vector<Zmm>& results) {
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
void Emitter::gather(const Lanes16& l, const std::vector<Zmm>& results) {
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

void Emitter::storeChunk(const Lanes16& l) {
    const std::uint32_t n = l.access.components;
    const std::uint32_t parts = l.bytes == 8 ? 2 : 1;
    std::vector<Zmm> data;
    for (std::uint32_t k = 0; k < n; ++k)
        for (std::uint32_t p = 0; p < parts; ++p) data.push_back(dataOf(l, k, p));
    loadAddresses(l);
    const Label done = a_.newLabel();
    const Label different = a_.newLabel();
    measureDistances(l);
    // Components of lanes that overlap would be written in another order than the step's.
    unlessApart(l, n * l.bytes, n == 1 && l.bytes >= 4 ? different : l.refused);
    if (l.second) moveTogether(l, data, true);
    if (n == 1 || isInterleaved(l)) {
        findRun(l.area, kLanes * n * l.bytes, l.whole ? l.refused : different);
        n == 1 ? storeRun(l, data) : storeInterleaved(l, data);
        a_.forgetTemporaries();
        a_.jmp(done);
        a_.bind(different);
    }
    if (l.bytes >= 4) {
        if (storesNear(l)) storeNear(l, data[0], done);
        findLanes(l);
        scatter(l, data);
    }
    a_.forgetTemporaries();
    a_.bind(done);
}
void Emitter::storeRun(const Lanes16& l, const std::vector<Zmm>& data) {
    switch (l.bytes) {
        case 1:
            a_.vpmovdb(ptr(rcx, 0, 16), data[0]);
            return;
        case 2:
            a_.vpmovdw(ptr(rcx, 0, 32), data[0]);
            return;
        case 4:
            ofRun(l, 0).vmovdqu32(ptr(rcx, 0, 64), data[0]);
            return;
        default:
            ofRun(l, 0).vmovdqu64(ptr(rcx, 0, 64), data[0]);
            ofRun(l, 1).vmovdqu64(ptr(rcx, 64, 64), data[1]);
    }
}
/// Lanes that share memory are written in their order, as by the step.
void Emitter::scatter(const Lanes16& l, const std::vector<Zmm>& data) {
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

}  // namespace zetl::emulator::translate
