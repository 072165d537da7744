// Decodes the hardware's counts: values of named counters, one range or sample at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nvidia/cupti/chip.h"

namespace zetl::nvidia {

/// Reads values from CUPTI's counter data images for one list of counters. Not thread-safe.
class CounterReader {
  public:
    /// `names` must live as long as the reader.
    CounterReader(const std::string& chip, zetl_source_t source, std::vector<const char*> names);

    zetl_status_t status() const noexcept { return host_.status(); }
    std::vector<const char*>& names() noexcept { return names_; }

    /// The counters' values of one range or sample of that length, rounded; in the names' order. LOST if one is not
    /// final.
    zetl_status_t read(std::span<const std::uint8_t> image, std::size_t index, std::uint64_t nanoseconds,
                       std::uint64_t* values);

  private:
    const HostProfiler host_;
    std::vector<const char*> names_;
    std::vector<bool> shares_;  ///< by name: isShare()
    std::vector<double> doubles_;
};

}  // namespace zetl::nvidia
