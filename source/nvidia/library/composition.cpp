#include "composition.h"

#include "base/log.h"
#include "base/once.h"
#include "composition/composition.h"
#include "nvidia/access/provider.h"
#include "nvidia/driver/device/driver.h"

namespace zetl::nvidia {

void compose() noexcept {
    static Once once;
    try {
        once.call([] {
            for (const auto& extension : composition::extensionsOfModules()) offerExtension(extension);
            access::offer();
            composition::serveModules(access::provider());
        });
    } catch (const std::exception& failure) {
        log::error(log::Channel::nvidia, "the tools functions are not available: {}", failure.what());
    }
}

}  // namespace zetl::nvidia
