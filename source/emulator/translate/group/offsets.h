// Steps on lanes that are a number and a dword each: addresses of elements.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "emulator/translate/group/held_lanes.h"
#include "emulator/translate/group/messages.h"
#include "emulator/translate/group/planned_step.h"

namespace zetl::emulator::translate {

class OffsetSteps : Part {
  public:
    OffsetSteps(HostCode& host, HeldLanes& held, MessageAccess& access, GroupMessages& messages, const Label& otherwise)
        : Part(host), held_(held), access_(access), messages_(messages), otherwise_(otherwise) {}

    bool emit(const PlannedStep& step);

  private:
    std::optional<Offset> offsetsOf(const Step& m, const Meaning& what);
    std::optional<Offset> offsetsOfSum(const Step& m, const Meaning& what);
    bool access(const PlannedStep& step);
    /// The vectors of dwords and of data in an access.
    struct OffsetVectors {
        std::array<Zmm, 2> dwords;
        std::uint32_t chunks;  ///< number of vectors of dwords
        std::vector<Zmm> data;
        std::uint32_t shift;
    };
    void unlessRunning(const OffsetVectors& v, const Label& otherwise);
    void move(const Step& m, const Meaning& what, const OffsetVectors& v, const Label& refused);

    HeldLanes& held_;
    MessageAccess& access_;
    GroupMessages& messages_;
    const Label otherwise_;
};

}  // namespace zetl::emulator::translate
