/*
 * An extension of zetMetricGetProperties that says how exact the values of a metric are
 * (docs/explanation/timing-model.md, "How far may a value be off?").
 *
 * Chain this structure to the properties and set its stype. It belongs to the caller; nothing in it needs to be freed:
 *
 *   zetl_metric_error_properties_t error = {ZETL_STRUCTURE_TYPE_METRIC_ERROR_PROPERTIES, NULL};
 *   zet_metric_properties_t properties = {ZET_STRUCTURE_TYPE_METRIC_PROPERTIES, &error};
 *   zetMetricGetProperties(metric, &properties);
 *
 * An error is known only once the value has been measured. Another metric delivers it: the one that errorMetric names.
 * If a group has both, each row has the value and its error, in the units of the value: a model of all of the work
 * would give a value from value - error to value + error. An error of 0 means that all of the work was modelled. Groups
 * that a program makes from programmable metrics (zetMetricProgrammableGetExp) can have both.
 *
 * A driver that supports the extension lists ZETL_METRIC_ERROR_EXTENSION (zeDriverGetExtensionProperties). Drivers that
 * do not know it pass the structure over: the members then keep what they had.
 */
#ifndef ZE_TOOLS_LAYER_METRIC_ERROR_H
#define ZE_TOOLS_LAYER_METRIC_ERROR_H

#include <level_zero/zet_api.h>

#define ZETL_METRIC_ERROR_EXTENSION "ZETL_extension_metric_error"
#define ZETL_STRUCTURE_TYPE_METRIC_ERROR_PROPERTIES ((zet_structure_type_t)0x7a740002)

typedef struct zetl_metric_error_properties {
    zet_structure_type_t stype; /* [in] ZETL_STRUCTURE_TYPE_METRIC_ERROR_PROPERTIES */
    void* pNext;                /* [in,out][optional] */
    ze_bool_t isModelled;       /* [out] 0: the device counts it; otherwise it follows from the device's timing model */
    char errorMetric[ZET_MAX_METRIC_NAME]; /* [out] name of the metric with the error; empty: none is stated */
} zetl_metric_error_properties_t;

#endif
