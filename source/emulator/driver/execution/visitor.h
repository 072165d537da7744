// Visits of recorded calls (ZE_extension_command_visit): a profiler sees each command of a list or graph, and may
// append it again with commands of its own around it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/driver/execution/recorded_call.h"

namespace zetl::emulator::driver {

// ze_visit_ext_desc_t and what it is chained with, which headers before specification 1.20 do not have. Their numbers
// are those of Intel's driver.
inline constexpr std::uint32_t kConcreteVisitor = 0x00030031;
using DefaultOperationCallback = void (*)(const char* function, void* userData, std::uint32_t* waitCount,
                                          ze_event_handle_t** waits, ze_event_handle_t* signal);
struct VisitDescription {
    std::uint32_t stype;
    const void* pNext;
    void* userData;
    ze_command_list_handle_t reappendTarget;
    DefaultOperationCallback before;
    std::uint32_t defaultOperation;  ///< 0: nothing; 1: append the command again
    DefaultOperationCallback after;
};
struct ConcreteVisitor {
    std::uint32_t stype;
    const void* pNext;
    const char* function;
    void* callback;
};

/// What becomes of each visited call.
class Visitor {
  public:
    /// INVALID_ENUMERATION for a chained struct that is no ConcreteVisitor or an unknown default operation,
    /// INVALID_NULL_POINTER for one without a name, INVALID_ARGUMENT for a name that cannot be visited, or one twice.
    static Result<Visitor> of(const VisitDescription& description);

    /// Visits the calls. Stops at the first whose callback or repetition fails, and returns its
    /// answer.
    ze_result_t visitAll(const RecordedCalls& calls) const { return visitAll(calls, calls); }
    /// The same, where the target of repetitions is only for the calls in `primary`, in the order of `calls`.
    ze_result_t visitAll(const RecordedCalls& calls, const RecordedCalls& primary) const;

  private:
    explicit Visitor(const VisitDescription& description) : description_(description) {}
    ze_result_t visit(RecordedCall& call, ze_command_list_handle_t target) const;

    VisitDescription description_;
    std::map<std::string, void*, std::less<>> callbacks_;
};

}  // namespace zetl::emulator::driver
