// libzetl_queries.so: puts a metric query around every kernel of a process, for `zetl metrics query`, or samples its
// instructions, for `zetl stalls` (sampling.h).
//
// It gets into the process as the recorder does (recorder/recorder.cpp): the loader opens it as its tracing layer and
// finds the tools layer, on which it depends, through it. Data are taken where the program waits, and at its end.
#include <dlfcn.h>
#include <level_zero/layers/zel_tracing_register_cb.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "injected/query_format.h"
#include "injected/stalls_format.h"
#include "injected/tracer.h"
#include "query/launches.h"
#include "query/sampling.h"

namespace zetl::queries {
namespace {

using namespace std::chrono_literals;

/// Created at the first use, before this library's other objects, and never destroyed.
std::string& file() {
    static auto* const path = new std::string;
    return *path;
}
pid_t owner = 0;

/// If memory runs out, a launch is not measured, and the program goes on.
template <class F>
void guarded(F&& body) noexcept {
    try {
        body();
    } catch (const std::exception&) {
        std::fputs("zetl: a kernel is not measured: out of memory\n", stderr);
    }
}

/// What has been submitted may end a moment later; what never executed is not waited for long.
void finish() {
    if (getpid() != owner) return;
    guarded([] {
        auto& launches = Launches::instance();
        constexpr int kLooks = 100;
        for (int i = 0; i < kLooks; ++i) {
            launches.collect();
            if (launches.complete()) break;
            std::this_thread::sleep_for(1ms);
        }
        launches.write(file().c_str());
    });
}

void finishAtExit() {
    static const int registered = std::atexit(finish);
    static_cast<void>(registered);
}

void created(ze_command_list_create_params_t* parameters, ze_result_t result, void*, void**) noexcept {
    if (result != ZE_RESULT_SUCCESS) return;
    guarded([&] {
        Launches::instance().listCreated(**parameters->pphCommandList, *parameters->phContext, *parameters->phDevice,
                                         false);
    });
}

void createdImmediate(ze_command_list_create_immediate_params_t* parameters, ze_result_t result, void*,
                      void**) noexcept {
    if (result != ZE_RESULT_SUCCESS) return;
    guarded([&] {
        Launches::instance().listCreated(**parameters->pphCommandList, *parameters->phContext, *parameters->phDevice,
                                         true);
    });
}

void ends(ze_command_list_destroy_params_t* parameters, ze_result_t, void*, void**) noexcept {
    guarded([&] { Launches::instance().listEnds(*parameters->phCommandList); });
}
void resets(ze_command_list_reset_params_t* parameters, ze_result_t, void*, void**) noexcept {
    guarded([&] { Launches::instance().listEnds(*parameters->phCommandList); });
}

/// The addresses of a call's arguments, in order, which is what every structure of parameters holds.
using Arguments = const void* const*;

/// A list, then a kernel.
constexpr const char* kLaunches[] = {"zeCommandListAppendLaunchKernel", "zeCommandListAppendLaunchKernelWithParameters",
                                     "zeCommandListAppendLaunchKernelWithArguments",
                                     "zeCommandListAppendLaunchCooperativeKernel",
                                     "zeCommandListAppendLaunchKernelIndirect"};

void launching(Arguments arguments, ze_result_t, void*, void** instance) noexcept {
    *instance = nullptr;
    guarded([&] {
        finishAtExit();
        *instance = Launches::instance().begin(*static_cast<const ze_command_list_handle_t*>(arguments[0]),
                                               *static_cast<const ze_kernel_handle_t*>(arguments[1]));
    });
}
void launched(Arguments, ze_result_t, void*, void** instance) noexcept {
    if (auto* const bracket = static_cast<Bracket*>(*instance)) guarded([&] { Launches::instance().end(bracket); });
}

/// After every call that waits.
template <class P>
void waited(P*, ze_result_t, void*, void**) noexcept {
    guarded([] { Launches::instance().collect(); });
}

bool follow(void* layer) {
    auto calls = command::Tracer::create(layer);
    if (!calls) return false;
    calls->add("zeCommandListCreate", ZEL_REGISTER_EPILOGUE, created);
    calls->add("zeCommandListCreateImmediate", ZEL_REGISTER_EPILOGUE, createdImmediate);
    calls->add("zeCommandListDestroy", ZEL_REGISTER_PROLOGUE, ends);
    calls->add("zeCommandListReset", ZEL_REGISTER_PROLOGUE, resets);
    for (const auto* each : kLaunches) {
        calls->add(each, ZEL_REGISTER_PROLOGUE, launching);
        calls->add(each, ZEL_REGISTER_EPILOGUE, launched);
    }
    calls->add("zeCommandListHostSynchronize", ZEL_REGISTER_EPILOGUE,
               waited<ze_command_list_host_synchronize_params_t>);
    calls->add("zeCommandQueueSynchronize", ZEL_REGISTER_EPILOGUE, waited<ze_command_queue_synchronize_params_t>);
    calls->add("zeFenceHostSynchronize", ZEL_REGISTER_EPILOGUE, waited<ze_fence_host_synchronize_params_t>);
    calls->add("zeEventHostSynchronize", ZEL_REGISTER_EPILOGUE, waited<ze_event_host_synchronize_params_t>);
    return calls->enable();
}

void measure(void* layer, const char* path) {
    file() = path;
    owner = getpid();
    if (!follow(layer)) std::fputs("zetl: not measuring: the tools layer refused a tracer\n", stderr);
}

/// Null if it is not wanted.
const char* wanted(const char* variable) {
    const char* const value = secure_getenv(variable);
    return value && *value ? value : nullptr;
}

[[gnu::constructor]] void attach() {
    const char* const queries = wanted(command::kQueryFileVariable);
    const char* const stalls = wanted(command::kStallsDirectoryVariable);
    if (!queries && !stalls) return;
    guarded([&] {
        void* const layer = dlopen("libze_tools_layer.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        if (!layer)
            return static_cast<void>(std::fputs("zetl: not measuring: the tools layer is not loaded\n", stderr));
        if (queries) measure(layer, queries);
        if (stalls && !sample(layer, stalls))
            std::fputs("zetl: not sampling: the tools layer refused a tracer\n", stderr);
    });
}

}  // namespace
}  // namespace zetl::queries
