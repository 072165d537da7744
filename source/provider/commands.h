// Section "commands": begins and ends of what the device executes.
#pragma once

#include "provider/backend.h"

namespace zetl::provider {

/// The functions of the section on one open stream.
class CommandStream {
  public:
    CommandStream() = default;
    virtual ~CommandStream() = default;
    CommandStream(const CommandStream&) = delete;
    CommandStream& operator=(const CommandStream&) = delete;

    virtual zetl_status_t start() = 0;
    virtual zetl_status_t stop() = 0;
    virtual std::uint64_t pending() = 0;
    /// Returns the number of records removed.
    virtual std::uint64_t drain(std::uint64_t capacity, zetl_command_record_t* records, zetl_loss_t& loss) = 0;
    /// No function will be called any more; the object ends when the last call has returned.
    virtual void close() = 0;
};

template <Backend B>
class Commands {
  public:
    using Provider = B;
    using Device = typename B::Device;

    /// `capacity` is the requested number of records, and then the granted one.
    virtual Made<CommandStream> open(Device& device, std::uint64_t& capacity) const = 0;

  protected:
    ~Commands() = default;
};

template <class Section>
class CommandTable {
    using B = typename Section::Provider;
    static constexpr Section kSection{};

    static zetl_status_t open(zetl_device_t id, std::uint64_t* capacity, zetl_stream_t* stream) noexcept {
        return atWork<B>([&] {
            auto* const device = B::deviceOf(id);
            if (!device) return ZETL_GONE;
            if (!capacity || !stream) return ZETL_MISUSE;
            return keep<B>(kSection.open(*device, *capacity), stream);
        });
    }

    template <class F>
    static zetl_status_t on(zetl_stream_t id, F&& body) noexcept {
        return onObject<B, CommandStream>(id, body);
    }
    static zetl_status_t start(zetl_stream_t id) noexcept {
        return on(id, [](CommandStream& stream) { return stream.start(); });
    }
    static zetl_status_t stop(zetl_stream_t id) noexcept {
        return on(id, [](CommandStream& stream) { return stream.stop(); });
    }
    static zetl_status_t pending(zetl_stream_t id, std::uint64_t* count) noexcept {
        return on(id, [=](CommandStream& stream) {
            if (!count) return ZETL_MISUSE;
            *count = stream.pending();
            return ZETL_OK;
        });
    }
    static zetl_status_t drain(zetl_stream_t id, std::uint64_t capacity, zetl_command_record_t* records,
                               std::uint64_t* count, zetl_loss_t* loss) noexcept {
        return on(id, [=](CommandStream& stream) {
            if (!count || !loss || (capacity > 0 && !records)) return ZETL_MISUSE;
            *count = stream.drain(capacity, records, *loss);
            return ZETL_OK;
        });
    }

  public:
    static constexpr zetl_command_functions_t kFunctions = {
        .size = sizeof(zetl_command_functions_t),
        .reserved = 0,
        .open = open,
        .start = start,
        .stop = stop,
        .pending = pending,
        .drain = drain,
        .close = closeObject<B, CommandStream>,
    };
};

}  // namespace zetl::provider
