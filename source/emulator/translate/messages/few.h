// Lanes that lie apart, one by one: if few of them are on, since a gather or scatter takes the host as long for one
// lane as for all; and stores of bytes and words, which the host does not scatter.
#pragma once

#include <vector>

#include "emulator/translate/messages/access.h"

namespace zetl::emulator::translate {

class Few : Part {
  public:
    explicit Few(HostCode& host) : Part(host) {}

    bool mayLoad(const Lanes16& l) const;
    bool mayStore(const Lanes16& l) const;
    /// Call it before ways part: the working space is used.
    void takePlaces();
    /// From rcx on, at the offsets in zmm1 and zmm2.
    void load(const Lanes16& l, const std::vector<Zmm>& results, const Label& done);
    void store(const Lanes16& l, const std::vector<Zmm>& data, const Label& done);
    /// Regardless of how many lanes are on.
    static bool storesEach(const Lanes16& l) { return l.bytes < 4; }
    void storeEach(const Lanes16& l, const std::vector<Zmm>& data, const Label& done);

  private:
    void unlessFew(const Label& otherwise);
    void setOffsets(const Lanes16& l);
    void toLane(const Lanes16& l);
    void nextLane(const Label& next, const Label& done);
    void loadLane(const Lanes16& l, const std::vector<Zmm>& results);
    void storeLane(const Lanes16& l);
};

}  // namespace zetl::emulator::translate
