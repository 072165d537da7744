// The graph functions as the tests of drivers use them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "emulated_gpu/gpu.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {

/// The functions, which the loader may be too old to know.
struct Graphs {
    explicit Graphs(const Gpu& of)
        : gpu(of),
          create(DRIVER_CALL(of, zeGraphCreateExt)),
          begin(DRIVER_CALL(of, zeCommandListBeginGraphCaptureExt)),
          beginInto(DRIVER_CALL(of, zeCommandListBeginCaptureIntoGraphExt)),
          records(DRIVER_CALL(of, zeCommandListIsGraphCaptureEnabledExt)),
          end(DRIVER_CALL(of, zeCommandListEndGraphCaptureExt)),
          graphOf(DRIVER_CALL(of, zeCommandListGetGraphExt)),
          primary(DRIVER_CALL(of, zeGraphGetPrimaryCommandListExt)),
          whenDestroyed(DRIVER_CALL(of, zeGraphSetDestructionCallbackExt)),
          instantiate(DRIVER_CALL(of, zeGraphInstantiateExt)),
          append(DRIVER_CALL(of, zeCommandListAppendGraphExt)),
          source(DRIVER_CALL(of, zeExecutableGraphGetSourceGraphExt)),
          isEmpty(DRIVER_CALL(of, zeGraphIsEmptyExt)),
          dump(DRIVER_CALL(of, zeGraphDumpContentsExt)),
          destroyExecutable(DRIVER_CALL(of, zeExecutableGraphDestroyExt)),
          destroy(DRIVER_CALL(of, zeGraphDestroyExt)),
          pause(DRIVER_CALL(of, zeGraphPauseCaptureExt)),
          resume(DRIVER_CALL(of, zeGraphResumeCaptureExt)),
          id(DRIVER_CALL(of, zeGraphGetIdExt)) {}

    ze_graph_handle_t recorded(ze_command_list_handle_t list) const {
        ze_graph_handle_t graph = nullptr;
        EXPECT_OK(end(list, nullptr, &graph));
        return graph;
    }
    ze_executable_graph_handle_t executable(ze_graph_handle_t graph) const {
        ze_executable_graph_handle_t made = nullptr;
        EXPECT_OK(instantiate(graph, nullptr, &made));
        return made;
    }
    ze_result_t run(ze_command_list_handle_t list, ze_executable_graph_handle_t graph) const {
        const ze_result_t appended = append(list, graph, nullptr, nullptr, 0, nullptr);
        return appended == ZE_RESULT_SUCCESS ? gpu.synchronize(list, UINT64_MAX) : appended;
    }
    ze_event_handle_t counter(ze_event_counter_based_flags_t flags) const {
        ze_event_counter_based_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC;
        description.flags = flags;
        ze_event_handle_t event = nullptr;
        EXPECT_OK(DRIVER_CALL(gpu, zeEventCounterBasedCreate)(gpu.context(), gpu.device(), &description, &event));
        return event;
    }
    ze_command_list_handle_t inOrder() const {
        return gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    }

    const Gpu& gpu;
    decltype(&zeGraphCreateExt) create;
    decltype(&zeCommandListBeginGraphCaptureExt) begin;
    decltype(&zeCommandListBeginCaptureIntoGraphExt) beginInto;
    decltype(&zeCommandListIsGraphCaptureEnabledExt) records;
    decltype(&zeCommandListEndGraphCaptureExt) end;
    decltype(&zeCommandListGetGraphExt) graphOf;
    decltype(&zeGraphGetPrimaryCommandListExt) primary;
    decltype(&zeGraphSetDestructionCallbackExt) whenDestroyed;
    decltype(&zeGraphInstantiateExt) instantiate;
    decltype(&zeCommandListAppendGraphExt) append;
    decltype(&zeExecutableGraphGetSourceGraphExt) source;
    decltype(&zeGraphIsEmptyExt) isEmpty;
    decltype(&zeGraphDumpContentsExt) dump;
    decltype(&zeExecutableGraphDestroyExt) destroyExecutable;
    decltype(&zeGraphDestroyExt) destroy;
    decltype(&zeGraphPauseCaptureExt) pause;
    decltype(&zeGraphResumeCaptureExt) resume;
    decltype(&zeGraphGetIdExt) id;
};

inline ze_result_t appendFill(ze_command_list_handle_t list, int* target, int value, ze_event_handle_t signal = nullptr,
                              std::uint32_t waits = 0, ze_event_handle_t* wait = nullptr) {
    return zeCommandListAppendMemoryFill(list, target, &value, sizeof value, sizeof value, signal, waits, wait);
}

}  // namespace zetl::test
