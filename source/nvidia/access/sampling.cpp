// Section "sampling": where the process's warps spend their time, by instruction.
#include "provider/sampling.h"

#include "nvidia/access/device_ref.h"
#include "nvidia/access/instruction_stream.h"
#include "nvidia/access/sections.h"

namespace zetl::nvidia::access {
namespace {

class NvidiaSampling final : public provider::Sampling<Backend> {
  public:
    zetl_status_t reasons(const char*, std::vector<const char*>& names) const override {
        if (!openCupti().empty()) return ZETL_UNSUPPORTED;
        names.assign(stallReasons().begin(), stallReasons().end());
        return ZETL_OK;
    }
    provider::Made<provider::InstructionStream> open(const std::shared_ptr<Lease>& lease,
                                                     zetl_stream_options_t& options) const override {
        auto made = std::make_shared<InstructionStream>(lease, options);
        if (const auto bad = made->start(); bad != ZETL_OK) return bad;
        return made;
    }
};

}  // namespace

const zetl_sampling_functions_t kSamplingFunctions = provider::SamplingTable<NvidiaSampling>::kFunctions;

}  // namespace zetl::nvidia::access
