// Integer additions that are collected (isa/pending_additions.h): code that may observe them does them first.
#pragma once

#include "emulator/translate/held/host_types.h"

namespace zetl::emulator::translate {

class Additions {
  public:
    explicit Additions(HostAssembler& to) : a_(to) {}

    /// From now on, additions may be pending somewhere.
    void expect() { mayPend_ = true; }
    void unlessPending(const Label& otherwise);
    void flush();

  private:
    HostAssembler& a_;
    bool mayPend_ = false;
};

}  // namespace zetl::emulator::translate
