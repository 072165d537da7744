// The other process of the episode shareWithProcess: it reads a task from standard input, and fills that memory.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>

namespace zetl::soak {

struct PeerTask {
    std::uint32_t bytes = 0;
    std::uint32_t pattern = 0;
    ze_ipc_mem_handle_t memory{};
};

inline constexpr int kPeerLacksRoom = 3;

/// The process's exit code: 0, kPeerLacksRoom, or 1 with a message on standard error.
int runPeer();

}  // namespace zetl::soak
