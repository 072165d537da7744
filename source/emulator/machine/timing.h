// Times and sizes of the timing model: one set a kind of core, data files in profiles/timing/.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace zetl::emulator::machine {

/// Cycles of the core clock and bytes. What each is, and where it was published, is said in the data file.
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

    std::uint32_t l1BytesPerCycle = 0;  ///< of one sub-slice
    std::uint32_t l3BytesPerCycle = 0;  ///< from and to one sub-slice

    std::uint32_t lineBytes = 0;
    std::uint32_t l1Bytes = 0;
    std::uint32_t l1Ways = 0;
    std::uint32_t l3Ways = 0;
    std::uint32_t slmBanks = 0;
};

/// What is wrong with a timing file: key and remedy.
struct TimingError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Of an embedded file. Throws TimingError: there is none, or its text is no timing model.
TimingModel loadTiming(std::string_view name);
/// Of a file's text.
TimingModel parseTiming(std::string_view text);

}  // namespace zetl::emulator::machine
