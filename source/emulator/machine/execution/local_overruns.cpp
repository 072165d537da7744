#include "emulator/machine/execution/local_overruns.h"

#include <new>

#include "base/settings.h"

namespace zetl::emulator::machine {

LocalOverruns::LocalOverruns() : strict_(settings::enabled(settings::kStrictMemory)) {}

bool LocalOverruns::isFirstOf(const std::string& kernel) noexcept {
    try {
        const Lock guard(mutex_);
        return kernels_.insert(kernel).second;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace zetl::emulator::machine
