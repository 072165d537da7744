#include "benchmark/workload.h"

#include <cstdlib>

namespace zetl::test {
namespace {

void onPrologue(ze_command_list_append_launch_kernel_params_t*, ze_result_t, void*, void** instance) {
    *instance = nullptr;
}
void onEpilogue(ze_command_list_append_launch_kernel_params_t*, ze_result_t, void*, void** instance) {
    *instance = nullptr;
}

void demand(ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) std::abort();
}

}  // namespace

Workload::Workload(int tracers) : tracers_(static_cast<std::size_t>(tracers)) {
    const zel_tracer_desc_t desc{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, this};
    for (auto& tracer : tracers_) {
        demand(zelTracerCreate(&desc, &tracer));
        demand(zelTracerCommandListAppendLaunchKernelRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, onPrologue));
        demand(zelTracerCommandListAppendLaunchKernelRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, onEpilogue));
        demand(zelTracerSetEnabled(tracer, true));
    }
}

Workload::~Workload() {
    for (auto* tracer : tracers_) {
        demand(zelTracerSetEnabled(tracer, false));
        demand(zelTracerDestroy(tracer));
    }
}

}  // namespace zetl::test
