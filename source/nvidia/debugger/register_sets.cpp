#include "nvidia/debugger/register_sets.h"

#include <algorithm>
#include <iterator>

#include "nvidia/debugger/warp.h"

namespace zetl::nvidia {
namespace {

constexpr zetl_register_set_t set(RegisterSet type, const char* name, std::uint32_t count, std::uint32_t bits,
                                  bool writeable) {
    return {.size = sizeof(zetl_register_set_t),
            .type = static_cast<std::uint32_t>(type),
            .name = name,
            .count = count,
            .bits = bits,
            .bytes = bits == 1 ? 4 : bits / 8,
            .readable = 1,
            .writeable = writeable,
            .per_lane = 0,
            .usual = 0};
}

// A program counter that is written ends cuda-gdb 13.0 by an internal error.
constexpr RegisterSetShape kSets[] = {
    {set(RegisterSet::general, "R", 255, 32 * kLanes, true), Lanes::words, "R"},
    {set(RegisterSet::predicate, "P", 7, kLanes, true), Lanes::bits, "P"},
    {set(RegisterSet::uniform, "UR", 63, 32, true), Lanes::none, "UR"},
    {set(RegisterSet::uniformPredicate, "UP", 7, 1, true), Lanes::none, "UP"},
    {set(RegisterSet::programCounter, "PC", 1, 64, false), Lanes::none, "pc"},
    {set(RegisterSet::faultCounter, "ERRORPC", 1, 64, false), Lanes::none, "errorpc"},
    {set(RegisterSet::place, "PLACE", 9, 32 * kLanes, false), Lanes::words, nullptr},
    {set(RegisterSet::step, "STEP", 1, 32, true), Lanes::none, nullptr},
    {set(RegisterSet::laneMasks, "LANES", 2, kLanes, false), Lanes::none, nullptr},
};

}  // namespace

std::span<const RegisterSetShape> registerSets() { return kSets; }

const RegisterSetShape* registerSet(std::uint32_t type) {
    const auto* const found = std::ranges::find(kSets, type, [](const auto& each) { return each.info.type; });
    return found == std::end(kSets) ? nullptr : found;
}

}  // namespace zetl::nvidia
