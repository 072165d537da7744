// Memory that the application can ask about without having allocated it.
#pragma once

#include <cstdint>
#include <optional>

namespace zetl::emulator::driver {

class Device;

/// A mapped virtual range, or the variables of a module.
struct PlacedMemory {
    Device* device;  ///< null: memory of the host
    std::uint64_t id;
    std::uint64_t begin;
    std::uint64_t bytes;
};

/// What is at an address; nothing if that is neither.
std::optional<PlacedMemory> placedAt(const void* address);

}  // namespace zetl::emulator::driver
