// Section "commands": begins and ends of what the device executes.
#include <algorithm>

#include "emulator/access/command_streams.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/sections.h"

namespace zetl::emulator::access {
namespace {

constexpr std::uint64_t kMostRecords = 65536;

/// In a forked child, where threads that the child does not have may hold every lock.
bool lost() { return !devices().empty() && devices().front()->machine().machine().lost(); }

/// Calls `body` with the stream: GONE if there is none, LOST in a forked child.
template <class F>
zetl_status_t onStream(zetl_stream_t id, F&& body) noexcept {
    return guarded([&] {
        if (lost()) return ZETL_LOST;
        const auto stream = CommandStreams::instance().find(id);
        return stream ? body(*stream) : ZETL_GONE;
    });
}

zetl_status_t open(zetl_device_t id, std::uint64_t* capacity, zetl_stream_t* stream) noexcept {
    return guarded([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!capacity || !stream) return ZETL_MISUSE;
        if (lost()) return ZETL_LOST;
        *capacity = std::clamp<std::uint64_t>(*capacity, 1, kMostRecords);
        *stream = CommandStreams::instance().open(*device, *capacity);
        return ZETL_OK;
    });
}

zetl_status_t start(zetl_stream_t id) noexcept {
    return onStream(id, [](CommandStream& stream) {
        stream.run(true);
        return ZETL_OK;
    });
}
zetl_status_t stop(zetl_stream_t id) noexcept {
    return onStream(id, [](CommandStream& stream) {
        stream.run(false);
        return ZETL_OK;
    });
}

zetl_status_t pending(zetl_stream_t id, std::uint64_t* count) noexcept {
    return onStream(id, [count](CommandStream& stream) {
        if (!count) return ZETL_MISUSE;
        *count = stream.pending();
        return ZETL_OK;
    });
}

zetl_status_t drain(zetl_stream_t id, std::uint64_t capacity, zetl_command_record_t* records, std::uint64_t* count,
                    zetl_loss_t* loss) noexcept {
    return onStream(id, [=](CommandStream& stream) {
        if (!count || !loss || (capacity > 0 && !records)) return ZETL_MISUSE;
        *count = stream.drain(capacity, records, *loss);
        return ZETL_OK;
    });
}

zetl_status_t closeStream(zetl_stream_t id) noexcept {
    return guarded([&] {
        if (lost()) return ZETL_LOST;
        return CommandStreams::instance().close(id) ? ZETL_OK : ZETL_GONE;
    });
}

}  // namespace

const zetl_command_functions_t kCommandFunctions = {
    .size = sizeof kCommandFunctions,
    .reserved = 0,
    .open = open,
    .start = start,
    .stop = stop,
    .pending = pending,
    .drain = drain,
    .close = closeStream,
};

}  // namespace zetl::emulator::access
