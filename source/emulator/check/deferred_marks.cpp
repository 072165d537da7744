#include "emulator/check/deferred_marks.h"

#include <algorithm>
#include <array>
#include <new>

#include "emulator/check/mark.h"

namespace zetl::emulator::check {
namespace {

/// Readers of which one more changes nothing.
bool hasReader(const Mark& readers, const Mark& one) noexcept {
    if (readers.bytes != kWholeGranule || readers.atomic || readers.launch != one.launch) return false;
    if (readers.whose == Whose::severalGroups) return true;
    return readers.whose == Whose::severalThreads && readers.group == one.group && readers.epoch == one.epoch;
}

}  // namespace

std::unique_ptr<DeferredMarks> DeferredMarks::make(std::uint64_t granules, MarkTable& writers,
                                                   MarkTable& readers) noexcept try {
    if (granules > std::uint32_t(-1)) return nullptr;
    return std::unique_ptr<DeferredMarks>(new DeferredMarks(granules, writers, readers));
} catch (const std::bad_alloc&) {
    return nullptr;
}

DeferredMarks::DeferredMarks(std::uint64_t granules, MarkTable& writers, MarkTable& readers)
    : writers_(writers),
      readers_(readers),
      written_(granules),
      regions_((granules >> DeferredRegion::kBits) + 1),
      mostRegions_((granules - 1 + (std::uint64_t{1} << DeferredRegion::kBits) - 1) >> DeferredRegion::kBits),
      mostChunks_(2 * granules / MessageLog::kChunkWords + kShards) {}

bool DeferredMarks::Command::isBehind(std::uint64_t other) const noexcept {
    return before == nullptr || (other != DeferredRegion::kSeveral && *before && (*before)->has(other));
}

template <class Enter>
bool DeferredMarks::add(const Command& command, Place place, const LoggedMessage& message,
                        std::span<const std::uint32_t> granules, Enter&& enter) noexcept {
    if (open_.load(std::memory_order_acquire) != command.number && !open(command)) return false;
    Entered entered = Entered::taken;
    {
        Shard& shard = shards_[place % kShards];
        const Lock guard(shard.mutex);
        if (open_.load(std::memory_order_acquire) != command.number) return false;
        entered = hasRoom(shard.log, granules.size()) ? enter() : Entered::full;
        if (entered == Entered::yes) shard.log.add(message, granules);
    }
    if (entered == Entered::met || entered == Entered::full) settle(command, entered == Entered::full);
    return entered == Entered::yes;
}

bool DeferredMarks::add(const Command& command, Place place, const LoggedMessage& message,
                        std::span<const std::uint32_t> granules) noexcept {
    return add(command, place, message, granules, [&] { return enterAll(command, message.write, granules); });
}

bool DeferredMarks::addRun(const Command& command, Place place, const LoggedMessage& message, std::uint64_t first,
                           std::uint64_t end) noexcept {
    if (!takesRuns(command)) return false;
    const std::array ends{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end)};
    return add(command, place, message, ends, [&] { return enterRun(command, message.write, first, end); });
}

bool DeferredMarks::hasRoom(MessageLog& log, std::size_t granules) noexcept {
    if (!log.isFull(granules)) return true;
    if (chunks_.fetch_add(1, kRelaxed) < mostChunks_ && log.grow()) return true;
    chunks_.fetch_sub(1, kRelaxed);
    return false;
}

DeferredMarks::Entered DeferredMarks::enter(const Command& command, bool write, std::uint32_t granule,
                                            std::uint64_t& word) noexcept {
    Region& region = regionOf(granule);
    word = region.load(kRelaxed);
    for (;;) {
        DeferredRegion known = DeferredRegion::unpacked(word);
        if (known.last == command.number || (known.last != 0 && !command.isBehind(known.last))) return Entered::taken;
        if (write && known.readIn == turn()) return Entered::met;
        (write ? known.writtenIn : known.readIn) = turn();
        if (word == known.packed()) return Entered::yes;
        if (!region.compare_exchange_weak(word, known.packed(), kRelaxed)) continue;
        word = known.packed();
        if (granule >> DeferredRegion::kBits < mostRegions_)
            (write ? regionsWritten_ : regionsRead_).fetch_add(1, kRelaxed);
        return Entered::yes;
    }
}

