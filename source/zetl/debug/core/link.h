// The zetDebug functions of one session, as an interface that tests can implement.
#pragma once

#include <level_zero/zet_api.h>

#include <cstdint>
#include <vector>

#include "core/architecture.h"
#include "core/thread_id.h"

namespace zetl::debugger {

/// Result codes and rules are those of the functions with the same names.
class Link {
  public:
    virtual ~Link() = default;

    virtual const Architecture& architecture() const = 0;
    virtual const ThreadShape& shape() const = 0;
    virtual const std::vector<zet_debug_regset_properties_t>& registerSets() const = 0;

    virtual ze_result_t readEvent(std::uint64_t milliseconds, zet_debug_event_t& event) = 0;
    virtual ze_result_t acknowledge(const zet_debug_event_t& event) = 0;
    virtual ze_result_t interrupt(const ThreadId& set) = 0;
    virtual ze_result_t resume(const ThreadId& set) = 0;
    virtual ze_result_t readMemory(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                                   std::size_t bytes, void* buffer) = 0;
    virtual ze_result_t writeMemory(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                                    std::size_t bytes, const void* buffer) = 0;
    /// By address, for devices whose breakpoints are not written as code.
    virtual ze_result_t setBreakpoint(std::uint64_t address, bool on) = 0;
    virtual ze_result_t readRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t first,
                                      std::uint32_t count, void* values) = 0;
    virtual ze_result_t writeRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t first,
                                       std::uint32_t count, const void* values) = 0;
};

}  // namespace zetl::debugger
