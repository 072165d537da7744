// The text of profiles/*.yaml and profiles/timing/*.yaml, which the build puts into the library.
#pragma once

#include <span>

namespace zetl::emulator::machine {

struct EmbeddedProfile {
    const char* name;
    const char* text;
};

/// The default first.
std::span<const EmbeddedProfile> embeddedProfiles() noexcept;
/// Timing models, by name.
std::span<const EmbeddedProfile> embeddedTimings() noexcept;

}  // namespace zetl::emulator::machine
