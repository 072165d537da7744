// Section "streams".
#include "provider/streams.h"

#include "activity/device_clock.h"
#include "core_api/counters.h"
#include "core_api/counting.h"
#include "core_api/known_devices.h"
#include "core_api/sections.h"
#include "provider/stream_options.h"

namespace zetl::core_api {
namespace {

/// A stream that the process's commands are counted for.
class CountedStream final : public provider::CounterStream {
  public:
    explicit CountedStream(std::shared_ptr<FactStream> facts) : facts_(std::move(facts)) {
        Counting::instance().add(facts_);
    }

    zetl_status_t start() override {
        facts_->start(activity::hostNow());
        return ZETL_OK;
    }
    zetl_status_t stop() override {
        facts_->stop(activity::hostNow());
        return ZETL_OK;
    }
    std::uint64_t pending() override { return facts_->pending(activity::hostNow()); }
    /// The reports up to `now` include all commands that ended before `now` and can be read.
    std::uint64_t drain(std::uint64_t capacity, void* reports, zetl_report_info_t* infos, zetl_loss_t& loss) override {
        const auto now = activity::hostNow();
        Counting::instance().read();
        return facts_->drain(now, capacity, static_cast<std::uint64_t*>(reports), infos, loss);
    }
    zetl_status_t marker(ze_command_list_handle_t, std::uint32_t) override {
        log::warn(log::Channel::metrics,
                  "no marker: this device has no metrics, and what the core API tells takes none");
        return ZETL_UNSUPPORTED;
    }
    void close() override { Counting::instance().remove(*facts_); }

  private:
    const std::shared_ptr<FactStream> facts_;
};

class FactStreams final : public provider::Streams<Backend> {
  public:
    provider::Made<provider::CounterStream> open(const std::shared_ptr<const Lease>& lease, provider::WordPlan plan,
                                                 zetl_stream_options_t& options) const override {
        auto columns = columnsOf(plan);
        if (!columns) return ZETL_MISUSE;
        provider::limit(options, kShortestPeriod);
        return std::make_shared<CountedStream>(
            std::make_shared<FactStream>(lease->device, *std::move(columns), options));
    }
};

}  // namespace

const zetl_stream_functions_t kStreamFunctions = provider::StreamTable<FactStreams>::kFunctions;

}  // namespace zetl::core_api
