// The application's objects, as far as device activity needs them, and the collector's state.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "activity/executions.h"

namespace zetl::activity {

struct ListState {
    ze_context_handle_t context = nullptr;  ///< that it was created with
    ze_device_handle_t device = nullptr;
    EventStore* store = nullptr;
    StreamState* stream = nullptr;  ///< of an immediate list; null: a regular list, which queues execute
    std::vector<Command> commands;  ///< of a regular list
    bool measured = true;           ///< false while a graph is captured, and for lists that were cloned
    bool skipsNext = false;         ///< the next command may get another event later

    /// Whether the command that is being appended may be measured. Ask once per command.
    bool measuresNext() noexcept { return measured && !std::exchange(skipsNext, false); }
};

/// The timestamps of the application's own events.
enum class Timestamps : std::uint8_t { none, asked, hidden /* the application did not ask for them */ };

class Objects {
  public:
    Objects(const LevelZero& calls, Sink& sink) : executions(calls, sink), calls_(calls), sink_(sink) {}

    Executions executions;
    std::unordered_map<const void*, ListState> lists;
    std::unordered_map<const void*, StreamState*> queues;
    std::unordered_map<const void*, Timestamps> pools;
    std::unordered_map<const void*, Timestamps> events;

    ListState* list(const void* handle);
    Timestamps timestampsOf(const void* event) const;

    EventStore& store(ze_context_handle_t context, ze_device_handle_t device);
    void endContext(ze_context_handle_t context);

    void nameKernel(const void* handle, const char* name);
    std::uint32_t kernel(const void* handle) const;

    /// The list's commands are gone. Their events are free unless some command will signal them.
    void clear(ListState& list);
    /// The list is about to be executed.
    void execute(const ListState& list, StreamState& stream, std::uint64_t call, std::uint64_t time);
    /// The list was not executed.
    void withdraw(const ListState& list);

  private:
    const LevelZero& calls_;
    Sink& sink_;
    std::map<std::pair<ze_context_handle_t, ze_device_handle_t>, std::unique_ptr<EventStore>> stores_;
    std::map<std::string, std::uint32_t, std::less<>> names_;
    std::unordered_map<const void*, std::uint32_t> kernels_;
};

}  // namespace zetl::activity
