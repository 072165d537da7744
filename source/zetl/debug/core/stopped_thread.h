// A hardware thread that stands still: its registers, read once, and what they say.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/instruction.h"
#include "core/link.h"
#include "core/location.h"

namespace zetl::debugger {

using Triple = std::array<std::uint64_t, 3>;

/// Valid until the thread is resumed. Throws Failure if a register cannot be read.
class StoppedThread {
  public:
    StoppedThread(Link& link, const ThreadId& id) : link_(link), id_(id) {}

    const ThreadId& id() const noexcept { return id_; }
    std::uint64_t address() { return stateBase(registers::kInstructionBase) + control()[2]; }
    /// Bits of cr0.1.
    std::uint32_t exceptions() { return control()[1]; }
    /// Lanes that execute here, and those that the thread was started with.
    std::uint32_t activeLanes();
    std::uint32_t dispatchedLanes();
    Triple group();
    /// Its number among the threads of its work-group.
    std::uint32_t numberInGroup() { return general32(0, 2) & 0xff; }
    std::uint64_t stateBase(unsigned which);
    /// Where the cross-thread data of the launch are.
    std::uint64_t indirectData() {
        return stateBase(registers::kGeneralStateBase) + (general32(0, 0) & ~std::uint32_t{63});
    }

    /// Registers of a set, as bytes; nothing if the device does not have them.
    std::optional<Bytes> read(std::uint32_t type, std::uint32_t first, std::uint32_t count);
    void write(std::uint32_t type, std::uint32_t first, std::uint32_t count, const Bytes& values);

    /// How it goes on when it is resumed: executes the instruction it stands at, breakpoint or not, and then runs or
    /// stops again.
    void prepare(bool stopAgain);

  private:
    std::array<std::uint32_t, 4> control();
    std::uint32_t general32(unsigned number, unsigned word);
    Bytes must(std::uint32_t type, std::uint32_t first, std::uint32_t count);

    Link& link_;
    const ThreadId id_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Bytes> known_;  ///< by set and register
};

}  // namespace zetl::debugger
