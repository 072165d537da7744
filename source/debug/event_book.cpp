#include "debug/event_book.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "debug/possible.h"

namespace zetl::debug {
namespace {

constexpr std::uint64_t kFaultPage = 0x1000;
constexpr std::size_t kMostOverdue = 256;  // of a target that never answers

bool isModuleRange(const zet_debug_event_t& event) {
    const auto& module = event.info.module;
    return module.format == ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF && module.moduleBegin <= module.moduleEnd;
}

/// Whether a debugger can have read that event: debuggers return copies.
bool isEventOfOurs(const zet_debug_event_t& event) {
    std::uint32_t type = 0;
    std::memcpy(&type, &event.type, sizeof type);  // may be no enumerator
    const bool load = type == ZET_DEBUG_EVENT_TYPE_MODULE_LOAD;
    if (type == ZET_DEBUG_EVENT_TYPE_INVALID || type > ZET_DEBUG_EVENT_TYPE_PAGE_FAULT) return false;
    if (event.flags & ~(load ? zet_debug_event_flags_t{ZET_DEBUG_EVENT_FLAG_NEED_ACK} : 0)) return false;
    return !(load || type == ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD) || isModuleRange(event);
}

}  // namespace

zet_debug_event_t blankEvent(zet_debug_event_type_t type) noexcept {
    zet_debug_event_t event;
    std::memset(&event, 0, sizeof event);
    event.type = type;
    return event;
}

void EventBook::push(const zet_debug_event_t& event, std::optional<ThreadSet> reports) {
    queue_.push_back({event, reports});
}

void EventBook::pushThread(zet_debug_event_type_t type, const ThreadSet& set) {
    auto event = blankEvent(type);
    event.info.thread.thread = set.value();
    push(event, type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED ? std::optional(set) : std::nullopt);
}

void EventBook::announce(DebuggedModule& module) {
    module.announced = true;
    push(module.event(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD));
}

void EventBook::processEntered() {
    if (entered_) return;
    entered_ = true;
    push(blankEvent(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY));
    for (auto& [id, module] : modules_.all()) announce(module);
}

void EventBook::processLeft() {
    if (!entered_) return;
    for (auto& [id, module] : modules_.all()) {
        if (module.announced) push(module.event(ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD));
        module.announced = false;
    }
    entered_ = false;
    push(blankEvent(ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT));
}

void EventBook::moduleLoaded(zetl_module_t id, const zetl_module_info_t& info, std::uint64_t hold) {
    if (modules_.find(id) || modules_.all().size() >= kMostModules) {
        log::warn(log::Channel::debug, "module {} of the target is ignored: it is known, or there are too many", id);
        return;
    }
    auto& module = modules_.add(id, info, hold);
    if (entered_) announce(module);
}

void EventBook::moduleUnloaded(zetl_module_t id) {
    const auto* module = modules_.find(id);
    if (!module) return;
    if (module->announced) push(module->event(ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD));
    modules_.remove(id);
}

void EventBook::threadStopped(const ThreadSet& thread) { pushThread(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED, thread); }

void EventBook::halted(std::uint64_t token, bool anyStopped) {
    const auto found = std::find_if(interrupts_.begin(), interrupts_.end(),
                                    [token](const Interrupt& interrupt) { return interrupt.token == token; });
    if (found == interrupts_.end()) return haltedLate(token, anyStopped);
    const auto set = found->set;
    interrupts_.erase(found);
    pushThread(anyStopped ? ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED : ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE, set);
}

void EventBook::haltedLate(std::uint64_t token, bool anyStopped) {
    const auto found = std::find_if(overdue_.begin(), overdue_.end(),
                                    [token](const Interrupt& interrupt) { return interrupt.token == token; });
    if (found == overdue_.end()) return;
    const auto set = found->set;
    overdue_.erase(found);
    const bool askedAgain = std::any_of(interrupts_.begin(), interrupts_.end(),
                                        [&](const Interrupt& interrupt) { return interrupt.set == set; });
    if (anyStopped && !askedAgain) pushThread(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED, set);
}

void EventBook::pageFault(const zetl_event_t& fault) {
    auto event = blankEvent(ZET_DEBUG_EVENT_TYPE_PAGE_FAULT);
    event.info.page_fault.address = fault.address & ~(kFaultPage - 1);
    event.info.page_fault.mask = ~(kFaultPage - 1);
    event.info.page_fault.reason = fault.cause & ZETL_STOP_FAULT && fault.write
                                       ? ZET_DEBUG_PAGE_FAULT_REASON_PERMISSION_ERROR
                                       : ZET_DEBUG_PAGE_FAULT_REASON_MAPPING_ERROR;
    push(event);
}

void EventBook::targetGone() {
    if (gone_) return;
    processLeft();
    modules_.all().clear();
    gone_ = true;
    for (const auto& interrupt : std::exchange(interrupts_, {}))
        pushThread(ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE, interrupt.set);
}

std::optional<std::uint64_t> EventBook::interrupt(const ThreadSet& set, std::uint64_t deadline) {
    for (const auto& interrupt : interrupts_)
        if (interrupt.set == set) return std::nullopt;
    interrupts_.push_back({nextToken_, set, deadline});
    if (gone_) halted(nextToken_, false);
    return nextToken_++;
}

void EventBook::interruptFailed(std::uint64_t token) {
    const auto isThat = [token](const Interrupt& interrupt) { return interrupt.token == token; };
    std::erase_if(interrupts_, isThat);
    std::erase_if(overdue_, isThat);
}

void EventBook::answerOverdue(std::uint64_t now) {
    while (!interrupts_.empty() && interrupts_.front().deadline <= now) {
        if (overdue_.size() == kMostOverdue) overdue_.pop_front();
        overdue_.push_back(interrupts_.front());
        halted(interrupts_.front().token, false);
    }
}

std::optional<std::uint64_t> EventBook::nextDeadline() const {
    return interrupts_.empty() ? std::nullopt : std::optional(interrupts_.front().deadline);
}

ze_result_t EventBook::acknowledge(const zet_debug_event_t& event, std::uint64_t& hold) {
    hold = 0;
    if (!isEventOfOurs(event)) {
        log::warn(log::Channel::debug,
                  "zetDebugAcknowledgeEvent refused: no event that was read looks like this; hand back what "
                  "zetDebugReadEvent gave");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (event.type != ZET_DEBUG_EVENT_TYPE_MODULE_LOAD) return ZE_RESULT_SUCCESS;  // asks for none
    auto* module = modules_.byEvent(event);
    if (module) hold = std::exchange(module->hold, 0);
    const bool asked = event.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK;
    return hold != 0 || !asked || gone_ ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

void EventBook::acknowledgementFailed(const zet_debug_event_t& event, std::uint64_t hold) {
    if (auto* module = modules_.byEvent(event)) module->hold = hold;
}

std::optional<QueuedEvent> EventBook::next() {
    if (!queue_.empty()) {
        auto first = queue_.front();
        queue_.pop_front();
        return first;
    }
    if (!gone_ || tailGiven_ || !interrupts_.empty()) return std::nullopt;
    tailGiven_ = true;
    auto event = blankEvent(ZET_DEBUG_EVENT_TYPE_DETACHED);
    event.info.detached.reason = ZET_DEBUG_DETACH_REASON_HOST_EXIT;
    return QueuedEvent{event, std::nullopt};
}

bool EventBook::hasUnread(const ThreadSet& set) const {
    return std::any_of(queue_.begin(), queue_.end(), [&](const QueuedEvent& queued) {
        return queued.event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED && queued.reports && queued.reports->single() &&
               set.contains(*queued.reports);
    });
}

}  // namespace zetl::debug
