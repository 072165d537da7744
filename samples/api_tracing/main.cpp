// API tracing as the Tools Programming Guide describes it: callbacks around zeCommandListAppendLaunchKernel that number
// and time the calls. First with the standard tracer functions (zetTracerExp, served by the tools layer in the
// validation slot), then with the loader's own (zelTracer, served in the tracing slot). Run it with `zetl run` or after
// eval "$(zetl env)".
//
// Exit code 0: the tracers saw exactly the calls made while they were enabled.
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/zet_api.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "session/check.h"
#include "session/session.h"

namespace {

using Clock = std::chrono::steady_clock;

/// The tracer's user data: what it keeps over all calls.
struct TracerData {
    const char* name;
    unsigned instance = 0;
};

/// The instance data of one call: what the tracer keeps from its enter to its exit.
struct InstanceData {
    Clock::time_point start;
};

void onEnterLaunch(ze_command_list_append_launch_kernel_params_t*, ze_result_t, void*, void** instanceData) {
    *instanceData = new InstanceData{Clock::now()};
}

void onExitLaunch(ze_command_list_append_launch_kernel_params_t* parameters, ze_result_t result, void* userData,
                  void** instanceData) {
    const std::unique_ptr<InstanceData> data(static_cast<InstanceData*>(*instanceData));
    const std::chrono::duration<double, std::micro> time = Clock::now() - data->start;
    auto& tracer = *static_cast<TracerData*>(userData);
    const auto& groups = **parameters->ppLaunchFuncArgs;
    std::printf("%s: zeCommandListAppendLaunchKernel #%u of %u groups takes %.2f us, result %#x\n", tracer.name,
                tracer.instance++, groups.groupCountX, time.count(), static_cast<unsigned int>(result));
}

/// Three launches that the tracer must see, between two that it must not see.
template <class SetEnabled>
void launch(const session::Commands& commands, const session::Kernel& kernel, SetEnabled setEnabled) {
    const auto append = [&](std::uint32_t count) {
        const ze_group_count_t groups{count, 1, 1};
        CHECK(zeCommandListAppendLaunchKernel(commands.list, kernel.kernel, &groups, nullptr, 0, nullptr));
    };
    append(1);
    setEnabled(true);
    for (const std::uint32_t count : {2u, 3u, 4u}) append(count);
    setEnabled(false);
    append(5);
}

unsigned traceByStandard(const session::Session& session, const session::Commands& commands,
                         const session::Kernel& kernel) {
    TracerData data{"zetTracerExp"};
    zet_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_TRACER_EXP_DESC, nullptr, &data};
    zet_tracer_exp_handle_t tracer = nullptr;
    CHECK(zetTracerExpCreate(session.context, &description, &tracer));
    zet_core_callbacks_t prologues{};
    zet_core_callbacks_t epilogues{};
    prologues.CommandList.pfnAppendLaunchKernelCb = onEnterLaunch;
    epilogues.CommandList.pfnAppendLaunchKernelCb = onExitLaunch;
    CHECK(zetTracerExpSetPrologues(tracer, &prologues));
    CHECK(zetTracerExpSetEpilogues(tracer, &epilogues));
    launch(commands, kernel, [&](ze_bool_t enable) { CHECK(zetTracerExpSetEnabled(tracer, enable)); });
    CHECK(zetTracerExpDestroy(tracer));
    return data.instance;
}

unsigned traceByLoader(const session::Commands& commands, const session::Kernel& kernel) {
    TracerData data{"zelTracer"};
    zel_tracer_desc_t description{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, &data};
    zel_tracer_handle_t tracer = nullptr;
    CHECK(zelTracerCreate(&description, &tracer));
    zel_core_callbacks_t prologues{};
    zel_core_callbacks_t epilogues{};
    prologues.CommandList.pfnAppendLaunchKernelCb = onEnterLaunch;
    epilogues.CommandList.pfnAppendLaunchKernelCb = onExitLaunch;
    CHECK(zelTracerSetPrologues(tracer, &prologues));
    CHECK(zelTracerSetEpilogues(tracer, &epilogues));
    launch(commands, kernel, [&](ze_bool_t enable) { CHECK(zelTracerSetEnabled(tracer, enable)); });
    CHECK(zelTracerDestroy(tracer));
    return data.instance;
}

}  // namespace

int main() {
    const session::Session session;
    const session::Kernel kernel(session, "kernel void nothing() {}", "nothing");
    session::Commands commands(session);
    CHECK(zeKernelSetGroupSize(kernel.kernel, 1, 1, 1));
    const unsigned standard = traceByStandard(session, commands, kernel);
    const unsigned loader = traceByLoader(commands, kernel);
    commands.run();
    std::printf("api_tracing: %u of 3 calls seen by zetTracerExp, %u of 3 by zelTracer\n", standard, loader);
    return standard == 3 && loader == 3 ? 0 : 1;
}
