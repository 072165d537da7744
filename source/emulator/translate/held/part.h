// What each part of the translator has at hand.
#pragma once

#include "emulator/translate/held/host_code.h"

namespace zetl::emulator::translate {

class Part {
  protected:
    explicit Part(HostCode& host)
        : host_(host),
          code_(host.code),
          a_(host.assembler),
          cache_(host.cache),
          numbers_(host.numbers),
          mirrors_(host.mirrors),
          masks_(host.masks),
          values_(host.values) {}
    ~Part() = default;
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    HostCode& host_;
    const isa::Program::Code& code_;
    HostAssembler& a_;
    RegisterCache& cache_;
    NumberPool& numbers_;
    Mirrors& mirrors_;
    Masks& masks_;
    Values& values_;
};

}  // namespace zetl::emulator::translate
