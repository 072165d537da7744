// The places where a user wants threads to stop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/memory.h"
#include "core/module_list.h"

namespace zetl::debugger {

struct Breakpoint {
    unsigned number = 0;
    std::string place;      ///< as the user wrote it; "entry": every kernel
    std::string nextPlace;  ///< the same in another run, whose code lies elsewhere
    std::string condition;  ///< an expression that must be true for a lane; empty: always
    bool enabled = true;
    bool temporary = false;                ///< gone after its first hit
    unsigned hits = 0;                     ///< of hardware threads, the ignored ones included
    unsigned ignored = 0;                  ///< so many more do not stop
    std::vector<std::uint64_t> addresses;  ///< where it is in the code now
};

/// Changes of the user take effect at once in the code of the modules that are there.
class Breakpoints {
  public:
    Breakpoints(Memory& memory, const ModuleList& modules) : memory_(memory), modules_(modules) {}

    /// Throws Failure for a place that makes no sense. One that is nowhere yet waits for a module that has it.
    Breakpoint& add(const std::string& place, const std::string& file, bool temporary = false);
    /// One of a former debuggee, by the number that it had.
    void adopt(Breakpoint former);
    /// Throws Failure if there is no such number.
    Breakpoint& at(unsigned number);
    void remove(unsigned number);
    void removeAll();
    void enable(unsigned number, bool on);
    const std::vector<Breakpoint>& all() const noexcept { return all_; }

    /// Those that are at an address and enabled.
    std::vector<Breakpoint*> hitAt(std::uint64_t address);
    /// A module came: places may be in it now.
    void resolveAgain();
    /// A module goes: its code does, too.
    void forget(const Module& module);

  private:
    void insert(Breakpoint& breakpoint);
    void withdraw(Breakpoint& breakpoint);
    /// Not in data, which the mark of a breakpoint would change.
    bool mayBeCode(std::uint64_t address) const;
    std::vector<std::uint64_t> resolved(const Breakpoint& breakpoint) const;

    Memory& memory_;
    const ModuleList& modules_;
    std::vector<Breakpoint> all_;
    unsigned next_ = 1;
};

}  // namespace zetl::debugger
