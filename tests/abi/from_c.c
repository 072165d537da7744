/* Compiled, not run: the public headers are C. */
#include "ze_tools_layer/breakpoints.h"
#include "ze_tools_layer/conditions.h"
#include "ze_tools_layer/history.h"
#include "ze_tools_layer/lane_memory.h"
#include "ze_tools_layer/level_zero.h"
#include "ze_tools_layer/level_zero/intel_metrics.h"
#include "ze_tools_layer/metric_error.h"
#include "ze_tools_layer/result_name.h"
#include "ze_tools_layer/watches.h"

void* zetlTestFromC(void);

void* zetlTestFromC(void) {
    static zet_metric_tracer_exp_desc_t desc;
    static zet_metric_entry_exp_t entry;
    static ze_event_counter_based_desc_t event;
    desc.notifyEveryNBytes = (uint32_t)(sizeof entry + sizeof event);
    switch ((unsigned)ZET_METRIC_TYPE_EVENT_EXP_START) {
        case ZE_RESULT_QUERY_TRUE:
            return &entry;
        default:
            return zetlResultName(ZE_RESULT_SUCCESS) ? (void*)&desc : NULL;
    }
}
