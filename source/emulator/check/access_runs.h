// The bytes that a message's lanes access, in as few pieces as they make.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/isa/observe.h"

namespace zetl::emulator::check {

/// Neighbouring lanes that access neighbouring bytes, or all the same ones.
struct AccessRun {
    std::uint64_t address;
    std::uint32_t bytes;  ///< of all of them together
    std::uint32_t lane;   ///< the first one
};

/// The bits that are set in an address of one of these lanes: no address is greater.
std::uint64_t addressBits(const isa::MemoryAccess& access, std::uint32_t lanes) noexcept;

/// In the order of lanes. Of lanes that access the same bytes one after the other, the first one counts.
class AccessRuns {
  public:
    explicit AccessRuns(const isa::MemoryAccess& access) noexcept : AccessRuns(access, access.lanes) {}
    /// Of these lanes alone.
    AccessRuns(const isa::MemoryAccess& access, std::uint32_t lanes) noexcept;
    const AccessRun* begin() const noexcept { return runs_.data(); }
    const AccessRun* end() const noexcept { return runs_.data() + count_; }
    bool empty() const noexcept { return count_ == 0; }

  private:
    void add(std::uint64_t address, std::uint32_t bytes, std::uint32_t lane) noexcept;
    bool addHalf(const isa::MemoryAccess& access, std::uint32_t first) noexcept;

    static constexpr std::uint32_t kLanes = 32;
    std::array<AccessRun, kLanes> runs_;
    std::uint32_t count_ = 0;
};

}  // namespace zetl::emulator::check