/// Regions nearly always look alike. Writers look at each granule, and readers where some were written.
DeferredMarks::Entered DeferredMarks::enterAll(const Command& command, bool write,
                                               std::span<const std::uint32_t> granules) noexcept {
    std::uint64_t known = 0;  // of a region that it has entered, unless that is 0
    bool isWritten = write;
    if (hasEnteredAll(write) && (write ? regionsRead_ : regionsWritten_).load(kRelaxed) == 0)
        return write ? this->write(granules) : Entered::yes;
    for (const std::uint32_t granule : granules) {
        if (write) __builtin_prefetch(&written_[granule], 1);
        if (known != 0 && regionOf(granule).load(kRelaxed) == known) continue;
        if (const Entered entered = enter(command, write, granule, known); entered != Entered::yes) return entered;
        isWritten |= DeferredRegion::unpacked(known).writtenIn == turn();
    }
    if (!isWritten) return Entered::yes;
    if (write) return this->write(granules);
    const auto isMet = [&](std::uint32_t granule) { return written_[granule].load(kRelaxed) == turn(); };
    return std::ranges::any_of(granules, isMet) ? Entered::met : Entered::yes;
}

/// Writes to these granules.
DeferredMarks::Entered DeferredMarks::write(std::span<const std::uint32_t> granules) noexcept {
    const std::uint8_t now = turn();
    bool met = false;
    for (const std::uint32_t granule : granules) {
        met |= written_[granule].load(kRelaxed) == now;
        written_[granule].store(now, kRelaxed);
    }
    return met ? Entered::met : Entered::yes;
}

DeferredMarks::Entered DeferredMarks::enterRun(const Command& command, bool write, std::uint64_t first,
                                               std::uint64_t end) noexcept {
    constexpr std::uint64_t kRegion = std::uint64_t{1} << DeferredRegion::kBits;
    bool isWritten = write;
    for (std::uint64_t at = first; at < end; at = (at | (kRegion - 1)) + 1) {
        std::uint64_t known = 0;
        const Entered entered = enter(command, write, static_cast<std::uint32_t>(at), known);
        if (entered != Entered::yes) return entered;
        isWritten |= DeferredRegion::unpacked(known).writtenIn == turn();
    }
    bool met = false;
    for (std::uint64_t granule = first; isWritten && granule < end; ++granule) {
        met |= written_[granule].load(kRelaxed) == turn();
        if (write) written_[granule].store(turn(), kRelaxed);
    }
    return met ? Entered::met : Entered::yes;
}

bool DeferredMarks::open(const Command& command) noexcept {
    if (hasEnded()) return false;
    const Lock guard(mutex_);
    if (hasEnded()) return false;
    if (open_.load(kRelaxed) == command.number) return true;
    const bool isBehind = open_.load(kRelaxed) == 0 || command.isBehind(owner_.number);
    if (owner_.isAlone && command.before == nullptr)
        drop();
    else
        settleAll();
    if (!isBehind) {
        returned(1);
        return false;
    }
    nextTurn();
    owner_ = {command.number, command.before == nullptr, command.before != nullptr ? *command.before : nullptr};
    open_.store(command.number, std::memory_order_release);
    return true;
}

/// When the numbers of turns come again, those before are forgotten.
void DeferredMarks::nextTurn() noexcept {
    constexpr std::uint8_t kLast = 0xff;
    const bool again = turn() == kLast;
    for (std::uint64_t granule = 0; again && granule < written_.count(); ++granule)
        written_[granule].store(0, kRelaxed);
    for (std::uint64_t at = 0; again && at < regions_.count(); ++at)
        regions_[at].store(DeferredRegion{DeferredRegion::unpacked(regions_[at].load(kRelaxed)).last}.packed(),
                           kRelaxed);
    turn_.store(static_cast<std::uint8_t>(again ? 1 : turn() + 1), kRelaxed);
    regionsRead_.store(0, kRelaxed);
    regionsWritten_.store(0, kRelaxed);
    isNoted_.store(false, kRelaxed);
}

