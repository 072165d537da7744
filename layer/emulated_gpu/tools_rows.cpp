// Which zet functions the modules serve, and the edge between their C callers and them. A zet function without a row
// answers UNSUPPORTED_FEATURE with a log line; docs/metrics.md and docs/debug.md list those.
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/object/boundary.h"
#include "tools.h"

namespace zetl::emulated_gpu {
namespace {

namespace driver = emulator::driver;

/// The C function that calls a module's method.
template <ddi::Function F, auto Method>
struct Entry;

template <ddi::Function F, class Module, class... A, ze_result_t (Module::*Method)(A...)>
struct Entry<F, Method> {
    static ze_result_t ZE_APICALL call(A... arguments) noexcept {
        return driver::boundary<ZE_RESULT_NOT_READY, ZE_RESULT_WARNING_DROPPED_DATA, ZE_RESULT_ERROR_NOT_AVAILABLE,
                                ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS,
                                ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, ZE_RESULT_ERROR_INVALID_SIZE>(
            ddi::row(F).name,
            [&] { return (Tools::instance().part(static_cast<Module*>(nullptr)).*Method)(arguments...); });
    }
};

#define SERVED_BY(function, method) ZETL_SERVES(function, (Entry<ddi::Function::function, &method>::call))

using debug::Debug;
using metrics::Metrics;
using pin::Pin;

const driver::Served kMetricsRows[] = {
    SERVED_BY(zetMetricGroupGet, Metrics::groupGet),
    SERVED_BY(zetMetricGroupGetProperties, Metrics::groupGetProperties),
    SERVED_BY(zetMetricGet, Metrics::metricGet),
    SERVED_BY(zetMetricGetProperties, Metrics::metricGetProperties),
    SERVED_BY(zetContextActivateMetricGroups, Metrics::contextActivateMetricGroups),
    SERVED_BY(zetDeviceGetConcurrentMetricGroupsExp, Metrics::deviceGetConcurrentMetricGroupsExp),
    SERVED_BY(zetDeviceEnableMetricsExp, Metrics::deviceEnableMetricsExp),
    SERVED_BY(zetDeviceDisableMetricsExp, Metrics::deviceDisableMetricsExp),
    SERVED_BY(zetMetricGroupGetGlobalTimestampsExp, Metrics::groupGetGlobalTimestampsExp),
    SERVED_BY(zetMetricProgrammableGetExp, Metrics::programmableGetExp),
    SERVED_BY(zetMetricGroupCalculateMetricValues, Metrics::groupCalculateMetricValues),
    SERVED_BY(zetMetricGroupCalculateMultipleMetricValuesExp, Metrics::groupCalculateMultipleMetricValuesExp),
    SERVED_BY(zetMetricStreamerOpen, Metrics::streamerOpen),
    SERVED_BY(zetMetricStreamerReadData, Metrics::streamerReadData),
    SERVED_BY(zetMetricStreamerClose, Metrics::streamerClose),
    SERVED_BY(zetCommandListAppendMetricStreamerMarker, Metrics::commandListAppendMetricStreamerMarker),
    SERVED_BY(zetCommandListAppendMarkerExp, Metrics::commandListAppendMarkerExp),
    SERVED_BY(zetMetricQueryPoolCreate, Metrics::queryPoolCreate),
    SERVED_BY(zetMetricQueryPoolDestroy, Metrics::queryPoolDestroy),
    SERVED_BY(zetMetricQueryCreate, Metrics::queryCreate),
    SERVED_BY(zetMetricQueryDestroy, Metrics::queryDestroy),
    SERVED_BY(zetMetricQueryReset, Metrics::queryReset),
    SERVED_BY(zetMetricQueryGetData, Metrics::queryGetData),
    SERVED_BY(zetCommandListAppendMetricQueryBegin, Metrics::commandListAppendMetricQueryBegin),
    SERVED_BY(zetCommandListAppendMetricQueryEnd, Metrics::commandListAppendMetricQueryEnd),
    SERVED_BY(zetCommandListAppendMetricMemoryBarrier, Metrics::commandListAppendMetricMemoryBarrier),
};

const driver::Served kPinRows[] = {
    SERVED_BY(zetModuleGetDebugInfo, Pin::moduleGetDebugInfo),
    SERVED_BY(zetKernelGetProfileInfo, Pin::kernelGetProfileInfo),
};

const driver::Served kDebugRows[] = {
    SERVED_BY(zetDeviceGetDebugProperties, Debug::deviceGetDebugProperties),
    SERVED_BY(zetDebugAttach, Debug::attach),
    SERVED_BY(zetDebugDetach, Debug::detach),
    SERVED_BY(zetDebugReadEvent, Debug::readEvent),
    SERVED_BY(zetDebugAcknowledgeEvent, Debug::acknowledgeEvent),
    SERVED_BY(zetDebugInterrupt, Debug::interrupt),
    SERVED_BY(zetDebugResume, Debug::resume),
    SERVED_BY(zetDebugReadMemory, Debug::readMemory),
    SERVED_BY(zetDebugWriteMemory, Debug::writeMemory),
    SERVED_BY(zetDebugGetRegisterSetProperties, Debug::getRegisterSetProperties),
    SERVED_BY(zetDebugGetThreadRegisterSetProperties, Debug::getThreadRegisterSetProperties),
    SERVED_BY(zetDebugReadRegisters, Debug::readRegisters),
    SERVED_BY(zetDebugWriteRegisters, Debug::writeRegisters),
};

}  // namespace

void serveTools() {
    for (const driver::Rows rows : {driver::Rows(kMetricsRows), driver::Rows(kPinRows), driver::Rows(kDebugRows)})
        for (const auto& row : rows) driver::serve(row.function, row.entry);
}

}  // namespace zetl::emulated_gpu
