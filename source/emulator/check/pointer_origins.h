// The pointers that messages make their addresses from. By these, an access to the allocation beside the right one is
// found.
#pragma once

#include <cstdint>
#include <map>

#include "base/mutex.h"
#include "emulator/check/checked_program.h"
#include "emulator/check/group_state.h"

namespace zetl::emulator::check {

struct ObservedLine;

/// Of all launches. Thread-safe; each GroupState is used by the worker that has the group's turn.
class PointerOrigins {
  public:
    /// The bit of isa::Thread::idle that says that all pointers among a launch's arguments are known.
    static constexpr std::uint8_t kIdle = 2;

    explicit PointerOrigins(CheckedPrograms& programs) : programs_(programs) {}

    /// The line shows the pointer from which addresses are made.
    void note(const ObservedLine& line, GroupState& group);
    /// The pointer that the line's addresses were made from; null if that is not known. Good until the next call.
    const std::uint64_t* of(const ObservedLine& line, GroupState& group);
    /// The launch has ended.
    void forget(std::uint64_t launch);

  private:
    void noteLoaded(const ObservedLine& line, GroupState& group);
    static bool isArgument(const ObservedLine& line, std::uint64_t pointer);

    CheckedPrograms& programs_;
    Mutex mutex_;
    /// Of launches, by their ids: pointers of arguments, by their places.
    std::map<std::uint64_t, std::map<std::int32_t, std::uint64_t>> arguments_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::check
