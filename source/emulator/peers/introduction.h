// What a process that counts says to a reader: the one message between them.
#pragma once

#include <optional>

#include "base/file_descriptor.h"
#include "emulator/peers/device_counts.h"
#include "emulator/peers/shared_counts.h"

namespace zetl::emulator::peers {

/// Sends the memory in which the counts will stand, and what they are now, from which the reader counts. False: the
/// reader is gone, or the host refuses.
bool introduce(int socket, const SharedCounts& shared, const DeviceCounts& now) noexcept;

/// A reader's answer to what came in.
struct Introduced {
    SeenCounts counts;
    DeviceCounts begin;
};
enum class Heard { introduction, nothing, nonsense };
/// Takes one record without waiting. The sender may be anybody.
Heard hear(int socket, std::optional<Introduced>& introduced);

}  // namespace zetl::emulator::peers
