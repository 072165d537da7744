// Reads of local memory that host code settles by itself instead of reporting them (Reported::localReads).
#pragma once

#include <cstdint>

namespace zetl::emulator::isa {

/// What an observer keeps of the dwords of a work-group's local memory: for each a mark of who wrote it last, a mark of
/// who read it last, and the line that read it. Marks are positive, newer ones are greater, and some of their bits say
/// which thread it was.
///
/// Host code settles a read if all marks of writers are below `visible`, and each mark of readers is one of these:
///   - below `newer`: the thread's own mark, `one` with its bits, and the line take its place;
///   - that mark;
///   - in the bits that `kept` has, `many`;
///   - in the same bits, `one`: that of another thread, so `two` with its bits and the line take its place.
///
/// The observer changes it while threads of the group do not run.
struct LocalReads {
    std::uint32_t dwords = 0;  ///< that have marks, from the beginning of local memory; none: every read is reported
    const std::int32_t* writers = nullptr;
    std::int32_t* readers = nullptr;
    std::uint32_t* lines = nullptr;
    std::int32_t visible = 0;
    std::int32_t newer = 0;
    std::int32_t one = 0;
    std::int32_t two = 0;
    std::int32_t many = 0;
    std::int32_t kept = 0;
};

/// A thread's part. Its observer sets it while it looks at a line. It is clear when a thread begins.
struct LocalReader {
    static constexpr std::uint32_t kMost = 1 << 12;

    const LocalReads* of = nullptr;  ///< of its group; null: every read is reported
    std::int32_t bits = 0;           ///< of its marks
    std::uint32_t left = kMost;      ///< reads that may be settled until one is reported in any case

    /// How many were settled since the last call.
    std::uint32_t takeSettled() noexcept {
        const std::uint32_t settled = kMost - left;
        left = kMost;
        return settled;
    }
};

}  // namespace zetl::emulator::isa
