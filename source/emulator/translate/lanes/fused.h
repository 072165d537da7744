// Steps that together cost less than one after the other.
#pragma once

#include <array>
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

    std::uint32_t emit(std::span<const Step> steps);

  private:
    using MeaningList = std::array<const Meaning*, 4>;
    bool convertToHome(std::span<const Step> steps, const MeaningList& what);
    bool loadNegative(std::span<const Step> steps, const MeaningList& what);
    bool compareWithNegative(std::span<const Step> steps, const MeaningList& what);
    static bool storesSpread(const Step& spread, const Meaning& what, const Step& m, const Meaning& stores);
    bool spreadDwords(std::span<const Step> steps, const MeaningList& what);
    void storeSpread(const Step& m, const Meaning& what, const KReg& bits);
    bool compareToDwords(std::span<const Step> steps, const MeaningList& what);
    bool moveBytes(std::span<const Step> steps, const MeaningList& what);
    bool multiplyByWords(std::span<const Step> steps, const MeaningList& what);
    bool pickWords(std::span<const Step> steps, const MeaningList& what);

    Comparisons& comparisons_;
    Arithmetic& arithmetic_;
    Conversions& conversions_;
    Stores& stores_;
    Words words_;
};

}  // namespace zetl::emulator::translate
