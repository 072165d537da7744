// The build flags of ze_module_desc_t, understood and translated to the compiler's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zetl::emulator::module {

/// What the flags ask of the driver, and what is left for the compiler.
struct BuildOptions {
    std::string compiler;            ///< options for the compiler's front and back end
    std::string internal;            ///< options for its -internal_options
    std::uint32_t profileFlags = 0;  ///< value of -zet-profile-flags (hexadecimal; 0 if missing or not a number)
    bool debug = false;              ///< -g
    bool exportsFunctions = false;   ///< -library-compilation or -ze-library-compilation
    bool largeRegisterFile = false;
    bool optimisationDisabled = false;
    bool globalOffsetDisabled =
        false;  ///< -ze-opt-greater-than-4GB-buffer-required and other pure driver hints are dropped
};

/// Never fails: what is unknown is passed on, and the compiler judges it.
BuildOptions translateBuildOptions(std::string_view flags);

}  // namespace zetl::emulator::module
