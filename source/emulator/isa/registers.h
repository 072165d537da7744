// Register sets under their architectural names. Debuggers read and write them on a stopped thread.
//
// Numbers are those of the device's debug interface. IP is cr0.2 (relative to the instruction base): writing it moves
// the thread at the next resume(). Until then, values that were written have no effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/isa/thread.h"

namespace zetl::emulator::isa {

enum class RegisterSet : std::uint8_t {
    grf = 1,
    addr,
    flag,
    ce,
    sr,
    cr,
    tdr,
    acc,
    mme,
    sp,
    sba,
    dbg,
};

struct RegisterSetInfo {
    RegisterSet set;
    bool writable;  ///< all are readable
    std::uint32_t count;
    std::uint32_t bits;   ///< size of one register
    std::uint32_t bytes;  ///< size of one register in a buffer
};

/// All sets in the order in which the device lists them, for threads with 128 or 256 general registers.
std::span<const RegisterSetInfo> registerSets(bool largeRegisterFile) noexcept;

/// Copies `count` registers from `first` on; the buffer must hold count * bytes. Returns false if the range or the set
/// does not exist.
bool readRegisters(const Thread& thread, RegisterSet set, std::uint32_t first, std::uint32_t count, void* buffer,
                   bool largeRegisterFile) noexcept;
/// Returns false also if the set cannot be written.
bool writeRegisters(Thread& thread, RegisterSet set, std::uint32_t first, std::uint32_t count, const void* buffer,
                    bool largeRegisterFile) noexcept;

}  // namespace zetl::emulator::isa
