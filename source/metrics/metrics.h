// The metrics module: one method per implemented zet function, with the function's name.
//
// Entry points of the layer, and of drivers that compose the module, delegate here in one line. They have checked
// handles and required pointers by the function's row (tools/functions.def); what a row cannot express, such as an
// array that a count requires, is checked here. The methods may throw std::bad_alloc, which the boundary maps.
//
// docs/reference/metrics.md lists the functions that have no method here, and the code that the boundary returns for
// them.
#pragma once

#include <ze_tools_layer/level_zero.h>

#include <map>
#include <memory>
#include <unordered_map>

#include "base/live_set.h"
#include "base/mutex.h"
#include "device/devices.h"
#include "metrics/calculation_operation.h"
#include "metrics/metric_decoder.h"
#include "metrics/notifier.h"
#include "metrics/query.h"
#include "metrics/scope.h"
#include "metrics/streamer.h"

namespace zetl::metrics {

/// Each composition has one. Thread-safe, even where the specification does not require it.
class Metrics {
  public:
    /// `enabled`: the value of ZET_ENABLE_METRICS at zeInit; `traced`: whether tracer-based groups are listed, which
    /// confuse tools that know only two sampling types. `devices` must outlive this.
    Metrics(device::Devices& devices, bool enabled, bool traced = false);

    /// True if a provider of device access serves the device.
    bool serves(zet_device_handle_t device);
    /// True if a provider serves the device, and metrics are enabled for the device now.
    bool enabled(zet_device_handle_t device);

    /// The application is about to destroy an event. Once this has returned, the event is not signalled any more. The
    /// module need not know the event.
    void eventDestroyed(ze_event_handle_t event) noexcept { notifier_.forgetEvent(event); }

    /// True if this module made the object and it still exists.
    bool owns(zet_metric_group_handle_t group) const { return groups_.find(group) != nullptr; }
    bool owns(zet_metric_handle_t metric) const { return metrics_.find(metric) != nullptr; }
    bool owns(zet_metric_programmable_exp_handle_t one) const { return programmables_.find(one) != nullptr; }
    bool owns(zet_metric_streamer_handle_t streamer) const { return streamers_.find(streamer) != nullptr; }
    bool owns(zet_metric_query_pool_handle_t pool) const { return pools_.find(pool) != nullptr; }
    bool owns(zet_metric_query_handle_t query) const { return queries_.find(query) != nullptr; }
    bool owns(zet_metric_tracer_exp_handle_t tracer) const { return tracers_.find(tracer) != nullptr; }
    bool owns(zet_metric_decoder_exp_handle_t decoder) const { return decoders_.find(decoder) != nullptr; }

    // Groups and metrics (groups.cpp)
    ze_result_t groupGet(zet_device_handle_t device, std::uint32_t* count, zet_metric_group_handle_t* groups);
    ze_result_t groupGetProperties(zet_metric_group_handle_t group, zet_metric_group_properties_t* properties);
    ze_result_t metricGet(zet_metric_group_handle_t group, std::uint32_t* count, zet_metric_handle_t* metrics);
    ze_result_t metricGetProperties(zet_metric_handle_t metric, zet_metric_properties_t* properties);
    ze_result_t contextActivateMetricGroups(zet_context_handle_t context, zet_device_handle_t device,
                                            std::uint32_t count, zet_metric_group_handle_t* groups);
    ze_result_t deviceGetConcurrentMetricGroupsExp(zet_device_handle_t device, std::uint32_t count,
                                                   zet_metric_group_handle_t* groups, std::uint32_t* countsPerSet,
                                                   std::uint32_t* sets);
    ze_result_t groupGetGlobalTimestampsExp(zet_metric_group_handle_t group, ze_bool_t synchronizedWithHost,
                                            std::uint64_t* globalTimestamp, std::uint64_t* metricTimestamp);
    ze_result_t deviceEnableMetricsExp(zet_device_handle_t device);
    ze_result_t deviceDisableMetricsExp(zet_device_handle_t device);

    // Programmable metrics (programmable_entry.cpp)
    ze_result_t programmableGetExp(zet_device_handle_t device, std::uint32_t* count,
                                   zet_metric_programmable_exp_handle_t* programmables);
    ze_result_t programmableGetPropertiesExp(zet_metric_programmable_exp_handle_t programmable,
                                             zet_metric_programmable_exp_properties_t* properties);
    ze_result_t programmableGetParamInfoExp(zet_metric_programmable_exp_handle_t programmable, std::uint32_t* count,
                                            zet_metric_programmable_param_info_exp_t* infos);
    ze_result_t programmableGetParamValueInfoExp(zet_metric_programmable_exp_handle_t programmable,
                                                 std::uint32_t ordinal, std::uint32_t* count,
                                                 zet_metric_programmable_param_value_info_exp_t* infos);
    ze_result_t metricCreateFromProgrammableExp(zet_metric_programmable_exp_handle_t programmable,
                                                zet_metric_programmable_param_value_exp_t* values,
                                                std::uint32_t valueCount, const char* name, const char* description,
                                                std::uint32_t* count, zet_metric_handle_t* metrics);
    ze_result_t metricCreateFromProgrammableExp2(zet_metric_programmable_exp_handle_t programmable,
                                                 std::uint32_t valueCount,
                                                 zet_metric_programmable_param_value_exp_t* values, const char* name,
                                                 const char* description, std::uint32_t* count,
                                                 zet_metric_handle_t* metrics);
    ze_result_t metricDestroyExp(zet_metric_handle_t metric);

