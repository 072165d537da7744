// What a module records of the options it was compiled with.
#pragma once

#include <string_view>

namespace zetl::binary {

/// The switches that keep compiler 22.43 from overwriting registers in functions that read group ids, and from having
/// one lane compare for all (docs/compiler-mistakes.md). The driver adds them to what a build asks for; the
/// compiler records them.
inline constexpr std::string_view kAddedSwitch = "-igc_opts 'EnableImplicitArgAsIntrinsic=0,VISAOptions=-noflagopt'";
/// The first of them alone, where registers are allocated anew: the second would have lanes share registers there.
inline constexpr std::string_view kAddedForNewRegisters = "-igc_opts 'EnableImplicitArgAsIntrinsic=0'";

/// The options that a compiled module records, without the switch that was added.
std::string_view withoutAddedSwitch(std::string_view recorded) noexcept;

}  // namespace zetl::binary
