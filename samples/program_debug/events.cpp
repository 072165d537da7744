// The event loop of a debugger, from attaching to the end of the debuggee: `debug_events [PID]`. Without a number, it
// uses the sample debuggee.
#include <cinttypes>
#include <cstdint>
#include <optional>

#include "program_debug/target.h"
#include "session/check.h"

namespace {

using program_debug::nameOf;

void print(const zet_debug_event_t& event) {
    std::printf("debug_events: %s", nameOf(event.type));
    if (event.type == ZET_DEBUG_EVENT_TYPE_MODULE_LOAD || event.type == ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD)
        std::printf(", code at %#" PRIx64 ", debug image of %" PRIu64 " bytes", event.info.module.load,
                    event.info.module.moduleEnd - event.info.module.moduleBegin);
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    const session::Session session;
    std::optional<program_debug::Debuggee> own;
    const auto pid = argc > 1 ? static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)) : own.emplace().pid();
    const program_debug::DebugSession debug(session, pid);

    for (zet_debug_event_t event{}; event.type != ZET_DEBUG_EVENT_TYPE_DETACHED;) {
        CHECK(zetDebugReadEvent(*debug, UINT64_MAX, &event));
        print(event);
        // A new module does not run until its event is acknowledged: here a debugger sets its breakpoints.
        if (event.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK) CHECK(zetDebugAcknowledgeEvent(*debug, &event));
        if (event.type == ZET_DEBUG_EVENT_TYPE_MODULE_LOAD) own.reset();  // seen enough: let it end
    }
    return 0;
}
