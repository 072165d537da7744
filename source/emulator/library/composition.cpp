#include "composition.h"

#include "base/log.h"
#include "base/once.h"
#include "composition/composition.h"
#include "emulator/access/provider.h"
#include "emulator/driver/device/driver.h"
#include "tracers.h"

namespace zetl::emulator::library {

void compose() noexcept {
    static Once once;
    try {
        once.call([] {
            for (const auto& extension : composition::extensionsOfModules()) driver::offerExtension(extension);
            for (const auto& extension : composition::extensionsOfIntel()) driver::offerExtension(extension);
            access::offer();
            composition::serveModules(access::provider());
            composition::serveNamesOfIntel();
            serveTracing();
        });
    } catch (const std::exception& failure) {
        log::error(log::Channel::emulator, "the tools functions are not available: {}", failure.what());
    }
}

}  // namespace zetl::emulator::library
