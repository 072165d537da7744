#include "emulator/driver/memory/placed_memory.h"

#include "emulator/driver/device/platform.h"

namespace zetl::emulator::driver {

std::optional<PlacedMemory> placedAt(const void* address) {
    const auto found = platform().memory().find(reinterpret_cast<std::uint64_t>(address));
    if (!found) return std::nullopt;
    if (found->kind != machine::MemoryKind::mapped && found->kind != machine::MemoryKind::global) return std::nullopt;
    return PlacedMemory{reinterpret_cast<Device*>(found->owner), found->id, found->begin, found->bytes()};
}

}  // namespace zetl::emulator::driver
