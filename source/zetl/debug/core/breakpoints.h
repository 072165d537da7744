// The user's breakpoints.
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
    std::string nextPlace;  ///< the same place in another run, whose code is elsewhere
    std::string condition;  ///< an expression that must be true for a lane; empty: always
    bool enabled = true;
    bool temporary = false;                ///< deleted after its first hit
    unsigned hits = 0;                     ///< by hardware threads, including ignored hits
    unsigned ignored = 0;                  ///< the number of further hits to ignore
    std::vector<std::uint64_t> addresses;  ///< its current addresses
};

/// Changes take effect at once in the code of loaded modules.
class Breakpoints {
  public:
    Breakpoints(Memory& memory, const ModuleList& modules) : memory_(memory), modules_(modules) {}

    /// Throws Failure for an invalid place. A place that no module has yet is pending.
    Breakpoint& add(const std::string& place, const std::string& file, bool temporary = false);
    /// Sets a breakpoint of an earlier run again, with its number.
    void adopt(Breakpoint former);
    /// Throws Failure if there is no such number.
    Breakpoint& at(unsigned number);
    void remove(unsigned number);
    void removeAll();
    void enable(unsigned number, bool on);
    const std::vector<Breakpoint>& all() const noexcept { return all_; }

    /// The enabled breakpoints at an address.
    std::vector<Breakpoint*> hitAt(std::uint64_t address);
    /// A module was loaded: it may contain pending places.
    void resolveAgain();
    /// A module is unloaded, with its code.
    void forget(const Module& module);

  private:
    void insert(Breakpoint& breakpoint);
    void withdraw(Breakpoint& breakpoint);
    /// False for addresses in data, which a breakpoint would change.
    bool mayBeCode(std::uint64_t address) const;
    std::vector<std::uint64_t> resolved(const Breakpoint& breakpoint) const;

    Memory& memory_;
    const ModuleList& modules_;
    std::vector<Breakpoint> all_;
    unsigned next_ = 1;
};

}  // namespace zetl::debugger
