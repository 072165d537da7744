// The build flags of ze_module_desc_t, understood and translated to the compiler's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zetl::emulator::module {

/// What the flags ask of the driver, and the flags that remain for the compiler.
struct BuildOptions {
    std::string compiler;            ///< options for the compiler, blank separated
    std::uint32_t profileFlags = 0;  ///< value of -zet-profile-flags: hexadecimal; 0 if missing or not a number
    bool debug = false;              ///< -g
    bool exportsFunctions = false;   ///< -library-compilation or -ze-library-compilation
};

/// Translates Level Zero's names (-ze-opt-disable, -ze-opt-large-register-file, ...) to the compiler's, takes out what
/// only the driver understands, and turns profile flags into the compiler's instrumentation options. What is unknown is
/// passed on: the compiler judges it. Adds the switch that keeps compiler 22.43 from a mistake, unless the flags have
/// switches (-igc_opts) of their own.
BuildOptions translateBuildOptions(std::string_view flags);

}  // namespace zetl::emulator::module
