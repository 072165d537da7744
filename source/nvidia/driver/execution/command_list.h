// ze_command_list_handle_t, regular and immediate (core specification, "Command Lists").
#pragma once

#include <functional>
#include <memory>

#include "base/mutex.h"
#include "driver/mutable_list.h"
#include "nvidia/driver/device/mutable_parts.h"
#include "nvidia/driver/execution/command.h"
#include "nvidia/driver/execution/engine.h"
#include "nvidia/driver/execution/graph_parts.h"
#include "nvidia/driver/execution/mutation.h"
#include "nvidia/driver/execution/stream.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {

/// A list. A regular one records commands and hands them to queues once closed; an immediate one has its own stream and
/// passes each command on at once. In both, commands execute in the order in which they were appended. Memory,
/// events and modules of commands in flight must not be destroyed, as the specification requires. Thread-safe.
class CommandList : public Object<CommandList, ze_command_list_handle_t>,
                    public driver::MutableList<CommandList, Mutation, Kernel, CommandSequence> {
  public:
    static constexpr const char* kNoun = "command list";

    static Result<std::shared_ptr<CommandList>> create(std::shared_ptr<Context> context, Context::Member place,
                                                       const ze_command_list_desc_t& description);
    /// An immediate list.
    static Result<std::shared_ptr<CommandList>> create(std::shared_ptr<Context> context, Context::Member place,
                                                       const ze_command_queue_desc_t& description);
    CommandList(Engine engine, std::shared_ptr<Stream> stream, bool isMutable = false)
        : MutableList(isMutable), engine_(std::move(engine)), stream_(std::move(stream)) {}
    ~CommandList();
    CommandList(const CommandList&) = delete;
    CommandList& operator=(const CommandList&) = delete;

    /// The commands for a queue on `engine`. Returns the codes of checkExecution(), and INVALID_ARGUMENT if the list is
    /// not closed.
    Result<std::shared_ptr<const CommandSequence>> closedSequence(const Engine& engine);

    const Engine& engine() const noexcept { return engine_; }
    bool immediate() const noexcept { return stream_ != nullptr; }
    /// Null for a regular list.
    const std::shared_ptr<Stream>& stream() const noexcept { return stream_; }
    /// Submits commands to an immediate list, and waits if it is synchronous.
    Status execute(const CommandSequence& commands);

    // The exported functions, without their first argument: life and state.
    Status close();
    Status reset();
    Status hostSynchronize(std::uint64_t nanoseconds);
    Status appendLists(std::uint32_t count, ze_command_list_handle_t* lists, ze_event_handle_t signal,
                       std::uint32_t waitCount, ze_event_handle_t* waits);
    Status getDevice(ze_device_handle_t* out);
    Status getContext(ze_context_handle_t* out);
    Status getOrdinal(std::uint32_t* out);
    Status getIndex(std::uint32_t* out);

    // Memory, barriers, events.
    Status appendMemoryCopy(void* to, const void* from, std::size_t size, ze_event_handle_t signal,
                            std::uint32_t waitCount, ze_event_handle_t* waits);
    Status appendMemoryCopyRegion(void* to, const ze_copy_region_t* toRegion, std::uint32_t toPitch,
                                  std::uint32_t toSlicePitch, const void* from, const ze_copy_region_t* fromRegion,
                                  std::uint32_t fromPitch, std::uint32_t fromSlicePitch, ze_event_handle_t signal,
                                  std::uint32_t waitCount, ze_event_handle_t* waits);
    Status appendMemoryFill(void* to, const void* pattern, std::size_t patternSize, std::size_t size,
                            ze_event_handle_t signal, std::uint32_t waitCount, ze_event_handle_t* waits);
    Status appendMemoryCopyWithParameters(void* to, const void* from, std::size_t size, const void* parameters,
                                          ze_event_handle_t signal, std::uint32_t waitCount, ze_event_handle_t* waits);
    Status appendMemoryFillWithParameters(void* to, const void* pattern, std::size_t patternSize, std::size_t size,
                                          const void* parameters, ze_event_handle_t signal, std::uint32_t waitCount,
                                          ze_event_handle_t* waits);
    Status appendHostFunction(ze_host_function_callback_t function, void* data, const void* parameters,
                              ze_event_handle_t signal, std::uint32_t waitCount, ze_event_handle_t* waits);
    Status appendMemoryPrefetch(const void* pointer, std::size_t size);
    Status appendMemAdvise(const void* pointer, std::size_t size, ze_memory_advice_t advice);
    Status appendBarrier(ze_event_handle_t signal, std::uint32_t waitCount, ze_event_handle_t* waits);
    Status appendMemoryRangesBarrier(std::uint32_t count, const std::size_t* sizes, const void** ranges,
                                     ze_event_handle_t signal, std::uint32_t waitCount, ze_event_handle_t* waits);
    Status appendSignalEvent(ze_event_handle_t event);
    Status appendWaitOnEvents(std::uint32_t count, ze_event_handle_t* events);
    Status appendEventReset(std::shared_ptr<Event> event);
    Status appendWriteGlobalTimestamp(std::uint64_t* to, ze_event_handle_t signal, std::uint32_t waitCount,
                                      ze_event_handle_t* waits);
    /// The thread that submits it waits for the commands before it, since the host computes the times.
    Status appendQueryKernelTimestamps(std::uint32_t count, ze_event_handle_t* events, void* to,
                                       const std::size_t* offsets, ze_event_handle_t signal, std::uint32_t waitCount,
                                       ze_event_handle_t* waits);

    /// Work that the thread that submits the list does between its commands. The work may block, and everything before
    /// it has gone to CUDA by then. An immediate list does it at once.
    Status appendSubmitterWork(std::function<Status(CUstream)> work, const EventUse& use);

    // Launches.
    Status appendLaunchKernel(std::shared_ptr<Kernel> kernel, const ze_group_count_t& count, ze_event_handle_t signal,
                              std::uint32_t waitCount, ze_event_handle_t* waits);
    Status appendLaunchCooperativeKernel(std::shared_ptr<Kernel> kernel, const ze_group_count_t& count,
                                         ze_event_handle_t signal, std::uint32_t waitCount, ze_event_handle_t* waits);
    Status appendLaunchKernelWithParameters(std::shared_ptr<Kernel> kernel, const ze_group_count_t& count,
                                            const void* parameters, ze_event_handle_t signal, std::uint32_t waitCount,
                                            ze_event_handle_t* waits);

    /// For MutableList.
    static constexpr ze_mutable_command_exp_flags_t kMutableParts = nvidia::kMutableParts;
    static Mutation mutationOf(const CommandSequence& commands, const CommandIds& ids) { return {commands, ids}; }

  private:
    /// Submits the command at once (and waits if the list is synchronous), or records it. `work(stream)` submits the
    /// command itself. `node()` says what a graph needs to know.
    template <class Work, class Node>
    Status append(const EventUse& use, Work work, Node&& node);
    /// The same for work that is cheaper to do now than to keep: `later()` returns the form that can be kept.
    template <class Work, class Later, class Node>
    Status append(const EventUse& use, Submission submission, Work&& work, Later&& later, Node&& node);
    Status appendLaunch(std::shared_ptr<Kernel> kernel, const ze_group_count_t& count, bool cooperative,
                        const EventUse& use);
    Status record(Command command);
    Status finishAppending();

    const Engine engine_;
    const std::shared_ptr<Stream> stream_;  ///< null for a regular list
};

template <class Work, class Node>
Status CommandList::append(const EventUse& use, Work work, Node&& node) {
    return append(
        use, Submission::mayWait, work, [&work] { return std::function<Status(CUstream)>(work); }, node);
}

template <class Work, class Later, class Node>
Status CommandList::append(const EventUse& use, Submission submission, Work&& work, Later&& later, Node&& node) {
    if (captures::any()) {
        const auto recorded = recordIfCaptured(*this, use, [&](CommandEvents events) {
            return Command{std::move(events), later(), submission, node()};
        });
        if (!recorded || *recorded) return recorded.code();
    }
    auto events = eventsOf(use, immediate());
    if (!events) return events.code();
    if (!immediate()) {
        Command kept{*std::move(events), later(), submission, {}};
        return record(std::move(kept));
    }
    const Status status = stream_->submit(*events, submission, work, later);
    return status == ZE_RESULT_SUCCESS ? finishAppending() : status;
}

}  // namespace zetl::nvidia
