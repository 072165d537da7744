// Interrupts and resumes all threads of a process: `debug_interrupt [PID]`. Without a number, it uses the sample
// debuggee.
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "program_debug/target.h"
#include "session/check.h"

namespace {

/// An interrupt is answered by one event that names the same threads.
zet_debug_event_type_t answerTo(const program_debug::DebugSession& debug, const ze_device_thread_t& threads) {
    for (;;) {
        const auto event = debug.next();
        const auto& about = event.info.thread.thread;
        const bool answer = (event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED ||
                             event.type == ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE) &&
                            about.slice == threads.slice && about.subslice == threads.subslice &&
                            about.eu == threads.eu && about.thread == threads.thread;
        if (answer) return event.type;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const session::Session session;
    std::optional<program_debug::Debuggee> own;
    const auto pid = argc > 1 ? static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)) : own.emplace().pid();
    const program_debug::DebugSession debug(session, pid);

    ze_device_thread_t all;
    all.slice = UINT32_MAX;
    all.subslice = UINT32_MAX;
    all.eu = UINT32_MAX;
    all.thread = UINT32_MAX;
    for (int rounds = 0; rounds < 3; std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
        CHECK(zetDebugInterrupt(*debug, all));
        const auto answer = answerTo(debug, all);
        std::printf("debug_interrupt: %s\n", program_debug::nameOf(answer));
        if (answer != ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED) continue;  // nothing runs: there is nothing to resume
        CHECK(zetDebugResume(*debug, all));
        std::printf("debug_interrupt: resumed\n");
        ++rounds;
    }
    return 0;
}
