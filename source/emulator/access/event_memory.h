// The memory by which work of a device tells tracers what it likes (section "event memory" of device access).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/file_descriptor.h"
#include "emulator/driver/device/device.h"

namespace zetl::emulator::access {

/// A page of shared memory, made when somebody first asks and then there for good: programs have mapped it.
/// Thread-safe.
class EventMemory {
  public:
    static constexpr std::size_t kBytes = 4096;

    /// That of a device's root device. Null if the host has no memory or no descriptor for it.
    static EventMemory* of(const driver::Device& device);
    /// Null if nobody has asked for it.
    static EventMemory* existing(const driver::Device& device) noexcept;

    int descriptor() const noexcept { return descriptor_.get(); }

    /// By address.
    std::span<std::uint32_t> words() noexcept { return words_; }
    /// What was left in one of them, which is 0 then. What is written meanwhile is taken now or the next time.
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
