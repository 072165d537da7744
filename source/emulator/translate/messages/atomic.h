// Additions by lanes to global memory, as locked instructions of the host, in the order of the lanes.
#pragma once

#include "emulator/translate/messages/access.h"

namespace zetl::emulator::translate {

class Atomics : Part {
  public:
    Atomics(HostCode& host, MessageAccess& access) : Part(host), access_(access) {}

    bool access(const Step& m, const Meaning& what);

  private:
    void findCells(const Lanes16& l);
    void addByLanes(const isa::AtomicAccess& access, std::uint32_t bytes);
    void addLater(const isa::AtomicAccess& access, const Label& done);
    void addPending(const isa::AtomicAccess& access, const Label& done);
    bool isRepeated(const Step& m) const;
    void addTogether(const Step& m, std::uint32_t bytes, const Label& otherwise, const Label& done);
    void takeResults(const Step& m, std::uint32_t bytes);

    MessageAccess& access_;
};

}  // namespace zetl::emulator::translate
