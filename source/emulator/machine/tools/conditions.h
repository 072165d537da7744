// Conditions of breakpoints that threads evaluate where they come to them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "emulator/machine/control.h"
#include "emulator/machine/tools/hardware_thread.h"
#include "isa/xe/condition.h"

namespace zetl::emulator::machine {

class AllocationTable;

/// One for each tile. Thread-safe.
class Conditions {
  public:
    explicit Conditions(const AllocationTable& table) : table_(table) {}

    /// The condition of the breakpoint at this address, relative to the instruction base; none: it stops always. False
    /// if it is no condition, or there are too many or no memory for it.
    bool set(std::uint32_t ip, std::span<const zetl::isa::xe::ConditionStep> steps);
    void clear();
    bool isAny() const noexcept { return any_.load(std::memory_order_relaxed); }
    /// Whether the thread, which stands at that breakpoint and in a turn, need not stop. `counts`: it is not repeated.
    bool passes(const HardwareThread& thread, std::uint32_t ip, bool counts = true) noexcept;
    ConditionCounts counts() const noexcept { return {passed_.load(), unknown_.load()}; }

  private:
    using Program = std::vector<zetl::isa::xe::ConditionStep>;
    std::shared_ptr<const Program> at(std::uint32_t ip) const;

    const AllocationTable& table_;
    std::atomic<bool> any_{false};
    std::atomic<std::uint64_t> passed_{0};
    std::atomic<std::uint64_t> unknown_{0};
    mutable Mutex mutex_;
    std::map<std::uint32_t, std::shared_ptr<const Program>> programs_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine
