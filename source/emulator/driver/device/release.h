// The release of Intel's driver whose behaviour the emulated driver follows. Clients choose their ways by it: SYCL's
// adapter compares the three numbers with the first release that has what it wants to use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace zetl::emulator::driver {

class Driver;

/// major << 24 | minor << 16 | build, as clients take ze_driver_properties_t::driverVersion apart.
std::uint32_t releaseNumber() noexcept;
/// "major.minor.build". Major and minor are those of the specification, as in Intel's driver.
std::string releaseText();

/// zeIntelGetDriverVersionString, as in Intel's driver: a size of 0 asks for the number of characters; otherwise as
/// many of them as there is room for are written, with a terminator only behind all of them.
Status getReleaseText(Driver& driver, char* text, std::size_t& size);

}  // namespace zetl::emulator::driver
