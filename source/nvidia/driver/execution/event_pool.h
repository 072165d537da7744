// ze_event_pool_handle_t (core specification, "Events").
#pragma once

#include <memory>

#include "nvidia/driver/device/context.h"
#include "nvidia/driver/execution/signal_word.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {

class Event;

/// A row of signal words and a row of gates. Immutable.
class EventPool : public Object<EventPool, ze_event_pool_handle_t> {
  public:
    static constexpr const char* kNoun = "event pool";

    /// INVALID_SIZE (no events), INVALID_ENUMERATION, UNSUPPORTED_FEATURE (timestamps for other processes).
    static Result<std::shared_ptr<EventPool>> create(std::shared_ptr<Context> context, Context::Member place,
                                                     const ze_event_pool_desc_t& description);
    struct Parts {
        std::shared_ptr<Context> context;
        Context::Member place;
        std::shared_ptr<SignalWords> words;
        std::uint32_t count = 0;
        ze_event_pool_flags_t flags = 0;
        bool opened = false;  ///< by a handle
    };
    /// The pool behind a handle, which shares its events. INVALID_ARGUMENT for bytes that are none.
    static Result<std::shared_ptr<EventPool>> open(std::shared_ptr<Context> context,
                                                   const ze_ipc_event_pool_handle_t& handle);
    explicit EventPool(Parts parts) : parts_(std::move(parts)) {}

    /// A pool like this one.
    Result<std::shared_ptr<EventPool>> another() const;
    /// An event that is signalled once its word has this value; the word keeps the one that it has.
    Result<std::shared_ptr<Event>> createState(std::uint32_t index, std::uint32_t value,
                                               const ze_event_desc_t& description);

    // The exported functions, without their first argument.
    Result<std::shared_ptr<Event>> createEvent(const ze_event_desc_t& description);
    Status getContext(ze_context_handle_t* out);
    Status getFlags(ze_event_pool_flags_t* out);
    /// INVALID_ARGUMENT without ZE_EVENT_POOL_FLAG_IPC. A handle holds nothing that could be given back.
    Status getIpcHandle(ze_ipc_event_pool_handle_t* out);
    /// Ends the life of a pool that was opened; INVALID_ARGUMENT for others.
    Status close();

    bool isOpened() const noexcept { return parts_.opened; }

    const Context::Member& place() const noexcept { return parts_.place; }
    bool hasTimestamps() const noexcept {
        return parts_.flags & (ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP);
    }

  private:
    const Parts parts_;
};

}  // namespace zetl::nvidia
