// Raw bytes of regions that are no plain lanes: elements anywhere in a register, registers that a0 names, latches.
#pragma once

#include "emulator/translate/held/part.h"

namespace zetl::emulator::translate {

class Regions : Part {
  public:
    explicit Regions(HostCode& host) : Part(host) {}

    bool gather(const Step& m);
    bool scatter(const Step& m);
    bool latch(const Step& m);

  private:
    void placeTo(const Step& m, std::uint32_t offset);
    void placesTo(const Step& m, std::uint32_t first);
    void storeElements(const Step& m);
    void moveElement(const Mem& from, const Mem& to);
    void gatherRun(const Step& m, std::uint32_t bytes);
    void gatherVector(const Step& m, std::uint32_t first);
    void scatterRun(const Step& m, std::uint32_t lanes);
    void scatterVector(const Step& m, std::uint32_t first);
};

}  // namespace zetl::emulator::translate
