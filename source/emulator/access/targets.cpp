// Section "targets": program debug of this process.
#include "provider/targets.h"

#include <unistd.h>

#include "base/never_destroyed.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/sections.h"
#include "emulator/access/target.h"
#include "emulator/isa/registers.h"

namespace zetl::emulator::access {
namespace {

const char* nameOf(isa::RegisterSet set) {
    constexpr const char* kNames[] = {"",    "GRF", "ADDR", "FLAG", "CE",  "SR", "CR",
                                      "TDR", "ACC", "MME",  "SP",   "SBA", "DBG"};
    return kNames[static_cast<std::size_t>(set)];
}

const std::vector<zetl_register_set_t>& sets() {
    static NeverDestroyed<std::vector<zetl_register_set_t>> all([] {
        std::vector<zetl_register_set_t> list;
        const auto usual = isa::registerSets(false);
        for (const auto& info : isa::registerSets(true))
            list.push_back({.size = sizeof(zetl_register_set_t),
                            .type = static_cast<std::uint32_t>(info.set),
                            .name = nameOf(info.set),
                            .count = info.count,
                            .bits = info.bits,
                            .bytes = info.bytes,
                            .readable = 1,
                            .writeable = info.writable,
                            .per_lane = 0,
                            .usual = usual[list.size()].count});
        return list;
    }());
    return *all;
}

class EmulatedTargets final : public provider::Targets<Backend> {
  public:
    provider::Made<provider::Target> open(Device& device, std::uint64_t pid, zetl_sink_t sink,
                                          void* user) const override {
        if (pid != static_cast<std::uint64_t>(getpid())) return ZETL_UNSUPPORTED;
        return access::Targets::instance().open(device, sink, user);
    }
    std::vector<const zetl_register_set_t*> registerSets(Device&) const override {
        std::vector<const zetl_register_set_t*> all;
        for (const auto& each : sets()) all.push_back(&each);
        return all;
    }
};

}  // namespace

const zetl_target_functions_t kTargetFunctions = provider::TargetTable<EmulatedTargets>::kFunctions;

}  // namespace zetl::emulator::access
