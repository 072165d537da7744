// What the loop for threads with successive ids holds instead of vectors: lanes that are one number, and lanes that are
// a number and a dword each. Both become vectors in their places when something reads or changes these.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "emulator/translate/held/linear_lanes.h"
#include "emulator/translate/held/offset_lanes.h"
#include "emulator/translate/held/part.h"
#include "emulator/translate/messages/access.h"

namespace zetl::emulator::translate {

inline Extent elements(std::uint64_t place, std::uint32_t bytes, std::uint32_t stride, std::uint32_t count) {
    return {static_cast<std::uint32_t>(place), bytes, bytes * stride, count};
}
/// A constant that is the same for all lanes.
std::optional<Linear> constantAt(std::uint64_t where, std::uint32_t bytes, std::uint32_t count);

class HeldLanes : Part {
  public:
    HeldLanes(HostCode& host, MessageAccess& access, LinearLanes&& held)
        : Part(host), lanes(std::move(held)), access_(access) {}

    LinearLanes lanes;
    OffsetLanes offsets;
    std::vector<std::pair<std::uint32_t, std::int64_t>> ids;  ///< places of ids, and the step by which they should grow

    std::optional<Linear> operand(std::uint64_t place, std::uint32_t bytes, std::uint32_t count);
    bool hold(const Extent& e, const std::optional<Linear>& value, bool elsewhere = false);
    bool replace(const Extent& e);
    bool spill(const Extent& e);

  private:
    bool spillOne(const LinearLanes::Held& held);
    bool spillOffsets(const OffsetLanes::Held& held);

    MessageAccess& access_;
};

}  // namespace zetl::emulator::translate
