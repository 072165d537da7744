// Kernels for comparing the speed of OpenCL implementations, as data.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace zetl::benchmark::emulator {

/// An image that a kernel reads: two dimensions, four bytes per texel, R8G8B8A8 UNORM.
struct Picture {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<std::uint32_t> texels;
};

/// One launch: images first, then buffers, then 32-bit scalars, in the order of the kernel's arguments.
struct Run {
    std::array<std::uint32_t, 2> global{1, 1};
    std::array<std::uint32_t, 2> local{1, 1};
    std::vector<std::vector<std::uint32_t>> buffers;  ///< initial contents
    std::vector<std::uint32_t> scalars;
    std::size_t result = 0;  ///< index of the buffer to compare
    double units = 0;        ///< of work in the launch
    std::vector<Picture> pictures{};
};

/// Of a launch. Reduced: for implementations that take a thousand times as long. Large: the same groups and more of
/// them, so that many cores have enough to do.
enum class Size : std::uint8_t { reduced, full, large };

inline std::uint32_t pick(Size size, std::uint32_t reduced, std::uint32_t full, std::uint32_t large) {
    return size == Size::reduced ? reduced : size == Size::full ? full : large;
}

/// How two implementations' results are compared.
enum class Result : std::uint8_t {
    words,    ///< equal
    floats,   ///< close: functions that may differ in the last place
    doubles,  ///< the same, in 64 bits
};

struct Workload {
    const char* name;
    const char* unit;    ///< what is counted; figures are millions a second
    const char* source;  ///< OpenCL C; XE is defined where it may use what Xe-HPC alone has
    const char* kernel;
    Run (*make)(Size size);
    Result result = Result::words;
    const char* device = nullptr;  ///< the profile that it needs, and the newest compiler with it; null: any
};

std::span<const Workload> memoryWorkloads();
std::span<const Workload> integerWorkloads();
std::span<const Workload> realWorkloads();
std::span<const Workload> shapeWorkloads();
std::span<const Workload> imageWorkloads();
/// All of them.
std::span<const Workload> workloads();
/// Others, by which two constants of the timing model were judged.
std::span<const Workload> unseenWorkloads();
/// Others, by which causes of a sample's errors are found, and others of the same kinds, by which nothing is chosen.
std::span<const Workload> tuningWorkloads();
std::span<const Workload> judgingWorkloads();

/// Of a result that is compared as floats or doubles.
double mean(const std::vector<std::uint32_t>& words, Result result);
/// Of some measurements; 0 of none.
double median(std::vector<double> values);

/// Wall and processor time of a launch.
struct Time {
    double seconds = 0;
    double processor = 0;  ///< of all threads of the process: what remains comparable on a busy machine

    static Time now();
    Time since(const Time& earlier) const { return {seconds - earlier.seconds, processor - earlier.processor}; }
    /// Keeps the lesser of each.
    void improve(const Time& other, bool first);
};

/// Times of the fastest of some launches, and the result buffer of one launch on fresh buffers.
struct Outcome {
    Time time;
    std::vector<std::uint32_t> result;
    std::uint64_t model = 0;   ///< checksum of all that a timing model counted so far; 0: there is none
    std::size_t findings = 0;  ///< of checks, in the last launch
};

/// Something that runs OpenCL C. Throws std::runtime_error with the reason if it cannot.
class Implementation {
  public:
    virtual ~Implementation() = default;
    virtual Outcome measure(const Workload& workload, const Run& run, int repeats) = 0;
};

}  // namespace zetl::benchmark::emulator
