// Accesses to whole granules of global memory, most of which are settled without taking their marks apart.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/check/group_state.h"
#include "emulator/check/mark_table.h"
#include "emulator/check/race_rules.h"
#include "emulator/check/shadow.h"

namespace zetl::emulator::check {

/// What can be said of packed marks of global memory without taking them apart.
struct QuickMark {
    QuickMark(std::uint64_t mark, const GroupState& of) noexcept : own(mark), group(of) {}

    static constexpr unsigned kEpochAt = 7;
    static constexpr unsigned kThreadAt = kEpochAt + Mark::kEpochBits;
    static constexpr unsigned kGroupAt = kThreadAt + kThreadBits;
    static constexpr unsigned kLaunchAt = kGroupAt + kGroupBits;
    static constexpr std::uint64_t kWhose = 3;
    static constexpr std::uint64_t kAtomic = 4;
    static constexpr std::uint64_t kBytes = std::uint64_t{kWholeGranule} << 3;
    static constexpr std::uint64_t kBefore = ~std::uint64_t{0} << kThreadAt;  // thread, group and launch

    bool ofOtherLaunch(std::uint64_t word) const noexcept { return ((word ^ own) >> kLaunchAt) != 0; }
    /// Of another launch or command, which ended before this launch began.
    bool isOfEarlier(std::uint64_t word) const noexcept {
        const CommandRecord* const command = group.command();
        return ofOtherLaunch(word) && (command == nullptr || !isUnordered(Mark::unpacked(word), command));
    }
    /// The same thread and nobody else, in any epoch.
    bool isOwn(std::uint64_t word) const noexcept { return ((word ^ own) & (kBefore | kWhose)) == 0; }
    /// Read by several already, and one reader more changes nothing.
    bool isReadByMany(std::uint64_t word) const noexcept {
        if ((word & kBytes) != kBytes || (word & kAtomic & ~own) != 0 || ofOtherLaunch(word)) return false;
        const auto whose = static_cast<Whose>(word & kWhose);
        if (whose == Whose::severalGroups) return true;
        return whose == Whose::severalThreads && ofOwnGroup(word) && epochOf(word) == epochOf(own);
    }
    /// Changed by atomics of several groups of the launch, all bytes of it, if this mark is one of those.
    bool isAtomicOfMany(std::uint64_t word) const noexcept {
        return ((word ^ own) & (kAtomic | kBytes | ~std::uint64_t{0} << kLaunchAt)) == 0 &&
               static_cast<Whose>(word & kWhose) == Whose::severalGroups;
    }
    bool ofOwnGroup(std::uint64_t word) const noexcept { return ((word ^ own) >> kGroupAt) == 0; }
    static std::uint32_t epochOf(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word >> kEpochAt & Mark::kEpochMask);
    }
    /// In the way of nobody. What a thread wrote before a barrier, its group sees behind it.
    bool isFreeWriter(std::uint64_t word) const noexcept {
        if (word == 0 || isOwn(word) || isOfEarlier(word)) return true;
        if (group.named().any()) return false;
        constexpr std::uint64_t kThreads = (1u << kThreadBits) - 1;
        return ofOwnGroup(word) && static_cast<Whose>(word & kWhose) != Whose::severalGroups &&
               epochOf(word) < epochOf(own) && epochOf(own) != Mark::kEpochMask &&
               group.isVisible(static_cast<std::uint32_t>(word >> kThreadAt & kThreads), epochOf(word), Memory::global);
    }
    bool areFreeReaders(std::uint64_t word) const noexcept {
        if (word == 0 || isOfEarlier(word)) return true;
        if (isOwn(word)) return (own & ~word & kAtomic) == 0 || epochOf(word) != epochOf(own);
        if (group.named().any()) return false;
        return ofOwnGroup(word) && static_cast<Whose>(word & kWhose) != Whose::severalGroups &&
               epochOf(word) < epochOf(own) && epochOf(own) != Mark::kEpochMask;
    }
    enum class Verdict : std::uint8_t {
        settled,  ///< nothing is wrong and nothing changes
        free,     ///< nothing is wrong, and a mark takes the place of what was there
        unknown,  ///< somebody has to look at it closely
    };
    struct Judged {
        Verdict verdict;
        std::uint64_t mark;
    };
    Judged judge(std::uint64_t writer, std::uint64_t readers, bool write) const noexcept {
        if (!isFreeWriter(writer)) return {Verdict::unknown, own};
        if (!write && (readers == own || isReadByMany(readers))) return {Verdict::settled, own};
        const bool areFree = areFreeReaders(readers);
        if (!write) {
            const std::uint64_t all =
                areFree ? own : joined(Mark::unpacked(readers), Mark::unpacked(own), group, Memory::global).packed();
            return {all == readers ? Verdict::settled : Verdict::free, all};
        }
        if (!areFree) return {Verdict::unknown, own};
        return {writer == own ? Verdict::settled : Verdict::free, own};
    }

