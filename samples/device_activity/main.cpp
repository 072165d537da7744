// Device activity tracing with the core API alone: maps the kernel timestamps of each launch to the host's clock, so
// that device work and the calls that started it share one timeline. No layer is needed.
//
// Exit code 0: on the host's clock, each launch lies between its submission and the end of the wait for it. 1: one does
// not. 2: the device accepts work but does not execute it.
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

#include "session/check.h"
#include "session/session.h"

namespace {

const char* const kSource = R"(
kernel void spin(global uint* out, uint rounds) {
    uint value = get_global_id(0);
    for (uint i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
    out[get_global_id(0)] = value;
})";

constexpr std::uint32_t kElements = 1024;
constexpr std::uint32_t kGroupSize = 32;
constexpr std::uint32_t kLaunches = 3;
constexpr double kNanoseconds = 1e9;

/// The host clock to which zeDeviceGetGlobalTimestamps relates device timestamps.
double hostNow() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return static_cast<double>(time.tv_sec) * kNanoseconds + static_cast<double>(time.tv_nsec);
}

std::uint64_t maskOf(std::uint32_t bits) { return bits >= 64 ? UINT64_MAX : (std::uint64_t(1) << bits) - 1; }

/// Translates kernel timestamps, in device cycles that wrap at kernelTimestampValidBits, to the host's clock.
class HostClock {
  public:
    explicit HostClock(const session::Session& session)
        : mask_(maskOf(session.properties.kernelTimestampValidBits)),
          cycle_(kNanoseconds / static_cast<double>(session.properties.timerResolution)) {
        CHECK(zeDeviceGetGlobalTimestamps(session.device, &host_, &device_));
    }

    /// Counts the cycles from the correlated pair, forwards or backwards, whichever is nearer modulo the wrap.
    double at(std::uint64_t cycles) const {
        const auto after = (cycles - device_) & mask_;
        const auto before = (device_ - cycles) & mask_;
        const auto distance = after <= before ? static_cast<double>(after) : -static_cast<double>(before);
        return static_cast<double>(host_) + distance * cycle_;
    }
    double length(std::uint64_t start, std::uint64_t end) const {
        return static_cast<double>((end - start) & mask_) * cycle_;
    }

  private:
    std::uint64_t mask_;
    double cycle_;  // nanoseconds
    std::uint64_t host_ = 0;
    std::uint64_t device_ = 0;
};

/// A pool of events with timestamps.
class TimestampEvents {
  public:
    explicit TimestampEvents(const session::Session& session) {
        ze_event_pool_desc_t poolDescription{
            ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr,
            static_cast<ze_event_pool_flags_t>(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_HOST_VISIBLE),
            kLaunches};
        CHECK(zeEventPoolCreate(session.context, &poolDescription, 0, nullptr, &pool_));
        for (std::uint32_t i = 0; i < kLaunches; ++i) {
            ze_event_desc_t description{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, i, ZE_EVENT_SCOPE_FLAG_HOST,
                                        ZE_EVENT_SCOPE_FLAG_HOST};
            CHECK(zeEventCreate(pool_, &description, &events_.emplace_back()));
        }
    }
    ~TimestampEvents() {
        for (auto* event : events_) zeEventDestroy(event);
        zeEventPoolDestroy(pool_);
    }
    TimestampEvents(const TimestampEvents&) = delete;
    TimestampEvents& operator=(const TimestampEvents&) = delete;

    ze_event_handle_t operator[](std::uint32_t index) const { return events_[index]; }

  private:
    ze_event_pool_handle_t pool_ = nullptr;
    std::vector<ze_event_handle_t> events_;
};

/// Checks the times of one launch against the host's times of the whole run.
bool isBetween(const HostClock& clock, const ze_kernel_timestamp_result_t& times, double submitted, double finished) {
    const double start = clock.at(times.global.kernelStart);
    const double length = clock.length(times.global.kernelStart, times.global.kernelEnd);
    std::printf("launch: starts %.1f us after submission, runs %.1f us (%.1f us of it on the device's context)\n",
                (start - submitted) / 1000, length / 1000,
                clock.length(times.context.kernelStart, times.context.kernelEnd) / 1000);
    return start >= submitted && length > 0 && start + length <= finished;
}

}  // namespace

int main() {
    const session::Session session;
    const session::Kernel spin(session, kSource, "spin");
    session::Commands commands(session);
    const session::Buffer out(session, kElements * sizeof(std::uint32_t));
    const TimestampEvents events(session);

    CHECK(zeKernelSetGroupSize(spin.kernel, kGroupSize, 1, 1));
    CHECK(zeKernelSetArgumentValue(spin.kernel, 0, sizeof(void*), &out.pointer));
    for (std::uint32_t i = 0; i < kLaunches; ++i) {
        const std::uint32_t rounds = 100 << i;
        CHECK(zeKernelSetArgumentValue(spin.kernel, 1, sizeof rounds, &rounds));
        const ze_group_count_t groups{kElements / kGroupSize, 1, 1};
        CHECK(zeCommandListAppendLaunchKernel(commands.list, spin.kernel, &groups, events[i], 0, nullptr));
    }
    const double submitted = hostNow();
    commands.run();
    const double finished = hostNow();

    if (zeEventQueryStatus(events[kLaunches - 1]) == ZE_RESULT_NOT_READY) {
        std::printf("device_activity: no event was signalled: this device does not execute; times unchecked\n");
        return 2;
    }
    const HostClock clock(session);
    std::uint32_t right = 0;
    for (std::uint32_t i = 0; i < kLaunches; ++i) {
        ze_kernel_timestamp_result_t times{};
        CHECK(zeEventQueryKernelTimestamp(events[i], &times));
        right += isBetween(clock, times, submitted, finished) ? 1 : 0;
    }
    std::printf("device_activity: %u of %u launches lie between submission and completion\n", right, kLaunches);
    return right == kLaunches ? 0 : 1;
}
