// The text of profiles/*.yaml, as the build puts it into the library.
#pragma once

#include <span>

namespace zetl::emulator::machine {

struct EmbeddedProfile {
    const char* name;
    const char* text;
};

/// The default first.
std::span<const EmbeddedProfile> embeddedProfiles() noexcept;

}  // namespace zetl::emulator::machine
