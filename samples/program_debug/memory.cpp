// Copies memory between spaces: 16 bytes of a stopped thread's memory, to memory that all threads see. Then ends the
// kernel by writing to its flag.
#include <cstdint>
#include <cstring>
#include <string>

#include "program_debug/target.h"
#include "session/check.h"

namespace {

zet_debug_memory_space_desc_t globalMemory(std::uint64_t address) {
    zet_debug_memory_space_desc_t space{};
    space.stype = ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC;
    space.type = ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT;
    space.address = address;
    return space;
}

}  // namespace

int main() {
    const session::Session session;
    const program_debug::Debuggee debuggee;
    const program_debug::DebugSession debug(session, debuggee.pid());
    const auto thread = debug.stopSomeThread();

    char buffer[16];
    const auto source = globalMemory(debuggee.message);
    const auto destination = globalMemory(debuggee.message + sizeof buffer);
    CHECK(zetDebugReadMemory(*debug, thread, &source, sizeof buffer, buffer));
    CHECK(zetDebugWriteMemory(*debug, program_debug::kAllThreads, &destination, sizeof buffer, buffer));
    char copy[16];
    CHECK(zetDebugReadMemory(*debug, program_debug::kAllThreads, &destination, sizeof copy, copy));
    std::printf("debug_memory: \"%.16s\" copied %s\n", copy,
                std::memcmp(copy, buffer, sizeof copy) == 0 ? "right" : "wrong");

    const std::uint32_t end = 1;
    const auto flag = globalMemory(debuggee.flag);
    CHECK(zetDebugWriteMemory(*debug, program_debug::kAllThreads, &flag, sizeof end, &end));
    CHECK(zetDebugResume(*debug, program_debug::kAllThreads));
    while (debug.next().type != ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT) continue;
    std::printf("debug_memory: the kernel saw its flag\n");
    return 0;
}
