// Finds the address of a sampled instruction.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "nvidia/driver/device/device.h"

namespace zetl::nvidia::access {

/// Finds modules of a device by what CUPTI's samples contain about code. Not thread-safe.
class CodePlaces {
  public:
    explicit CodePlaces(const Device& device) : device_(device) {}

    /// Takes note of the modules that exist now.
    void learn();
    /// The address (see LoadedCode::address()); 0 if no module that was seen has that code. Of several modules with the
    /// same code the first stands for all.
    std::uint64_t addressOf(std::uint64_t checksum, std::string_view function, std::uint64_t offset) const;
    /// The live module whose code contains the address; 0 if there is none.
    zetl_module_t moduleAt(std::uint64_t address) const;

  private:
    using Functions = std::map<std::string, std::uint64_t, std::less<>>;  ///< addresses

    const Device& device_;
    std::uint64_t latest_ = 0;                       ///< address of the newest code that was seen
    std::map<std::uint64_t, Functions> byChecksum_;  ///< also of modules that are gone
};

}  // namespace zetl::nvidia::access
