// Devices, contexts, memory.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "stand_in.h"

namespace stand_in {

std::atomic<CUresult> lost{CUDA_SUCCESS};

namespace {

std::mutex counting;
/// As long as the process: streams call functions while it ends.
std::map<std::string, unsigned>& calls() {
    static auto* const all = new std::map<std::string, unsigned>;
    return *all;
}

}  // namespace

CUresult answerOf(const char* function) {
    {
        const std::lock_guard guard(counting);
        ++calls()[function];
    }
    if (const CUresult error = lost; error != CUDA_SUCCESS) return error;
    const char* script = std::getenv("STAND_IN_FAILURES");
    const std::string wanted = std::string(function) + "=";
    const char* found = script ? std::strstr(script, wanted.c_str()) : nullptr;
    return found ? static_cast<CUresult>(std::atoi(found + wanted.size())) : CUDA_SUCCESS;
}

}  // namespace stand_in

/// For tests: how often a function was called.
extern "C" unsigned standInCalls(const char* function) {
    const std::lock_guard guard(stand_in::counting);
    return stand_in::calls()[function];
}

namespace {

constexpr std::size_t kMemory = std::size_t{16} << 30;
constexpr int kMostDevices = 8;
int contexts[kMostDevices];  // their addresses are the devices' contexts

/// STAND_IN_DEVICES, which share their memory; one unless it is set.
int deviceCount() {
    const char* const said = std::getenv("STAND_IN_DEVICES");
    return said ? std::clamp(std::atoi(said), 1, kMostDevices) : 1;
}

/// The contexts that a thread has pushed. Handlers of exit() still ask for them, when a thread's objects that have
/// destructors are gone, so this one has none.
class ContextStack {
  public:
    bool push(CUcontext pushed) {
        if (size_ == pushed_.size()) return false;
        pushed_[size_++] = pushed;
        return true;
    }
    /// Null if there is none.
    CUcontext top() const { return size_ == 0 ? nullptr : pushed_[size_ - 1]; }
    bool pop() {
        if (size_ == 0) return false;
        --size_;
        return true;
    }

  private:
    std::array<CUcontext, 64> pushed_{};
    std::size_t size_ = 0;
};
thread_local ContextStack current;

std::mutex mutex;
std::map<std::uint64_t, std::size_t>& allocations() {
    static auto* const all = new std::map<std::uint64_t, std::size_t>;
    return *all;
}

CUresult allocate(std::uint64_t* address, std::size_t bytes) {
    if (bytes > kMemory) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = reinterpret_cast<std::uint64_t>(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
    std::lock_guard guard(mutex);
    allocations()[*address] = bytes;
    return CUDA_SUCCESS;
}

CUresult release(std::uint64_t address) {
    std::lock_guard guard(mutex);
    if (allocations().erase(address) == 0) return CUDA_ERROR_INVALID_VALUE;
    std::free(reinterpret_cast<void*>(address));
    return CUDA_SUCCESS;
}

struct Shared {
    std::int64_t process;
    std::uint64_t address;
    std::uint64_t bytes;
};

const std::map<CUdevice_attribute, int>& attributes() {
    static const std::map<CUdevice_attribute, int> all{
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 2},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
        {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1'000'000},
    };
    return all;
}

}  // namespace

std::size_t stand_in::allocationAt(CUdeviceptr address) {
    std::lock_guard guard(mutex);
    const auto after = allocations().upper_bound(address);
    if (after == allocations().begin()) return 0;
    const auto& [begin, bytes] = *std::prev(after);
    return address - begin < bytes ? bytes : 0;
}

void stand_in::noteAllocation(CUdeviceptr address, std::size_t bytes) {
    std::lock_guard guard(mutex);
    allocations()[address] = bytes;
}

void stand_in::forgetAllocation(CUdeviceptr address) {
    std::lock_guard guard(mutex);
    allocations().erase(address);
}

CUresult cuInit(unsigned) {
    ANSWER_AS_SCRIPTED;
    return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
    *version = 13000;
    return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
    static const std::map<CUresult, const char*> names{{CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
                                                       {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                       {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
    const auto known = names.find(error);
    *name = known == names.end() ? "CUDA_ERROR_UNKNOWN" : known->second;
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** text) {
    *text = "so the script says";
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
    *count = deviceCount();
    return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    *device = ordinal;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
    std::strncpy(name, "stand-in", static_cast<std::size_t>(size));
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
    std::memset(uuid, 7 + device, sizeof *uuid);
    return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
    *bytes = kMemory;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
    const auto known = attributes().find(attribute);
    if (known == attributes().end()) return CUDA_ERROR_INVALID_VALUE;
    *value = known->second;
    return CUDA_SUCCESS;
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
    *can = deviceCount() > 1;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
    ANSWER_AS_SCRIPTED;
    *out = reinterpret_cast<CUcontext>(&contexts[device]);
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext* out) {
    *out = current.top();
    return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext pushed) { return current.push(pushed) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY; }
CUresult cuCtxPopCurrent(CUcontext* out) {
    *out = current.top();
    return current.pop() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxSynchronize() {
    stand_in::finishStreams();
    return stand_in::lost;
}
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) { return CUDA_SUCCESS; }
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
    ANSWER_AS_SCRIPTED;
    std::uint64_t begin = 0;
    const CUresult result = allocate(&begin, bytes);
    *address = begin;
    return result;
}
/// As the real one, it waits for the device.
CUresult cuMemFree(CUdeviceptr address) {
    stand_in::finishStreams();
    return release(address);
}
CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
    ANSWER_AS_SCRIPTED;
    return allocate(reinterpret_cast<std::uint64_t*>(address), bytes);
}
CUresult cuMemFreeHost(void* address) { return release(reinterpret_cast<std::uint64_t>(address)); }
/// Memory of the process is the device's, too.
CUresult cuMemHostRegister(void*, std::size_t, unsigned) {
    ANSWER_AS_SCRIPTED;
    return CUDA_SUCCESS;
}
CUresult cuMemHostUnregister(void*) { return CUDA_SUCCESS; }
CUresult cuMemHostGetDevicePointer(CUdeviceptr* pointer, void* address, unsigned) {
    ANSWER_AS_SCRIPTED;
    *pointer = reinterpret_cast<CUdeviceptr>(address);
    return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr pointer) {
    const std::size_t bytes = stand_in::allocationAt(pointer);
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE) std::memcpy(data, &bytes, sizeof bytes);
    return CUDA_SUCCESS;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr pointer) {
    const Shared shared{getpid(), pointer, stand_in::allocationAt(pointer)};
    std::memcpy(handle, &shared, sizeof shared);
    return CUDA_SUCCESS;
}
/// A copy of the other process's memory, which is enough to see that it is the right one.
CUresult cuIpcOpenMemHandle(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned) {
    Shared shared{};
    std::memcpy(&shared, &handle, sizeof shared);
    std::uint64_t copy = 0;
    allocate(&copy, shared.bytes);
    const iovec local{reinterpret_cast<void*>(copy), shared.bytes};
    const iovec remote{reinterpret_cast<void*>(shared.address), shared.bytes};
    *pointer = copy;
    const auto process = static_cast<pid_t>(shared.process);
    return process_vm_readv(process, &local, 1, &remote, 1, 0) < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) { return release(pointer); }
