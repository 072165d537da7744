// The commands that a regular command list records for queues (core specification, "Command Lists").
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "driver/boundary.h"

namespace zetl::driver {

/// The commands of a list. A list is open until it is closed, can then be executed any number of times, and is open and
/// empty after a reset. Sequences already returned for execution do not change. Not thread-safe: its list's mutex
/// guards it.
template <class Sequence>
class Recording {
  public:
    bool closed() const noexcept { return closed_; }
    const Sequence& commands() const noexcept { return *commands_; }

    /// INVALID_ARGUMENT if closed.
    Status append(typename Sequence::value_type command) {
        if (closed_) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is closed; reset it before appending");
        commands_->push_back(std::move(command));
        return ZE_RESULT_SUCCESS;
    }
    void close() noexcept { closed_ = true; }
    void reset() { replace({}); }
    /// Opens it, with other commands.
    void replace(Sequence commands) {
        commands_ = std::make_shared<Sequence>(std::move(commands));
        closed_ = false;
    }
    /// The commands, for execution. INVALID_ARGUMENT if not closed.
    Result<std::shared_ptr<const Sequence>> closedSequence() const {
        if (!closed_) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is not closed");
        return std::shared_ptr<const Sequence>(commands_);
    }

  private:
    std::shared_ptr<Sequence> commands_ = std::make_shared<Sequence>();
    bool closed_ = false;
};

/// The commands that a queue or an immediate list on `engine` will execute, one sequence per list. INVALID_NULL_HANDLE,
/// and the codes of List::closedSequence().
template <class List, class Engine>
auto closedSequences(std::uint32_t count, const ze_command_list_handle_t* lists, const Engine& engine) {
    using One = decltype(std::declval<List>().closedSequence(engine));
    using All = std::vector<std::remove_cvref_t<decltype(*std::declval<One>())>>;
    All sequences;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto list = find<List>(lists[i]);
        if (!list) return Result<All>(list.code());
        auto sequence = (*list)->closedSequence(engine);
        if (!sequence) return Result<All>(sequence.code());
        sequences.push_back(*std::move(sequence));
    }
    return Result<All>(std::move(sequences));
}

}  // namespace zetl::driver
