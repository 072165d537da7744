// The options that a module records about its compilation.
#pragma once

#include <string_view>

namespace zetl::binary {

/// The switches that keep compiler 22.43 from overwriting registers in functions that read group ids, and from letting
/// one lane compare for all (docs/compiler-mistakes.md). The driver adds them to the options of a build by a compiler
/// before 2025, which records them. With the second, compiler 26.27 makes wrong code where it spills registers.
inline constexpr std::string_view kAddedSwitch = "-igc_opts 'EnableImplicitArgAsIntrinsic=0,VISAOptions=-noflagopt'";
/// Only the first of them, for compilers that allocate registers anew: the second would make lanes share registers
/// there.
inline constexpr std::string_view kAddedForNewRegisters = "-igc_opts 'EnableImplicitArgAsIntrinsic=0'";

/// The options that a compiled module records, without the added switch.
std::string_view withoutAddedSwitch(std::string_view recorded) noexcept;

}  // namespace zetl::binary
