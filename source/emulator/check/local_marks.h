// What is known of a group's local memory beside its bytes: for each granule, who wrote and who read it last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "emulator/check/lane_words.h"
#include "emulator/check/mark.h"
#include "emulator/isa/local_reads.h"
#include "emulator/isa/program.h"

namespace zetl::emulator::check {

/// Used by the worker that has the group's turn. Of marks in a Mark's form, `launch` and `group` are those of the
/// group.
class LocalMarks {
  public:
    /// Null if the host refuses.
    static std::unique_ptr<LocalMarks> make(std::uint64_t bytes) noexcept;

    std::uint64_t count() const noexcept { return writers_.size(); }
    /// Another group begins, and nothing of the one before it matters any more.
    void begin() noexcept;
    /// An access to one of these granules is never clear, and leaves no mark, until another group begins.
    void bar(std::uint64_t first, std::uint64_t end);

    Mark writer(std::uint64_t granule, const Mark& now) const noexcept { return unpacked(writers_[granule], now); }
    Mark readers(std::uint64_t granule, const Mark& now) const noexcept { return unpacked(readers_[granule], now); }
    isa::Line writeLine(std::uint64_t granule) const noexcept { return writeLines_[granule]; }
    isa::Line readLine(std::uint64_t granule) const noexcept { return readLines_[granule]; }
    void setWriter(std::uint64_t granule, const Mark& mark) noexcept {
        writers_[granule] = packed(mark);
        readByMany_[granule / kBlock] = 0;
    }
    void setReaders(std::uint64_t granule, const Mark& mark) noexcept {
        readers_[granule] = packed(mark);
        readByMany_[granule / kBlock] = 0;
    }
    void setWriteLine(std::uint64_t granule, isa::Line line) noexcept { writeLines_[granule] = line; }
    void setReadLine(std::uint64_t granule, isa::Line line) noexcept { readLines_[granule] = line; }

    /// An access of a thread to whole granules, which is no atomic.
    struct Whole {
        std::int32_t own;      ///< its mark
        std::int32_t newer;    ///< marks below are of an earlier epoch
        std::int32_t visible;  ///< writers below are of an earlier epoch, and all threads see what they wrote
        isa::Line line;
        bool write;
    };
    /// `visible`: the first epoch of which some thread may not see what others wrote. `apart`: each thread counts
    /// epochs of its own, so none is clear.
    Whole whole(const Mark& mark, std::uint32_t visible, isa::Line line, bool write,
                bool apart = false) const noexcept {
        return whole({mark.thread, mark.epoch, mark.atomic}, visible, line, write, apart);
    }
    /// The same of a mark that is known by these.
    struct Own {
        std::uint32_t thread;
        std::uint32_t epoch;  ///< no more than Mark::kEpochMask
        bool atomic;
    };
    Whole whole(const Own& own, std::uint32_t visible, isa::Line line, bool write, bool apart) const noexcept {
        const std::int32_t group = generation_ << kGenerationAt;
        const auto epoch = static_cast<std::int32_t>(own.epoch << kEpochAt);
        const std::int32_t mark = group | epoch | kWholeGranule << kBytesAt |
                                  (static_cast<std::int32_t>(own.thread) << kThreadAt & kThread) |
                                  static_cast<std::int32_t>(own.atomic) << 2 | static_cast<std::int32_t>(Whose::thread);
        if (apart || own.epoch == Mark::kEpochMask) return {mark, 0, 0, line, write};  // too many to tell them apart
        const auto seen = static_cast<std::int32_t>(std::min(visible, own.epoch) << kEpochAt);
        return {mark, group | epoch, group | seen, line, write};
    }
    /// By which host code settles reads in an epoch as one() does; clear if epochs are not told apart.
    isa::LocalReads reads(std::uint32_t epoch, std::uint32_t visible) noexcept;
    /// Those of a thread's marks that tell it from others.
    static std::int32_t bitsOf(std::uint32_t thread) noexcept {
        return static_cast<std::int32_t>(thread) << kThreadAt & kThread;
    }
    /// Settles one granule if it is clear that nothing is wrong. False: somebody has to look at it.
    bool one(const Whole& access, std::uint64_t at) noexcept {
        return access.write ? write(access, at) : read(access, at);
    }
    /// Settles those of which it is clear that nothing is wrong, and calls look(granule) for the others, until one says
    /// false.
    template <class Look>
    bool all(const Whole& access, std::uint64_t first, std::uint64_t end, Look&& look) noexcept {
        if (first >= end) return true;
        if (!access.write && areReadByMany(access, first, end)) return true;
        if (end - first >= kAtOnce && (access.write ? writeAtOnce(access, first, end) : readAtOnce(access, first, end)))
            return true;
        for (std::uint64_t at = first; at < end; ++at)
            if (!one(access, at) && !look(at)) return false;
        return true;
    }

    /// The same of words that lie apart. False if somebody has to look at one of them.
    bool all(const Whole& access, const LaneWords& words) noexcept {
        return access.write ? all<true>(access, words) : all<false>(access, words);
    }

