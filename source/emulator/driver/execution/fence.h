// ze_fence_handle_t (core specification, "Fences").
#pragma once

#include <memory>

#include "base/result.h"
#include "emulator/driver/execution/signal_state.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

class CommandQueue;

/// Shows the host that an execution of lists on its queue is done. Thread-safe.
class Fence : public Object<Fence, ze_fence_handle_t> {
  public:
    static constexpr const char* kNoun = "fence";

    static Result<std::shared_ptr<Fence>> create(std::shared_ptr<CommandQueue> queue,
                                                 const ze_fence_desc_t& description);
    explicit Fence(std::shared_ptr<CommandQueue> queue) : queue_(std::move(queue)) {}

    const std::shared_ptr<SignalState>& state() const noexcept { return state_; }
    bool belongsTo(const CommandQueue& queue) const noexcept { return queue_.get() == &queue; }
    Status synchronize(std::uint64_t nanoseconds) const;
    Status query() const;
    void reset() noexcept;

  private:
    /// The host has seen that it is signalled.
    void see() const;

    const std::shared_ptr<CommandQueue> queue_;
    const std::shared_ptr<SignalState> state_ = std::make_shared<SignalState>();
};

}  // namespace zetl::emulator::driver
