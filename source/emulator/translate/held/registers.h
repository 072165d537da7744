// Where translation keeps the registers of a thread.
#pragma once

#include <cstdint>

namespace zetl::emulator::translate {

/// Where the thread's registers are between two steps.
enum class Registers : std::uint8_t {
    held,     ///< in host registers, as long as a block lasts
    home,     ///< in the thread: slower, and shows mistakes of holding them
    dropped,  ///< held, and lost when the thread ends
    needed,   ///< the same, and lost where a block ends behind which nobody reads them
};

constexpr bool endWithThread(Registers registers) noexcept {
    return registers == Registers::dropped || registers == Registers::needed;
}

}  // namespace zetl::emulator::translate
