// The class of the objects behind each handle.
#pragma once

#include "driver/build_log.h"
#include "driver/entry.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/device/fabric.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/command_queue.h"
#include "emulator/driver/execution/event.h"
#include "emulator/driver/execution/event_pool.h"
#include "emulator/driver/execution/executable_graph.h"
#include "emulator/driver/execution/fence.h"
#include "emulator/driver/execution/graph.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/image.h"
#include "emulator/driver/memory/physical_memory.h"
#include "emulator/driver/memory/sampler.h"
#include "emulator/driver/program/kernel.h"
#include "emulator/driver/program/module.h"
#include "emulator/driver/sysman/engine_group.h"
#include "emulator/driver/sysman/frequency_domain.h"
#include "emulator/driver/sysman/memory_module.h"
#include "emulator/driver/sysman/ras_error_set.h"

#define OBJECT(handle, class)                       \
    template <>                                     \
    struct zetl::driver::ObjectOf<handle> {         \
        using type = zetl::emulator::driver::class; \
    };
OBJECT(ze_driver_handle_t, Driver)
OBJECT(ze_device_handle_t, Device)
OBJECT(ze_fabric_vertex_handle_t, FabricVertex)
OBJECT(ze_fabric_edge_handle_t, FabricEdge)
OBJECT(ze_context_handle_t, Context)
OBJECT(ze_physical_mem_handle_t, PhysicalMemory)
OBJECT(ze_image_handle_t, Image)
OBJECT(ze_sampler_handle_t, Sampler)
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
OBJECT(zes_mem_handle_t, MemoryModule)
OBJECT(zes_freq_handle_t, FrequencyDomain)
OBJECT(zes_engine_handle_t, EngineGroup)
OBJECT(zes_ras_handle_t, RasErrorSet)
#undef OBJECT
