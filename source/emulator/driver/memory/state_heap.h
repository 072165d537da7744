// The device memory in which surface states and sampler states lie, at offsets by which messages name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"

namespace zetl::emulator::driver {

/// One object's states. Five surface states side by side, as Intel's driver hands them out: an image's own, its
/// implicit arguments, its sampler, and two for copies. Freed when the last user lets go of it; its bytes are zero
/// then, which is a state of nothing. Thread-safe.
class StateSlot {
  public:
    static constexpr std::uint32_t kBytes = 5 * 64;
    static constexpr std::uint32_t kSamplerAt = 2 * 64;

    /// OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY.
    static Result<std::shared_ptr<StateSlot>> take();
    explicit StateSlot(std::uint32_t offset) noexcept : offset_(offset) {}
    ~StateSlot();
    StateSlot(const StateSlot&) = delete;
    StateSlot& operator=(const StateSlot&) = delete;

    std::uint32_t offset() const noexcept { return offset_; }  ///< a multiple of 64, never 0
    std::span<std::byte, kBytes> bytes() const noexcept;

  private:
    const std::uint32_t offset_;
};

/// The address that offsets count from; 0 as long as no state was asked for.
std::uint64_t stateHeapAddress() noexcept;

}  // namespace zetl::emulator::driver
