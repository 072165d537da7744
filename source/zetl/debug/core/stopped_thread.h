// A stopped hardware thread: its registers, read once, and their meaning.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/architecture.h"
#include "core/link.h"
#include "core/location.h"

namespace zetl::debugger {

/// 0 if there is none.
inline unsigned firstLaneIn(std::uint32_t lanes) {
    return lanes == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(lanes));
}

/// Valid until the thread is resumed. Throws Failure if a register cannot be read.
class StoppedThread {
  public:
    StoppedThread(Link& link, const ThreadId& id) : link_(link), id_(id) {}

    const ThreadId& id() const noexcept { return id_; }
    const Architecture& architecture() const noexcept { return link_.architecture(); }

    // The meaning of its registers in the device's architecture.
    std::uint64_t address() { return architecture().addressOf(*this); }
    Exceptions exceptions() { return architecture().exceptionsOf(*this); }
    std::uint32_t activeLanes() { return architecture().activeLanes(*this); }
    std::uint32_t dispatchedLanes() { return architecture().dispatchedLanes(*this); }
    Triple group() { return architecture().groupOf(*this); }
    void prepare(bool stopAgain) { architecture().prepare(*this, stopAgain); }

    /// Registers of a set, as bytes; nothing if the device does not have them.
    std::optional<Bytes> read(std::uint32_t type, std::uint32_t first, std::uint32_t count);
    Bytes must(std::uint32_t type, std::uint32_t first, std::uint32_t count);
    void write(std::uint32_t type, std::uint32_t first, std::uint32_t count, const Bytes& values);

  private:
    Link& link_;
    const ThreadId id_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Bytes> known_;  ///< by set and register
};

}  // namespace zetl::debugger
