// The order that the program gives to its launches, in the time of the timing model (machine/model/work_schedule.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/machine/machine.h"

namespace zetl::emulator::driver {

class Device;

/// Of all work of which the host knows that it has ended, the latest end. What the host submits comes behind that.
class HostWork {
  public:
    static std::uint64_t time() noexcept { return time_.load(std::memory_order_acquire); }
    /// The host learns that work which ended then has ended.
    static void saw(std::uint64_t end) noexcept;

  private:
    static std::atomic<std::uint64_t> time_;
};

/// A submission, from when the host makes it until its end: the tiles of its device expect its launches. Not
/// thread-safe.
class WorkOrder {
  public:
    WorkOrder() = default;
    /// The host submits it now. Throws bad_alloc.
    WorkOrder(Device& device, std::uint64_t submission);

    /// What it executes comes behind work that ended then.
    void follow(std::uint64_t end) noexcept;
    std::uint64_t behind() const noexcept { return behind_; }
    /// It waits for others, or does so no more.
    void pause(bool pauses) const noexcept;

  private:
    std::uint64_t behind_ = 0;
    std::vector<std::shared_ptr<machine::ExpectedWork>> tiles_;  ///< empty if no tool collects
};

}  // namespace zetl::emulator::driver
