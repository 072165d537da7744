// What a kernel of 10 us takes in CUDA alone, with parts of what `zetl trace` asks of CUPTI:
//
//   nvidia_short_kernels N WHAT     waits behind each Nth of 20,000 launches, prints what one took. WHAT is nothing,
//                                   calls (a callback for each launch), records (of kernels) or all (a callback, and
//                                   records of kernels, copies and fills by CLOCK_MONOTONIC_RAW)
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "nvidia/kernels.h"

namespace {

constexpr int kLaunches = 20'000;
constexpr std::size_t kBufferBytes = 32 << 10;
constexpr const char* kCupti[] = {"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                  "/usr/local/cuda/lib64/libcupti.so"};

std::uint64_t launchesSeen = 0;
std::uint64_t recordBytes = 0;
std::uint64_t clockReadings = 0;  // by CUPTI

void require(int result, const char* call) {
    if (result == 0) return;
    std::fprintf(stderr, "%s -> %d\n", call, result);
    std::exit(1);
}

void* firstOf(const char* const* begin, const char* const* end) {
    void* library = nullptr;
    for (; begin != end && !library; ++begin) library = dlopen(*begin, RTLD_NOW);
    return library;
}

template <class F>
F* function(void* library, const char* name) {
    auto* const found = library ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
    require(found == nullptr, name);
    return found;
}
void* cudaLibrary() {
    constexpr const char* kName = "libcuda.so.1";
    static void* const library = firstOf(&kName, &kName + 1);
    return library;
}
void* cuptiLibrary() {
    static void* const library = firstOf(std::begin(kCupti), std::end(kCupti));
    return library;
}
#define NAME_OF(name) #name
#define CUDA(name) function<decltype(::name)>(cudaLibrary(), NAME_OF(name))
#define CUPTI(name) function<decltype(::name)>(cuptiLibrary(), #name)
#define REQUIRE(call) require(static_cast<int>(call), #call)

void CUPTIAPI onCall(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
    launchesSeen += static_cast<const CUpti_CallbackData*>(data)->callbackSite == CUPTI_API_ENTER;
}
void CUPTIAPI giveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* mostRecords) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
    *size = kBufferBytes;
    *mostRecords = 0;
}
void CUPTIAPI takeBuffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
    recordBytes += valid;
    std::free(buffer);
}

std::uint64_t rawNow() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}
std::uint64_t CUPTIAPI countedNow() {
    ++clockReadings;
    return rawNow();
}

void subscribe() {
    CUpti_SubscriberHandle subscriber = nullptr;
    REQUIRE(CUPTI(cuptiSubscribe)(&subscriber, onCall, nullptr));
    auto* const enable = CUPTI(cuptiEnableCallback);
    REQUIRE(enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
}

void record(bool copiesToo) {
    if (copiesToo) REQUIRE(CUPTI(cuptiActivityRegisterTimestampCallback)(countedNow));
    REQUIRE(CUPTI(cuptiActivityRegisterCallbacks)(giveBuffer, takeBuffer));
    auto* const enable = CUPTI(cuptiActivityEnable);
    REQUIRE(enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    if (!copiesToo) return;
    REQUIRE(enable(CUPTI_ACTIVITY_KIND_MEMCPY));
    REQUIRE(enable(CUPTI_ACTIVITY_KIND_MEMSET));
}

void run(int launchesAWait) {
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction spin = nullptr;
    CUstream stream = nullptr;
    REQUIRE(CUDA(cuDeviceGet)(&device, 0));
    REQUIRE(CUDA(cuDevicePrimaryCtxRetain)(&context, device));
    REQUIRE(CUDA(cuCtxSetCurrent)(context));
    REQUIRE(CUDA(cuModuleLoadData)(&module, zetl::test::kKernels));
    REQUIRE(CUDA(cuModuleGetFunction)(&spin, module, "spin"));
    REQUIRE(CUDA(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
    auto* const launch = CUDA(cuLaunchKernel);
    auto* const wait = CUDA(cuStreamSynchronize);
    std::uint64_t nanoseconds = 10'000;
    void* arguments[] = {&nanoseconds};
    const auto one = [&] { REQUIRE(launch(spin, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr)); };
    one();
    REQUIRE(wait(stream));
    const auto began = std::chrono::steady_clock::now();
    for (int i = 1; i <= kLaunches; ++i) {
        one();
        if (i % launchesAWait == 0) REQUIRE(wait(stream));
    }
    REQUIRE(wait(stream));
    const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - began;
    std::printf("microseconds a launch: %.3f\n", all.count() / kLaunches);
}

double nanosecondsOfAReading() {
    constexpr int kReadings = 100'000;
    const auto began = rawNow();
    std::uint64_t last = began;
    for (int i = 0; i < kReadings; ++i) last = rawNow();
    return static_cast<double>(last - began) / kReadings;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view what = count == 3 ? arguments[2] : "";
    const bool isAll = what == "all";
    if (what != "nothing" && what != "calls" && what != "records" && !isAll) {
        std::fprintf(stderr, "nvidia_short_kernels N nothing|calls|records|all\n");
        return 2;
    }
    REQUIRE(CUDA(cuInit)(0));
    if (what == "calls" || isAll) subscribe();
    if (what == "records" || isAll) record(isAll);
    run(std::max(1, std::atoi(arguments[1])));
    if (what == "records" || isAll) REQUIRE(CUPTI(cuptiActivityFlushAll)(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    std::printf(
        "launches seen: %llu, bytes of records: %llu, readings of the clock by CUPTI: %llu, one takes %.1f ns\n",
        static_cast<unsigned long long>(launchesSeen), static_cast<unsigned long long>(recordBytes),
        static_cast<unsigned long long>(clockReadings), nanosecondsOfAReading());
    return 0;
}
