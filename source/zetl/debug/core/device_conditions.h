// Conditions of breakpoints that the device evaluates itself, through ZETL_DEBUG_MEMORY_SPACE_CONDITIONS.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/breakpoints.h"
#include "core/inspector.h"
#include "core/link.h"

namespace zetl::debugger {

/// A condition goes to the device when a thread first comes to its breakpoint: only there is everything known that it
/// is about. What cannot be coded stays with the debugger.
class DeviceConditions {
  public:
    DeviceConditions(Link& link, Breakpoints& breakpoints, Memory& memory)
        : link_(link), breakpoints_(breakpoints), memory_(memory) {}

    /// The inspector's thread stands at a breakpoint.
    void offer(std::uint64_t address, Inspector& inspector, const Frame& frame, const WorkItems& items,
               const ValueHistory& history, LocationCheck& locations);
    /// Takes back what the breakpoints no longer say, and what was given when locations were believed otherwise than
    /// now. To be called before threads run.
    void agree(const LocationCheck& locations);
    /// Whether the device evaluates those of the breakpoints there.
    bool areDevices(std::uint64_t address) const;
    /// Threads that passed breakpoints because the device found their conditions false.
    std::uint64_t passed() const;

  private:
    /// The conditions of the breakpoints there; empty if a thread must stop for another reason, too.
    std::vector<std::string> conditionsAt(std::uint64_t address) const;
    bool give(std::uint64_t address, const std::vector<isa::xe::ConditionStep>& steps);

    Link& link_;
    Breakpoints& breakpoints_;
    Memory& memory_;
    struct Given {
        std::vector<std::string> conditions;
        bool trusts = false;     ///< locations were believed as they stand
        bool isDevices = false;  ///< otherwise the debugger evaluates them
    };
    std::map<std::uint64_t, Given> given_;  ///< by address
    bool isRefused_ = false;                ///< the device evaluates none
};

}  // namespace zetl::debugger
