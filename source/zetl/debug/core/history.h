// The history of a recorded launch, through ZETL_DEBUG_MEMORY_SPACE_HISTORY.
#pragma once

#include <ze_tools_layer/history.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/link.h"

namespace zetl::debugger {

/// Times of a launch, in instructions of all its threads.
struct Moment {
    std::uint64_t begin = 0;  ///< the earliest one that is kept
    std::uint64_t now = 0;
    std::uint64_t end = 0;  ///< the latest one
};

/// Something found in the history, where the launch is now.
struct Found {
    std::uint64_t time = 0;
    ThreadId thread;
    std::uint32_t lanes = 0;
    bool isWrite = false;
};

/// The user did not want to wait for the answer. The launch is at any time.
struct Interruption {};

/// Every function throws Failure, with the reason, if no launch is recorded or it cannot be taken back. Threads must be
/// looked for again after functions that move the launch.
class History {
  public:
    explicit History(Link& link) : link_(link) {}

    /// Called between two requests of a long one, with the time that it has come to. May throw Interruption.
    std::function<void(std::uint64_t)> onTheWay = [](std::uint64_t) {};

    Moment look();
    /// How many instructions of the launch that runs are recorded; nothing if none are. Never throws.
    std::optional<std::uint64_t> soFar();
    /// Whether the launch that stands can be taken back. Never throws.
    bool isThere();
    void go(std::uint64_t time);
    /// When the thread's last instruction began, and when its next one will have ended; nothing if none was recorded.
    std::optional<std::uint64_t> before(const ThreadId& thread);
    std::optional<std::uint64_t> after(const ThreadId& thread);

    /// Where the thread came to code marked so after it was last in code that it came from (ZETL_HISTORY_ENTRY). The
    /// launch is then at any time.
    std::optional<zetl_history_step_t> entryBefore(std::uint64_t time, const ThreadId& thread,
                                                   std::span<const zetl_history_code_t> code);

    // Go to what they find; if it is nothing, the launch is at any time.

    std::optional<Found> hitBefore(std::uint64_t time);
    std::optional<Found> hitAfter(std::uint64_t time);
    std::optional<Found> accessBefore(std::uint64_t time, std::uint64_t address, std::uint64_t bytes,
                                      const std::optional<ThreadId>& local, bool reads);

  private:
    using Code = std::span<const zetl_history_code_t>;

    ze_result_t exchange(const zetl_history_request_t& request, Code code, zetl_history_answer_t& answer);
    zetl_history_answer_t lookOnly();
    zetl_history_answer_t ask(const zetl_history_request_t& request, Code code = {});
    zetl_history_request_t requestFor(zetl_history_kind_t kind, const ThreadId& thread) const;
    std::optional<Found> search(zetl_history_request_t request, Code code = {});

    Link& link_;
};

}  // namespace zetl::debugger
