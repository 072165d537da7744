// What was seen, in words that people understand.
#pragma once

#include <memory>

#include "check/finding.h"
#include "emulator/check/command_records.h"
#include "emulator/check/observations.h"
#include "emulator/machine/dispatch.h"
#include "emulator/machine/memory.h"

namespace zetl::emulator::check {

zetl::check::Finding findingOf(const Observations::Seen& seen, const machine::Launch& launch,
                               const machine::Memory& memory, const SourceOf& source,
                               const std::shared_ptr<const CommandRecord>& before = nullptr);
/// What was seen in a command that is no launch; `before` may be null.
zetl::check::Finding findingOf(const Observations::Seen& seen, const CommandRecord& command,
                               const std::shared_ptr<const CommandRecord>& before);
/// The allocation, as the one that an access at the address is about.
zetl::check::Object objectOf(const machine::Allocation& allocation, std::uint64_t address);
/// Whether it is a race of work-items that execute one instruction together.
bool isOfOneMessage(const zetl::check::Finding& finding);
/// Where bytes lie that go beyond an object, in words: "88 of them behind the end of 256 bytes of device memory".
std::string reachOf(const std::optional<zetl::check::Object>& object, std::uint64_t address, std::uint64_t bytes);
/// A fault that ended a launch.
zetl::check::Finding findingOf(const machine::Fault& fault, const machine::Memory& memory, const SourceOf& source);

}  // namespace zetl::emulator::check
