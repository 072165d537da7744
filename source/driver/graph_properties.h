// What a device says of graphs (ze_record_replay_graph_ext_properties_t, which headers before specification 1.17 do not
// have).
#pragma once

#include <cstdint>

#include "driver/chain.h"

namespace zetl::driver {

/// Answers the struct if it asks for graphs, and returns whether it does: a graph does not change once it is recorded.
inline bool answerGraphProperties(ChainLink& link) {
    constexpr std::uint32_t kProperties = 0x00020047;
    constexpr std::uint32_t kPropertiesExp = 0x00030029;  // its predecessor of Intel's driver
    constexpr std::uint32_t kImmutable = 1;
    struct Properties {
        ze_structure_type_t stype;
        void* pNext;
        std::uint32_t graphFlags;
    };
    const auto type = static_cast<std::uint32_t>(link.stype);
    if (type != kProperties && type != kPropertiesExp) return false;
    reinterpret_cast<Properties&>(link).graphFlags = kImmutable;
    return true;
}

}  // namespace zetl::driver
