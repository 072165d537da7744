// Lanes with near addresses: loads and permutations do the work of a gather, and an expansion and two masked stores
// that of a scatter.
#pragma once

#include <vector>

#include "emulator/translate/messages/access.h"

namespace zetl::emulator::translate {

class Near : Part {
  public:
    Near(HostCode& host, MessageAccess& access) : Part(host), access_(access) {}

    bool mayLoad(const Lanes16& l) const;
    bool mayLoadNarrow(const Lanes16& l) const;
    bool mayStore(const Lanes16& l) const;
    void load(const Lanes16& l, const std::vector<Zmm>& results, const Label& done);
    void loadNarrow(const Lanes16& l, const Zmm& result, const Label& done);
    void store(const Lanes16& l, const Zmm& data, const Label& done);

  private:
    void numberBytes();
    void number(const Lanes16& l, std::uint32_t elementBytes);
    void unlessBelow(const Lanes16& l, std::uint32_t bound, const Label& otherwise);
    void fetchAhead(const Lanes16& l, std::uint32_t lines);
    bool storesButterfly(const Lanes16& l) const;
    void storeButterfly(const Lanes16& l, const Zmm& data, const Label& done);
    void loadFromFour(const Lanes16& l, const std::vector<Zmm>& results, const Label& done);
    void gatherBits(const Zmm& single);

    MessageAccess& access_;
};

}  // namespace zetl::emulator::translate
