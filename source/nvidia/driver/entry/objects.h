// The class of the objects behind each handle.
#pragma once

#include "driver/build_log.h"
#include "driver/entry.h"
#include "nvidia/driver/device/context.h"
#include "nvidia/driver/device/device.h"
#include "nvidia/driver/device/driver.h"
#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/execution/command_queue.h"
#include "nvidia/driver/execution/event.h"
#include "nvidia/driver/execution/event_pool.h"
#include "nvidia/driver/execution/executable_graph.h"
#include "nvidia/driver/execution/fence.h"
#include "nvidia/driver/execution/graph.h"
#include "nvidia/driver/memory/physical_memory.h"
#include "nvidia/driver/program/kernel.h"
#include "nvidia/driver/program/module.h"
#include "nvidia/driver/sysman/components.h"

#define OBJECT(handle, class)               \
    template <>                             \
    struct zetl::driver::ObjectOf<handle> { \
        using type = zetl::nvidia::class;   \
    };
OBJECT(ze_driver_handle_t, Driver)
OBJECT(ze_device_handle_t, Device)
OBJECT(ze_context_handle_t, Context)
OBJECT(ze_physical_mem_handle_t, PhysicalMemory)
OBJECT(ze_module_handle_t, Module)
OBJECT(ze_module_build_log_handle_t, BuildLog)
OBJECT(ze_kernel_handle_t, Kernel)
OBJECT(ze_command_queue_handle_t, CommandQueue)
OBJECT(ze_command_list_handle_t, CommandList)
OBJECT(ze_fence_handle_t, Fence)
OBJECT(ze_event_pool_handle_t, EventPool)
OBJECT(ze_event_handle_t, Event)
OBJECT(ze_graph_handle_t, Graph)
OBJECT(ze_executable_graph_handle_t, ExecutableGraph)
OBJECT(zes_pwr_handle_t, PowerDomain)
OBJECT(zes_freq_handle_t, FrequencyDomain)
OBJECT(zes_temp_handle_t, TemperatureSensor)
OBJECT(zes_mem_handle_t, MemoryModule)
#undef OBJECT
