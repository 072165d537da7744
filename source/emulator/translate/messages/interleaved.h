// Lanes of two to four dwords or qwords each, one lane behind the other: what an array of structures is.
#pragma once

#include <vector>

#include "emulator/translate/messages/access.h"

namespace zetl::emulator::translate {

class Interleaved : Part {
  public:
    Interleaved(HostCode& host, MessageAccess& access) : Part(host), access_(access) {}

    static bool isInterleaved(const Lanes16& l);
    void load(const Lanes16& l, const std::vector<Zmm>& results);
    void store(const Lanes16& l, const std::vector<Zmm>& data);

  private:
    void pickDwords(const Zmm& to, const std::vector<asmjit::Operand>& vectors, const Numbers& from);

    MessageAccess& access_;
};

}  // namespace zetl::emulator::translate
