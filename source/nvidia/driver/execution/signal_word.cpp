#include "nvidia/driver/execution/signal_word.h"

#include <cstring>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"
#include "nvidia/driver/execution/patience.h"

namespace zetl::nvidia {
Result<std::shared_ptr<SignalWords>> SignalWords::create(std::shared_ptr<Device::Work> work, std::uint32_t count) {
    const Current current(work->context);
    void* memory = nullptr;
    const std::size_t bytes = count * kStride;
    const Status bad = ZETL_CUDA(cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
    if (bad == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (bad != ZE_RESULT_SUCCESS) return bad;
    std::memset(memory, 0, bytes);
    return std::make_shared<SignalWords>(std::move(work), memory);
}

Result<std::shared_ptr<SignalWords>> SignalWords::createShared(std::shared_ptr<Device::Work> work, SharedWords shared) {
    const Current current(work->context);
    const Status bad = ZETL_CUDA(
        cuMemHostRegister(shared.memory(), shared.bytes(), CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    CUdeviceptr device = 0;
    const Status without = ZETL_CUDA(cuMemHostGetDevicePointer(&device, shared.memory(), 0));
    if (without == ZE_RESULT_SUCCESS) return std::make_shared<SignalWords>(std::move(work), std::move(shared), device);
    cuda().cuMemHostUnregister(shared.memory());
    return without;
}

SignalWords::~SignalWords() {
    const Current current(work_->context);
    if (isShared())
        cuda().cuMemHostUnregister(memory_);
    else
        cuda().cuMemFreeHost(memory_);
}

CUdeviceptr SignalWords::deviceAddress(const std::uint32_t* word) const noexcept {
    return device_ +
           static_cast<CUdeviceptr>(reinterpret_cast<const std::byte*>(word) - static_cast<const std::byte*>(memory_));
}

std::uint32_t* SignalWords::at(std::uint32_t index) const noexcept {
    return reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(memory_) + index * kStride);
}

Status SignalWord::appendSignal(CUstream stream) const noexcept {
    return ZETL_CUDA(cuStreamWriteValue32(stream, address(), value_, CU_STREAM_WRITE_VALUE_DEFAULT));
}

Status SignalWord::appendReset(CUstream stream) const noexcept {
    return ZETL_CUDA(cuStreamWriteValue32(stream, address(), 0, CU_STREAM_WRITE_VALUE_DEFAULT));
}

Status SignalWord::appendWait(CUstream stream) const noexcept {
    return ZETL_CUDA(cuStreamWaitValue32(stream, address(), value_, CU_STREAM_WAIT_VALUE_GEQ));
}

Status Gate::appendTo(CUstream stream) noexcept {
    ++passages_;
    return ZETL_CUDA(
        cuStreamWaitValue32(stream, reinterpret_cast<CUdeviceptr>(word_), passages_, CU_STREAM_WAIT_VALUE_GEQ));
}

Status SignalWord::query() const noexcept {
    return __atomic_load_n(word_, __ATOMIC_ACQUIRE) >= value_ ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

Status SignalWord::wait(std::uint64_t nanoseconds) const {
    return waitFor(nanoseconds, work().clock, [this] { return query(); });
}

}  // namespace zetl::nvidia
