#include "emulator/check/race_rules.h"

#include <algorithm>

namespace zetl::emulator::check {
namespace {

/// Whether the mark stands for an atomic, and for a write before it that was none, with which other groups race.
bool isAlsoPlain(const Mark& writer) noexcept { return writer.whose == Whose::severalThreads && !writer.atomic; }
Mark alsoPlain(Mark writer) noexcept {
    writer.whose = Whose::severalThreads;
    writer.atomic = false;
    return writer;
}

/// Two writers of the same bytes, by atomics both.
Mark atomicsOf(const Mark& before, const Mark& now, const GroupState& group) noexcept {
    Mark writer = now;
    if (before.group != now.group ? !group.acquired().hasGroup(before.group) : before.whose == Whose::severalGroups)
        writer.whose = Whose::severalGroups;
    else if (before.group == now.group && before.epoch == now.epoch &&
             (before.thread != now.thread || before.whose == Whose::severalThreads))
        writer.whose = Whose::severalThreads;
    return writer;
}

}  // namespace

Mark markOf(const GroupState& group, std::uint32_t thread, std::uint64_t command) noexcept {
    Mark mark;
    mark.whose = Whose::thread;
    mark.thread = static_cast<std::uint8_t>(thread);
    mark.epoch = static_cast<std::uint16_t>(std::min(group.epochOf(thread), Mark::kEpochMask));
    mark.group = static_cast<std::uint32_t>(group.group() & ((1u << kGroupBits) - 1));
    mark.launch = static_cast<std::uint16_t>(command & Mark::kLaunchMask);
    return mark;
}

std::uint8_t bytesIn(std::uint64_t granule, std::uint64_t first, std::uint64_t bytes) noexcept {
    const std::uint64_t begin = std::max(granule * kGranule, first) - granule * kGranule;
    const std::uint64_t end = std::min((granule + 1) * kGranule, first + bytes) - granule * kGranule;
    return static_cast<std::uint8_t>((1u << end) - (1u << begin));
}

bool conflict(const Mark& before, const Mark& now) noexcept {
    if (before.whose == Whose::none) return false;
    return (before.bytes & now.bytes) != 0 && !(before.atomic && now.atomic);
}

Mark seenBy(const Mark& writer, const Mark& now) noexcept {
    Mark seen = writer;
    if (isAlsoPlain(writer)) {
        seen.whose = Whose::thread;
        seen.atomic = writer.launch == now.launch && writer.group == now.group;
    }
    return seen;
}

Mark writerAfter(const Mark& before, const Mark& now, const GroupState& group, Memory memory) noexcept {
    const bool isSame = before.launch == now.launch && before.bytes == now.bytes && before.whose != Whose::none;
    if (!isSame || !now.atomic) return now;
    if (before.atomic) return atomicsOf(before, now, group);
    if (before.group != now.group) return now;
    const bool ofThread = before.whose == Whose::thread && before.thread == now.thread && before.epoch == now.epoch;
    if (ofThread) return before;  // those who race with it race with what it was before
    return memory == Memory::global ? alsoPlain(now) : now;
}

std::uint64_t commandOf(const Mark& mark, std::uint64_t now) noexcept {
    constexpr unsigned kUnused = 64 - Mark::kLaunchBits;
    const auto distance = static_cast<std::int64_t>((mark.launch - now) << kUnused) >> kUnused;
    return now + static_cast<std::uint64_t>(distance);
}

bool isUnordered(const Mark& before, const CommandRecord* now) noexcept {
    return now != nullptr && !(now->before && now->before->has(commandOf(before, now->number)));
}

Mark joined(const Mark& readers, const Mark& one, const GroupState& group, Memory memory) noexcept {
    if (readers.whose == Whose::none) return one;
    if (readers.launch != one.launch) {
        const bool isHost = readers.atomic && readers.epoch == Mark::kEpochMask;
        const bool holds = isHost ? (one.bytes & readers.bytes) != 0 : (one.bytes & ~readers.bytes) == 0;
        return memory == Memory::global && holds && isUnordered(readers, group.command()) ? readers : one;
    }
    // Whatever is ordered behind the group is ordered behind whom it has waited for.
    const bool isOne = readers.whose != Whose::severalGroups && readers.group != one.group;
    if (isOne && group.acquired().hasGroup(readers.group)) return one;
    return withReader(readers, one);
}

bool isRace(const Mark& before, bool wasWrite, const Mark& now, const GroupState& group, Memory memory) noexcept {
    if (!conflict(before, now)) return false;
    if (before.launch != now.launch) {
        // Launches may order themselves by atomics, too; who released what to a group is known of its own launch only.
        const bool ordersItself = !group.acquired().groups.empty();
        return memory == Memory::global && !ordersItself && isUnordered(before, group.command());
    }
    if (memory == Memory::global && before.whose == Whose::severalGroups && before.group == now.group)
        return group.acquired()
            .groups.empty();  // the others are not known any more, so any that it waited for may be they
    if (before.whose == Whose::severalGroups || before.group != now.group)
        return memory == Memory::global && !group.acquired().hasGroup(before.group);
    const bool counted = before.epoch != Mark::kEpochMask && now.epoch != Mark::kEpochMask;
    if (!counted) return false;
    if (group.named().any()) {
        // Of several readers the last one is known.
        if (before.thread == now.thread || group.acquired().hasThread(before.thread)) return false;
        const bool seen = group.named().sees(now.thread, before.thread, before.epoch, static_cast<std::size_t>(memory));
        return !group.named().isBehind(now.thread, before.thread, before.epoch) || (wasWrite && !seen);
    }
    if (before.epoch == now.epoch) {
        if (before.whose == Whose::severalThreads) return !wasWrite || group.acquired().threads == 0;
        return before.thread != now.thread && !group.acquired().hasThread(before.thread);
    }
    if (before.thread == now.thread || before.whose == Whose::severalThreads) return false;
    return wasWrite && !group.isVisible(before.thread, before.epoch, memory);
}

}  // namespace zetl::emulator::check
