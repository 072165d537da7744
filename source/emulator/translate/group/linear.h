// Steps on lanes that are one number: work-items' ids that run on, and what is computed from them up to an address.
#pragma once

#include <optional>

#include "emulator/translate/group/foresight.h"
#include "emulator/translate/group/held_lanes.h"
#include "emulator/translate/group/messages.h"
#include "emulator/translate/group/planned_step.h"
#include "emulator/translate/lanes/convert.h"

namespace zetl::emulator::translate {

class LinearSteps : Part {
  public:
    /// Threads whose ids do not run on go on at `otherwise`. With a foresight, accesses are noted there, and not made
    /// unless that loads.
    LinearSteps(HostCode& host, HeldLanes& held, Conversions& conversions, MessageAccess& access,
                GroupMessages& messages, const Label& otherwise, Foresight* foresight)
        : Part(host),
          held_(held),
          conversions_(conversions),
          access_(access),
          messages_(messages),
          otherwise_(otherwise),
          foresight_(foresight) {}

    /// Emits the step if it works on such lanes. `read`: registers that lines behind it read.
    bool emit(const PlannedStep& step, const isa::StateSlots& read);
    /// Whether an access has successive addresses.
    bool runs() const noexcept { return runs_; }

  private:
    bool convert(const Step& m, const Meaning& what);
    bool compute(const Step& m, const Meaning& what);
    static std::optional<Linear> result(LinearLanes& lanes, std::uint16_t row, std::uint32_t bytes, const Linear& x,
                                        const Linear& y, const Linear& z);
    bool retire(const Step& m, const Meaning& what);
    bool block(const Step& m, const isa::StateSlots& read);
    bool globalBlock(const Step& m);
    bool move(std::uint64_t from, const Step& m, const Meaning& what);
    bool guard(const PlannedStep& step);
    bool select(const Step& m, const Meaning& what);
    /// A relation that holds between two values in all of so many lanes.
    struct Order {
        asmjit::x86::CondCode wanted;
        std::uint32_t bytes;
        std::uint32_t count;
    };
    bool unlessOrdered(Linear x, Linear y, Order order);
    bool access(const PlannedStep& step);
    void takeIds(const Extent& e);

    HeldLanes& held_;
    Conversions& conversions_;
    MessageAccess& access_;
    GroupMessages& messages_;
    const Label otherwise_;
    Foresight* const foresight_;
    bool firstIds_ = true;  ///< the next work-item ids that are loaded are the first
    bool runs_ = false;
};

}  // namespace zetl::emulator::translate
