#include "emulator/machine/execution/overruns.h"

#include <new>

#include "base/settings.h"

namespace zetl::emulator::machine {

Overruns::Overruns() : strict_(settings::enabled(settings::kStrictMemory)) {}

bool Overruns::isFirstOf(const std::string& kernel, Of what) noexcept {
    try {
        const Lock guard(mutex_);
        return kernels_[static_cast<std::size_t>(what)].insert(kernel).second;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace zetl::emulator::machine
