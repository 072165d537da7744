// The machine code of a module: a cubin from any source.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace zetl::nvidia {

using Bytes = std::vector<std::uint8_t>;

/// The kinds of ZE_MODULE_FORMAT_NATIVE input.
enum class NativeKind {
    cubin,    ///< ELF, machine 190
    fatbin,   ///< several cubins, and PTX, for different devices
    ptx,      ///< text
    unknown,  ///< none that we know
};
NativeKind kindOf(std::span<const std::uint8_t> bytes) noexcept;

/// A cubin's data about its source. The compiler writes variables only for code that it does not optimize.
enum class DebugInfo { none, lines, variables };

/// FNV-1a, 64 bits: a key for stored data, no protection.
std::uint64_t hashOf(std::span<const std::uint8_t> bytes) noexcept;

/// Options for the driver's compiler that differ from the defaults.
struct BuildOptions {
    unsigned optimization = 4;  ///< 0 to 4
    DebugInfo debugInfo = DebugInfo::none;
    unsigned registers = 0;  ///< at most that many per thread; 0: the compiler's choice
};
/// Reads -ze-opt-disable, -ze-opt-level, -g, -lineinfo and -maxrregcount; ignores others. Null: none.
BuildOptions optionsOf(const char* flags);

/// What a PTX text says of a kernel.
struct KernelText {
    std::vector<bool> localParameters;             ///< which parameters are pointers to local memory
    std::array<std::uint32_t, 3> requiredGroup{};  ///< the only group size that it runs with; 0: any
};
using KernelTexts = std::map<std::string, KernelText, std::less<>>;
KernelTexts kernelsOf(std::string_view ptx);

/// Compiles modules of PTX and links them to one cubin for the current context's device, by the driver's compiler.
/// Appends its messages to `log`.
Result<Bytes> linkPtx(std::span<const std::string> modules, const BuildOptions& options, std::string& log);
/// Compiles a module without linking it, to know whether linkPtx() can take it.
Status checkPtx(const std::string& module, const BuildOptions& options, std::string& log);

}  // namespace zetl::nvidia
