// The machine code of a module: a cubin, however it came about.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace zetl::nvidia {

using Bytes = std::vector<std::uint8_t>;

/// What a program gives as ZE_MODULE_FORMAT_NATIVE.
enum class NativeKind {
    cubin,    ///< ELF, machine 190
    fatbin,   ///< several of them, and PTX, for different devices
    ptx,      ///< text
    unknown,  ///< nothing of ours
};
NativeKind kindOf(std::span<const std::uint8_t> bytes) noexcept;

/// What a cubin says of its source. The compiler gives variables only of code that it does not optimize.
enum class DebugInfo { none, lines, variables };

/// FNV-1a, 64 bit: keys stored data, no protection.
std::uint64_t hashOf(std::span<const std::uint8_t> bytes) noexcept;

/// What the driver's compiler is asked for beyond the defaults.
struct BuildOptions {
    unsigned optimization = 4;  ///< 0 to 4
    DebugInfo debugInfo = DebugInfo::none;
    unsigned registers = 0;  ///< at most that many a thread; 0: the compiler's choice
};
/// Reads -ze-opt-disable, -ze-opt-level, -g, -lineinfo, -maxrregcount; others are passed over. Null: none.
BuildOptions optionsOf(const char* flags);

/// Of each kernel of a PTX text, which parameters are pointers to local memory, where the text says so.
std::map<std::string, std::vector<bool>, std::less<>> localParametersOf(std::span<const std::uint8_t> ptx);

/// PTX to a cubin for the current context's device, by the driver's compiler. Appends its words to `log`.
Result<Bytes> compilePtx(std::span<const std::uint8_t> ptx, const BuildOptions& options, std::string& log);

}  // namespace zetl::nvidia
