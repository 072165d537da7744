#include "debug/possible.h"

#include "debug/thread_set.h"

namespace zetl::debug {

bool isPossible(const zetl_event_t& event, const device::Device& device) noexcept {
    if (event.size != sizeof event || event.kind < ZETL_EVENT_PROCESS_ENTRY || event.kind > ZETL_EVENT_GONE)
        return false;
    const auto thread = ThreadSet::of(event.thread);
    if (event.kind == ZETL_EVENT_STOPPED) return thread.single() && thread.within(device);
    return event.kind != ZETL_EVENT_HALTED || thread.within(device);
}

bool isPossible(const zetl_module_info_t& info) noexcept {
    return info.size == sizeof info && info.image_bytes <= kMostImageBytes && info.code_bytes <= kMostImageBytes &&
           info.load_address + info.code_bytes >= info.load_address;
}

}  // namespace zetl::debug
