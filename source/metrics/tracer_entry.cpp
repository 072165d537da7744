// zetMetricTracer* and zetMetricDecoder*.
#include <algorithm>

#include "base/enumerate.h"
#include "metrics/log_channel.h"
#include "metrics/metrics.h"
#include "metrics/trace_export.h"

namespace zetl::metrics {
namespace {

ze_result_t refuse(ze_result_t code, const char* function, const char* why) {
    log::warn(kLog, "{} refused: {}", function, why);
    return code;
}

}  // namespace

Result<std::vector<std::shared_ptr<Group>>> Metrics::groupsToTrace(const DeviceState& state, std::uint32_t count,
                                                                   zet_metric_group_handle_t* handles) const {
    constexpr const char* kFunction = "zetMetricTracerCreateExp";
    std::vector<std::shared_ptr<Group>> groups;
    for (std::uint32_t i = 0; i < count; ++i) {
        auto group = findGroup(handles[i]);
        if (!group || !group->traced() || &group->device() != &state.device())
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, kFunction,
                          "a group is not a tracer-based one of the device");
        if (!state.active(*group)) return refuse(ZE_RESULT_NOT_READY, kFunction, "activate the groups first");
        groups.push_back(std::move(group));
    }
    if (groups.empty()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, kFunction, "there is no group to trace");
    return groups;
}

ze_result_t Metrics::tracerCreateExp(zet_context_handle_t, zet_device_handle_t device, std::uint32_t count,
                                     zet_metric_group_handle_t* handles, zet_metric_tracer_exp_desc_t* desc,
                                     ze_event_handle_t notification, zet_metric_tracer_exp_handle_t* handle) {
    *handle = nullptr;
    const auto state = stateOf(device);
    if (!state) return state.code();
    const auto groups = groupsToTrace(**state, count, handles);
    if (!groups) return groups.code();
    const auto tiles = tilesOf(**state);
    for (const auto& other : tracers_.all())
        if (rootOf(other->device()) == rootOf((*state)->device()))
            return refuse(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "zetMetricTracerCreateExp",
                          "the device has a tracer; destroy it first");
    const auto& core = devices_.core();
    if (notification && (!core.eventQueryStatus || !core.eventHostSignal)) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    auto tracer = MetricTracer::create((*state)->device(), static_cast<std::uint32_t>(tiles.size()), *groups, *desc,
                                       notification);
    if (!tracer) return tracer.code();
    const auto added = tracers_.add(*tracer);
    if (notification && !notifier_.watch(*tracer)) {
        tracers_.remove(added);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *handle = added;
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::tracerDestroyExp(zet_metric_tracer_exp_handle_t handle) {
    const auto tracer = tracers_.find(handle);
    if (!tracer) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (tracer->enabled())
        return refuse(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "zetMetricTracerDestroyExp",
                      "the tracer is enabled; disable it first");
    if (!tracers_.remove(handle)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    notifier_.forget(tracer.get());
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::tracerEnableExp(zet_metric_tracer_exp_handle_t handle, ze_bool_t) {
    const auto tracer = tracers_.find(handle);
    return tracer ? tracer->enable() : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t Metrics::tracerDisableExp(zet_metric_tracer_exp_handle_t handle, ze_bool_t) {
    const auto tracer = tracers_.find(handle);
    return tracer ? tracer->disable() : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t Metrics::tracerReadDataExp(zet_metric_tracer_exp_handle_t handle, std::size_t* size, std::uint8_t* raw) {
    const auto tracer = tracers_.find(handle);
    return tracer ? tracer->read(size, raw) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t Metrics::decoderCreateExp(zet_metric_tracer_exp_handle_t handle, zet_metric_decoder_exp_handle_t* decoder) {
    *decoder = nullptr;
    const auto tracer = tracers_.find(handle);
    if (!tracer) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    *decoder = decoders_.add(std::make_shared<MetricDecoder>(tracer->content()));
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::decoderDestroyExp(zet_metric_decoder_exp_handle_t handle) {
    return decoders_.remove(handle) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t Metrics::decoderGetDecodableMetricsExp(zet_metric_decoder_exp_handle_t handle, std::uint32_t* count,
                                                   zet_metric_handle_t* metrics) {
    const auto decoder = decoders_.find(handle);
    if (!decoder) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const auto& all = decoder->metrics();
    return enumerate(all.size(), count, metrics, [&](std::uint32_t i) { return all[i]->handle(); });
}

ze_result_t Metrics::tracerDecodeExp(zet_metric_decoder_exp_handle_t handle, std::size_t* size, std::uint8_t* raw,
                                     std::uint32_t metricCount, zet_metric_handle_t* metrics, std::uint32_t* sets,
                                     std::uint32_t* entriesOfSet, std::uint32_t* entries,
                                     zet_metric_entry_exp_t* target) {
    if (*size > 0 && !raw) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const auto decoder = decoders_.find(handle);
    if (!decoder) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return decoder->decode(
        MetricDecoder::Request{{raw, *size}, {metrics, metricCount}, size, sets, entriesOfSet, entries, target});
}

ze_result_t Metrics::tracerDecodeExp2(zet_metric_decoder_exp_handle_t handle, std::size_t size, const std::uint8_t* raw,
                                      std::uint32_t metricCount, zet_metric_handle_t* metrics, std::uint32_t scopeCount,
                                      zet_intel_metric_scope_exp_handle_t* scopeHandles, std::size_t* used,
                                      std::uint32_t* entries, zet_metric_entry_exp2_t* target) {
    constexpr const char* kFunction = "zetIntelMetricTracerDecodeExp2";
    *used = 0;
    if (size > 0 && !raw) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const auto decoder = decoders_.find(handle);
    if (!decoder) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, kFunction, "there is no such decoder");
    std::vector<std::shared_ptr<Scope>> scopes;
    for (std::uint32_t i = 0; i < scopeCount; ++i) {
        auto scope = scopes_.find(scopeHandles[i]);
        if (!scope) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, kFunction, "a handle is no metric scope");
        scopes.push_back(std::move(scope));
    }
    return decoder->decode(
        MetricDecoder::ScopedRequest{{raw, size}, {metrics, metricCount}, scopes, used, entries, target});
}

ze_result_t Metrics::tracerExportExp(zet_metric_tracer_exp_handle_t handle, zet_intel_metric_export_format_t format,
                                     std::size_t* size, void* target) {
    constexpr const char* kFunction = "zetIntelMetricTracerExportExp";
    const auto tracer = tracers_.find(handle);
    if (!tracer) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, kFunction, "there is no such tracer");
    if (format != ZET_INTEL_METRIC_EXPORT_FORMAT_RAW)
        return refuse(ZE_RESULT_ERROR_INVALID_ENUMERATION, kFunction, "the only format is RAW");
    const auto needed = exportedBytes(*tracer->content());
    if (*size > 0 && target) {
        if (*size < needed)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, kFunction,
                          "the buffer is too small; a size of 0 asks how much there is");
        exportTrace(*tracer->content(), static_cast<std::byte*>(target));
    }
    *size = needed;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::metrics
