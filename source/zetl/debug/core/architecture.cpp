#include "core/architecture.h"

#include "core/cuda.h"
#include "core/xe.h"

namespace zetl::debugger {

const Architecture& xe() {
    static const Xe architecture;
    return architecture;
}

const Architecture& cuda() {
    static const Cuda architecture;
    return architecture;
}

const Architecture* architectureOf(std::uint32_t vendor) {
    constexpr std::uint32_t kIntel = 0x8086;
    constexpr std::uint32_t kNvidia = 0x10de;
    return vendor == kIntel ? &xe() : vendor == kNvidia ? &cuda() : nullptr;
}

}  // namespace zetl::debugger
