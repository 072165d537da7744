#include "core/architecture.h"

#include <map>

#include "core/cuda.h"
#include "core/xe.h"

namespace zetl::debugger {

const Architecture& xe(const isa::xe::Architecture& architecture) {
    static const auto all = [] {
        std::map<const isa::xe::Architecture*, Xe> made;
        for (const auto* each : isa::xe::allArchitectures()) made.emplace(each, *each);
        return made;
    }();
    return all.at(&architecture);
}

const Architecture& cuda() {
    static const Cuda architecture;
    return architecture;
}

const Architecture* architectureOf(std::uint32_t vendor, std::uint32_t ipVersion) {
    constexpr std::uint32_t kIntel = 0x8086;
    constexpr std::uint32_t kNvidia = 0x10de;
    if (vendor == kNvidia) return &cuda();
    if (vendor != kIntel) return nullptr;
    const auto* const product = isa::xe::findProduct(isa::xe::IpVersion::unpacked(ipVersion));
    return product ? &xe(*product->architecture) : &xe();
}

}  // namespace zetl::debugger
