#include "debug/register_sets.h"

#include <cstddef>

namespace zetl::debug {
namespace {

zet_debug_regset_flags_t flag(bool set, zet_debug_regset_flag_t bit) { return set ? zet_debug_regset_flags_t{bit} : 0; }

}  // namespace

std::vector<const zetl_register_set_t*> registerSetsOf(const device::Device& device) {
    const auto& targets = device.access().targets();
    std::uint32_t count = 0;
    if (targets.register_sets(device.id(), 0, nullptr, &count) != ZETL_OK) return {};
    std::vector<const zetl_register_set_t*> sets(count);
    if (targets.register_sets(device.id(), count, sets.data(), &count) != ZETL_OK) return {};
    return sets;
}

const zetl_register_set_t* findRegisterSet(const device::Device& device, std::uint32_t type) {
    for (const auto* set : registerSetsOf(device))
        if (set->type == type) return set;
    return nullptr;
}

std::uint64_t bytesOf(const zetl_register_set_t& set, std::uint32_t count, const device::Device& device) {
    const std::uint64_t lanes = set.per_lane ? device.info().lanes : 1;
    return lanes * count * set.bytes;
}

std::uint32_t usualCount(const zetl_register_set_t& set) noexcept {
    const bool known = set.size >= offsetof(zetl_register_set_t, usual) + sizeof set.usual;
    return known && set.usual != 0 ? set.usual : set.count;
}

void fill(zet_debug_regset_properties_t& properties, const zetl_register_set_t& set, std::uint32_t count) {
    properties.type = set.type;
    properties.version = 0;
    properties.generalFlags =
        flag(set.readable, ZET_DEBUG_REGSET_FLAG_READABLE) | flag(set.writeable, ZET_DEBUG_REGSET_FLAG_WRITEABLE);
    properties.deviceFlags = 0;
    properties.count = count;
    properties.bitSize = set.bits;
    properties.byteSize = set.bytes;
}

}  // namespace zetl::debug
