// Section "commands": begins and ends of what the device executes.
#include <algorithm>

#include "emulator/access/command_streams.h"
#include "emulator/access/on_stream.h"

namespace zetl::emulator::access {
namespace {

constexpr std::uint64_t kMostRecords = 65536;

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
    return onStream<CommandStreams>(id, [](CommandStream& stream) {
        CommandStreams::instance().start(stream);
        return ZETL_OK;
    });
}
zetl_status_t stop(zetl_stream_t id) noexcept {
    return onStream<CommandStreams>(id, [](CommandStream& stream) {
        stream.run(false);
        return ZETL_OK;
    });
}

zetl_status_t pending(zetl_stream_t id, std::uint64_t* count) noexcept {
    return onStream<CommandStreams>(id, [count](CommandStream& stream) {
        if (!count) return ZETL_MISUSE;
        *count = stream.pending();
        return ZETL_OK;
    });
}

zetl_status_t drain(zetl_stream_t id, std::uint64_t capacity, zetl_command_record_t* records, std::uint64_t* count,
                    zetl_loss_t* loss) noexcept {
    return onStream<CommandStreams>(id, [=](CommandStream& stream) {
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
