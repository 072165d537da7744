#include "emulator/driver/execution/visitor.h"

#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::uint32_t kRepeat = 1;

}  // namespace

Result<Visitor> Visitor::of(const VisitDescription& description) {
    if (description.defaultOperation > kRepeat)
        return refuse(ZE_RESULT_ERROR_INVALID_ENUMERATION, "there is no default operation {}",
                      description.defaultOperation);
    Visitor visitor(description);
    const auto reader = chainReader();
    for (const auto* link = linkAt(description.pNext, reader); link; link = linkAt(link->pNext, reader)) {
        if (static_cast<std::uint32_t>(link->stype) != kConcreteVisitor)
            return refuse(ZE_RESULT_ERROR_INVALID_ENUMERATION, "chained struct of type {:#x} is no concrete visitor",
                          static_cast<unsigned>(link->stype));
        const auto& concrete = reinterpret_cast<const ConcreteVisitor&>(*link);
        if (!concrete.function) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (!isVisitable(concrete.function))
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is no function whose calls can be visited",
                          concrete.function);
        if (!visitor.callbacks_.try_emplace(concrete.function, concrete.callback).second)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} has two visitors", concrete.function);
    }
    return visitor;
}

ze_result_t Visitor::visitAll(const RecordedCalls& calls, const RecordedCalls& primary) const {
    auto next = primary.begin();
    for (const auto& call : calls) {
        const bool isPrimary = next != primary.end() && *next == call;
        if (isPrimary) ++next;
        const ze_result_t visited = visit(*call, isPrimary ? description_.reappendTarget : nullptr);
        if (visited != ZE_RESULT_SUCCESS) return visited;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t Visitor::visit(RecordedCall& call, ze_command_list_handle_t target) const {
    const auto own = callbacks_.find(std::string_view(call.function()));
    if (own != callbacks_.end() && own->second) return call.show(own->second, description_.userData);
    RecordedCall::Events events = call.events();
    const auto tell = [&](DefaultOperationCallback callback) {
        if (callback)
            callback(call.function(), description_.userData, &events.waitCount, &events.waits, &events.signal);
    };
    tell(description_.before);
    if (description_.defaultOperation == kRepeat)
        if (const ze_result_t repeated = call.repeat(target, events); repeated != ZE_RESULT_SUCCESS) return repeated;
    tell(description_.after);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::emulator::driver
