// Sets of hardware threads: ze_device_thread_t with its wildcards, on the thread levels of a device.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>

#include "device/device.h"

namespace zetl::debug {

/// UINT32_MAX in a field means every value of it (core specification, ze_device_thread_t). Plain value.
class ThreadSet {
  public:
    ThreadSet() = default;
    explicit ThreadSet(const ze_device_thread_t& thread) : thread_(thread) {}
    static ThreadSet all() noexcept { return ThreadSet({UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}); }
    static ThreadSet of(const zetl_thread_t& thread) noexcept;

    bool single() const noexcept;
    bool isAll() const noexcept;
    /// True if every field that is not a wildcard names something that the device has.
    bool within(const device::Device& device) const noexcept;
    /// True if `other`, a single thread, is in this set.
    bool contains(const ThreadSet& other) const noexcept;
    bool operator==(const ThreadSet& other) const noexcept;

    const ze_device_thread_t& value() const noexcept { return thread_; }
    zetl_thread_t access() const noexcept;

    /// The position of a single thread among all threads of the device, outermost level first; and back.
    std::uint64_t indexIn(const device::Device& device) const noexcept;
    static ThreadSet at(std::uint64_t index, const device::Device& device) noexcept;

  private:
    ze_device_thread_t thread_{};
};

}  // namespace zetl::debug
