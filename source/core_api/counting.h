// Counts the work that this process submits to the devices, from the first context on.
#pragma once

#include <ze_tools_layer/device_activity.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "core_api/fact_stream.h"

namespace zetl::core_api {

/// One per process; never destroyed. Thread-safe.
class Counting final : public activity::Sink {
  public:
    static Counting& instance() noexcept;

    /// Begins to watch the application's commands, unless that was done already: commands of lists, queues and pools
    /// that are made from now on. Returns false, and logs a line, if it cannot be done.
    bool start();
    /// Reads the commands that have ended since the last call.
    void read();

    void add(std::shared_ptr<FactStream> stream);
    void remove(const FactStream& stream);

    void opened(const activity::Stream& stream) noexcept override;
    void took(const activity::Span& span) noexcept override;
    void missed(std::uint64_t commands) noexcept override;

  private:
    Mutex starting_;
    bool tried_ ZETL_GUARDED_BY(starting_) = false;
    std::unique_ptr<activity::Collector> collector_;  ///< written once, before `tried_`
    Mutex mutex_;
    std::vector<std::shared_ptr<FactStream>> streams_ ZETL_GUARDED_BY(mutex_);
    std::unordered_map<std::uint32_t, zetl_device_t> devices_ ZETL_GUARDED_BY(mutex_);  ///< by activity::Stream::id
    std::uint64_t missed_ ZETL_GUARDED_BY(mutex_) = 0;
};

}  // namespace zetl::core_api
