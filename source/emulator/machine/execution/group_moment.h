// A work-group as it was at one moment of its launch, to be put back later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/machine/dispatch.h"
#include "emulator/machine/execution/barriers.h"
#include "emulator/machine/tools/resident_group.h"

namespace zetl::emulator::machine {

class WorkGroup;

/// A thread that has not ended, between two instructions.
struct ThreadMoment {
    /// All of isa::Thread, but for registers that its launch does not have and the steps' working space.
    std::vector<std::byte> state;
    std::vector<std::byte> scratch;
    std::uint64_t executed = 0;
    std::uint32_t ip = 0;
    bool loadsArguments = false;
};

/// Moments that follow each other share what did not change between them.
struct GroupMoment {
    WorkGroup* group = nullptr;  ///< the place; it lives as long as the launch
    Extent id{};
    bool started = false;
    bool waitsForOthers = false;  ///< it has no further group
    bool reachesGiven = false;
    ThreadMask live = 0;
    std::vector<std::shared_ptr<const ThreadMoment>> threads;  ///< null: ended
    std::shared_ptr<const std::vector<std::byte>> local;
    Barriers barriers;
    std::uint64_t executed = 0;     ///< by all its threads, to see whether it changed
    std::vector<StopCause> causes;  ///< by thread, of those that are stopped
    ThreadMask shown = 0;           ///< of these, those whose registers show why
};

}  // namespace zetl::emulator::machine
