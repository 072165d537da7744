// Comparison of lanes into flag bits, and flag bits that become lanes.
#pragma once

#include "emulator/translate/held/part.h"
#include "emulator/translate/plan/flag_logic.h"
#include "emulator/translate/plan/group_flags.h"

namespace zetl::emulator::translate {

class Comparisons : Part {
  public:
    explicit Comparisons(HostCode& host) : Part(host) {}

    bool compare(const Step& m, const Meaning& what);
    /// Flags to the flag of a step that compares.
    void combine(const Step& m, const FlagLogic& logic);
    /// The thread goes elsewhere unless all lanes compare as its group's plan requires.
    bool guard(const Step& m, const Meaning& what, Guard wanted, const Label& refused);
    void compareVectors(KReg k, const Meaning& what, std::uint32_t condition, Vec x, Vec y);
    bool spread(const Step& m);
    void spreadTo(const Step& m);
};

}  // namespace zetl::emulator::translate
