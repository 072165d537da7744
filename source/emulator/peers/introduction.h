// The only message between a process that counts, or samples, and a reader.
#pragma once

#include <optional>

#include "base/file_descriptor.h"
#include "emulator/peers/device_counts.h"
#include "emulator/peers/shared_counts.h"
#include "emulator/peers/shared_stalls.h"

namespace zetl::emulator::peers {

/// Sends the memory for the counts, and their present values, from which the reader counts. Returns false if the reader
/// is gone, or if the host refuses.
bool introduce(int socket, const SharedCounts& shared, const DeviceCounts& now) noexcept;

/// The same to a reader of samples: the memory holds what comes from now on.
bool introduce(int socket, const SharedStalls& shared) noexcept;

/// What the reader received.
struct Introduced {
    SeenCounts counts;
    DeviceCounts begin;
};
enum class Heard { introduction, nothing, nonsense };
/// Takes one record without waiting. The sender is not trusted.
Heard hear(int socket, std::optional<Introduced>& introduced);
Heard hear(int socket, std::optional<SeenStalls>& introduced);

}  // namespace zetl::emulator::peers
