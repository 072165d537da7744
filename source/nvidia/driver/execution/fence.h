// ze_fence_handle_t (core specification, "Fences").
#pragma once

#include <memory>

#include "nvidia/driver/execution/command_queue.h"
#include "nvidia/driver/execution/signal_word.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {

/// Shows the host that an execution of lists on its queue is done. Thread-safe.
class Fence : public Object<Fence, ze_fence_handle_t> {
  public:
    static constexpr const char* kNoun = "fence";

    static Result<std::shared_ptr<Fence>> create(std::shared_ptr<CommandQueue> queue,
                                                 const ze_fence_desc_t& description);
    Fence(std::shared_ptr<CommandQueue> queue, SignalWord word) : queue_(std::move(queue)), word_(std::move(word)) {}

    bool belongsTo(const CommandQueue& queue) const noexcept { return queue_.get() == &queue; }
    /// The stream's context is current.
    Status appendSignal(CUstream stream) const noexcept { return word_.appendSignal(stream); }

    // The exported functions, without their first argument.
    Status hostSynchronize(std::uint64_t nanoseconds) { return word_.wait(nanoseconds); }
    Status queryStatus();
    Status reset();

  private:
    const std::shared_ptr<CommandQueue> queue_;
    const SignalWord word_;
};

}  // namespace zetl::nvidia