    // Groups made by the user (user_group_entry.cpp)
    ze_result_t groupCreateExp(zet_device_handle_t device, const char* name, const char* description,
                               zet_metric_group_sampling_type_flags_t sampling, zet_metric_group_handle_t* group);
    ze_result_t deviceCreateMetricGroupsFromMetricsExp(zet_device_handle_t device, std::uint32_t metricCount,
                                                       zet_metric_handle_t* metrics, const char* namePrefix,
                                                       const char* description, std::uint32_t* count,
                                                       zet_metric_group_handle_t* groups);
    ze_result_t groupAddMetricExp(zet_metric_group_handle_t group, zet_metric_handle_t metric, std::size_t* errorSize,
                                  char* error);
    ze_result_t groupRemoveMetricExp(zet_metric_group_handle_t group, zet_metric_handle_t metric);
    ze_result_t groupCloseExp(zet_metric_group_handle_t group);
    ze_result_t groupDestroyExp(zet_metric_group_handle_t group);

    // Calculation (calculate_entry.cpp)
    ze_result_t groupCalculateMetricValues(zet_metric_group_handle_t group, zet_metric_group_calculation_type_t type,
                                           std::size_t rawSize, const std::uint8_t* raw, std::uint32_t* count,
                                           zet_typed_value_t* values);
    ze_result_t groupCalculateMultipleMetricValuesExp(zet_metric_group_handle_t group,
                                                      zet_metric_group_calculation_type_t type, std::size_t rawSize,
                                                      const std::uint8_t* raw, std::uint32_t* sets,
                                                      std::uint32_t* total, std::uint32_t* counts,
                                                      zet_typed_value_t* values);

    ze_result_t groupGetExportDataExp(zet_metric_group_handle_t group, const std::uint8_t* raw, std::size_t rawSize,
                                      std::size_t* size, std::uint8_t* target);
    /// Needs no device and no driver: the data contain all it needs.
    static ze_result_t calculateMetricExportDataExp(ze_driver_handle_t driver, zet_metric_group_calculation_type_t type,
                                                    std::size_t size, const std::uint8_t* data,
                                                    zet_metric_calculate_exp_desc_t* desc, std::uint32_t* sets,
                                                    std::uint32_t* total, std::uint32_t* counts,
                                                    zet_typed_value_t* values);
    /// True if these are the arguments of a call about data that we exported.
    static bool recognisesExportData(ze_driver_handle_t driver, zet_metric_group_calculation_type_t type,
                                     std::size_t size, const std::uint8_t* data, zet_metric_calculate_exp_desc_t* desc,
                                     std::uint32_t* sets, std::uint32_t* total, std::uint32_t* counts,
                                     zet_typed_value_t* values);

    // Streamers (streamer_entry.cpp)
    ze_result_t streamerOpen(zet_context_handle_t context, zet_device_handle_t device, zet_metric_group_handle_t group,
                             zet_metric_streamer_desc_t* desc, ze_event_handle_t notification,
                             zet_metric_streamer_handle_t* streamer);
    ze_result_t streamerReadData(zet_metric_streamer_handle_t streamer, std::uint32_t maxReports, std::size_t* size,
                                 std::uint8_t* raw);
    ze_result_t streamerClose(zet_metric_streamer_handle_t streamer);
    ze_result_t commandListAppendMetricStreamerMarker(zet_command_list_handle_t list,
                                                      zet_metric_streamer_handle_t streamer, std::uint32_t value);
    ze_result_t commandListAppendMarkerExp(zet_command_list_handle_t list, zet_metric_group_handle_t group,
                                           std::uint32_t value);

