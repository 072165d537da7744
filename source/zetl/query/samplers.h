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

/// One a process, never destroyed. Thread-safe. Nothing here may be called in a child of the process.
class Samplers {
  public:
    Samplers(const char* directory, std::uint32_t period) : file_(directory), wanted_(period) {}

    /// A module was made: the streamers are opened with the first one.
    void moduleMade(ze_module_handle_t module);
    /// Before it is destroyed: what was sampled in it is read.
    void moduleEnds(ze_module_handle_t module);
    /// Reads what there is. False once finish() was called.
    bool read();
    /// Reads what there is, writes it, and touches no device from then on.
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
