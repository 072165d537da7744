// What a counter-based event stands for: the command that is to signal it last.
#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "nvidia/driver/execution/event_pool.h"

namespace zetl::nvidia {

class Event;

/// Gives each command that signals the event a state of its own, an event that the application does not see. Waits that
/// were appended earlier keep waiting for the state of their time. States share words: a word is given again once it
/// was signalled, with a greater value, so that a stream that still waits for a smaller one goes on. Thread-safe.
class CounterStates {
  public:
    CounterStates(std::shared_ptr<EventPool> pool, const ze_event_desc_t& description)
        : pools_{std::move(pool)}, description_(description) {}
    /// Keeps the words to which commands under way will write.
    ~CounterStates();
    CounterStates(const CounterStates&) = delete;
    CounterStates& operator=(const CounterStates&) = delete;

    /// For a command that is to signal the event, from now on the latest. OUT_OF_HOST_MEMORY.
    Result<std::shared_ptr<Event>> next();
    /// A command was recorded that signals `recorded` at each execution, from now on the latest.
    void follow(std::shared_ptr<Event> recorded);
    /// Null before the first command.
    std::shared_ptr<Event> latest() const;

    /// Events of each of the pools.
    static constexpr std::uint32_t kWords = 64;

    struct Slot {
        std::shared_ptr<Event> state;  ///< keeps its pool
        std::uint32_t value = 0;       ///< of the state's signal

        bool isFree() const;
    };

  private:
    Status grow() ZETL_REQUIRES(mutex_);

    mutable Mutex mutex_;
    std::vector<std::shared_ptr<EventPool>> pools_ ZETL_GUARDED_BY(mutex_);
    std::vector<Slot> slots_ ZETL_GUARDED_BY(mutex_) = std::vector<Slot>(kWords);
    std::size_t next_ ZETL_GUARDED_BY(mutex_) = 0;
    std::shared_ptr<Event> latest_ ZETL_GUARDED_BY(mutex_);
    const ze_event_desc_t description_;
};

}  // namespace zetl::nvidia
