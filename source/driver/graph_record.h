// What a graph records: the lists that took part, and their commands in the order in which they were appended (core
// specification, "Record and Replay Graph").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace zetl::driver {

// A driver describes its objects and commands by a struct of types and static functions, here `Parts`:
//
//   List, Event, Device, Context, Graph, Executable   its classes
//   Command                                           what a list records of an append
//   Call                                              what visitors of recorded calls want; void if there are none
//   Use                                               the events of an append function, as given: signal, waitCount,
//   waits contextOf(list)           -> its context, as std::shared_ptr<Context> placeOf(list)             ->
//   GraphPlace<Device> mayRecord(list)           -> true if the list can be captured isWork(command)           -> false
//   for what only orders or looks detailsOf(command)        -> what it does, for dumps: pairs of a name and a value
//   isInternal(event)         -> true for an event that only the graph that signals it may use
//   checkEvent(event)         -> the code for an event that no graph can record
//   currentCall()             -> the append that the calling thread is in, as std::shared_ptr<Call>

/// Where a list executes.
template <class Device>
struct GraphPlace {
    std::shared_ptr<Device> device;
    std::uint32_t ordinal = 0;
};

/// The part of one list. The first branch of a graph is that of the primary list.
template <class Parts>
struct GraphBranch {
    std::weak_ptr<typename Parts::List> list;
    GraphPlace<typename Parts::Device> place;
    std::optional<std::size_t> parent = {};      ///< the branch whose signal it waited for; none for the first
    std::size_t forkSignal = 0;                  ///< the parent's command that signalled
    std::optional<std::size_t> joinSignal = {};  ///< its own command whose signal the parent waited for last
    std::size_t joinWait = 0;                    ///< the parent's command that waited
};

/// One recorded append. A wait is for what the event stood for when the command was appended.
template <class Parts>
struct GraphCommand {
    std::size_t branch = 0;
    const char* function = "";  ///< the exported function that appended it
    typename Parts::Command command = {};
    std::vector<std::shared_ptr<typename Parts::Event>> waits = {};
    std::shared_ptr<typename Parts::Event> signal = {};
    std::shared_ptr<typename Parts::Call> call = {};  ///< for visitors; null if the function cannot be visited
};

template <class Parts>
struct GraphRecord {
    std::vector<GraphBranch<Parts>> branches = {};
    std::vector<GraphCommand<Parts>> commands = {};

    /// True if every branch but the first was joined, and has no work behind the signal that joined it.
    bool allJoined() const noexcept {
        for (std::size_t branch = 1; branch < branches.size(); ++branch)
            if (!isJoined(branch)) return false;
        return true;
    }

  private:
    bool isJoined(std::size_t branch) const noexcept {
        const auto& signal = branches[branch].joinSignal;
        if (!signal) return false;
        const auto behind = commands.begin() + static_cast<std::ptrdiff_t>(*signal) + 1;
        return std::none_of(behind, commands.end(), [&](const GraphCommand<Parts>& each) {
            return each.branch == branch && Parts::isWork(each.command);
        });
    }
};

/// What a graph knows of its capture.
template <class Parts>
struct Capture {
    enum class Phase : std::uint8_t { fresh, recording, paused, closed };

    Phase phase = Phase::fresh;
    GraphRecord<Parts> record = {};
    bool invalidated = false;  ///< a recording list was destroyed, or the graph while it was recorded
    bool given = false;        ///< the application has its handle
};

}  // namespace zetl::driver
