#include "emulator/machine/model/memory_system.h"

#include <algorithm>
#include <bit>

#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {
namespace {

// Offsets, which are no addresses, are moved to where no allocation can lie.
constexpr std::uint64_t kScratchPlace = std::uint64_t{1} << 58;
constexpr std::uint64_t kPrivatePlace = std::uint64_t{1} << 59;
constexpr std::uint64_t kPayloadPlace = std::uint64_t{1} << 60;
// Scratch and private memory of the slots that belong together lie page by page beside each other.
constexpr int kPageBit = 12;
constexpr int kSlotBits = 4;
constexpr int kSlotsBit = 40;  // bytes of so many slots

// Cycles, of a sample whose groups no longer ask at the same times: while one sub-slice asks memory for nothing, others
// do, and later it may ask for as much more.
constexpr std::uint64_t kLeftByOthers = 256;

}  // namespace

std::uint64_t MemorySystem::partsOfLine(const DeviceProfile& profile) noexcept {
    const std::uint64_t megabytes =  // a second
        std::uint64_t{profile.memoryClockMhz} * profile.memoryBusBits / 8 * profile.timing.memoryPercent / 100;
    if (megabytes == 0) return 1;
    return std::max<std::uint64_t>(
        1, std::uint64_t{profile.timing.lineBytes} * MemoryWay::kParts * profile.coreClockMhz / megabytes);
}

MemorySystem::MemorySystem(const DeviceProfile& profile, TileCache& shared)
    : timing_(profile.timing), shared_(shared), lineParts_(partsOfLine(profile)), memoryWay_(lineParts_) {
    const Cache::Shape l1{timing_.l1Bytes, timing_.lineBytes, timing_.l1Ways};
    subslices_.reserve(profile.subslices());
    for (std::uint32_t i = 0; i < profile.subslices(); ++i) subslices_.emplace_back(l1);
}

MemorySystem::MemorySystem(const MemorySystem& other, TileCache& shared)
    : timing_(other.timing_),
      shared_(shared),
      generation_(other.generation_),
      subslices_(other.subslices_),
      lineParts_(other.lineParts_),
      memoryWay_(other.memoryWay_),
      arrivals_(other.arrivals_),
      sharedLines_(other.sharedLines_),
      counts_(other.counts_) {}

void MemorySystem::forgetLines() noexcept {
    for (Subslice& subslice : subslices_) {
        subslice.l1.clear();
        if (subslice.lastArrives != 0) std::ranges::fill(subslice.inFlight, InFlight{});
        subslice.lastArrives = 0;
        subslice.known.forget();
    }
    generation_ = shared_.generation;
    sharedLines_.forgetLines();
}

void MemorySystem::begin(std::uint32_t subslices, std::uint32_t of) noexcept {
    forgetLines();
    for (Subslice& subslice : subslices_) {
        subslice.unitFree = subslice.portFree = 0;
        subslice.known.begin();
    }
    memoryWay_.restart(lineParts_ * of / subslices, subslices == of ? 0 : kLeftByOthers);
    arrivals_.restart();
    sharedLines_.begin(subslices, of);
    counts_ = {};
    shared_.numbers.lookAgain();
}

void MemorySystem::addTo(Counts& counts) const noexcept {
    counts += counts_;
    counts[Counter::l3BytesRead] += counts_[Counter::l3Reads] * timing_.lineBytes;
    counts[Counter::l3BytesWritten] += (counts_[Counter::l3Writes] + counts_[Counter::l3Atomics]) * timing_.lineBytes;
}

KnownLines::Count MemorySystem::asked() const noexcept {
    KnownLines::Count sum;
    for (const Subslice& subslice : subslices_) sum += subslice.known.count();
    return sum;
}

void MemorySystem::extrapolate(std::uint64_t instructions, std::uint64_t issued) noexcept {
    for (std::uint64_t& value : counts_.values) value += share(value, instructions, issued);
}

std::uint64_t MemorySystem::occupy(Subslice& subslice, std::uint64_t time, std::uint64_t cycles) noexcept {
    const std::uint64_t start = std::max(time, subslice.unitFree);
    subslice.unitFree = start + std::max<std::uint64_t>(cycles, 1);
    return start;
}

