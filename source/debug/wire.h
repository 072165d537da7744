// Messages between a debugger's copy of the library and the debug agent in the debuggee.
//
// Both ends are processes of one machine, so structures travel in memory order; the hello exchange checks version and
// structure sizes. A message is one SEQPACKET record: a head, then `bytes` of payload, at most kPayload. Incoming data
// are not trusted: receive() accepts only records whose length agrees with their head, and every number in a head is
// checked against the limits below and the receiver's knowledge of the device.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "debug/proof.h"

namespace zetl::debug::wire {

inline constexpr std::uint32_t kMagic = 0x5A45444Du;
inline constexpr std::uint32_t kVersion = 3;
/// Bytes of payload; larger transfers are split.
inline constexpr std::size_t kPayload = 64 * 1024;
/// The time within which an agent must answer.
inline constexpr std::chrono::seconds kAnswerLimit{2};

/// Whether a range of memory exceeds the address space.
constexpr bool overflows(std::uint64_t address, std::uint64_t bytes) noexcept { return address + bytes < address; }

enum class Kind : std::uint32_t {
    hello = 1,  ///< debugger to agent: Hello; answered with a Challenge
    proof,      ///< the secret; the answer says whether the debugger has the device now
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
    readThread,   ///< every register of a stopped thread; the payload is a RegisterSnapshot's
    breakpoint,   ///< `address`; `count` is 1 to set it, 0 to remove it
    reply = 100,  ///< agent to debugger: the answer to the request of that sequence number
    event,        ///< agent to debugger: a zetl_event_t in the payload
};

struct Head {
    std::uint32_t magic = kMagic;
    Kind kind = Kind::reply;
    std::uint32_t sequence = 0;
    std::uint32_t status = ZETL_OK;  ///< of a reply: zetl_status_t
    zetl_thread_t thread{};
    std::uint32_t type = 0;  ///< register set or memory space
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t bytes = 0;  ///< of the payload of this record
    std::uint64_t id = 0;     ///< hold, token or module
    std::uint64_t address = 0;
    std::uint64_t length = 0;  ///< bytes requested
};

struct Message {
    Head head;
    std::vector<std::byte> payload;
};

/// Payload of hello.
struct Hello {
    std::uint32_t version = kVersion;  ///< first in every version
    std::uint32_t eventBytes = sizeof(zetl_event_t);
    std::uint32_t moduleBytes = sizeof(zetl_module_info_t);
    std::uint8_t uuid[16]{};
    Nonce cookie{};
};

/// Payload of its answer: the address of the Proof in the agent's process.
struct Challenge {
    std::uint64_t address = 0;
};

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// How long a sender waits for a peer that does not read.
inline constexpr Milliseconds kSendLimit{2000};

enum class Sent { done, full, failed };
/// Sends all at once or nothing. Returns `full` if the other end did not yet read what was sent before.
Sent trySend(int socket, const Head& head, std::span<const std::byte> payload);
/// Returns false if nothing can be sent even after that time. An interrupted wait counts as one that ended.
bool awaitRoom(int socket, Milliseconds limit);
/// Returns false if the connection is closed or broken, or if its buffer stays full for as long as `limit`.
bool send(int socket, const Head& head, std::span<const std::byte> payload, Milliseconds limit = kSendLimit);
inline bool send(int socket, const Message& message, Milliseconds limit = kSendLimit) {
    return send(socket, message.head, message.payload, limit);
}

enum class Received { message, nothing, closed, malformed };
/// Takes a record; waits for it until the deadline, or without limit.
Received receive(int socket, Message& message, std::optional<Clock::time_point> deadline = std::nullopt);

/// The status in a reply; LOST if it is none that we know.
zetl_status_t statusOf(const Message& reply);

template <class T>
std::vector<std::byte> bytesOf(const T& value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    return {begin, begin + sizeof value};
}

/// The payload as a T; nothing if it has another size.
template <class T>
std::optional<T> payloadOf(const Message& message) {
    T value{};
    if (message.payload.size() != sizeof value) return std::nullopt;
    std::memcpy(&value, message.payload.data(), sizeof value);
    return value;
}

}  // namespace zetl::debug::wire
