// Inter-function instrumentation: the tool's function is called in the place of a program's function. The tool's module
// is linked in front of the program's modules; if several define a name, the first one is used. The program is not
// changed; its function is identified by its name.
//
//   eval "$(zetl env --emulated)"
//   LD_PRELOAD=libfunction_redirect.so linked_modules
#include <dlfcn.h>
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_register_cb.h>
#include <level_zero/ze_api.h>

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <vector>

#include "session/spirv.h"

namespace {

/// Other prices; it also counts its calls.
const char* const kSource = R"(
global int calls = 0;
int price(int amount) {
    atomic_inc(&calls);
    return 2 * amount;
})";

struct Tool {
    ze_context_handle_t context = nullptr;  ///< the program's
    ze_device_handle_t device = nullptr;
    ze_module_handle_t module = nullptr;
    std::vector<ze_module_handle_t> linked;
    ze_module_handle_t* first = nullptr;
};

/// Lives until the process is gone: the program may call Level Zero while it ends.
Tool& tool() {
    static auto* const instance = new Tool;
    return *instance;
}

/// Makes the tool's module for the program's context and device, which it learns when the program makes its first
/// module. Calls in a callback are not traced.
void moduleMade(ze_module_create_params_t* call, ze_result_t result, void*, void**) {
    if (result != ZE_RESULT_SUCCESS || tool().module) return;
    tool().context = *call->phContext;
    tool().device = *call->phDevice;
    const auto spirv = session::compileToSpirv(kSource, "-cl-std=CL2.0");
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, spirv.size(), spirv.data(),
        "-ze-library-compilation",     nullptr};
    zeModuleCreate(tool().context, tool().device, &description, &tool().module, nullptr);
}

void modulesAreLinked(ze_module_dynamic_link_params_t* call, ze_result_t, void*, void**) {
    if (!tool().module || !*call->pphModules) return;
    tool().linked.assign(1, tool().module);
    tool().linked.insert(tool().linked.end(), *call->pphModules, *call->pphModules + *call->pnumModules);
    tool().first = tool().linked.data();
    *call->pphModules = tool().first;
    ++*call->pnumModules;
}

int callsOf(void* variable) {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    ze_command_list_handle_t list = nullptr;
    int calls = 0;
    if (zeCommandListCreateImmediate(tool().context, tool().device, &description, &list) != ZE_RESULT_SUCCESS) return 0;
    zeCommandListAppendMemoryCopy(list, &calls, variable, sizeof calls, nullptr, 0, nullptr);
    zeCommandListDestroy(list);
    return calls;
}

/// The last chance to read the tool's module.
void contextEnds(ze_context_destroy_params_t* call, ze_result_t, void*, void**) {
    void* variable = nullptr;
    if (!tool().module || *call->phContext != tool().context) return;
    if (zeModuleGetGlobalPointer(tool().module, "calls", nullptr, &variable) == ZE_RESULT_SUCCESS)
        std::printf("function_redirect: price() was called %d times\n", callsOf(variable));
    zeModuleDestroy(tool().module);
    tool().module = nullptr;
}

void start() {
    zel_tracer_handle_t tracer = nullptr;
    const zel_tracer_desc_t description{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, nullptr};
    if (zelTracerCreate(&description, &tracer) != ZE_RESULT_SUCCESS) {
        std::fprintf(stderr, "function_redirect: no tracing layer is in the loader (zetl run, zetl env)\n");
        return;
    }
    zelTracerModuleCreateRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, moduleMade);
    zelTracerModuleDynamicLinkRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, modulesAreLinked);
    zelTracerContextDestroyRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, contextEnds);
    zelTracerSetEnabled(tracer, true);
}

}  // namespace

/// When the loader has initialised its drivers, its layers are loaded, and the program has no module yet.
extern "C" ZE_APIEXPORT ze_result_t ZE_APICALL zeInit(ze_init_flags_t flags) {
    static const auto original = reinterpret_cast<decltype(zeInit)*>(dlsym(RTLD_NEXT, "zeInit"));
    static std::once_flag once;
    const auto result = original(flags);
    if (result == ZE_RESULT_SUCCESS) std::call_once(once, start);
    return result;
}
