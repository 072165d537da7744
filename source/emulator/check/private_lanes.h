// Whose the bytes of a thread's private memory are: each belongs to one work-item, and only that one may access it.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/isa/observe.h"

namespace zetl::emulator::check {

/// Of one hardware thread. Used by the worker that runs it.
class PrivateLanes {
  public:
    /// An access to private memory that begins at `begin` and has so many bytes. `firstLane` is the number of the
    /// message's first one.
    struct Place {
        std::uint64_t begin = 0;
        std::uint64_t bytes = 0;
        std::uint32_t firstLane = 0;
        bool ofThread = false;  ///< the message is one of the whole thread: what it writes is nobody's
    };

    /// Lanes of these that reach the memory of another work-item, or leave the thread's. What is written belongs to
    /// the lane that writes it. A compiler may use one place for two variables, one after the other, so a write to
    /// what was another's counts only if variables keep their places.
    std::uint32_t access(const isa::MemoryAccess& access, std::uint32_t lanes, const Place& place);

    /// From now on, no two variables share a place: code that was not optimized keeps its arguments in this memory.
    void keepPlaces() noexcept { keepsPlaces_ = true; }
    bool keepsPlaces() const noexcept { return keepsPlaces_; }

  private:
    std::vector<std::uint8_t> owners_;  // by byte: a lane's number plus one; 0: nobody's
    bool keepsPlaces_ = false;
};

}  // namespace zetl::emulator::check
