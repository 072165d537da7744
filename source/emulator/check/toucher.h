// An access to memory: an instruction, and the place of its thread in the launch.
#pragma once

#include <cstdint>

#include "check/finding.h"
#include "emulator/isa/program.h"
#include "emulator/machine/dispatch.h"

namespace zetl::emulator::check {

using zetl::check::Access;

/// A group's number in its launch, and a thread's in its group, wrap at these bits in a Mark.
inline constexpr unsigned kGroupBits = 24;
inline constexpr unsigned kThreadBits = 6;

struct Toucher {
    Access access = Access::none;
    isa::Line line = 0;
    std::uint32_t thread = 0;
    std::uint64_t group = 0;  ///< its number: x first
    std::int8_t lane = -1;    ///< -1: none in particular, or not known any more
};

/// The number of a group, x first.
constexpr std::uint64_t numberOf(const machine::Extent& group, const machine::Extent& count) noexcept {
    return group[0] + std::uint64_t{count[0]} * (group[1] + std::uint64_t{count[1]} * group[2]);
}
/// The groups of a launch, of which `launch` may be a part.
constexpr machine::Extent gridOf(const machine::Launch& launch) noexcept {
    if (launch.gridGroups[0] != 0) return launch.gridGroups;
    return {launch.firstGroup[0] + launch.groupCount[0], launch.firstGroup[1] + launch.groupCount[1],
            launch.firstGroup[2] + launch.groupCount[2]};
}
constexpr machine::Extent groupOf(std::uint64_t number, const machine::Extent& count) noexcept {
    const auto part = [&](std::uint32_t size) {
        const std::uint64_t rest = number % (size == 0 ? 1 : size);
        number /= size == 0 ? 1 : size;
        return static_cast<std::uint32_t>(rest);
    };
    const std::uint32_t x = part(count[0]);
    const std::uint32_t y = part(count[1]);
    return {x, y, part(count[2])};
}

}  // namespace zetl::emulator::check
