#include "emulated_gpu/fast_clock.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace zetl::test {
namespace {

constexpr const char* kProfile = R"(devices: 1
device:
  name: Intel(R) Data Center GPU Max 1550, one sub-slice (emulated)
  vendor_id: 0x8086
  device_id: 0x0BD5
  revision: 0x2F
  tiles: 1
  slices: 1
  subslices_per_slice: 1
  eus_per_subslice: 8
  threads_per_eu: 8
  core_clock_mhz: 1600
  timer_hz: 1000000000
  timestamp_valid_bits: 33
  kernel_timestamp_valid_bits: 32
  memory_bytes: 1073741824
  max_allocation_bytes: 1073741824
  memory_clock_mhz: 3200
  memory_bus_bits: 4096
  cache_bytes: 213909504
  slm_bytes: 131072
  max_group_size: 1024
)";

}  // namespace

FastClockProfile::FastClockProfile()
    : path_(std::filesystem::temp_directory_path() / ("fast_clock_" + std::to_string(getpid()) + ".yaml")) {
    std::ofstream(path_) << kProfile;
}

FastClockProfile::~FastClockProfile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

}  // namespace zetl::test
