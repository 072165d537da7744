// A device profile whose clocks wrap within seconds, as a file for as long as the object lives.
#pragma once

#include <cstdint>
#include <string>

namespace zetl::test {

/// Its timer counts nanoseconds.
inline constexpr std::uint32_t kFastKernelBits = 32;
inline constexpr std::uint32_t kFastGlobalBits = 33;
inline constexpr std::uint32_t kFastReportBits = 31;

class FastClockProfile {
  public:
    FastClockProfile();
    ~FastClockProfile();
    FastClockProfile(const FastClockProfile&) = delete;
    FastClockProfile& operator=(const FastClockProfile&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace zetl::test
