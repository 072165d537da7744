// Addresses in the compiler's expressions. The highest byte selects the memory.
#pragma once

#include <optional>

#include "core/memory.h"
#include "core/stopped_thread.h"

namespace zetl::debugger {

/// The offset bits of an address in local memory; the bits above are the compiler's marks.
inline constexpr std::uint64_t kLocalOffset = 0x0fff'ffff;
/// What marks an address as one of the work-group's memory.
inline constexpr std::uint64_t kLocalMark = 0x1000'0000;

struct Address {
    enum class Space { global, local } space = Space::global;
    std::uint64_t offset = 0;  ///< in global memory: the address
};

/// Reads from the memory that the address selects, as the thread sees it.
std::optional<Bytes> readAny(const Memory& memory, StoppedThread& thread, std::uint64_t tagged, std::size_t bytes);
bool writeAny(Memory& memory, StoppedThread& thread, std::uint64_t tagged, const Bytes& data);

}  // namespace zetl::debugger
