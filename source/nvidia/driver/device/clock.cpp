#include "nvidia/driver/device/clock.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"

namespace zetl::nvidia {
namespace {

constexpr const char* kReadingPtx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry zetl_read_clock(.param .u64 to)
{
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u64 %rd3, %globaltimer;
    st.volatile.global.u64 [%rd2], %rd3;
    ret;
}
)";

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kRefreshAfter = 50 * kMillisecond;  // of the line, at 12 ppm 0.6 us
constexpr std::uint64_t kAnchorFor = 200 * kMillisecond;    // beyond, an event's float milliseconds lose the step
constexpr std::uint64_t kBaseline = 500 * kMillisecond;     // from which on a slope is better than none
constexpr std::uint64_t kReturnPath = 900;                  // nanoseconds from the store to the host's seeing it

std::uint64_t loadWord(const std::uint64_t* word) noexcept { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

}  // namespace

std::uint64_t DeviceClock::hostNanoseconds() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

Status DeviceClock::start() {
    const Lock guard(mutex_);
    return startLocked();
}

Status DeviceClock::startLocked() {
    if (started_) return ZE_RESULT_SUCCESS;
    const Current current(context_);
    int least = 0;
    int greatest = 0;
    void* word = nullptr;
    Status status = ZETL_CUDA(cuModuleLoadDataEx(&module_, kReadingPtx, 0, nullptr, nullptr));
    const auto good = [&status] { return status == ZE_RESULT_SUCCESS; };
    if (good()) status = ZETL_CUDA(cuModuleGetFunction(&reading_, module_, "zetl_read_clock"));
    if (good()) status = ZETL_CUDA(cuFuncLoad(reading_));
    if (good()) status = ZETL_CUDA(cuCtxGetStreamPriorityRange(&least, &greatest));
    if (good()) status = ZETL_CUDA(cuStreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, greatest));
    if (good()) status = ZETL_CUDA(cuMemHostAlloc(&word, sizeof *word_, CU_MEMHOSTALLOC_DEVICEMAP));
    for (CUevent* event : {&before_, &after_, &anchor_.event})
        if (good()) status = ZETL_CUDA(cuEventCreate(event, CU_EVENT_DEFAULT));
    word_ = static_cast<std::uint64_t*>(word);
    if (status != ZE_RESULT_SUCCESS) return status;
    // The first launch pays for what later ones find ready, so its reading is taken a second time.
    auto taken = read(kFirstPatience);
    if (taken) taken = readBest(kFirstPatience);
    if (!taken) return taken.code();
    first_ = last_;
    started_ = last_.device != 0;
    return ZE_RESULT_SUCCESS;
}

void DeviceClock::close() noexcept {
    const Lock guard(mutex_);
    const Current current(context_);
    if (stream_) cuda().cuStreamSynchronize(stream_);
    for (CUevent event : {before_, after_, anchor_.event})
        if (event) cuda().cuEventDestroy(event);
    if (stream_) cuda().cuStreamDestroy(stream_);
    if (word_) cuda().cuMemFreeHost(word_);
    if (module_) cuda().cuModuleUnload(module_);
    started_ = false;
}

