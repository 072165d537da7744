// The answer of a process that is asked how it uses its devices.
#pragma once

#include <optional>
#include <string>

#include "emulator/machine/machine.h"
#include "emulator/peers/device_use.h"

namespace zetl::emulator::peers {

/// What endpoints are for whose processes answer each connection with one record.
inline constexpr const char* kUsingKind = "using";
/// The name of the file with the sums of processes that ended (past_use.h).
std::string pastName(const machine::Device& device);

/// Sends the record. Returns false if the other end is gone, or if the host refuses.
bool answerUse(int socket, machine::Machine& machine);

/// Takes a record without waiting, and what it says of that device: nothing if it is no record, which may come from any
/// process of the user, or if it does not speak of the device.
std::optional<DeviceUse> readUse(int socket, const machine::Device& device);

}  // namespace zetl::emulator::peers
