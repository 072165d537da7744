// Register sets under their architectural names. Debuggers read and write them on a stopped thread.
//
// Numbers are those of the device's debug interface. IP is cr0.2 (relative to the instruction base): writing it moves
// the thread at the next resume(). Until then, values that were written have no effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "emulator/isa/thread.h"
#include "isa/xe/architecture.h"

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
    scalar = 18,  ///< s0, by dwords
};

/// The registers of a thread: its architecture's, of which it has so many general ones.
struct RegisterFile {
    const zetl::isa::xe::Architecture& architecture;
    std::uint32_t general;
};

struct RegisterSetInfo {
    RegisterSet set;
    bool writable;  ///< all are readable
    std::uint32_t count;
    std::uint32_t bits;   ///< size of one register
    std::uint32_t bytes;  ///< size of one register in a buffer
};

/// In the order in which devices list them.
std::span<const RegisterSet> registerSets(const zetl::isa::xe::Architecture& architecture) noexcept;
/// Nothing if the architecture has no such set.
std::optional<RegisterSetInfo> registerSet(const RegisterFile& file, RegisterSet set) noexcept;

/// Copies `count` registers from `first` on; the buffer must hold count * bytes. Returns false if the range or the set
/// does not exist.
bool readRegisters(const Thread& thread, const RegisterFile& file, RegisterSet set, std::uint32_t first,
                   std::uint32_t count, void* buffer) noexcept;
/// Returns false also if the set cannot be written.
bool writeRegisters(Thread& thread, const RegisterFile& file, RegisterSet set, std::uint32_t first, std::uint32_t count,
                    const void* buffer) noexcept;

}  // namespace zetl::emulator::isa
