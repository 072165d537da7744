// Accesses of a launch to words that lie apart, in the order in which they came. Their marks are set when somebody
// else comes to one of the words, which nearly always nobody does: to load the marks of words all over an allocation
// takes longer than everything else.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/mutex.h"
#include "emulator/check/command_order.h"
#include "emulator/check/deferred_region.h"
#include "emulator/check/mark_table.h"
#include "emulator/check/message_log.h"
#include "emulator/check/zeroed_pages.h"

namespace zetl::emulator::check {

/// Of an allocation. One launch at a time defers marks in it. It and all others set marks of granules that were not
/// deferred, after expose().
///
/// Thread-safe. As with marks, accesses at the same moment may be missed; none is made up.
class DeferredMarks {
  public:
    /// Null if the host refuses. The tables have so many granules, and live as long.
    static std::unique_ptr<DeferredMarks> make(std::uint64_t granules, MarkTable& writers, MarkTable& readers) noexcept;

    /// Whose accesses they are.
    struct Command {
        std::uint64_t number = 0;
        const Clock* before = nullptr;  ///< null: it is behind all others

        bool isBehind(std::uint64_t other) const noexcept;
    };
    /// The place of a group, of which one thread runs at a time.
    using Place = std::uint32_t;

    /// A message, no atomic, of a group that has not been ordered by atomics. False: marks have to be looked at.
    bool add(const Command& command, Place place, const LoggedMessage& message,
             std::span<const std::uint32_t> granules) noexcept;
    /// The same for neighbours, if marks of those do not stay together either.
    bool addRun(const Command& command, Place place, const LoggedMessage& message, std::uint64_t first,
                std::uint64_t end) noexcept;
    /// Whether addRun() may say true.
    bool takesRuns(const Command& command) const noexcept {
        const std::uint64_t apart = apartIn_.load(std::memory_order_relaxed);
        return apart != 0 && apart != command.number;
    }
    /// The command has taken marks of neighbours apart. Those behind it will do the same.
    void cameApart(const Command& command) noexcept { apartIn_.store(command.number, std::memory_order_relaxed); }
    /// The command is going to look at marks of these granules and to set some.
    void expose(const Command& command, bool write, std::uint64_t first, std::uint64_t end) noexcept;
    void forget() noexcept;
    /// Launches have come back to their own words so often that marks are not deferred any more. Nor are any.
    bool hasEnded() const noexcept { return hasEnded_.load(std::memory_order_acquire); }

  private:
    static constexpr std::size_t kShards = 16;
    static constexpr std::uint32_t kMostReturns = 8;

    struct Shard {
        Mutex mutex;
        MessageLog log ZETL_GUARDED_BY(mutex);
    };
    struct Owner {
        std::uint64_t number = 0;
        bool isAlone = true;  ///< it is behind all others, and they are behind it
        Clock before;
    };
    using Region = std::atomic<std::uint64_t>;  // a DeferredRegion

    DeferredMarks(std::uint64_t granules, MarkTable& writers, MarkTable& readers);
    template <class Enter>
    bool add(const Command& command, Place place, const LoggedMessage& message, std::span<const std::uint32_t> granules,
             Enter&& enter) noexcept;
    enum class Entered : std::uint8_t {
        yes,
        taken,  ///< others have set marks nearby, or may have
        met,    ///< the launch itself has come to one of the granules, and one of the two writes
        full,   ///< it has accessed more than it has granules: it comes to them again and again, as the next one will
    };
    /// A message that writes, or not, comes to that granule. The region's word is then what it gives, if that is a yes.
    Entered enter(const Command& command, bool write, std::uint32_t granule, std::uint64_t& word) noexcept;
    Entered enterAll(const Command& command, bool write, std::span<const std::uint32_t> granules) noexcept;
    Entered write(std::span<const std::uint32_t> granules) noexcept;
    Entered enterRun(const Command& command, bool write, std::uint64_t first, std::uint64_t end) noexcept;
    bool hasRoom(MessageLog& log, std::size_t granules) noexcept;
    bool open(const Command& command) noexcept;
    void settle(const Command& by, bool isFull) noexcept;
    void settleAll() noexcept ZETL_REQUIRES(mutex_);
    void returned(std::uint32_t times) noexcept ZETL_REQUIRES(mutex_);
    void drop() noexcept ZETL_REQUIRES(mutex_);
    void nextTurn() noexcept ZETL_REQUIRES(mutex_);
    void setMark(const LoggedMessage& message, std::uint32_t granule) noexcept;
    void note(Region& region, const Command& command) noexcept;
    /// The command has entered every region, reading or writing, and no marks were set since. Which regions it enters
    /// again needs not be looked at.
    bool hasEnteredAll(bool write) const noexcept {
        return (write ? regionsWritten_ : regionsRead_).load(kRelaxed) == mostRegions_ && !isNoted_.load(kRelaxed);
    }
    bool holdsSome(const Command& command, bool write, std::uint64_t first, std::uint64_t end) const noexcept;
    Region& regionOf(std::uint64_t granule) const noexcept { return regions_[granule >> DeferredRegion::kBits]; }
    std::uint8_t turn() const noexcept { return turn_.load(std::memory_order_relaxed); }

    MarkTable& writers_;
    MarkTable& readers_;
    ZeroedPages<std::atomic<std::uint8_t>> written_;  // by granule: the turn in which a deferred mark is a writer's
    ZeroedPages<Region> regions_;
    const std::uint64_t mostRegions_;            // that have a whole granule
    std::atomic<std::uint64_t> regionsRead_{0};  // of those, in this turn
    std::atomic<std::uint64_t> regionsWritten_{0};
    std::atomic<bool> isNoted_{false};  // since the turn began, marks were set
    const std::size_t mostChunks_;
    std::atomic<std::size_t> chunks_{0};
    std::atomic<std::uint64_t> open_{0};  // the command whose marks are deferred
    std::atomic<std::uint8_t> turn_{0};   // another one for each launch that defers marks
    std::atomic<std::uint64_t> apartIn_{0};
    std::atomic<bool> hasEnded_{false};
    std::array<Shard, kShards> shards_;
    Mutex mutex_;
    Owner owner_ ZETL_GUARDED_BY(mutex_);
    std::uint32_t returns_ ZETL_GUARDED_BY(mutex_) = 0;  // of launches to their own words
};

}  // namespace zetl::emulator::check