void DeferredMarks::expose(const Command& command, bool write, std::uint64_t first, std::uint64_t end) noexcept {
    if (open_.load(std::memory_order_acquire) != 0 && holdsSome(command, write, first, end)) settle(command, false);
    for (std::uint64_t region = first >> DeferredRegion::kBits; region << DeferredRegion::kBits < end; ++region)
        note(regions_[region], command);
}

/// Deferred marks that the command would have to look at. It matters not which of a launch's reads comes first.
bool DeferredMarks::holdsSome(const Command& command, bool write, std::uint64_t first,
                              std::uint64_t end) const noexcept {
    constexpr std::uint64_t kRegion = std::uint64_t{1} << DeferredRegion::kBits;
    const bool meetsReads = write || open_.load(kRelaxed) != command.number;
    for (std::uint64_t at = first; at < end;) {
        const std::uint64_t next = std::min(end, (at | (kRegion - 1)) + 1);
        const DeferredRegion known = DeferredRegion::unpacked(regionOf(at).load(kRelaxed));
        if (meetsReads && known.readIn == turn()) return true;
        for (; known.writtenIn == turn() && at < next; ++at)
            if (written_[at].load(kRelaxed) == turn()) return true;
        at = next;
    }
    return false;
}

void DeferredMarks::note(Region& region, const Command& command) noexcept {
    std::uint64_t word = region.load(kRelaxed);
    for (;;) {
        DeferredRegion known = DeferredRegion::unpacked(word);
        const bool isOnly = known.last == 0 || known.last == command.number || command.isBehind(known.last);
        known.last = isOnly ? command.number : DeferredRegion::kSeveral;
        if (word == known.packed()) return;
        if (!region.compare_exchange_weak(word, known.packed(), kRelaxed)) continue;
        return isNoted_.store(true, kRelaxed);
    }
}

void DeferredMarks::settle(const Command& by, bool isFull) noexcept {
    const Lock guard(mutex_);
    settleAll();
    if (isFull)
        returned(kMostReturns);
    else if (by.number == owner_.number)
        returned(1);
}

/// Of marks that have been set: it may be the last time.
void DeferredMarks::returned(std::uint32_t times) noexcept {
    returns_ = std::min(returns_ + times, kMostReturns);
    if (returns_ == kMostReturns) hasEnded_.store(true, std::memory_order_release);
}

void DeferredMarks::settleAll() noexcept {
    open_.store(0, std::memory_order_release);  // those who wait for a shard see it
    const Command owner{owner_.number, owner_.isAlone ? nullptr : &owner_.before};
    const auto set = [&](const LoggedMessage& message, std::uint32_t granule) {
        setMark(message, granule);
        note(regionOf(granule), owner);
    };
    for (Shard& shard : shards_) {
        const Lock guard(shard.mutex);
        shard.log.each([&](const LoggedMessage& message, std::span<const std::uint32_t> granules) {
            if (message.isRun)
                for (std::uint32_t granule = granules[0]; granule < granules[1]; ++granule) set(message, granule);
            else
                for (const std::uint32_t granule : granules) set(message, granule);
        });
        chunks_.fetch_sub(shard.log.clear(), kRelaxed);
    }
}

void DeferredMarks::setMark(const LoggedMessage& message, std::uint32_t granule) noexcept {
    if (message.write) return writers_.set(granule, message.mark, message.line);
    const Mark readers = Mark::unpacked(readers_.mark(granule));
    const Mark one = Mark::unpacked(message.mark);
    if (hasReader(readers, one)) return;
    const bool isFirst = readers.whose == Whose::none || readers.launch != one.launch;
    const std::uint64_t all = isFirst ? message.mark : withReader(readers, one).packed();
    if (all != readers.packed() || isFirst) readers_.set(granule, all, message.line);
}

void DeferredMarks::drop() noexcept {
    open_.store(0, std::memory_order_release);
    for (Shard& shard : shards_) {
        const Lock guard(shard.mutex);
        chunks_.fetch_sub(shard.log.clear(), kRelaxed);
    }
}

void DeferredMarks::forget() noexcept {
    const Lock guard(mutex_);
    drop();
    nextTurn();
    for (std::uint64_t at = 0; at < regions_.count(); ++at) regions_[at].store(0, kRelaxed);
}

}  // namespace zetl::emulator::check
