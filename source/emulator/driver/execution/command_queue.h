// ze_command_queue_handle_t (core specification, "Command Queues").
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "emulator/driver/execution/engine.h"
#include "emulator/driver/execution/stream.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

class Fence;

/// A queue. Queues on the same engine run beside each other. Destroying a queue does not disturb work that has been
/// submitted. Thread-safe.
class CommandQueue : public Object<CommandQueue, ze_command_queue_handle_t> {
  public:
    static constexpr const char* kNoun = "command queue";

    static Result<std::shared_ptr<CommandQueue>> create(std::shared_ptr<Context> context,
                                                        std::shared_ptr<Device> device,
                                                        const ze_command_queue_desc_t& description);
    explicit CommandQueue(Engine engine, std::uint32_t service);
    ~CommandQueue();

    /// Lists must be closed and of the queue's group; `fence` may be null and must belong to the queue. INVALID_SIZE
    /// without a list.
    Status execute(std::uint32_t count, const ze_command_list_handle_t* lists, Fence* fence);
    Status synchronize(std::uint64_t nanoseconds) { return stream_->synchronize(nanoseconds); }
    /// Stream::helpUntil(), for a signal of any submission.
    void helpUntil(const SignalState& signal) { stream_->helpUntil(signal, UINT64_MAX); }

    /// For checks: whether the stream is its own.
    bool executes(const Stream* stream) const noexcept { return stream_.get() == stream; }
    const Engine& engine() const noexcept { return engine_; }
    std::uint32_t ordinal() const noexcept { return engine_.ordinal; }
    std::uint32_t index() const noexcept { return engine_.index; }
    ze_command_queue_flags_t flags() const noexcept { return engine_.flags; }
    ze_command_queue_mode_t mode() const noexcept { return engine_.mode; }
    ze_command_queue_priority_t priority() const noexcept { return priority_.load(std::memory_order_relaxed); }
    /// Work is scheduled fairly, whatever its priority; the queue only remembers it. INVALID_ENUMERATION.
    Status setPriority(ze_command_queue_priority_t priority) noexcept;
    /// The same for ze_command_queue_qos_ext_desc_t and ..._properties_t of specification 1.19. INVALID_ENUMERATION for
    /// another structure or service.
    Status setService(const void* description);
    Status service(void* properties) const;

  private:
    const Engine engine_;
    std::atomic<ze_command_queue_priority_t> priority_;
    std::atomic<std::uint32_t> service_;
    const std::shared_ptr<Stream> stream_;
};

}  // namespace zetl::emulator::driver
