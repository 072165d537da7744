// The memory through which kernels and copies post values to command traces (section "event memory" of device access).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/file_descriptor.h"
#include "emulator/driver/device/device.h"

namespace zetl::emulator::access {

/// A page of shared memory, made at the first request. It is never unmapped, since programs have mapped it.
/// Thread-safe.
class EventMemory {
  public:
    static constexpr std::size_t kBytes = 4096;

    /// The event memory of a device's root device. Null if the host has no memory or no descriptor for it.
    static EventMemory* of(const driver::Device& device);
    /// Null if it was never requested.
    static EventMemory* existing(const driver::Device& device) noexcept;

    int descriptor() const noexcept { return descriptor_.get(); }

    /// By address.
    std::span<std::uint32_t> words() noexcept { return words_; }
    /// Returns the value of a word and sets it to 0. A value written meanwhile is taken now or the next time.
    static std::uint32_t take(std::uint32_t& word) noexcept {
        return __atomic_load_n(&word, __ATOMIC_RELAXED) == 0 ? 0 : __atomic_exchange_n(&word, 0, __ATOMIC_ACQ_REL);
    }

  private:
    EventMemory(FileDescriptor descriptor, void* page) noexcept
        : descriptor_(std::move(descriptor)),
          words_(static_cast<std::uint32_t*>(page), kBytes / sizeof(std::uint32_t)) {}
    static std::unique_ptr<EventMemory> make();

    const FileDescriptor descriptor_;
    const std::span<std::uint32_t> words_;
};

}  // namespace zetl::emulator::access
