// Lists the register sets of a device; reads the registers of a stopped thread and writes them back.
#include <cstdint>
#include <vector>

#include "program_debug/target.h"
#include "session/check.h"

namespace {

std::vector<zet_debug_regset_properties_t> registerSets(ze_device_handle_t device) {
    std::uint32_t count = 0;
    CHECK(zetDebugGetRegisterSetProperties(device, &count, nullptr));
    std::vector<zet_debug_regset_properties_t> sets(count);
    for (auto& set : sets) set.stype = ZET_STRUCTURE_TYPE_DEBUG_REGSET_PROPERTIES;
    CHECK(zetDebugGetRegisterSetProperties(device, &count, sets.data()));
    return sets;
}

}  // namespace

int main() {
    const session::Session session;
    const program_debug::Debuggee debuggee;
    const program_debug::DebugSession debug(session, debuggee.pid());
    const auto thread = debug.stopSomeThread();
    std::printf("debug_registers: thread %u.%u.%u.%u\n", thread.slice, thread.subslice, thread.eu, thread.thread);

    for (const auto& set : registerSets(session.device)) {
        const bool writeable = set.generalFlags & ZET_DEBUG_REGSET_FLAG_WRITEABLE;
        std::vector<char> values(std::size_t{set.count} * set.byteSize);
        CHECK(zetDebugReadRegisters(*debug, thread, set.type, 0, set.count, values.data()));
        if (writeable) CHECK(zetDebugWriteRegisters(*debug, thread, set.type, 0, set.count, values.data()));
        std::printf("debug_registers: set %2u: %3u registers of %3u bits, read%s\n", set.type, set.count, set.bitSize,
                    writeable ? " and written" : "");
    }
    return 0;
}
