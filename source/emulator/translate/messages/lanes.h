// Loads and stores by lanes, sixteen lanes at a time.
#pragma once

#include <span>
#include <vector>

#include "emulator/translate/messages/access.h"
#include "emulator/translate/messages/few.h"
#include "emulator/translate/messages/interleaved.h"
#include "emulator/translate/messages/near.h"
#include "emulator/translate/messages/together.h"

namespace zetl::emulator::translate {

class LaneMessages : Part {
  public:
    LaneMessages(HostCode& host, MessageAccess& access)
        : Part(host),
          access_(access),
          together_(host, access),
          interleaved_(host, access),
          near_(host, access),
          few_(host) {}

    bool access(const Step& m, const Meaning& what);
    bool accessMoved(std::span<const Step> rest);
    /// Moves lanes with successive addresses, from the host address in rcx on.
    void moveRun(const Lanes16& l, const std::vector<Zmm>& data, bool write);

  private:
    /// The step that moves a message's addresses, if there is one, and how far.
    struct Moved {
        const Step* by = nullptr;
        std::int32_t displacement = 0;
    };
    bool accessFrom(const Step& m, const Meaning& what, const Moved& moved);
    void loadChunk(const Lanes16& l);
    void loadIfRunning(const Lanes16& l, const std::vector<Zmm>& results, const Label& done);
    void loadIfSame(const Lanes16& l, const std::vector<Zmm>& results, const Label& done);
    void loadRun(const Lanes16& l, const std::vector<Zmm>& results);
    void loadSame(const Lanes16& l, const std::vector<Zmm>& results);
    void gatherNarrow(const Lanes16& l, const Zmm& result);
    void gather(const Lanes16& l, const std::vector<Zmm>& results);
    void storeChunk(const Lanes16& l);
    bool mayStoreRuns(const Lanes16& l) const;
    void storeIfRunning(const Lanes16& l, const std::vector<Zmm>& data, const Label& done);
    void storeRun(const Lanes16& l, const std::vector<Zmm>& data);
    void scatter(const Lanes16& l, const std::vector<Zmm>& data);

    MessageAccess& access_;
    Together together_;
    Interleaved interleaved_;
    Near near_;
    Few few_;
};

}  // namespace zetl::emulator::translate
