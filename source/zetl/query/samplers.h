// The streamers of sampled instructions of all devices.
#pragma once

#include <level_zero/zet_api.h>

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "query/stall_file.h"

namespace zetl::queries {

/// The loader's functions: this library is not linked to a loader.
struct SamplingFunctions;

/// One per process, never destroyed. Thread-safe. Must not be called in a forked child of the process.
class Samplers {
  public:
    Samplers(const char* directory, std::uint32_t period) : file_(directory), wanted_(period) {}

    /// A module was created. The first one opens the streamers.
    void moduleMade(ze_module_handle_t module);
    /// Call it before a module is destroyed: reads the samples in it.
    void moduleEnds(ze_module_handle_t module);
    /// Reads the available samples. False after finish().
    bool read();
    /// Reads and writes the available samples, and uses no device afterwards.
    void finish();

  private:
    struct Stream {
        zet_metric_group_handle_t group = nullptr;
        zet_metric_streamer_handle_t streamer = nullptr;
        std::size_t columns = 0;
    };

    void start();
    void open(ze_driver_handle_t driver, ze_device_handle_t device);
    bool isTimeBased(zet_metric_group_handle_t group) const;
    bool describe(Stream& stream);
    void readAll();
    void read(const Stream& stream);
    void say(const char* what);

    std::mutex mutex_;
    const SamplingFunctions* functions_ = nullptr;
    StallFile file_;
    const std::uint32_t wanted_;
    bool started_ = false;
    bool finished_ = false;
    std::vector<Stream> streams_;
    std::vector<std::string> reasons_;
    std::unordered_map<ze_module_handle_t, std::uint32_t> modules_;
    std::uint32_t lastModule_ = 0;
};

}  // namespace zetl::queries
