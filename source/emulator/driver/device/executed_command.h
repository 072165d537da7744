// A command, as reported to observers of a device's execution.
#pragma once

#include <cstdint>
#include <span>

namespace zetl::emulator::driver {

enum class CommandKind : std::uint8_t { other, kernel, copy, barrier };

/// The part of it that one tile executed, in device ticks.
struct CommandPart {
    std::uint32_t tile = 0;  ///< counted from the device's first tile
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Valid during the call that reports it.
struct ExecutedCommand {
    CommandKind kind = CommandKind::other;
    std::span<const CommandPart> parts;
};

}  // namespace zetl::emulator::driver
