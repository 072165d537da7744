#include "base/usable_cores.h"

#include <sched.h>

#include <algorithm>

namespace zetl {

std::uint32_t usableCores() noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return static_cast<std::uint32_t>(std::max(CPU_COUNT(&set), 1));
}

}  // namespace zetl
