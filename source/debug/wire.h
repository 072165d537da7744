// Messages between a debugger's copy of the library and the debug agent in the debuggee.
//
// Both ends are processes of one machine, so structures travel in memory order; the hello exchange checks version and
// structure sizes. A message is one SEQPACKET record: a head, then `bytes` of payload, at most kPayload. Everything
// that comes in is untrusted: receive() accepts only records whose length agrees with their head.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zetl::debug::wire {

inline constexpr std::uint32_t kMagic = 0x5A45444Du;
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kPayload = 32 * 1024;

enum class Kind : std::uint32_t {
    hello = 1,  ///< debugger to agent: `uuid` of the device in the payload
    release,
    halt,
    run,
    stopped,
    registerCount,
    readRegisters,
    writeRegisters,
    readMemory,
    writeMemory,
    moduleInfo,
    readImage,
    reply = 100,  ///< agent to debugger: the answer to the request of that sequence number
    event,        ///< agent to debugger: a zetl_event_t in the payload
};

struct Head {
    std::uint32_t magic = kMagic;
    Kind kind = Kind::reply;
    std::uint32_t sequence = 0;
    zetl_status_t status = ZETL_OK;  ///< of a reply
    zetl_thread_t thread{};
    std::uint32_t type = 0;  ///< register set or memory space
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t bytes = 0;  ///< of the payload of this record
    std::uint64_t id = 0;     ///< hold, token or module
    std::uint64_t address = 0;
    std::uint64_t length = 0;  ///< bytes asked for
};

struct Message {
    Head head;
    std::vector<std::byte> payload;
};

/// Payload of hello.
struct Hello {
    std::uint32_t version = kVersion;
    std::uint32_t eventBytes = sizeof(zetl_event_t);
    std::uint32_t moduleBytes = sizeof(zetl_module_info_t);
    std::uint8_t uuid[16]{};
};

/// How long a sender waits for a peer that does not read.
inline constexpr int kSendLimitMs = 2000;

/// False if the connection is closed or broken. Waits while the socket's buffer is full, at most `milliseconds`.
bool send(int socket, const Message& message, int milliseconds = kSendLimitMs);

enum class Received { message, closed, malformed };
/// Waits for a record.
Received receive(int socket, Message& message);

template <class T>
std::vector<std::byte> bytesOf(const T& value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    return {begin, begin + sizeof value};
}

}  // namespace zetl::debug::wire
