// Steps of one instruction that together cost less than one after the other.
#pragma once

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
    bool loadNegative(Steps steps);
    bool compareWithNegative(Steps steps, Meanings what);
    bool spreadDwords(Steps steps, Meanings what);
    void storeSpread(const Step& m, const Meaning& what, const KReg& bits);
    bool compareToDwords(Steps steps, Meanings what);
    bool moveBytes(Steps steps, Meanings what);
    bool multiplyByWords(Steps steps, Meanings what);
    bool pickWords(Steps steps, Meanings what);

    Comparisons& comparisons_;
    Arithmetic& arithmetic_;
    Conversions& conversions_;
    Stores& stores_;
    Words words_;
};

}  // namespace zetl::emulator::translate