Status DeviceClock::launchReading(CUstream stream, std::uint64_t* to) const {
    void* arguments[] = {&to};
    return ZETL_CUDA(cuLaunchKernel(reading_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
}

Status DeviceClock::appendReading(CUstream stream, std::uint64_t* to) {
    if (const Status bad = start(); bad != ZE_RESULT_SUCCESS) return bad;
    const Current current(context_);
    return launchReading(stream, to);
}

Result<bool> DeviceClock::read(std::uint64_t patience) {
    // A reading that was given up earlier may still be on its way to the word.
    const CUresult idle = cuda().cuStreamQuery(stream_);
    if (idle == CUDA_ERROR_NOT_READY) return false;
    if (const Status bad = check(idle, "cuStreamQuery("); bad != ZE_RESULT_SUCCESS) return bad;
    __atomic_store_n(word_, 0, __ATOMIC_RELEASE);
    Status status = ZETL_CUDA(cuEventRecord(before_, stream_));
    const std::uint64_t asked = hostNanoseconds();
    if (status == ZE_RESULT_SUCCESS) status = launchReading(stream_, word_);
    if (status == ZE_RESULT_SUCCESS) status = ZETL_CUDA(cuEventRecord(after_, stream_));
    if (status != ZE_RESULT_SUCCESS) return status;
    // The host's time is taken before the launch and after each look: where the thread is held up in between, the
    // reading becomes wider, and a closer one is preferred, but not wrong.
    std::uint64_t value = loadWord(word_);
    std::uint64_t seen = hostNanoseconds();
    while (value == 0 && seen - asked < patience) {
        value = loadWord(word_);
        seen = hostNanoseconds();
    }
    if (value == 0) return false;
    width_ = seen - asked;
    last_ = {seen - std::min(kReturnPath, (seen - asked) / 2), value};
    CUresult reached = CUDA_ERROR_NOT_READY;
    while ((reached = cuda().cuEventQuery(after_)) == CUDA_ERROR_NOT_READY && hostNanoseconds() - asked < patience) {
    }
    float around = 0;
    if (reached != CUDA_SUCCESS || cuda().cuEventElapsedTime(&around, before_, after_) != CUDA_SUCCESS) return false;
    // The kernel lies between the two events; its reading is taken to be in their middle.
    std::swap(anchor_.event, after_);
    anchor_.device = last_.device + static_cast<std::uint64_t>(around * 1e6F / 2);
    anchor_.host = seen;
    return true;
}

Status DeviceClock::refreshLocked(std::uint64_t age) {
    if (const Status bad = startLocked(); bad != ZE_RESULT_SUCCESS) return bad;
    if (hostNanoseconds() - anchor_.host < age) return ZE_RESULT_SUCCESS;
    const Current current(context_);
    return readBest(kPatience).code();
}

Result<bool> DeviceClock::readBest(std::uint64_t patience) {
    constexpr int kTries = 4;
    Pair best = last_;
    std::uint64_t width = patience;
    for (int i = 0; i < kTries; ++i) {
        const auto taken = read(patience);
        if (!taken || !*taken) {
            last_ = best;
            return taken;
        }
        if (width_ < width) {
            width = width_;
            best = last_;
        }
    }
    last_ = best;
    return true;
}

double DeviceClock::rate() const noexcept {
    const std::uint64_t baseline = last_.host - first_.host;
    if (last_.host <= first_.host || baseline < kBaseline) return 1;
    return static_cast<double>(last_.device - first_.device) / static_cast<double>(baseline);
}

std::uint64_t DeviceClock::deviceAt(std::uint64_t host) const noexcept {
    const auto since = static_cast<double>(static_cast<std::int64_t>(host - last_.host));
    return last_.device + static_cast<std::uint64_t>(std::llround(since * rate()));
}

Result<DeviceClock::Pair> DeviceClock::now() {
    const Lock guard(mutex_);
    if (const Status bad = refreshLocked(kRefreshAfter); bad != ZE_RESULT_SUCCESS) return bad;
    const std::uint64_t host = hostNanoseconds();
    latest_ = std::max(latest_, deviceAt(host));
    return Pair{host, latest_};
}

Result<std::uint64_t> DeviceClock::timeOf(CUevent event) {
    const Lock guard(mutex_);
    if (const Status bad = refreshLocked(kAnchorFor); bad != ZE_RESULT_SUCCESS) return bad;
    const Current current(context_);
    float milliseconds = 0;
    const Status bad = ZETL_CUDA(cuEventElapsedTime(&milliseconds, anchor_.event, event));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    return anchor_.device + static_cast<std::uint64_t>(std::llround(static_cast<double>(milliseconds) * 1e6));
}

std::uint64_t DeviceClock::hostTimeOf(std::uint64_t device) {
    const Lock guard(mutex_);
    const auto since = static_cast<double>(static_cast<std::int64_t>(device - last_.device));
    return last_.host + static_cast<std::uint64_t>(std::llround(since / rate()));
}

std::uint64_t DeviceClock::deviceTimeOf(std::uint64_t host) {
    const Lock guard(mutex_);
    return deviceAt(host);
}

bool DeviceClock::lost() const noexcept {
    const Current current(context_);
    return meansLost(cuda().cuStreamQuery(nullptr));
}

}  // namespace zetl::nvidia
