#include "emulator/machine/stalls.h"

namespace zetl::emulator::machine {

const char* nameOf(StallReason reason) noexcept {
    constexpr const char* kNames[kStallReasons] = {"Active",    "ControlStall",    "PipeStall",
                                                   "SendStall", "DistStall",       "SbidStall",
                                                   "SyncStall", "InstrFetchStall", "OtherStall"};
    return reason < StallReason::count_ ? kNames[static_cast<std::size_t>(reason)] : "";
}

}  // namespace zetl::emulator::machine
