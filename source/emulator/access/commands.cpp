// Section "commands".
#include "provider/commands.h"

#include <algorithm>

#include "emulator/access/command_streams.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/sections.h"

namespace zetl::emulator::access {
namespace {

constexpr std::uint64_t kMostRecords = 65536;

class EmulatedCommands final : public provider::Commands<Backend> {
  public:
    provider::Made<provider::CommandStream> open(Device& device, std::uint64_t& capacity) const override {
        capacity = std::clamp<std::uint64_t>(capacity, 1, kMostRecords);
        return CommandStreams::instance().open(device, capacity);
    }
};

}  // namespace

const zetl_command_functions_t kCommandFunctions = provider::CommandTable<EmulatedCommands>::kFunctions;

}  // namespace zetl::emulator::access
