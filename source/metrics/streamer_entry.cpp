// zetMetricStreamer* and markers.
#include <algorithm>

#include "base/log.h"
#include "metrics/metrics.h"

namespace zetl::metrics {

ze_result_t Metrics::streamerOpen(zet_context_handle_t, zet_device_handle_t device,
                                  zet_metric_group_handle_t groupHandle, zet_metric_streamer_desc_t* desc,
                                  ze_event_handle_t notification, zet_metric_streamer_handle_t* handle) {
    *handle = nullptr;
    const auto state = stateOf(device);
    if (!state) return state.code();
    const auto group = findGroup(groupHandle);
    if (!group || !group->timeBased() || &group->device() != &(*state)->device())
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const auto tiles = tilesOf(**state);
    const auto taken = [&](const auto& other) {
        return other->source() == group->source() &&
               std::ranges::any_of(tiles, [&](const auto* tile) { return other->samples(tile->device()); });
    };
    if (const auto open = streamers_.all(); std::ranges::any_of(open, taken)) {
        log::warn(log::Channel::metrics,
                  "zetMetricStreamerOpen refused: this device has an open streamer; close it first");
        return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    }
    auto measured = group->measurement();
    if (!measured || !(*state)->active(*measured)) {
        log::warn(log::Channel::metrics, "zetMetricStreamerOpen refused: activate {} first", group->name());
        return ZE_RESULT_NOT_READY;
    }
    const auto& core = devices_.core();
    if (notification && (!core.eventQueryStatus || !core.eventHostSignal)) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    auto streamer = Streamer::open(tiles, std::move(measured), *desc, notification);
    if (!streamer) return streamer.code();
    const auto added = streamers_.add(*streamer);
    if (notification && !notifier_.watch(*streamer)) {
        streamers_.remove(added);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *handle = added;
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::streamerReadData(zet_metric_streamer_handle_t handle, std::uint32_t maxReports, std::size_t* size,
                                      std::uint8_t* raw) {
    const auto streamer = streamers_.find(handle);
    return streamer ? streamer->read(maxReports, size, raw) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t Metrics::streamerClose(zet_metric_streamer_handle_t handle) {
    const auto streamer = streamers_.remove(handle);
    if (!streamer) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    notifier_.forget(streamer.get());
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::commandListAppendMetricStreamerMarker(zet_command_list_handle_t list,
                                                           zet_metric_streamer_handle_t handle, std::uint32_t value) {
    const auto streamer = streamers_.find(handle);
    return streamer ? streamer->mark(list, value) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t Metrics::commandListAppendMarkerExp(zet_command_list_handle_t list, zet_metric_group_handle_t groupHandle,
                                                std::uint32_t value) {
    const auto group = findGroup(groupHandle);
    if (!group) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (!group->marks()) {
        log::warn(log::Channel::metrics, "zetCommandListAppendMarkerExp refused: {} has no markers", group->name());
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    for (const auto& streamer : streamers_.all())
        if (streamer->source() == ZETL_SOURCE_STREAM && streamer->samples(group->device()))
            return streamer->mark(list, value);
    log::warn(log::Channel::metrics, "zetCommandListAppendMarkerExp refused: no streamer is open on the device of {}",
              group->name());
    return ZE_RESULT_NOT_READY;
}

}  // namespace zetl::metrics
