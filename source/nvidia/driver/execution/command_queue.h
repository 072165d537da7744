// ze_command_queue_handle_t (core specification, "Command Queues").
#pragma once

#include <memory>

#include "nvidia/driver/execution/engine.h"
#include "nvidia/driver/execution/stream.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {

class Fence;

/// A queue. Queues run beside each other. Destroying one does not disturb submitted work. Thread-safe.
class CommandQueue : public Object<CommandQueue, ze_command_queue_handle_t> {
  public:
    static constexpr const char* kNoun = "command queue";

    static Result<std::shared_ptr<CommandQueue>> create(std::shared_ptr<Context> context, Context::Member place,
                                                        const ze_command_queue_desc_t& description);
    CommandQueue(Engine engine, std::shared_ptr<Stream> stream)
        : engine_(std::move(engine)), stream_(std::move(stream)) {}

    const Engine& engine() const noexcept { return engine_; }

    // The exported functions, without their first argument.
    Status executeCommandLists(std::uint32_t count, ze_command_list_handle_t* lists, std::shared_ptr<Fence> fence);
    Status synchronize(std::uint64_t nanoseconds) { return stream_->synchronize(nanoseconds); }
    Status getOrdinal(std::uint32_t* out);
    Status getIndex(std::uint32_t* out);

  private:
    const Engine engine_;
    const std::shared_ptr<Stream> stream_;
};

}  // namespace zetl::nvidia
