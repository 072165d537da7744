#include "composition.h"

#include <mutex>

#include "base/log.h"
#include "composition/composition.h"
#include "nvidia/access/provider.h"
#include "nvidia/driver/device/driver.h"
#include "nvidia/driver/entry/rows.h"

namespace zetl::nvidia {

void compose() noexcept {
    static std::once_flag once;
    try {
        std::call_once(once, [] {
            for (const auto& extension : composition::extensionsOfModules()) offerExtension(extension);
            offerProgramFunctions();
            access::offer();
            composition::serveModules(access::provider());
        });
    } catch (const std::exception& failure) {
        log::error(log::Channel::nvidia, "the tools functions are not available: {}", failure.what());
    }
}

}  // namespace zetl::nvidia
