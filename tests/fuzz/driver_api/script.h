// A sequence of calls as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace zetl::test {

/// The sequence, read byte by byte; zeroes after its end.
class Script {
  public:
    explicit Script(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    bool ended() const { return at_ >= bytes_.size(); }
    std::uint8_t byte() { return ended() ? 0 : bytes_[at_++]; }
    std::uint32_t word() {
        const std::uint32_t high = byte();
        return high << 8 | byte();
    }

  private:
    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
};

}  // namespace zetl::test
