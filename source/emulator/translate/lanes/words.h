// Lines on words: 32 lanes in one register.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "emulator/translate/held/part.h"

namespace zetl::emulator::translate {

class Words : Part {
  public:
    explicit Words(HostCode& host) : Part(host) {}

    /// Emits the steps of such a line (Whole::words). Returns false, and emits nothing, if its registers are not whole.
    bool emit(std::span<const Step> steps, std::span<const Meaning> what);

  private:
    struct WordSource {
        std::uint64_t constants = 0;  ///< address of 32 constants of 32 bits; 0: it is no constant
        std::uint32_t place = 0;
        bool same = false;  ///< one word for all lanes
    };
    struct WordLine {
        std::array<WordSource, 2> source;
        const Step* compute = nullptr;
        const Step* end = nullptr;
        InstId logic = 0;
        bool picks = false;
        bool compares = false;  ///< with zero
        bool masked = false;
        std::uint16_t row = 0;  ///< row of the comparison
    };
    static std::optional<WordLine> lineOf(std::span<const Step> steps, std::span<const Meaning> what);
    static WordSource sourceOf(std::uint64_t where, std::span<const Step> loads, std::span<const Meaning> what);
    static bool isZero(const WordSource& source);
    Zmm wordsOf(const WordSource& source, const Zmm& spare);
    void compareWords(const WordLine& line, const Zmm& x, const Zmm& y);
    void storeWords(std::uint32_t place, const isa::LaneMask& mask);
};

}  // namespace zetl::emulator::translate
