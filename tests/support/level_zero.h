// Level Zero as the tests use it: the stock loader's functions, those it may lack, and the fake driver behind it.
#pragma once

#include <string>

#include "support/fake_driver/control.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {

/// The loader's function of that name, or null if this loader is too old to have it.
void* loaderFunction(const char* name);
template <class F>
F* loaderFunction(const char* name) {
    return reinterpret_cast<F*>(loaderFunction(name));
}
/// loaderFunction with the type that the headers give the name.
#define LOADER_FUNCTION(name) ::zetl::test::loaderFunction<std::remove_pointer_t<decltype(&name)>>(#name)

/// The layer's own export of that name; null if the layer is not loaded.
void* layerFunction(const char* name);

/// True if this loader can switch tracing at run time (1.15.7 and later).
inline bool loaderHasDynamicTracing() { return loaderFunction("zelEnableTracingLayer") != nullptr; }

/// The control of the fake driver that is loaded; the second one's with `second`. Null if it is not loaded.
FakeDriverControl* fakeDriver(bool second = false);

/// What a build log says; the log is destroyed.
std::string takeBuildLog(ze_module_build_log_handle_t log);

/// The objects most tests need. Made once in a process, through the loader; never destroyed.
struct Objects {
    ze_driver_handle_t driver = nullptr;
    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;
    ze_command_list_handle_t list = nullptr;

    /// Initialises Level Zero. Fails the running test if a call fails.
    static const Objects& get();
    /// The same below the driver with that number.
    static Objects make(unsigned driver);
};

}  // namespace zetl::test