std::uint64_t MemorySystem::serve(const Sender& sender, std::uint64_t time, const TracedAccess& access, bool wide) {
    Subslice& subslice = subslices_[sender.subslice];
    if (access.space == TraceSpace::local) return serveLocal(subslice, time, access, wide);
    if (shared_.numbers.full()) shared_.clear();
    if (generation_ != shared_.generation) forgetLines();
    const std::uint64_t bytes = access.runs.lines() * timing_.lineBytes;
    const std::uint64_t start = occupy(subslice, time, (bytes + timing_.l1BytesPerCycle - 1) / timing_.l1BytesPerCycle);
    const std::uint64_t base = placeOf(sender, access.space);
    const bool ofSlot = access.space == TraceSpace::scratch || access.space == TraceSpace::privateMemory;
    const int spread = ofSlot ? kSlotBits : 0;
    std::uint32_t lines[Cache::kTogether];
    Part part{start, 0, {}};
    std::uint64_t ready = start + timing_.l1Hit;
    std::size_t count = 0;
    const auto servePart = [&] {
        part.lines = {lines, count};
        ready = std::max(ready, serve(subslice, access, part));
        part.moved += count * timing_.lineBytes;
        count = 0;
    };
    access.runs.each([&](const LineRun& run) {
        for (std::uint64_t l = run.first; l < run.first + run.count; ++l) {
            const std::uint64_t offset = l * timing_.lineBytes;
            const std::uint64_t within = offset & ((std::uint64_t{1} << kPageBit) - 1);
            lines[count++] = shared_.numbers.of(base + ((offset - within) << spread) + within);
            if (count == std::size(lines)) servePart();
        }
    });
    if (count != 0) servePart();
    return ready;
}

std::uint64_t MemorySystem::serveLocal(Subslice& subslice, std::uint64_t time, const TracedAccess& access,
                                       bool wide) noexcept {
    const std::uint64_t passes = std::max<std::uint64_t>(access.passes, 1);
    count(Counter::slmBankConflicts, passes - 1);
    return occupy(subslice, time, passes) + passes - 1 + (wide ? timing_.slmWide : timing_.slm);
}

/// Where the lines of a space lie.
std::uint64_t MemorySystem::placeOf(const Sender& sender, TraceSpace space) const noexcept {
    const std::uint64_t neighbour = sender.slot & ((1u << kSlotBits) - 1);
    const std::uint64_t ofSlot = (std::uint64_t{sender.slot >> kSlotBits} << kSlotsBit) + (neighbour << kPageBit);
    switch (space) {
        case TraceSpace::scratch:
            return kScratchPlace + ofSlot;
        case TraceSpace::privateMemory:
            return kPrivatePlace + ofSlot;
        case TraceSpace::payload:
            return kPayloadPlace;
        default:
            return 0;
    }
}

std::uint64_t MemorySystem::serve(Subslice& subslice, const TracedAccess& access, const Part& part) {
    if (access.atomic) return atomic(subslice, part);
    return access.write ? write(subslice, part) : read(subslice, part);
}

std::uint64_t MemorySystem::read(Subslice& subslice, const Part& part) {
    const std::uint64_t all = ~std::uint64_t{0} >> (Cache::kTogether - part.lines.size());
    const std::uint64_t hits = subslice.l1.read(part.lines);
    count(Counter::l1Reads, part.lines.size());
    count(Counter::l1ReadHits, static_cast<std::uint64_t>(std::popcount(hits)));
    for (std::uint64_t misses = all & ~hits; misses != 0; misses &= misses - 1)
        prepare(part.lines[static_cast<std::size_t>(std::countr_zero(misses))]);
    const std::size_t last = part.lines.size() - 1;
    if (hits == all && timeOf(part, 0) + timing_.l1Hit >= subslice.lastArrives)
        return timeOf(part, last) + timing_.l1Hit;
    std::uint64_t ready = 0;
    for (std::size_t i = 0; i < part.lines.size(); ++i) {
        const std::uint64_t time = timeOf(part, i);
        const bool there = (hits >> i & 1) != 0;
        ready = std::max(ready, there ? hit(subslice, time, part.lines[i]) : miss(subslice, time, part.lines[i]));
    }
    return ready;
}

/// The line may be in L1 and still be on its way.
std::uint64_t MemorySystem::hit(Subslice& subslice, std::uint64_t time, std::uint32_t number) const noexcept {
    const InFlight& lately = subslice.inFlight[number % kInFlight];
    const std::uint64_t ready = time + timing_.l1Hit;
    return lately.line == number ? std::max(ready, lately.arrives) : ready;
}

std::uint64_t MemorySystem::miss(Subslice& subslice, std::uint64_t time, std::uint32_t number) {
    count(Counter::l3Reads);
    if (sharedLines_.areEstimated()) subslice.known.ask(number);
    const std::uint64_t arrives = fromL3(subslice, time, number, Cache::Use::read);
    subslice.inFlight[number % kInFlight] = {number, arrives};
    subslice.lastArrives = std::max(subslice.lastArrives, arrives);
    return arrives;
}

/// Takes the way to L3 for a line. Returns when that begins.
std::uint64_t MemorySystem::take(Subslice& subslice, std::uint64_t time) noexcept {
    const std::uint64_t start = std::max(time, subslice.portFree);
    subslice.portFree = start + std::max(1u, timing_.lineBytes / timing_.l3BytesPerCycle);
    return start;
}

