// The streamers of sampled instructions of all devices.
#pragma once

#include <level_zero/zet_api.h>

#include <mutex>
#include <optional>
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
    /// Without a period it begins with a usual one, and with a longer one wherever a device loses many samples.
    Samplers(const char* directory, std::optional<std::uint32_t> period)
        : file_(directory), wanted_(period.value_or(kUsualPeriod)), adapts_(!period) {}

    /// A module was created. The first one opens the streamers.
    void moduleMade(ze_module_handle_t module);
    /// Call it before a module is destroyed: reads the samples in it.
    void moduleEnds(ze_module_handle_t module);
    /// Reads the available samples. False after finish().
    bool read();
    /// Reads and writes the available samples, and uses no device afterwards.
    void finish();

  private:
    static constexpr std::uint32_t kUsualPeriod = 20'000;

    struct Stream {
        ze_context_handle_t context = nullptr;
        ze_device_handle_t device = nullptr;
        zet_metric_group_handle_t group = nullptr;
        zet_metric_streamer_handle_t streamer = nullptr;  ///< null: it could not be opened again
        std::size_t columns = 0;
        std::uint32_t period = 0;  ///< as granted
    };
    /// The values of one reading, and what they stand for.
    struct Reading {
        std::vector<std::uint8_t> raw;
        std::vector<zet_typed_value_t> values;
        bool dropped = false;
    };

    void start();
    void open(ze_driver_handle_t driver, ze_device_handle_t device);
    bool isTimeBased(zet_metric_group_handle_t group) const;
    bool describe(Stream& stream);
    bool openStreamer(Stream& stream, std::uint32_t period);
    void readAll();
    void read(Stream& stream);
    std::optional<Reading> readingOf(const Stream& stream);
    /// Looks less often from now on, as few as a reading had room for.
    void lengthen(Stream& stream, std::uint64_t kept, std::uint64_t lost);
    void say(const char* what);

    std::mutex mutex_;
    const SamplingFunctions* functions_ = nullptr;
    StallFile file_;
    const std::uint32_t wanted_;
    const bool adapts_;
    std::uint32_t period_ = 0;  ///< that samples are written for: of the first streamer
    bool started_ = false;
    bool finished_ = false;
    std::vector<Stream> streams_;
    std::vector<std::string> reasons_;
    std::unordered_map<ze_module_handle_t, std::uint32_t> modules_;
    std::uint32_t lastModule_ = 0;
};

}  // namespace zetl::queries
