// Dwords by lanes with near addresses: two loads and a permutation do the work of a gather, and an expansion and two
// masked stores that of a scatter.
#pragma once

#include <vector>

#include "emulator/translate/messages/access.h"

namespace zetl::emulator::translate {

class Near : Part {
  public:
    Near(HostCode& host, MessageAccess& access) : Part(host), access_(access) {}

    bool mayLoad(const Lanes16& l) const;
    bool mayStore(const Lanes16& l) const;
    void load(const Lanes16& l, const std::vector<Zmm>& results, const Label& done);
    void store(const Lanes16& l, const Zmm& data, const Label& done);

  private:
    void number(const Lanes16& l);
    void gatherBits(const Zmm& single);

    MessageAccess& access_;
};

}  // namespace zetl::emulator::translate
