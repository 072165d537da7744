// The only message between a process that counts and a reader.
#pragma once

#include <optional>

#include "base/file_descriptor.h"
#include "emulator/peers/device_counts.h"
#include "emulator/peers/shared_counts.h"

namespace zetl::emulator::peers {

/// Sends the memory for the counts, and their present values, from which the reader counts. Returns false if the reader
/// is gone, or if the host refuses.
bool introduce(int socket, const SharedCounts& shared, const DeviceCounts& now) noexcept;

/// What the reader received.
struct Introduced {
    SeenCounts counts;
    DeviceCounts begin;
};
enum class Heard { introduction, nothing, nonsense };
/// Takes one record without waiting. The sender is not trusted.
Heard hear(int socket, std::optional<Introduced>& introduced);

}  // namespace zetl::emulator::peers
