#include "emulator/driver/program/build_log.h"

#include "emulator/driver/object/live_set.h"

namespace zetl::emulator::driver {

void BuildLog::give(std::string text, ze_module_build_log_handle_t* out) {
    if (out) *out = live<BuildLog>().add(std::make_shared<BuildLog>(std::move(text)));
}

}  // namespace zetl::emulator::driver
