// Addresses as the compiler's expressions have them: the highest byte says which memory is meant.
#pragma once

#include <optional>

#include "core/memory.h"
#include "core/stopped_thread.h"

namespace zetl::debugger {

/// Of an address of the work-group's memory: what is its offset; above are the compiler's marks.
inline constexpr std::uint64_t kLocalOffset = 0x0fff'ffff;

struct Address {
    enum class Space { global, local } space = Space::global;
    std::uint64_t offset = 0;  ///< of global memory: the address
};

/// From whichever memory of the thread's the address means.
std::optional<Bytes> readAny(const Memory& memory, StoppedThread& thread, std::uint64_t tagged, std::size_t bytes);
bool writeAny(Memory& memory, StoppedThread& thread, std::uint64_t tagged, const Bytes& data);

}  // namespace zetl::debugger
