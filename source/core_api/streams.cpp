// Section "streams".
#include <algorithm>

#include "activity/device_clock.h"
#include "base/id_table.h"
#include "base/log.h"
#include "core_api/counters.h"
#include "core_api/counting.h"
#include "core_api/sections.h"

namespace zetl::core_api {
namespace {

constexpr std::uint64_t kMostReports = 65536;
constexpr std::uint64_t kLongestPeriod = 1'000'000'000;

using Streams = IdTable<FactStream>;

template <class F>
zetl_status_t onStream(zetl_stream_t id, F&& body) noexcept {
    return guarded([&] {
        const auto stream = Streams::instance().find(id);
        return stream ? body(*stream) : ZETL_GONE;
    });
}

zetl_status_t open(zetl_lease_t lease, const void* plan, std::uint64_t bytes, zetl_stream_options_t* options,
                   zetl_stream_t* id) noexcept {
    return guarded([&] {
        const auto device = deviceOfLease(lease);
        if (device == 0) return ZETL_GONE;
        auto columns = columnsOf(plan, bytes);
        if (!options || !id || !columns) return ZETL_MISUSE;
        options->period_ns = std::clamp(options->period_ns, kShortestPeriod, kLongestPeriod);
        options->capacity = std::clamp<std::uint64_t>(options->capacity, 2, kMostReports);
        const auto stream = std::make_shared<FactStream>(device, std::move(*columns), *options);
        Counting::instance().add(stream);
        *id = Streams::instance().add(stream);
        return ZETL_OK;
    });
}

zetl_status_t start(zetl_stream_t id) noexcept {
    return onStream(id, [](FactStream& stream) {
        stream.start(activity::hostNow());
        return ZETL_OK;
    });
}

zetl_status_t stop(zetl_stream_t id) noexcept {
    return onStream(id, [](FactStream& stream) {
        stream.stop(activity::hostNow());
        return ZETL_OK;
    });
}

zetl_status_t pending(zetl_stream_t id, std::uint64_t* count) noexcept {
    return onStream(id, [=](FactStream& stream) {
        if (!count) return ZETL_MISUSE;
        *count = stream.pending(activity::hostNow());
        return ZETL_OK;
    });
}

/// The reports up to `now` include all commands that ended before `now` and can be read.
zetl_status_t drain(zetl_stream_t id, std::uint64_t capacity, void* reports, zetl_report_info_t* infos,
                    std::uint64_t* count, zetl_loss_t* loss) noexcept {
    return onStream(id, [=](FactStream& stream) {
        if (!count || !loss || (capacity > 0 && (!reports || !infos))) return ZETL_MISUSE;
        const auto now = activity::hostNow();
        Counting::instance().read();
        *count = stream.drain(now, capacity, static_cast<std::uint64_t*>(reports), infos, *loss);
        return ZETL_OK;
    });
}

zetl_status_t marker(zetl_stream_t, ze_command_list_handle_t, std::uint32_t) noexcept {
    log::warn(log::Channel::metrics, "no marker: this device has no metrics, and what the core API tells takes none");
    return ZETL_UNSUPPORTED;
}

zetl_status_t closeStream(zetl_stream_t id) noexcept {
    return guarded([&] {
        const auto stream = Streams::instance().remove(id);
        if (!stream) return ZETL_GONE;
        Counting::instance().remove(*stream);
        return ZETL_OK;
    });
}

}  // namespace

const zetl_stream_functions_t kStreamFunctions = {
    .size = sizeof kStreamFunctions,
    .reserved = 0,
    .open = open,
    .start = start,
    .stop = stop,
    .pending = pending,
    .drain = drain,
    .marker = marker,
    .close = closeStream,
};

}  // namespace zetl::core_api
