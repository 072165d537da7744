// The events of a command, from the handles that an application gives to the states that workers wait for and signal.
#pragma once

#include <level_zero/ze_api.h>

#include "base/result.h"
#include "emulator/driver/execution/event.h"
#include "emulator/driver/execution/operation.h"

namespace zetl::emulator::driver {

/// The events of an append function, as given by the application.
struct EventUse {
    ze_event_handle_t signal = nullptr;
    std::uint32_t waitCount = 0;
    ze_event_handle_t* waits = nullptr;
};

/// What counter-based events want to know of the list whose command signals them.
struct ListKind {
    bool inOrder = false;
    bool immediate = false;
};

enum class NullWaits { refused, keepTheirPlace };

/// Makes the command wait for these events only. INVALID_SIZE without a list, INVALID_NULL_HANDLE.
Status setWaits(Command& command, std::uint32_t count, const ze_event_handle_t* events, NullWaits nulls);
/// Lets the command signal this event, none if null, which knows of it once the claim is kept. INVALID_ARGUMENT for a
/// counter-based event if the list is not in order, or not of the kind that the event was created for.
Result<Event::Claim> claimSignal(Command& command, ze_event_handle_t event, ListKind list);

}  // namespace zetl::emulator::driver
