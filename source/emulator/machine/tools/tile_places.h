// The places of a tile for thread control: which work-group is where, and how to give it a turn.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/machine/tools/resident_group.h"
#include "emulator/machine/tools/turns.h"

namespace zetl::emulator::machine {

/// The recorded launch, as thread control sees it. Implemented by the code that executes it.
class Recorded {
  public:
    virtual HistoryReport ask(const HistoryRequest& request, std::span<const MarkedCode> code)
        ZETL_REQUIRES(kTurns) = 0;
    /// The debugger is about to change global memory. What it changes in the past does not last.
    virtual void changes(std::uint64_t address, std::uint64_t bytes) ZETL_REQUIRES(kTurns) = 0;
    /// The debugger has changed a thread or local memory.
    virtual void changed() ZETL_REQUIRES(kTurns) = 0;
    /// Threads are let go: a launch that was taken back returns to the present.
    virtual void goesOn() ZETL_REQUIRES(kTurns) = 0;

  protected:
    ~Recorded() = default;
};

/// Implemented by the code that executes the tile's groups.
class TilePlaces {
  public:
    struct Occupant {
        ResidentGroup* group = nullptr;
        std::uint32_t thread = 0;
    };

    virtual TurnMutex& mutex() const noexcept = 0;
    /// The thread on the slot.
    virtual Occupant occupant(std::uint32_t slot) const noexcept ZETL_REQUIRES(kTurns) = 0;
    /// Its threads have begun, and no worker touches them while the mutex is held.
    virtual bool isBetweenTurns(const ResidentGroup& group) const noexcept ZETL_REQUIRES(kTurns) = 0;
    /// Gives a turn to a group that wanted none.
    virtual void wake(ResidentGroup& group) ZETL_REQUIRES(kTurns) = 0;
    /// Groups whose threads have all stopped lose their turn, and groups that were asked to halt come before all
    /// others.
    virtual void settleTurns() ZETL_REQUIRES(kTurns) = 0;
    /// Starts the groups for which there is room.
    virtual void placeWaiting() noexcept ZETL_REQUIRES(kTurns) = 0;

    /// Null unless launches are recorded.
    virtual Recorded* recorded() const noexcept ZETL_REQUIRES(kTurns) = 0;

  protected:
    ~TilePlaces() = default;
};

}  // namespace zetl::emulator::machine
