#include "emulator/check/race_check.h"

#include <algorithm>
#include <array>
#include <bit>

#include "emulator/check/access_runs.h"
#include "emulator/check/known_granule.h"
#include "emulator/check/quick_access.h"
#include "emulator/check/race_rules.h"
#include "emulator/check/shared_bytes.h"
#include "emulator/check/stored_value.h"

namespace zetl::emulator::check {
namespace {

template <class F>
void eachLane(std::uint32_t lanes, F&& f) {
    for (; lanes != 0; lanes &= lanes - 1) f(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

Access accessOf(bool atomic, bool write) noexcept {
    return atomic ? Access::atomic : write ? Access::write : Access::read;
}

/// Whether the first two of these lanes access words that are neither neighbours nor the same.
bool areScattered(const isa::MemoryAccess& access, std::uint32_t lanes) noexcept {
    const std::uint32_t rest = lanes & (lanes - 1);
    if (rest == 0) return true;
    const std::uint64_t first = access.address[static_cast<std::uint32_t>(std::countr_zero(lanes))];
    return access.address[static_cast<std::uint32_t>(std::countr_zero(rest))] - first > access.bytesPerLane;
}

std::uint32_t laneAt(const isa::MemoryAccess& access, std::uint64_t address) noexcept {
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (address >= access.address[lane] && address - access.address[lane] < access.bytesPerLane) return lane;
    }
    return static_cast<std::uint32_t>(std::countr_zero(access.lanes));
}

bool areDifferent(std::span<const std::uint32_t> words) {
    std::array<std::uint32_t, 32> sorted;
    const auto end = std::ranges::copy(words, sorted.begin()).out;
    std::sort(sorted.begin(), end);
    return std::adjacent_find(sorted.begin(), end) == end;
}

DeferredMarks::Command commandOf(const GroupState& group, std::uint64_t number) noexcept {
    return {number, group.command() != nullptr ? &group.command()->before : nullptr};
}

}  // namespace

void RaceCheck::local(GroupState& group, const Accessing& accessing) {
    LocalMarks* const marks = group.local();
    if (marks == nullptr) return;
    lanes(group, accessing, accessing.access.lanes, {Memory::local, nullptr, marks, 0, nullptr});
}

void RaceCheck::global(GroupState& group, const Accessing& accessing, std::uint32_t which, Cells& cells,
                       const machine::Allocation& allocation) {
    lanes(group, accessing, which, {Memory::global, &cells, nullptr, allocation.begin, &allocation});
}

void RaceCheck::lanes(GroupState& group, const Accessing& accessing, std::uint32_t which, const Place& place) {
    const isa::MemoryAccess& access = accessing.access;
    if (DeferredMarks* const deferred = place.deferred(); deferred != nullptr) {
        if (isDeferred(group, accessing, which, place, *deferred)) {
            if (access.write) group.wrote(accessing.index, place.memory);
            return;
        }
        eachLane(which, [&](std::uint32_t lane) {
            expose(*deferred, place, access.write, access.address[lane], access.bytesPerLane,
                   commandOf(group, accessing.command));
        });
    }
    if (access.atomic)
        eachLane(which, [&](std::uint32_t lane) { group.atomic(accessing.index, access.address[lane], clock_); });
    if (accessing.ofGroup) eachLane(which, [&](std::uint32_t lane) { meet(group, accessing, lane, place); });
    if (access.write && !access.atomic) lanesOfOneMessage(group, accessing, which, place);
    if (access.write && !access.atomic && place.memory == Memory::global && group.writesLate(accessing.index))
        eachLane(which, [&](std::uint32_t lane) { wroteLate(group, accessing, access.address[lane], place); });
    Mark mark = markOf(group, accessing.index, accessing.command);
    mark.atomic = access.atomic || accessing.ofExchange;
    if (access.atomic) which &= ~settledAtomics(group, accessing, which, place, mark);
    if (access.atomic || !quickly(group, accessing, which, place, mark))
        eachLane(which, [&](std::uint32_t lane) { this->lane(group, accessing, lane, place, mark); });
    if (access.write) group.wrote(accessing.index, place.memory);
}

/// Whether marks of words that lie apart are left for later.
bool RaceCheck::isDeferred(const GroupState& group, const Accessing& accessing, std::uint32_t which, const Place& place,
                           DeferredMarks& deferred) {
    const isa::MemoryAccess& access = accessing.access;
    const DeferredMarks::Command command = commandOf(group, accessing.command);
    const bool may = access.bytesPerLane == kGranule && !access.atomic && !accessing.ofExchange &&
                     group.acquired().empty() && !(access.write && group.writesLate(accessing.index));
    if (!may || !(areScattered(access, which) || deferred.takesRuns(command))) return false;
    std::array<std::uint32_t, 32> granules;  // some
    std::size_t count = 0;
    std::uint64_t bits = 0;
    std::uint64_t outside = 0;  // has the highest bit if one of them is
    const std::uint64_t end = place.count() * kGranule - kGranule;
    const auto take = [&](std::uint32_t lane, std::size_t to) {
        const std::uint64_t from = access.address[lane] - place.begin;
        bits |= from;
        outside |= from | (end - from);
        granules[to] = static_cast<std::uint32_t>(from / kGranule);
    };
    if (which == ~0u)  // most often, and the compiler takes several at once
        for (; count < granules.size(); ++count) take(static_cast<std::uint32_t>(count), count);
    else
        eachLane(which, [&](std::uint32_t lane) { take(lane, count++); });
    if (bits % kGranule != 0 || outside >> 63 != 0) return false;
    for (std::size_t i = 0; i < count; ++i)  // the thread is about to load them
        __builtin_prefetch(reinterpret_cast<const std::byte*>(place.begin) + std::size_t{granules[i]} * kGranule, 1);
    Mark mark = markOf(group, accessing.index, accessing.command);
    mark.bytes = kWholeGranule;
    return deferred.add(command, group.place(), {mark.packed(), accessing.line, access.write},
                        {granules.data(), count});
}

void RaceCheck::expose(DeferredMarks& deferred, const Place& place, bool write, std::uint64_t address,
                       std::uint64_t bytes, const DeferredMarks::Command& command) {
    const std::uint64_t first = (address - place.begin) / kGranule;
    const std::uint64_t end = std::min((address - place.begin + bytes + kGranule - 1) / kGranule, place.count());
    if (first < end) deferred.expose(command, write, first, end);
}

/// Words that several groups change, as counters are, and that nobody reads otherwise.
std::uint32_t RaceCheck::settledAtomics(const GroupState& group, const Accessing& accessing, std::uint32_t which,
                                        const Place& place, Mark mark) const {
    const isa::MemoryAccess& access = accessing.access;
    if (place.cells == nullptr || access.bytesPerLane != kGranule || !group.acquired().empty()) return 0;
    mark.bytes = kWholeGranule;
    const QuickMark quick{mark.packed(), group};
    std::uint32_t settled = 0;
    eachLane(which, [&](std::uint32_t lane) {
        const std::uint64_t at = access.address[lane] - place.begin;
        if (at % kGranule != 0 || at / kGranule >= place.cells->count()) return;
        const std::uint64_t granule = at / kGranule;
        if (quick.isAtomicOfMany(place.cells->writers.mark(granule)) &&
            quick.areFreeReaders(place.cells->readers.mark(granule)))
            settled |= 1u << lane;
    });
    return settled;
}

/// Lanes of a thread that write in one message are work-items all the same, and which of them comes last is not
/// defined.
void RaceCheck::lanesOfOneMessage(GroupState& group, const Accessing& accessing, std::uint32_t which,
                                  const Place& place) {
    using zetl::check::Kind;
    const auto pair = lanesWithSharedBytes(accessing.access, which);
    if (!pair) return;
    const isa::Instruction& in = accessing.thread.program->instruction(accessing.line);
    if (accessing.access.address[pair->first] == accessing.access.address[pair->second] &&
        storeSame(accessing.thread, in, pair->first, pair->second))
        return;  // nobody can notice
    Observation observation;
    observation.kind = place.memory == Memory::local ? Kind::raceLocal : Kind::raceGlobal;
    observation.launch = accessing.launch;
    observation.program = accessing.program;
    observation.now = {Access::write, accessing.line, accessing.index, group.group(),
                       static_cast<std::int8_t>(pair->second)};
    observation.before = observation.now;
    observation.before->lane = static_cast<std::int8_t>(pair->first);
    observation.address = accessing.access.address[pair->second];
    observation.bytes = accessing.access.bytesPerLane;
    if (place.allocation != nullptr) observation.allocation = *place.allocation;
    observations_.add(observation);
}

void RaceCheck::meet(const GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place) {
    const std::uint64_t address = accessing.access.address[lane];
    Observation observation;
    observation.now = {Access::atomic, accessing.line, accessing.index, group.group(), static_cast<std::int8_t>(lane)};
    observation.before = clock_.meet(accessing.launch, address, observation.now);
    if (!observation.before) return;
    observation.kind = zetl::check::Kind::raceGlobal;
    observation.launch = accessing.launch;
    observation.program = accessing.program;
    observation.address = address;
    observation.bytes = accessing.access.bytesPerLane;
    if (place.allocation != nullptr) observation.allocation = *place.allocation;
    observations_.add(observation);
}

void RaceCheck::wroteLate(const GroupState& group, const Accessing& accessing, std::uint64_t address,
                          const Place& place) {
    const std::uint64_t first = address - place.begin;
    const std::uint64_t end = first + accessing.access.bytesPerLane;
    for (std::uint64_t granule = first / kGranule; granule * kGranule < end; ++granule)
        clock_.wroteLate(group.group(), place.begin + granule * kGranule, group.lateWriter(accessing.index));
}

/// Whether the group has acquired what the writer's released, but not this.
bool RaceCheck::isLate(const GroupState& group, const Place& place, const Mark& writer, const Mark& now,
                       std::uint64_t granule) const {
    const bool isAcquired = place.memory == Memory::global && writer.launch == now.launch &&
                            writer.group != now.group && group.acquired().hasGroup(writer.group);
    return isAcquired && conflict(writer, now) && clock_.isLate(writer.group, place.begin + granule * kGranule);
}

void RaceCheck::lane(GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place, Mark mark) {
    const isa::MemoryAccess& access = accessing.access;
    const std::uint64_t first = access.address[lane] - place.begin;
    const std::uint64_t bytes = access.bytesPerLane;
    for (std::uint64_t granule = first / kGranule; granule * kGranule < first + bytes; ++granule) {
        if (granule >= place.count()) return;
        mark.bytes = bytesIn(granule, first, bytes);
        this->granule(group, accessing, lane, place, mark, granule);
    }
}

void RaceCheck::granule(GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place,
                        const Mark& mark, std::uint64_t granule) {
    if (place.marks != nullptr)
        look(group, accessing, lane, place, mark, KnownOfLocal{*place.marks, granule, mark});
    else
        look(group, accessing, lane, place, mark, KnownOfGlobal{*place.cells, granule});
}

template <class Known>
void RaceCheck::look(GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place,
                     const Mark& mark, Known&& known) {
    const Mark written = known.writer();
    const Mark writer = seenBy(written, mark);
    if (isRace(writer, true, mark, group, place.memory) || isLate(group, place, writer, mark, known.granule))
        report(group, accessing, lane, place, writer, known.writeLine(), true);
    const Mark readers = known.readers();
    if (!accessing.access.write) {
        const Mark all = joined(readers, mark, group, place.memory);
        if (all.launch != mark.launch) return;  // nobody knows of this one
        return known.read(all, accessing.line);
    }
    if (isRace(readers, false, mark, group, place.memory))
        report(group, accessing, lane, place, readers, known.readLine(), false);
    const Mark after = writerAfter(written, mark, group, place.memory);
    known.wrote(after, after.atomic == mark.atomic ? accessing.line : known.writeLine());
}

template <class Look>
bool RaceCheck::wholly(const GroupState& group, const Place& place, const Mark& mark, isa::Line line, bool write,
                       std::uint64_t first, std::uint64_t end, Look&& look) {
    if (place.marks != nullptr)
        return place.marks->all(place.marks->whole(mark, group.localVisible(), line, write, group.named().any()), first,
                                end, look);
    return QuickAccess(mark.packed(), group, line, write, *place.cells).all(first, end, look);
}

/// Lanes that access two pieces of memory at most have been settled as runs: there are no others to be found.
bool RaceCheck::words(GroupState& group, const Accessing& accessing, std::uint32_t which, const Place& place,
                      const Mark& mark) {
    const isa::MemoryAccess& access = accessing.access;
    const std::uint64_t bits = addressBits(access, which);
    LocalMarks& marks = *place.marks;
    const std::uint64_t count = access.bytesPerLane / kGranule;
    if (bits % kGranule != 0 || bits / kGranule + count > marks.count()) return false;
    const LocalMarks::Whole whole =
        marks.whole(mark, group.localVisible(), accessing.line, access.write, group.named().any());
    const auto look = [&](std::uint32_t lane, std::uint64_t at) {
        if (!marks.one(whole, at)) granule(group, accessing, lane, place, mark, at);
    };
    if (count == 1) {  // most often
        eachLane(which, [&](std::uint32_t lane) { look(lane, access.address[lane] / kGranule); });
        return true;
    }
    eachLane(which, [&](std::uint32_t lane) {
        for (std::uint64_t i = 0; i < count; ++i) look(lane, access.address[lane] / kGranule + i);
    });
    return true;
}

/// Words of global memory that lie apart. All that is looked at is asked for before the first look.
bool RaceCheck::scattered(GroupState& group, const Accessing& accessing, std::uint32_t which, const Place& place,
                          const Mark& mark) {
    const isa::MemoryAccess& access = accessing.access;
    std::uint64_t bits = 0;
    eachLane(which, [&](std::uint32_t lane) {
        const std::uint64_t from = access.address[lane] - place.begin;
        bits |= from;
        if (from / kGranule < place.cells->count()) place.cells->prefetch(from / kGranule, access.write);
    });
    if (bits % kGranule != 0) return false;
    QuickAccess quick(mark.packed(), group, accessing.line, access.write, *place.cells);
    eachLane(which, [&](std::uint32_t lane) {
        const std::uint64_t at = (access.address[lane] - place.begin) / kGranule;
        if (at < place.cells->count() && !quick.one(at)) granule(group, accessing, lane, place, mark, at);
    });
    return true;
}

/// Whole granules, which nearly always nobody else has touched or everybody has read. False, with nothing done, for
/// accesses of other bytes.
bool RaceCheck::quickly(GroupState& group, const Accessing& accessing, std::uint32_t which, const Place& place,
                        Mark mark) {
    const isa::MemoryAccess& access = accessing.access;
    mark.bytes = kWholeGranule;
    if (place.marks != nullptr && access.bytesPerLane % kGranule == 0)
        return words(group, accessing, which, place, mark);
    if (place.cells != nullptr && access.bytesPerLane == kGranule && areScattered(access, which))
        return scattered(group, accessing, which, place, mark);
    const AccessRuns runs(access, which);
    for (const AccessRun& run : runs)
        if ((((run.address - place.begin) | run.bytes) & (kGranule - 1)) != 0) return false;
    const std::uint64_t count = place.count();
    for (const AccessRun& run : runs) {
        const std::uint64_t first = (run.address - place.begin) / kGranule;
        const std::uint64_t end = std::min<std::uint64_t>(first + run.bytes / kGranule, count);
        wholly(group, place, mark, accessing.line, access.write, first, end, [&](std::uint64_t at) {
            granule(group, accessing, laneAt(access, place.begin + at * kGranule), place, mark, at);
            return true;
        });
    }
    return true;
}

bool RaceCheck::localSpans(GroupState& group, const AccessingSpans& accessing) {
    LocalMarks* const marks = group.local();
    if (marks == nullptr) return true;
    const LocalMarks::Own own{accessing.index, std::min(group.epochOf(accessing.index), Mark::kEpochMask),
                              accessing.ofExchange};
    const LocalMarks::Whole whole =
        marks->whole(own, group.localVisible(), accessing.line, accessing.write, group.named().any());
    for (const isa::AccessSpan& span : accessing.spans) {
        const std::uint64_t address = span.address & isa::kLocalOffsetMask;
        if (((address | span.bytes) & (kGranule - 1)) != 0) return false;
        const std::uint64_t first = address / kGranule;
        const std::uint64_t end = std::min<std::uint64_t>(first + span.bytes / kGranule, marks->count());
        if (!marks->all(whole, first, end, [](std::uint64_t) { return false; })) return false;
    }
    if (accessing.write) group.wrote(accessing.index, Memory::local);
    return true;
}

bool RaceCheck::localWords(GroupState& group, const AccessingWords& accessing) {
    LocalMarks* const marks = group.local();
    if (marks == nullptr) return true;
    const LocalMarks::Own own{accessing.index, std::min(group.epochOf(accessing.index), Mark::kEpochMask),
                              accessing.ofExchange};
    const LocalMarks::Whole whole =
        marks->whole(own, group.localVisible(), accessing.line, accessing.write, group.named().any());
    if (!marks->all(whole, accessing.words)) return false;
    if (accessing.write) group.wrote(accessing.index, Memory::local);
    return true;
}

bool RaceCheck::globalRun(GroupState& group, const AccessingRun& run, Cells& cells,
                          const machine::Allocation& allocation) {
    return this->run(group, run, {Memory::global, &cells, nullptr, allocation.begin, &allocation});
}

bool RaceCheck::globalLanes(GroupState& group, const AccessingLanes& accessing, Cells& cells,
                            const machine::Allocation& allocation) {
    const PlannedLanes& lanes = accessing.lanes;
    std::array<std::uint32_t, 32> granules;  // some
    if (lanes.bytesPerLane != kGranule || lanes.address.size() > granules.size() ||
        allocation.bytes() / kGranule > cells.count())
        return false;
    std::uint64_t bits = 0;
    for (std::size_t lane = 0; lane < lanes.address.size(); ++lane) {
        const std::uint64_t from = lanes.address[lane] - allocation.begin;
        bits |= from;
        granules[lane] = static_cast<std::uint32_t>(from / kGranule);
    }
    if (bits % kGranule != 0) return false;
    const std::span<const std::uint32_t> words(granules.data(), lanes.address.size());
    if (!deferred(group, accessing, words, cells) && !settled(group, accessing, words, cells)) return false;
    if (accessing.write) group.wrote(accessing.index, Memory::global);
    return true;
}

/// Whether their marks are left for later.
bool RaceCheck::deferred(const GroupState& group, const AccessingLanes& accessing, std::span<const std::uint32_t> words,
                         Cells& cells) {
    DeferredMarks* const deferred = cells.deferred();
    if (deferred == nullptr || accessing.ofExchange || !group.acquired().empty()) return false;
    Mark mark = markOf(group, accessing.index, accessing.command);
    mark.bytes = kWholeGranule;
    return deferred->add(commandOf(group, accessing.command), group.place(),
                         {mark.packed(), accessing.line, accessing.write}, words);
}

/// Whether it is clear that nothing is wrong with them. Lanes that write to one word have to be looked at.
bool RaceCheck::settled(const GroupState& group, const AccessingLanes& accessing, std::span<const std::uint32_t> words,
                        Cells& cells) {
    if (accessing.write && !areDifferent(words)) return false;
    if (DeferredMarks* const deferred = cells.deferred(); deferred != nullptr)
        for (const std::uint32_t word : words)
            deferred->expose(commandOf(group, accessing.command), accessing.write, word, word + 1);
    Mark mark = markOf(group, accessing.index, accessing.command);
    mark.atomic = accessing.ofExchange;
    mark.bytes = kWholeGranule;
    for (const std::uint32_t word : words) cells.prefetch(word, accessing.write);
    QuickAccess quick(mark.packed(), group, accessing.line, accessing.write, cells);
    return std::ranges::all_of(words, [&](std::uint32_t word) { return quick.one(word); });
}

bool RaceCheck::run(GroupState& group, const AccessingRun& run, const Place& place) {
    if (run.write && group.writesLate(run.index)) return false;
    if ((((run.address - place.begin) | run.bytes) & (kGranule - 1)) != 0) return false;
    Mark mark = markOf(group, run.index, run.command);
    mark.atomic = run.ofExchange;
    mark.bytes = kWholeGranule;
    const std::uint64_t first = (run.address - place.begin) / kGranule;
    const std::uint64_t end = std::min<std::uint64_t>(first + run.bytes / kGranule, place.count());
    if (DeferredMarks* const deferred = place.deferred(); deferred != nullptr && first < end) {
        const DeferredMarks::Command command = commandOf(group, run.command);
        if (!run.ofExchange && group.acquired().empty() &&
            deferred->addRun(command, group.place(), {mark.packed(), run.line, run.write, true}, first, end)) {
            if (run.write) group.wrote(run.index, place.memory);
            return true;
        }
        deferred->expose(command, run.write, first, end);
        if (first % Cells::kBlock != 0 || end % Cells::kBlock != 0) deferred->cameApart(command);
    }
    if (!wholly(group, place, mark, run.line, run.write, first, end, [](std::uint64_t) { return false; })) return false;
    if (run.write) group.wrote(run.index, place.memory);
    return true;
}

void RaceCheck::transfer(const CommandRecord& command, std::uint64_t address, std::uint64_t bytes, bool write,
                         Cells& cells, const machine::Allocation& allocation) {
    Mark mark;
    mark.whose = Whose::thread;
    mark.atomic = command.host;  // whether it is cannot be seen
    mark.epoch = Mark::kEpochMask;
    mark.launch = static_cast<std::uint16_t>(command.number & Mark::kLaunchMask);
    const std::uint64_t first = address - allocation.begin;
    if (DeferredMarks* const deferred = cells.deferred(); deferred != nullptr && bytes != 0)
        expose(*deferred, {Memory::global, &cells, nullptr, allocation.begin, &allocation}, write, address, bytes,
               {command.number, &command.before});
    const auto meets = [&](std::uint64_t word) {
        const Mark before = Mark::unpacked(word);
        return before.launch != mark.launch && conflict(before, mark) && isUnordered(before, &command);
    };
    const auto look = [&](MarkTable& marks, std::uint64_t granule, bool wasWrite) {
        if (!meets(marks.mark(granule))) return;
        const Mark before = Mark::unpacked(marks.mark(granule));
        Observation observation;
        observation.kind = zetl::check::Kind::raceCommand;
        observation.launch = launchOf(command.number);
        observation.command = command.number;
        observation.now.access = write ? Access::write : Access::read;
        observation.before =
            Toucher{accessOf(before.atomic, wasWrite), marks.line(granule), before.thread, before.group, -1};
        observation.beforeCommand = commandOf(before, command.number);
        observation.beforeWrote = wasWrite;
        observation.address = std::max(address, allocation.begin + granule * kGranule);
        observation.bytes = static_cast<std::uint32_t>(std::popcount(mark.bytes));
        observation.allocation = allocation;
        observations_.add(observation);
    };
    for (std::uint64_t granule = first / kGranule; granule * kGranule < first + bytes; ++granule) {
        if (granule >= cells.count()) return;
        mark.bytes = bytesIn(granule, first, bytes);
        const std::uint64_t block = granule / Cells::kBlock;
        const bool begins = granule % Cells::kBlock == 0;
        if (begins && granule * kGranule >= first && (granule + Cells::kBlock) * kGranule <= first + bytes) {
            cells.join(block);
            const std::uint64_t writer = cells.writers.shared(block);
            const std::uint64_t readers = cells.readers.shared(block);
            if (!MarkTable::isApart(writer) && !MarkTable::isApart(readers) && !meets(writer) &&
                !(write && meets(readers))) {
                cells.of(write).setShared(block, mark.packed(), 0);
                granule += Cells::kBlock - 1;
                continue;
            }
        }
        look(cells.writers, granule, true);
        if (write) look(cells.readers, granule, false);
        cells.of(write).set(granule, mark.packed(), 0);
    }
}

void RaceCheck::report(const GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place,
                       const Mark& before, isa::Line line, bool wasWrite) {
    using zetl::check::Kind;
    const isa::MemoryAccess& access = accessing.access;
    Observation observation;
    const bool local = place.memory == Memory::local;
    observation.kind = local ? Kind::raceLocal : Kind::raceGlobal;
    const std::uint64_t other = commandOf(before, accessing.command);
    if (other != accessing.command) {
        observation.kind = Kind::raceCommand;
        observation.beforeCommand = other;
        observation.beforeWrote = wasWrite;
    } else if (wasWrite && access.write && !access.atomic && !before.atomic) {
        const std::byte* const memory = local ? accessing.thread.local.data() + access.address[lane]
                                              : reinterpret_cast<const std::byte*>(access.address[lane]);
        const isa::Instruction& in = accessing.thread.program->instruction(accessing.line);
        const bool inside = !local || access.address[lane] + access.bytesPerLane <= accessing.thread.local.size();
        if (inside && storesSame(accessing.thread, in, lane, memory)) observation.kind = Kind::raceSameValue;
    }
    observation.launch = accessing.launch;
    observation.program = accessing.program;
    observation.now = {accessOf(access.atomic, access.write), accessing.line, accessing.index, group.group(),
                       static_cast<std::int8_t>(lane)};
    // Of several groups the last one is named, which may be this one. Of this command, readers are atomic that read for
    // an exchange.
    observation.before = Toucher{accessOf(before.atomic && (wasWrite || other != accessing.command), wasWrite), line,
                                 before.thread, before.group, -1};
    observation.address = access.address[lane];
    observation.bytes = access.bytesPerLane;
    if (place.allocation != nullptr) observation.allocation = *place.allocation;
    observations_.add(observation);
}

}  // namespace zetl::emulator::check