/// A changed line leaves L3 to make room. Returns when that begins: the way to L3 is taken until then, and the
/// load/store unit takes on no more than its queue holds.
std::uint64_t MemorySystem::awaitPlace(Subslice& subslice, std::uint64_t time) {
    const std::uint64_t begin = memoryWay_.take(time);
    if (begin == time) return time;
    subslice.portFree = std::max(subslice.portFree, begin);
    subslice.unitFree = std::max(subslice.unitFree, accepts(begin));
    return begin;
}

// Writes go through L1, which keeps lines that it has and takes none in; L3 takes whole lines without reading them
// first.
std::uint64_t MemorySystem::write(Subslice& subslice, const Part& part) {
    for (const std::uint32_t number : part.lines) prepare(number);
    count(Counter::l1Writes, part.lines.size());
    count(Counter::l1WriteHits, static_cast<std::uint64_t>(std::popcount(subslice.l1.touch(part.lines))));
    count(Counter::l3Writes, part.lines.size());
    std::uint64_t start = 0;
    std::uint64_t hits = 0;
    for (std::size_t i = 0; i < part.lines.size(); ++i) {
        start = take(subslice, timeOf(part, i));
        const Cache::Result result = shared_.l3.access(part.lines[i], Cache::Use::write);
        hits += result.hit;
        if (sharedLines_.areEstimated()) {
            if (result.hit)
                sharedLines_.found(part.lines[i], numberOf(subslice), start);
            else
                sharedLines_.missed(part.lines[i], numberOf(subslice), SharedLines::Use::written,
                                    ownerOf(part.lines[i]), start);
        }
        if (result.wroteBack) {
            countWrite(result.former);
            start = awaitPlace(subslice, start);
        }
    }
    count(Counter::l3Hits, hits);
    count(Counter::l3Misses, part.lines.size() - hits);
    return start + timing_.l1Hit;
}

std::uint64_t MemorySystem::atomic(Subslice& subslice, const Part& part) {
    count(Counter::l3Atomics, part.lines.size());
    std::uint64_t ready = 0;
    for (std::size_t i = 0; i < part.lines.size(); ++i) {
        subslice.l1.drop(part.lines[i]);
        ready = std::max(ready, fromL3(subslice, timeOf(part, i), part.lines[i], Cache::Use::write));
    }
    return ready;
}

std::uint64_t MemorySystem::fromL3(Subslice& subslice, std::uint64_t time, std::uint32_t number, Cache::Use use) {
    const std::uint64_t start = take(subslice, time);
    const Cache::Result result = shared_.l3.access(number, use);
    if (result.wroteBack) {
        countWrite(result.former);
        memoryWay_.take(start);
    }
    count(result.hit ? Counter::l3Hits : Counter::l3Misses);
    if (result.hit) {
        if (sharedLines_.areEstimated()) sharedLines_.found(number, numberOf(subslice), start);
        return arrivals_.await(number, start, start + timing_.l3Hit);
    }
    countRead(number);
    if (sharedLines_.areEstimated()) {
        sharedLines_.missed(number, numberOf(subslice), SharedLines::Use::read, ownerOf(number), start);
    }
    const std::uint64_t arrives = fromMemory(start, number);
    arrivals_.expect(number, start, arrives);
    return arrives;
}

std::uint64_t MemorySystem::fromMemory(std::uint64_t time, std::uint32_t number) {
    if (sharedLines_.areEstimated() && sharedLines_.othersBring(number)) return time + othersTake(number);
    const std::uint64_t begin = memoryWay_.take(time);
    return begin + othersAhead(begin - time) + timing_.memory;
}

/// Where memory is crowded, sub-slices that are simulated earlier in a round take what others ask for with earlier
/// times: half of the round, in the mean. A sample has nearly none of these sub-slices.
std::uint64_t MemorySystem::othersAhead(std::uint64_t waited) const noexcept {
    return sharedLines_.areEstimated() && waited >= kCrowdedWindow ? kCrowdedWindow / 2 : 0;
}

/// When a line is there that another sub-slice brings: it may still be on its way.
std::uint64_t MemorySystem::othersTake(std::uint32_t number) noexcept {
    const std::uint64_t since = sharedLines_.broughtSince(number);
    const std::uint64_t left = timing_.memory - std::min<std::uint64_t>(timing_.memory, since);
    return std::max<std::uint64_t>(timing_.l3Hit, left);
}

SharedLines::Owner MemorySystem::ownerOf(std::uint32_t number) const noexcept {
    const LineNumbers::Home& home = shared_.numbers.homeOf(number);
    return {.begin = home.begin, .lines = (home.bytes + timing_.lineBytes - 1) / timing_.lineBytes};
}

void MemorySystem::countRead(std::uint32_t number) noexcept {
    count(shared_.numbers.isHost(number) ? Counter::systemBytesRead : Counter::memoryBytesRead, timing_.lineBytes);
}

void MemorySystem::countWrite(std::uint32_t number) noexcept {
    count(shared_.numbers.isHost(number) ? Counter::systemBytesWritten : Counter::memoryBytesWritten,
          timing_.lineBytes);
}

}  // namespace zetl::emulator::machine
