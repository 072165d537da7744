#include "emulator/driver/program/module_calls.h"

#include <fmt/format.h>

#include "driver/build_log.h"
#include "driver/entry.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/program/module.h"
#include "emulator/driver/program/module_source.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

/// Builds the module and adds it to the live ones; `words` gets the messages of the build.
Status build(Context& context, std::shared_ptr<Device> device, const ze_module_desc_t& description,
             ze_module_handle_t& out, std::string& words) {
    BuiltModule built = buildModule(*device, description);
    words = built.log;
    if (built.status != ZE_RESULT_SUCCESS) return built.status;
    auto module = Module::create(context.shared_from_this(), std::move(device), std::move(built));
    if (!module) return module.code();
    out = live<Module>().add(*std::move(module));
    return ZE_RESULT_SUCCESS;
}

/// Every failure leaves text in the build log: the text of its refusal, unless the build has written its own.
void explain(Status status, std::string& words) {
    if (words.find(lastRefusal()) == std::string::npos || words.empty())
        words += fmt::format("{}: {}\n", codeName(status), lastRefusal());
}

}  // namespace

Status createModule(Context& context, std::shared_ptr<Device> device, const ze_module_desc_t& description,
                    ze_module_handle_t& out, ze_module_build_log_handle_t* log) {
    std::string words;
    const Status status = build(context, std::move(device), description, out, words);
    if (status != ZE_RESULT_SUCCESS) explain(status, words);
    BuildLog::give(std::move(words), log);
    return status;
}

Status endModule(Module& module) {
    const Status status = destroy(module);
    if (status == ZE_RESULT_SUCCESS) module.end();
    return status;
}

}  // namespace zetl::emulator::driver
