#include "composition.h"

#include <mutex>

#include "base/log.h"
#include "composition/composition.h"
#include "emulator/access/provider.h"
#include "emulator/driver/device/driver.h"
#include "tracers.h"

namespace zetl::emulator::library {

void compose() noexcept {
    static std::once_flag once;
    try {
        std::call_once(once, [] {
            for (const auto& extension : composition::extensionsOfModules()) driver::offerExtension(extension);
            access::offer();
            composition::serveModules(access::provider());
            serveTracing();
        });
    } catch (const std::exception& failure) {
        log::error(log::Channel::emulator, "the tools functions are not available: {}", failure.what());
    }
}

}  // namespace zetl::emulator::library
