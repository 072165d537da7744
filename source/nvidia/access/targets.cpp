// Section "targets": program debug of other processes, through cuda-gdb.
#include "provider/targets.h"

#include <unistd.h>

#include "nvidia/access/device_ref.h"
#include "nvidia/access/sections.h"
#include "nvidia/debugger/target.h"

namespace zetl::nvidia::access {
namespace {

class NvidiaTargets final : public provider::Targets<Backend> {
  public:
    provider::Made<provider::Target> open(Device& device, std::uint64_t pid, zetl_sink_t sink,
                                          void* user) const override {
        if (pid == static_cast<std::uint64_t>(getpid())) {
            log::warn(
                log::Channel::nvidia,
                "this process cannot debug itself on {}: cuda-gdb stops a process as a whole; attach from another",
                device.attributes().name);
            return ZETL_UNSUPPORTED;
        }
        return Target::open(device.attributes(), pid, sink, user);
    }
    std::vector<const zetl_register_set_t*> registerSets(Device&) const override {
        std::vector<const zetl_register_set_t*> all;
        for (const auto& each : nvidia::registerSets()) all.push_back(&each.info);
        return all;
    }
};

}  // namespace

const zetl_target_functions_t kTargetFunctions = provider::TargetTable<NvidiaTargets>::kFunctions;

}  // namespace zetl::nvidia::access
