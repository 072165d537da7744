// Host code that reports lines to observers, like watched steps (isa/observe.h).
#pragma once

#include <span>

#include "emulator/isa/observe.h"
#include "emulator/translate/held/part.h"
#include "emulator/translate/messages/settled_reads.h"

namespace zetl::emulator::translate {

class Reporting : Part {
  public:
    Reporting(HostCode& host, std::span<const isa::Reported> reported)
        : Part(host), reported_(reported), settledReads_(host) {}

    bool empty() const noexcept { return reported_.empty(); }
    void tellOf(Line line);

  private:
    void tell(const isa::Reported& reported, Line line);
    void tellUnlessIdle(const isa::Reported& reported, Line line);
    void tellUnlessSettled(const isa::Reported& reported, const SettledReads::Read& read);
    void tellIfUsed(const isa::Followed& used, const Label& told);
    void call(isa::LineObserver& observer, Line line);

    const std::span<const isa::Reported> reported_;
    SettledReads settledReads_;
};

}  // namespace zetl::emulator::translate
