// ze_command_list_handle_t, regular and immediate (core specification, "Command Lists").
#pragma once

#include <cstdint>
#include <memory>

#include "base/mutex.h"
#include "base/result.h"
#include "driver/mutable_list.h"
#include "emulator/driver/execution/engine.h"
#include "emulator/driver/execution/event_use.h"
#include "emulator/driver/execution/mutation.h"
#include "emulator/driver/execution/operation.h"
#include "emulator/driver/execution/recorded_call.h"
#include "emulator/driver/execution/stream.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

struct VisitDescription;

/// A list. A regular one records commands and hands them to queues once closed; an immediate one has its own execution
/// and passes each command on at once. In both, commands execute in the order in which they were appended. Thread-safe.
class CommandList : public Object<CommandList, ze_command_list_handle_t>,
                    public zetl::driver::MutableList<CommandList, Mutation, Kernel, CommandSequence> {
  public:
    static constexpr const char* kNoun = "command list";

    static Result<std::shared_ptr<CommandList>> create(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                                                       const ze_command_list_desc_t& description);
    static Result<std::shared_ptr<CommandList>> createImmediate(std::shared_ptr<Context> context,
                                                                std::shared_ptr<Device> device,
                                                                const ze_command_queue_desc_t& description);
    /// Copies a closed list; the copy is closed, too.
    Result<std::shared_ptr<CommandList>> clone();
    enum class Kind { regular, mutableRegular, immediate };
    CommandList(Engine engine, Kind kind);
    ~CommandList();

    /// Records or submits; waits for the end if the list is immediate and synchronous. `operation` may be null.
    /// INVALID_ARGUMENT if the list is closed; INVALID_NULL_HANDLE, INVALID_SIZE for bad events and the
    /// codes of claimSignal(); DEVICE_LOST if the
    /// list was lost before the call or, where it waits, during the call.
    Status append(std::unique_ptr<const Operation> operation, const EventUse& events);
    /// For an immediate list: executes closed lists between the waits and the signal.
    Status appendLists(std::uint32_t count, const ze_command_list_handle_t* lists, const EventUse& events);
    Status appendListsWithParameters(std::uint32_t count, const ze_command_list_handle_t* lists, const void* parameters,
                                     const EventUse& events);

    /// Sequences between the waits and the signal of `events`.
    struct Submission {
        std::vector<std::shared_ptr<const CommandSequence>> sequences;
        EventUse events;
        std::shared_ptr<SignalState> after;  ///< waited for, too; may be null
        std::shared_ptr<SignalState> done;   ///< signalled at the end; may be null
    };
    /// For an immediate list: submits without waiting, even if the list is synchronous. Codes of append().
    Result<Signaller> enqueue(Submission submission);

    Status close();
    Status reset();
    /// For checks: whether the stream is its own; and the list is destroyed.
    bool executes(const Stream* stream) const noexcept { return stream_.get() == stream; }
    void noteEnd(const char* what) noexcept;

    /// For MutableList.
    static constexpr ze_mutable_command_exp_flags_t kMutableParts = zetl::driver::kKnownMutations;
    Mutation mutationOf(const CommandSequence& commands, const CommandIds& ids) const {
        return {commands, ids, *engine_.device, {inOrder(), immediate()}};
    }

    /// Shows the recorded calls to a visitor, in their order; `answer` is the visitor's. UNSUPPORTED_FEATURE for a list
    /// that was not created with ZE_COMMAND_LIST_FLAG_ENABLE_COMMAND_VISIT.
    Status visit(const VisitDescription& description, ze_result_t& answer);

    /// For immediate lists; INVALID_ARGUMENT for others.
    Status synchronize(std::uint64_t nanoseconds);
    /// Waits for what an immediate list has executed, also while it records.
    Status finish(std::uint64_t nanoseconds) { return stream_->synchronize(nanoseconds); }

    /// The commands for a queue on `engine`. Returns the codes of checkExecution(), and INVALID_ARGUMENT if the list is
    /// not closed.
    Result<std::shared_ptr<const CommandSequence>> closedSequence(const Engine& engine);

    const Engine& engine() const noexcept { return engine_; }
    Device& device() const noexcept { return *engine_.device; }
    Context& context() const noexcept { return *engine_.context; }
    std::uint32_t ordinal() const noexcept { return engine_.ordinal; }
    /// An immediate list was created with the flags of a queue. As in Intel's driver, the only one that it has as a
    /// list is that its commands are in order.
    ze_command_list_flags_t flags() const noexcept;
    // What an immediate list was created with as a queue; INVALID_ARGUMENT for others.
    Result<std::uint32_t> immediateIndex() const { return asImmediate(engine_.index); }
    Result<ze_command_queue_flags_t> immediateFlags() const { return asImmediate(engine_.flags); }
    Result<ze_command_queue_mode_t> immediateMode() const { return asImmediate(engine_.mode); }
    Result<ze_command_queue_priority_t> immediatePriority() const { return asImmediate(engine_.priority); }
    bool immediate() const noexcept { return stream_ != nullptr; }
    /// True if created with ZE_COMMAND_LIST_FLAG_IN_ORDER or ZE_COMMAND_QUEUE_FLAG_IN_ORDER.
    bool inOrder() const noexcept;

  private:
    /// A command with its waits, and the claim on the event that it signals.
    struct Made {
        Command command;
        Event::Claim claim;
    };
    template <class T>
    Result<T> asImmediate(T value) const {
        if (immediate()) return value;
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is not immediate");
    }
    bool visitable() const noexcept;
    Result<Made> makeCommand(std::unique_ptr<const Operation> operation, const EventUse& events) const;
    Status submit(std::vector<std::shared_ptr<const CommandSequence>> sequences, const Event::Claim& claim);

    const Engine engine_;
    const std::shared_ptr<Stream> stream_;         ///< null for a regular list
    RecordedCalls calls_ ZETL_GUARDED_BY(mutex_);  ///< of a list that can be visited
};

}  // namespace zetl::emulator::driver
