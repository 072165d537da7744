// Vectors of numbers that host code reads, behind all code.
#pragma once

#include <map>

#include "emulator/translate/held/host_types.h"

namespace zetl::emulator::translate {

class NumberPool {
  public:
    explicit NumberPool(HostAssembler& to) : a_(to) {}

    /// Sixteen numbers.
    Mem of(const Numbers& list);
    /// Call it behind all code.
    void embed();

  private:
    HostAssembler& a_;
    std::map<Numbers, Label> labels_;
};

}  // namespace zetl::emulator::translate
