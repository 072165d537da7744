// Steps of one instruction that together cost less than one after the other.
#pragma once

#include <optional>
#include <span>

#include "emulator/translate/held/part.h"
#include "emulator/translate/lanes/compute.h"
#include "emulator/translate/lanes/convert.h"
#include "emulator/translate/lanes/flags.h"
#include "emulator/translate/lanes/retire.h"
#include "emulator/translate/lanes/words.h"

namespace zetl::emulator::translate {

class Fused : Part {
  public:
    Fused(HostCode& host, Comparisons& comparisons, Arithmetic& arithmetic, Conversions& conversions, Stores& stores)
        : Part(host),
          comparisons_(comparisons),
          arithmetic_(arithmetic),
          conversions_(conversions),
          stores_(stores),
          words_(host) {}

    std::uint32_t emit(std::span<const Step> rest);

  private:
    using Steps = std::span<const Step>;
    using Meanings = std::span<const Meaning>;
    bool emitWhole(Steps steps, Meanings what);
    bool convertToHome(Steps steps, Meanings what);
    bool loadNegative(Steps steps, Meanings what);
    bool compareWithNegative(Steps steps, Meanings what);
    bool spreadFlags(Steps steps, Meanings what);
    void storeSpread(const Step& m, const Meaning& what, const KReg& bits);
    void storeSpreadWords(const Step& m, const Meaning& what, const KReg& bits);
    bool compareToLanes(Steps steps, Meanings what);
    bool moveNarrow(Steps steps, Meanings what);
    void spreadToWords(const Meaning& what, std::uint32_t place, const Zmm& slot);
    void packToBytes(const Meaning& what, std::uint32_t place, const Zmm& slot);
    asmjit::x86::Ymm halfOf(std::uint32_t place, const Zmm& slot);
    bool moveBytes(Steps steps, Meanings what);
    bool multiplyByWords(Steps steps, Meanings what);
    /// A factor's dwords, in lanes of 64 bits.
    struct Factor {
        asmjit::Operand everySecond;
        asmjit::Operand between;
    };
    std::optional<Factor> secondFactor(const Step& m, const Meaning& what, isa::DataType type);
    bool multiplyDwords(Steps steps, Meanings what);
    bool pickWords(Steps steps, Meanings what);

    Comparisons& comparisons_;
    Arithmetic& arithmetic_;
    Conversions& conversions_;
    Stores& stores_;
    Words words_;
};

}  // namespace zetl::emulator::translate