  private:
    // [30:27] generation, [26:13] epoch, [12:9] bytes, [8:3] thread, [2] atomic, [1:0] whose. Newer ones are greater.
    static constexpr unsigned kThreadAt = 3;
    static constexpr unsigned kBytesAt = kThreadAt + kThreadBits;
    static constexpr unsigned kEpochAt = kBytesAt + kGranule;
    static constexpr unsigned kGenerationAt = kEpochAt + Mark::kEpochBits;
    static constexpr std::int32_t kGenerations = 1 << (31 - kGenerationAt);
    static constexpr std::int32_t kBarred = std::numeric_limits<std::int32_t>::max();
    static constexpr std::int32_t kLastGeneration = kGenerations - 2;  // the last one is that of barred granules
    static constexpr std::int32_t kWhose = 3;
    static constexpr std::int32_t kThread = ((1 << kThreadBits) - 1) << kThreadAt;
    static constexpr std::int32_t kOfGroup = (kGenerations - 1) << kGenerationAt;
    static constexpr std::int32_t kSeveral = static_cast<std::int32_t>(Whose::severalThreads);
    static constexpr std::uint64_t kAtOnce = 8;  // granules from which on it pays to look at all of them first
    static constexpr std::uint64_t kBlock = 16;  // granules

    explicit LocalMarks(std::uint64_t count);
    std::int32_t packed(const Mark& mark) const noexcept;
    Mark unpacked(std::int32_t word, const Mark& now) const noexcept;

    static bool isOwn(std::int32_t word, std::int32_t own) noexcept {
        return ((word ^ own) & (kWhose | kThread | kOfGroup)) == 0;
    }
    static bool isReadByMany(std::int32_t word, std::int32_t own) noexcept {
        return ((word ^ own) & ~(kWhose | kThread)) == 0 && (word & kWhose) == kSeveral;
    }
    static std::int32_t asSeveral(std::int32_t own) noexcept { return (own & ~kWhose) | kSeveral; }
    /// The mark of several readers, whichever they are.
    static std::int32_t asMany(std::int32_t own) noexcept { return asSeveral(own) & ~kThread; }
    /// Most often all are clear, which is found out without a branch for each.
    template <bool Write>
    bool all(const Whole& access, const LaneWords& words) noexcept {
        const std::int32_t* const writers = writers_.data();
        const std::int32_t* const readers = readers_.data();
        std::int32_t unclear = 0;  // negative if one of them is: marks are never
        words.each([&](std::uint32_t at) {
            const std::int32_t isNewer = access.newer - 1 - readers[at];
            unclear |= access.visible - 1 - writers[at];
            unclear |= Write ? isNewer & -static_cast<std::int32_t>(!isOwn(readers[at], access.own)) : isNewer;
        });
        auto* const marks = Write ? writers_.data() : readers_.data();
        auto* const lines = Write ? writeLines_.data() : readLines_.data();
        bool isClear = true;
        if (unclear >= 0)
            words.each([&](std::uint32_t at) {
                marks[at] = access.own;
                lines[at] = access.line;
            });
        else
            words.each([&](std::uint32_t at) { isClear = isClear && one(access, at); });
        return isClear;
    }
    bool write(const Whole& access, std::uint64_t at) noexcept {
        if (writers_[at] >= access.visible && !isOwn(writers_[at], access.own)) return false;
        if (readers_[at] >= access.newer && !isOwn(readers_[at], access.own)) return false;
        if (writers_[at] == access.own) return true;
        writers_[at] = access.own;
        writeLines_[at] = access.line;
        return true;
    }
    bool read(const Whole& access, std::uint64_t at) noexcept {
        if (writers_[at] >= access.visible && !isOwn(writers_[at], access.own)) return false;
        const std::int32_t readers = readers_[at];
        if (readers == access.own || isReadByMany(readers, access.own)) return true;
        const bool isSecond = ((readers ^ access.own) & ~kThread) == 0;
        if (readers >= access.newer && !isSecond) return false;
        readers_[at] = isSecond ? asSeveral(access.own) : access.own;
        readLines_[at] = access.line;
        return true;
    }
    bool writeAtOnce(const Whole& access, std::uint64_t first, std::uint64_t end) noexcept;
    bool readAtOnce(const Whole& access, std::uint64_t first, std::uint64_t end) noexcept;
    /// Whether that is known of all blocks of these granules, and so nothing has to be looked at.
    bool areReadByMany(const Whole& access, std::uint64_t first, std::uint64_t end) const noexcept {
        if (access.visible == 0) return false;  // epochs are not told apart
        const std::int32_t many = asMany(access.own);
        for (std::uint64_t block = first / kBlock; block <= (end - 1) / kBlock; ++block)
            if (readByMany_[block] != many) return false;
        return true;
    }

    std::int32_t generation_ = 1;
    std::vector<std::uint64_t> barred_;
    std::vector<std::int32_t> writers_;
    std::vector<std::int32_t> readers_;
    std::vector<isa::Line> writeLines_;
    std::vector<isa::Line> readLines_;
    /// Of blocks, the mark that all their readers have, if it is that of several and all threads see what was written
    /// there; otherwise 0, or a mark of an earlier epoch. Within the epoch, no write to such a block is clear.
    std::vector<std::int32_t> readByMany_;
};

}  // namespace zetl::emulator::check
