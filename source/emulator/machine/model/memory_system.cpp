#include "emulator/machine/model/memory_system.h"

#include <algorithm>
#include <utility>

namespace zetl::emulator::machine {
namespace {

// Places that are no addresses lie where no allocation can.
constexpr std::uint64_t kScratchPlace = std::uint64_t{1} << 58;
constexpr std::uint64_t kPrivatePlace = std::uint64_t{1} << 59;
constexpr std::uint64_t kPayloadPlace = std::uint64_t{1} << 60;
constexpr int kSlotBit = 36;  // bytes of scratch or private memory of one thread

std::uint64_t partsOfLine(const DeviceProfile& profile) noexcept {
    const std::uint64_t megabytes = std::uint64_t{profile.memoryClockMhz} * profile.memoryBusBits / 8;  // a second
    if (megabytes == 0) return 1;
    return std::max<std::uint64_t>(
        1, std::uint64_t{profile.timing.lineBytes} * MemoryWay::kParts * profile.coreClockMhz / megabytes);
}

}  // namespace

MemorySystem::MemorySystem(const DeviceProfile& profile, LineNumbers::IsHost isHost)
    : timing_(profile.timing),
      numbers_(timing_.lineBytes, std::move(isHost)),
      l3_({profile.cacheBytes, timing_.lineBytes, timing_.l3Ways}),
      memoryWay_(partsOfLine(profile)) {
    const Cache::Shape l1{timing_.l1Bytes, timing_.lineBytes, timing_.l1Ways};
    subslices_.reserve(profile.subslices());
    for (std::uint32_t i = 0; i < profile.subslices(); ++i) subslices_.emplace_back(l1);
}

void MemorySystem::invalidateL1() noexcept {
    for (Subslice& subslice : subslices_) {
        subslice.l1.clear();
        std::ranges::fill(subslice.inFlight, InFlight{});
    }
    numbers_.lookAgain();
}

void MemorySystem::clear() noexcept {
    invalidateL1();
    l3_.clear();
    numbers_.clear();
}

void MemorySystem::takeCounts(Counts& counts) noexcept {
    counts_[Counter::l3BytesRead] = counts_[Counter::l3Reads] * timing_.lineBytes;
    counts_[Counter::l3BytesWritten] = (counts_[Counter::l3Writes] + counts_[Counter::l3Atomics]) * timing_.lineBytes;
    counts += counts_;
    counts_ = {};
}

std::uint64_t MemorySystem::accepts(std::uint32_t subslice) const noexcept {
    const std::uint64_t free = subslices_[subslice].unitFree;
    return free - std::min<std::uint64_t>(free, timing_.queue);
}

std::uint64_t MemorySystem::occupy(Subslice& subslice, std::uint64_t time, std::uint64_t cycles) noexcept {
    const std::uint64_t start = std::max(time, subslice.unitFree);
    subslice.unitFree = start + std::max<std::uint64_t>(cycles, 1);
    return start;
}

std::uint64_t MemorySystem::serve(const Sender& sender, std::uint64_t time, const TracedAccess& access, bool wide) {
    Subslice& subslice = subslices_[sender.subslice];
    if (access.space == TraceSpace::local) return serveLocal(subslice, time, access, wide);
    if (numbers_.full()) clear();
    std::uint64_t bytes = 0;
    for (const std::uint64_t run : access.runs)
        bytes += std::uint64_t{ThreadTrace::runOf(run).count} * timing_.lineBytes;
    const std::uint64_t start = occupy(subslice, time, (bytes + timing_.l1BytesPerCycle - 1) / timing_.l1BytesPerCycle);
    std::uint64_t ready = start + timing_.l1Hit;
    std::uint64_t moved = 0;
    for (const std::uint64_t word : access.runs) {
        const LineRun run = ThreadTrace::runOf(word);
        for (std::uint64_t l = run.first; l < run.first + run.count; ++l, moved += timing_.lineBytes) {
            const std::uint32_t number = numbers_.of(address(sender, access, l));
            ready = std::max(ready, line(subslice, start + moved / timing_.l1BytesPerCycle, access, number));
        }
    }
    return ready;
}

std::uint64_t MemorySystem::serveLocal(Subslice& subslice, std::uint64_t time, const TracedAccess& access,
                                       bool wide) noexcept {
    const std::uint64_t passes = std::max<std::uint64_t>(access.passes, 1);
    count(Counter::slmBankConflicts, passes - 1);
    return occupy(subslice, time, passes) + passes - 1 + (wide ? timing_.slmWide : timing_.slm);
}

std::uint64_t MemorySystem::address(const Sender& sender, const TracedAccess& access,
                                    std::uint64_t line) const noexcept {
    const std::uint64_t place = line * timing_.lineBytes;
    switch (access.space) {
        case TraceSpace::scratch:
            return kScratchPlace + (std::uint64_t{sender.slot} << kSlotBit) + place;
        case TraceSpace::privateMemory:
            return kPrivatePlace + (std::uint64_t{sender.slot} << kSlotBit) + place;
        case TraceSpace::payload:
            return kPayloadPlace + place;
        default:
            return place;
    }
}

std::uint64_t MemorySystem::line(Subslice& subslice, std::uint64_t time, const TracedAccess& access,
                                 std::uint32_t number) {
    if (access.atomic) return atomic(subslice, time, number);
    return access.write ? write(subslice, time, number) : read(subslice, time, number);
}

std::uint64_t MemorySystem::read(Subslice& subslice, std::uint64_t time, std::uint32_t number) {
    count(Counter::l1Reads);
    InFlight& lately = subslice.inFlight[number % kInFlight];
    if (subslice.l1.access(number, Cache::Use::read).hit) {
        count(Counter::l1ReadHits);
        const std::uint64_t ready = time + timing_.l1Hit;
        return lately.line == number ? std::max(ready, lately.arrives) : ready;
    }
    count(Counter::l3Reads);
    lately = {number, fromL3(subslice, time, number, Cache::Use::read)};
    return lately.arrives;
}

// Written through L1, which keeps what it has and takes nothing in; L3 takes whole lines without reading them first.
std::uint64_t MemorySystem::write(Subslice& subslice, std::uint64_t time, std::uint32_t number) {
    count(Counter::l1Writes);
    if (subslice.l1.touch(number)) count(Counter::l1WriteHits);
    count(Counter::l3Writes);
    const std::uint64_t start = std::max(time, subslice.portFree);
    subslice.portFree = start + std::max(1u, timing_.lineBytes / timing_.l3BytesPerCycle);
    const Cache::Result result = l3_.access(number, Cache::Use::write);
    count(result.hit ? Counter::l3Hits : Counter::l3Misses);
    if (result.wroteBack) {
        countWrite(result.former);
        memoryWay_.take(start);
    }
    return start + timing_.l1Hit;
}

std::uint64_t MemorySystem::atomic(Subslice& subslice, std::uint64_t time, std::uint32_t number) {
    subslice.l1.drop(number);
    count(Counter::l3Atomics);
    return fromL3(subslice, time, number, Cache::Use::write);
}

std::uint64_t MemorySystem::fromL3(Subslice& subslice, std::uint64_t time, std::uint32_t number, Cache::Use use) {
    const std::uint64_t start = std::max(time, subslice.portFree);
    subslice.portFree = start + std::max(1u, timing_.lineBytes / timing_.l3BytesPerCycle);
    const Cache::Result result = l3_.access(number, use);
    if (result.wroteBack) {
        countWrite(result.former);
        memoryWay_.take(start);
    }
    count(result.hit ? Counter::l3Hits : Counter::l3Misses);
    if (result.hit) return start + timing_.l3Hit;
    countRead(number);
    return memoryWay_.take(start) + timing_.memory;
}

void MemorySystem::countRead(std::uint32_t number) noexcept {
    count(numbers_.isHost(number) ? Counter::systemBytesRead : Counter::memoryBytesRead, timing_.lineBytes);
}

void MemorySystem::countWrite(std::uint32_t number) noexcept {
    count(numbers_.isHost(number) ? Counter::systemBytesWritten : Counter::memoryBytesWritten, timing_.lineBytes);
}

}  // namespace zetl::emulator::machine
