// Host code that reports lines to observers, like watched steps (isa/observe.h).
#pragma once

#include <span>

#include "emulator/isa/observe.h"
#include "emulator/translate/held/part.h"

namespace zetl::emulator::translate {

class Reporting : Part {
  public:
    Reporting(HostCode& host, std::span<const isa::Reported> reported) : Part(host), reported_(reported) {}

    bool empty() const noexcept { return reported_.empty(); }
    void tellOf(Line line);

  private:
    void tell(const isa::Reported& reported, Line line);
    void tellUnlessIdle(const isa::Reported& reported, Line line);
    void tellIfUsed(const isa::Followed& used, const Label& told);
    void call(isa::LineObserver& observer, Line line);

    const std::span<const isa::Reported> reported_;
};

}  // namespace zetl::emulator::translate
