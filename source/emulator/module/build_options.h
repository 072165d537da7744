// Reads the build flags of ze_module_desc_t and translates them to the compiler's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zetl::emulator::module {

/// What the flags ask of the driver, and the flags that remain for the compiler.
struct BuildOptions {
    std::string compiler;            ///< options for the compiler, blank separated
    std::string_view forOlder;       ///< what compilers before 2025 get behind them; a literal
    std::uint32_t profileFlags = 0;  ///< value of -zet-profile-flags: hexadecimal; 0 if missing or not a number
    bool debug = false;              ///< -g
    bool exportsFunctions = false;   ///< -library-compilation or -ze-library-compilation
};

/// Translates Level Zero's names (-ze-opt-disable, -ze-opt-large-register-file, ...) to the compiler's, takes out flags
/// for the driver alone, and turns profile flags into the compiler's instrumentation options. Unknown flags are passed
/// on, and the compiler judges them. Compiler 22.43 is kept from mistakes by a switch, unless the flags have their own
/// switches (-igc_opts).
BuildOptions translateBuildOptions(std::string_view flags);

}  // namespace zetl::emulator::module