    const std::uint64_t own;
    const GroupState& group;
};

/// An access to whole granules, of which nothing is known but whose it is.
class QuickAccess {
  public:
    QuickAccess(std::uint64_t mark, const GroupState& group, isa::Line line, bool write, Cells& cells) noexcept
        : mark_(mark, group), line_(line), write_(write), cells_(cells) {}

    /// Settles one granule if it is clear that nothing is wrong. False: somebody has to look at it.
    bool one(std::uint64_t at) noexcept { return Block(cells_, at / Cells::kBlock).one(*this, at); }
    /// Calls look(granule) for each granule that somebody has to look at closely, until one says false.
    template <class Look>
    bool all(std::uint64_t first, std::uint64_t end, Look&& look) {
        for (std::uint64_t at = first; at < end;) {
            const std::uint64_t number = at / Cells::kBlock;
            const std::uint64_t next = std::min(end, (number + 1) * Cells::kBlock);
            const bool whole = next - at == Cells::kBlock;
            if (!together(cells_.shared(number), whole)) {
                Block block(cells_, number);
                for (; at < next; ++at)
                    if (!block.one(*this, at) && !look(at)) return false;
                if (whole) cells_.join(number);
            }
            at = next;
        }
        return true;
    }

  private:
    struct Block {
        [[gnu::always_inline]] Block(Cells& cells, std::uint64_t number) noexcept
            : writers(cells.writers, number), readers(cells.readers, number) {}

        [[gnu::always_inline]] bool one(QuickAccess& access, std::uint64_t at) noexcept {
            const QuickMark::Judged& judged = access.judge(writers.mark(at), readers.mark(at));
            if (judged.verdict == QuickMark::Verdict::free)
                (access.write_ ? writers : readers).set(at, judged.mark, access.line_);
            return judged.verdict != QuickMark::Verdict::unknown;
        }

        MarkTable::Block writers;
        MarkTable::Block readers;
    };
    /// Whether the granules of a block share their marks and go on doing so.
    bool together(MarkTable::Shared& shared, bool whole) noexcept {
        using Verdict = QuickMark::Verdict;
        const std::uint64_t writer = shared.mark[MarkTable::Shared::kWriters].load(kRelaxed);
        const std::uint64_t readers = shared.mark[MarkTable::Shared::kReaders].load(kRelaxed);
        if (MarkTable::isApart(writer) || MarkTable::isApart(readers)) return false;
        const QuickMark::Judged& judged = judge(writer, readers);
        if (judged.verdict != Verdict::settled && !(whole && judged.verdict == Verdict::free)) return false;
        if (judged.verdict == Verdict::free)
            shared.set(write_ ? MarkTable::Shared::kWriters : MarkTable::Shared::kReaders, judged.mark, line_);
        return true;
    }
    /// Neighbours nearly always have the same history, so what was said of one holds for the next.
    const QuickMark::Judged& judge(std::uint64_t writer, std::uint64_t readers) noexcept {
        if (((writer ^ writer_) | (readers ^ readers_)) != 0) {
            writer_ = writer;
            readers_ = readers;
            judged_ = mark_.judge(writer, readers, write_);
        }
        return judged_;
    }

    const QuickMark mark_;
    const isa::Line line_;
    const bool write_;
    Cells& cells_;
    // Of what was judged last. In the beginning, of marks that nobody leaves.
    std::uint64_t writer_ = ~std::uint64_t{0};
    std::uint64_t readers_ = ~std::uint64_t{0};
    QuickMark::Judged judged_{QuickMark::Verdict::unknown, 0};
};

}  // namespace zetl::emulator::check
