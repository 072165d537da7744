#include "soak/peer.h"

#include <unistd.h>

#include <cstdio>
#include <new>

#include "soak/gpu.h"

namespace zetl::soak {

int runPeer() try {
    PeerTask task;
    if (read(STDIN_FILENO, &task, sizeof task) != static_cast<ssize_t>(sizeof task)) return 1;
    const Gpu gpu;
    void* opened = nullptr;
    SOAK_CALL(zeMemOpenIpcHandle(gpu.context(), gpu.device(), task.memory, 0, &opened));
    {
        const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
        SOAK_CALL(zeCommandListAppendMemoryFill(list, opened, &task.pattern, sizeof task.pattern, task.bytes, nullptr,
                                                0, nullptr));
    }
    SOAK_CALL(zeMemCloseIpcHandle(gpu.context(), opened));
    return 0;
} catch (const Failure& failure) {
    std::fprintf(stderr, "soak peer: %s\n", failure.what());
    return isShortage(failure.code()) ? kPeerLacksRoom : 1;
} catch (const std::bad_alloc&) {
    return kPeerLacksRoom;
}

}  // namespace zetl::soak
