// Times and sizes of the timing model: one set per kind of core, as data files in profiles/timing/.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace zetl::emulator::machine {

/// Cycles of the core clock, and bytes. The data file explains each value, and where it was published.
struct TimingModel {
    std::uint32_t arithmetic = 0;
    std::uint32_t accumulator = 0;
    std::uint32_t registerFile = 0;
    std::uint32_t extendedMath = 0;
    std::uint32_t systolic = 0;
    std::uint32_t branch = 0;
    std::uint32_t barrier = 0;

    std::uint32_t sourceRead = 0;
    std::uint32_t slm = 0;
    std::uint32_t slmWide = 0;
    std::uint32_t l1Hit = 0;
    std::uint32_t l3Hit = 0;
    std::uint32_t memory = 0;
    std::uint32_t fence = 0;
    std::uint32_t otherMessage = 0;
    std::uint32_t queue = 0;

    std::uint32_t l1BytesPerCycle = 0;  ///< per sub-slice
    std::uint32_t l3BytesPerCycle = 0;  ///< from and to one sub-slice
    std::uint32_t memoryPercent = 0;    ///< of the bandwidth of memory that programs get

    std::uint32_t lineBytes = 0;
    std::uint32_t l1Bytes = 0;
    std::uint32_t l1Ways = 0;
    std::uint32_t l3Ways = 0;
    std::uint32_t slmBanks = 0;

    /// How the model simulates, which is in no data file: cycles for which a sub-slice runs before others follow.
    /// Accesses to the second-level cache are out of order by as much.
    std::uint32_t window = 4096;
};

/// An error in a timing file: key and remedy.
struct TimingError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Reads an embedded file. Throws TimingError if there is none, or if its text is no timing model.
TimingModel loadTiming(std::string_view name);
/// Reads the text of a file.
TimingModel parseTiming(std::string_view text);

}  // namespace zetl::emulator::machine
