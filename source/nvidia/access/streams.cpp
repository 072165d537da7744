// Section "streams": what the whole device counts, at a period.
#include "provider/streams.h"

#include "nvidia/access/device_ref.h"
#include "nvidia/access/sample_stream.h"
#include "nvidia/access/sections.h"
#include "provider/stream_options.h"

namespace zetl::nvidia::access {
namespace {

class NvidiaStreams final : public provider::Streams<Backend> {
  public:
    provider::Made<provider::CounterStream> open(const std::shared_ptr<Lease>& lease, provider::WordPlan plan,
                                                 zetl_stream_options_t& options) const override {
        if (plan.names.empty()) return ZETL_MISUSE;
        CountedPlan counted;
        if (const auto bad = prepare(lease, std::move(plan), counted); bad != ZETL_OK) return bad;
        provider::limit(options, kShortestPeriod);
        return std::make_shared<SampleStream>(std::move(counted), options);
    }
};

}  // namespace

const zetl_stream_functions_t kStreamFunctions = provider::StreamTable<NvidiaStreams>::kFunctions;

}  // namespace zetl::nvidia::access
