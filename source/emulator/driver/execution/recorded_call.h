// Calls of append functions that can be shown to a visitor, or made again, after they have returned.
#pragma once

#include <level_zero/ze_api.h>

#include <memory>
#include <string_view>
#include <vector>

namespace zetl::emulator::driver {

/// A call with copies of what its pointers point to. A launch has a kernel of its own, in the state that the kernel had
/// then; its handle is valid as long as the call is.
class RecordedCall {
  public:
    struct Events {
        ze_event_handle_t signal = nullptr;
        std::uint32_t waitCount = 0;
        ze_event_handle_t* waits = nullptr;
    };

    virtual ~RecordedCall() = default;
    virtual const char* function() const noexcept = 0;
    /// The events that it was made with.
    virtual Events events() noexcept = 0;
    /// Calls a function with the call's arguments and `data` behind them, and returns its answer.
    virtual ze_result_t show(void* callback, void* data) = 0;
    /// Makes the call again, with other events. A null list is the one of then.
    virtual ze_result_t repeat(ze_command_list_handle_t list, const Events& events) = 0;
};

using RecordedCalls = std::vector<std::shared_ptr<RecordedCall>>;

/// The append function that the calling thread is in; null if it is in none that can be recorded. Call it once the
/// arguments have been checked.
std::shared_ptr<RecordedCall> recordCurrentCall();
/// True for the functions that a visitor may be for: those whose calls are recorded, and those of Intel's driver that
/// never are here.
bool isVisitable(std::string_view function) noexcept;

}  // namespace zetl::emulator::driver
