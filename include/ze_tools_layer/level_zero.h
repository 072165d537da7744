/*
 * The Level Zero API up to specification 1.17, for any installed headers of specification 1.9 or newer.
 *
 * Includes the installed core, tools, runtime and API-tracing headers, then declares what they lack:
 *   - types and constants that the missing functions need (level_zero/core_types.h, level_zero/tools_types.h);
 *   - the missing functions, with the parameter block, callback type and registration call that API tracing defines
 *     for each core and runtime function (level_zero/core_calls.h, level_zero/tools_calls.h).
 *   - functions of specifications newer than 1.17, which drivers return by name (level_zero/newer_calls.h).
 * Valid in C11 and C++. With the newest headers it adds only the row lists.
 *
 * Types whose layout changed are not covered. Specification 1.9 numbers zet_value_info_type_exp_t differently and has a
 * shorter zet_metric_programmable_param_value_info_exp_t: build programmable-metric code against 1.11 or newer.
 */
#pragma once

#include "ze_tools_layer/level_zero/core_calls.h"
#include "ze_tools_layer/level_zero/newer_calls.h"
#include "ze_tools_layer/level_zero/tools_calls.h"
