#include "program_debug/target.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <thread>
#include <vector>

#include "session/check.h"

extern char** environ;

namespace program_debug {
namespace {

using namespace std::chrono_literals;

void require(bool done, const char* what) {
    if (done) return;
    std::perror(what);
    std::exit(EXIT_FAILURE);
}

/// The present environment, with program debugging on.
std::vector<char*> debuggingEnvironment() {
    static char on[] = "ZET_ENABLE_PROGRAM_DEBUGGING=1";
    std::vector<char*> all{on};
    for (char** each = environ; *each; ++each)
        if (std::string(*each).find("ZET_ENABLE_PROGRAM_DEBUGGING=") != 0) all.push_back(*each);
    all.push_back(nullptr);
    return all;
}

}  // namespace

Debuggee::Debuggee() {
    int input[2];
    int output[2];
    require(pipe(input) == 0 && pipe(output) == 0, "pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    for (const int end : {input[0], input[1], output[0], output[1]}) posix_spawn_file_actions_addclose(&actions, end);
    auto program = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "debuggee").string();
    char* arguments[] = {program.data(), nullptr};
    errno = posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, debuggingEnvironment().data());
    require(errno == 0, program.c_str());
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    input_ = input[1];
    FILE* const lines = fdopen(output[0], "r");
    char line[256];
    while (std::fgets(line, sizeof line, lines))
        if (std::sscanf(line, "debuggee: pid %*d, message %lx, flag %lx", &message, &flag) == 2) break;
    std::fclose(lines);
    require(flag != 0, "the debuggee did not start its kernel");
}

Debuggee::~Debuggee() {
    close(input_);  // this ends its kernel
    waitpid(pid_, nullptr, 0);
}

DebugSession::DebugSession(const session::Session& session, std::uint32_t pid) : session_(session) {
    zet_debug_config_t config{};
    config.pid = pid;
    auto result = ZE_RESULT_NOT_READY;
    for (const auto end = std::chrono::steady_clock::now() + 10s;
         result == ZE_RESULT_NOT_READY && std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(10ms))
        result = zetDebugAttach(session.device, &config, &handle_);
    CHECK(result);
}

DebugSession::~DebugSession() { zetDebugDetach(handle_); }

zet_debug_event_t DebugSession::next() const {
    zet_debug_event_t event{};
    CHECK(zetDebugReadEvent(handle_, UINT64_MAX, &event));
    if (event.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK) CHECK(zetDebugAcknowledgeEvent(handle_, &event));
    return event;
}

ze_device_thread_t DebugSession::firstStopped() const {
    const auto& device = session_.properties;
    zet_debug_regset_properties_t set{};
    std::uint32_t one = 1;
    CHECK(zetDebugGetRegisterSetProperties(session_.device, &one, &set));
    std::vector<char> values(set.byteSize);
    for (std::uint32_t slice = 0; slice < device.numSlices; ++slice)
        for (std::uint32_t subslice = 0; subslice < device.numSubslicesPerSlice; ++subslice)
            for (std::uint32_t eu = 0; eu < device.numEUsPerSubslice; ++eu)
                for (std::uint32_t thread = 0; thread < device.numThreadsPerEU; ++thread) {
                    const ze_device_thread_t id{slice, subslice, eu, thread};
                    // Only the registers of a stopped thread can be read.
                    if (zetDebugReadRegisters(handle_, id, set.type, 0, 1, values.data()) == ZE_RESULT_SUCCESS)
                        return id;
                }
    return kAllThreads;
}

ze_device_thread_t DebugSession::stopSomeThread() const {
    for (;; std::this_thread::sleep_for(10ms)) {
        CHECK(zetDebugInterrupt(handle_, kAllThreads));
        for (;;) {
            const auto event = next();
            if (event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED) return firstStopped();
            if (event.type == ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE) break;  // nothing runs yet
        }
    }
}

const char* nameOf(zet_debug_event_type_t type) {
    switch (type) {
        case ZET_DEBUG_EVENT_TYPE_DETACHED:
            return "detached";
        case ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY:
            return "process entry";
        case ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT:
            return "process exit";
        case ZET_DEBUG_EVENT_TYPE_MODULE_LOAD:
            return "module load";
        case ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD:
            return "module unload";
        case ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED:
            return "thread stopped";
        case ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE:
            return "thread unavailable";
        case ZET_DEBUG_EVENT_TYPE_PAGE_FAULT:
            return "page fault";
        default:
            return "unknown event";
    }
}

}  // namespace program_debug
