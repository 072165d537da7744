// The events of a command, from the handles that an application gives to the states that workers wait for and signal.
#pragma once

#include <level_zero/ze_api.h>

#include <memory>

#include "base/result.h"
#include "emulator/driver/execution/operation.h"

namespace zetl::emulator::driver {

class Stream;

/// The events of an append function, as given by the application.
struct EventUse {
    ze_event_handle_t signal = nullptr;
    std::uint32_t waitCount = 0;
    ze_event_handle_t* waits = nullptr;
};

enum class NullWaits { refused, keepTheirPlace };

/// Lets the command wait for these events only. INVALID_SIZE without a list, INVALID_NULL_HANDLE.
Status setWaits(Command& command, std::uint32_t count, const ze_event_handle_t* events, NullWaits nulls);
/// Lets the command signal this event; none if null. The stream is the one that will execute it, null if not known.
Status setSignal(Command& command, ze_event_handle_t event, const std::shared_ptr<Stream>& stream);

}  // namespace zetl::emulator::driver