    // Tracers and decoders (tracer_entry.cpp)
    ze_result_t tracerCreateExp(zet_context_handle_t context, zet_device_handle_t device, std::uint32_t count,
                                zet_metric_group_handle_t* groups, zet_metric_tracer_exp_desc_t* desc,
                                ze_event_handle_t notification, zet_metric_tracer_exp_handle_t* tracer);
    ze_result_t tracerDestroyExp(zet_metric_tracer_exp_handle_t tracer);
    ze_result_t tracerEnableExp(zet_metric_tracer_exp_handle_t tracer, ze_bool_t synchronous);
    ze_result_t tracerDisableExp(zet_metric_tracer_exp_handle_t tracer, ze_bool_t synchronous);
    ze_result_t tracerReadDataExp(zet_metric_tracer_exp_handle_t tracer, std::size_t* size, std::uint8_t* raw);
    ze_result_t decoderCreateExp(zet_metric_tracer_exp_handle_t tracer, zet_metric_decoder_exp_handle_t* decoder);
    ze_result_t decoderDestroyExp(zet_metric_decoder_exp_handle_t decoder);
    ze_result_t decoderGetDecodableMetricsExp(zet_metric_decoder_exp_handle_t decoder, std::uint32_t* count,
                                              zet_metric_handle_t* metrics);
    ze_result_t tracerDecodeExp(zet_metric_decoder_exp_handle_t decoder, std::size_t* size, std::uint8_t* raw,
                                std::uint32_t metricCount, zet_metric_handle_t* metrics, std::uint32_t* sets,
                                std::uint32_t* entriesOfSet, std::uint32_t* entries, zet_metric_entry_exp_t* target);

    // Queries (query_entry.cpp)
    ze_result_t queryPoolCreate(zet_context_handle_t context, zet_device_handle_t device,
                                zet_metric_group_handle_t group, const zet_metric_query_pool_desc_t* desc,
                                zet_metric_query_pool_handle_t* pool);
    ze_result_t queryPoolDestroy(zet_metric_query_pool_handle_t pool);
    ze_result_t queryCreate(zet_metric_query_pool_handle_t pool, std::uint32_t index, zet_metric_query_handle_t* query);
    ze_result_t queryDestroy(zet_metric_query_handle_t query);
    ze_result_t queryReset(zet_metric_query_handle_t query);
    ze_result_t queryGetData(zet_metric_query_handle_t query, std::size_t* size, std::uint8_t* raw);
    ze_result_t commandListAppendMetricQueryBegin(zet_command_list_handle_t list, zet_metric_query_handle_t query);
    ze_result_t commandListAppendMetricQueryEnd(zet_command_list_handle_t list, zet_metric_query_handle_t query,
                                                ze_event_handle_t signal, std::uint32_t waitCount,
                                                ze_event_handle_t* waits);
    ze_result_t commandListAppendMetricMemoryBarrier(zet_command_list_handle_t list);

    // Scopes of Intel's driver (scope_entry.cpp)
    ze_result_t scopesGetExp(zet_context_handle_t context, zet_device_handle_t device, std::uint32_t* count,
                             zet_intel_metric_scope_exp_handle_t* scopes);
    ze_result_t scopeGetPropertiesExp(zet_intel_metric_scope_exp_handle_t scope,
                                      zet_intel_metric_scope_properties_exp_t* properties);
    ze_result_t supportedScopesGetExp(zet_metric_handle_t metric, std::uint32_t* count,
                                      zet_intel_metric_scope_exp_handle_t* scopes);

    // Calculation operations of Intel's driver (operation_entry.cpp)
    ze_result_t operationCreateExp(zet_context_handle_t context, zet_device_handle_t device,
                                   zet_intel_metric_calculation_exp_desc_t* desc,
                                   zet_intel_metric_calculation_operation_exp_handle_t* operation);
    ze_result_t operationDestroyExp(zet_intel_metric_calculation_operation_exp_handle_t operation);
    ze_result_t operationGetReportFormatExp(zet_intel_metric_calculation_operation_exp_handle_t operation,
                                            std::uint32_t* count, zet_metric_handle_t* metrics,
                                            zet_intel_metric_scope_exp_handle_t* scopes);
    ze_result_t operationGetExcludedMetricsExp(zet_intel_metric_calculation_operation_exp_handle_t operation,
                                               std::uint32_t* count, zet_metric_handle_t* metrics);
    ze_result_t calculateValuesExp(std::size_t rawSize, const std::uint8_t* raw,
                                   zet_intel_metric_calculation_operation_exp_handle_t operation, bool last,
                                   std::size_t* used, std::uint32_t* reports, zet_intel_metric_result_exp_t* values);
    ze_result_t tracerDecodeCalculateValuesExp(zet_metric_decoder_exp_handle_t decoder, std::size_t rawSize,
                                               std::size_t* used, const std::uint8_t* raw,
                                               zet_intel_metric_calculation_operation_exp_handle_t operation,
                                               std::uint32_t* reports, zet_intel_metric_result_exp_t* values);
    /// Decodes by scope (tracer_entry.cpp).
    ze_result_t tracerDecodeExp2(zet_metric_decoder_exp_handle_t decoder, std::size_t rawSize, const std::uint8_t* raw,
                                 std::uint32_t metricCount, zet_metric_handle_t* metrics, std::uint32_t scopeCount,
                                 zet_intel_metric_scope_exp_handle_t* scopes, std::size_t* used, std::uint32_t* entries,
                                 zet_metric_entry_exp2_t* target);
    ze_result_t tracerExportExp(zet_metric_tracer_exp_handle_t tracer, zet_intel_metric_export_format_t format,
                                std::size_t* size, void* target);

