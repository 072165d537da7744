// The functions zeModule... that make and end modules.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class Context;
class Device;
class Module;

// `log` may be null; otherwise it gets a build log, also of a failure.
/// The codes of buildModule(), and OUT_OF_DEVICE_MEMORY.
Status createModule(Context& context, std::shared_ptr<Device> device, const ze_module_desc_t& description,
                    ze_module_handle_t& out, ze_module_build_log_handle_t* log);
/// Destroys the handle and notifies the tools.
Status endModule(Module& module);

}  // namespace zetl::emulator::driver