  private:
    enum class Switch { byEnvironment, off, on, offAgain };
    using Root = std::pair<const zetl_device_functions_t*, zetl_device_t>;
    static Root rootOf(const device::Device& device);
    static Root placeOf(const device::Device& device) { return {&device.access().devices(), device.id()}; }

    Result<DeviceState*> stateOf(zet_device_handle_t device);
    DeviceState* stateOf(const device::Device& device);
    void publish(DeviceState& state) ZETL_REQUIRES(mutex_);
    /// The device's sub-devices, in their order, or the device itself if it has none.
    std::vector<DeviceState*> tilesOf(DeviceState& state);
    /// The device's scopes, by their numbers. Made at the first call.
    std::vector<std::shared_ptr<Scope>> scopesOf(DeviceState& state);
    /// Whether values of the group belong to the scope. Streams are of tiles, queries of the device, samples of both.
    static bool supports(const Group& group, const Scope& scope, std::size_t tiles);
    /// A group that lists the metric; null if none does.
    std::shared_ptr<Group> groupWith(const Metric& metric) const;
    // The parts of a calculation's description, checked; INVALID_ARGUMENT and the like are logged.
    Result<std::vector<std::shared_ptr<Scope>>> scopesToCalculate(const DeviceState& state,
                                                                  const zet_intel_metric_calculation_exp_desc_t& desc);
    Result<std::vector<std::shared_ptr<Metric>>> metricsToCalculate(
        const DeviceState& state, const zet_intel_metric_calculation_exp_desc_t& desc) const;
    Result<std::shared_ptr<Group>> groupToCalculate(const DeviceState& state,
                                                    const zet_intel_metric_calculation_exp_desc_t& desc,
                                                    const std::vector<std::shared_ptr<Metric>>& metrics) const;
    std::shared_ptr<Group> findGroup(zet_metric_group_handle_t group) const;
    std::shared_ptr<Programmable> findProgrammable(zet_metric_programmable_exp_handle_t programmable) const;
    /// A group that its user may change now. INVALID_ARGUMENT for a group that the user did not make,
    /// HANDLE_OBJECT_IN_USE while it is active; both are logged.
    Result<std::shared_ptr<Group>> findChangeable(const char* function, zet_metric_group_handle_t group);
    ze_result_t closeUserGroup(Group& group);
    void forgetMetrics(const GroupContent& content);
    /// The measurement of a group that is not open. Returns null and logs a line if there is none.
    std::shared_ptr<const Measurement> findMeasurement(zet_metric_group_handle_t group) const;
    /// NOT_READY for a group that is not active, INVALID_ARGUMENT for another device's group or one that is not traced;
    /// both are logged.
    Result<std::vector<std::shared_ptr<Group>>> groupsToTrace(const DeviceState& state, std::uint32_t count,
                                                              zet_metric_group_handle_t* groups) const;
    bool inUse(const DeviceState& state) const;
    Switch switchOf(const device::Device& device) const;
    bool isOn(const device::Device& device) const;
    void turn(const device::Device& device, Switch to);
    ze_result_t checkEnabled(const char* function, const DeviceState& state) const;
    static ze_result_t openGroupRefused(const char* function, const Group& group);

    device::Devices& devices_;
    Notifier notifier_;
    mutable Mutex mutex_;
    const Switch atStart_;
    const bool traced_;
    /// Devices for which a call has changed it. A root device's entry also holds for sub-devices without their own.
    std::map<Root, Switch> switches_ ZETL_GUARDED_BY(mutex_);
    std::unordered_map<const device::Device*, std::unique_ptr<DeviceState>> states_ ZETL_GUARDED_BY(mutex_);
    std::unordered_map<const device::Device*, std::vector<std::shared_ptr<Scope>>> scopesOfDevices_
        ZETL_GUARDED_BY(mutex_);
    LiveSet<Group> groups_;
    LiveSet<Metric> metrics_;
    LiveSet<Programmable> programmables_;
    LiveSet<Streamer> streamers_;
    LiveSet<QueryPool> pools_;
    LiveSet<Query> queries_;
    LiveSet<MetricTracer> tracers_;
    LiveSet<MetricDecoder> decoders_;
    LiveSet<Scope> scopes_;
    LiveSet<CalculationOperation> operations_;
};

}  // namespace zetl::metrics
