#include "nvidia/driver/memory/usm.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"

namespace zetl::nvidia {
namespace {

constexpr std::size_t kCudaAlignment = 256;  // of every block that CUDA gives
constexpr std::size_t kLargestAlignment = 1 << 21;

std::uint64_t nextId() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

std::uint64_t alignedUp(std::uint64_t address, std::size_t alignment) noexcept {
    return (address + alignment - 1) & ~(static_cast<std::uint64_t>(alignment) - 1);
}

}  // namespace

Usm::~Usm() {
    for (const auto& [begin, allocation] : allocations_.takeLeft()) (void)giveBack(allocation);
}

Result<std::uint64_t> Usm::block(const Request& request, std::size_t bytes) const {
    const Current current(request.context ? request.context : work_->context);
    if (request.type == ZE_MEMORY_TYPE_DEVICE) {
        CUdeviceptr address = 0;
        const Status bad = ZETL_CUDA(cuMemAlloc(&address, bytes));
        if (bad != ZE_RESULT_SUCCESS) return bad;
        return static_cast<std::uint64_t>(address);
    }
    void* address = nullptr;
    const Status bad = ZETL_CUDA(cuMemHostAlloc(&address, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
    if (bad == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (bad != ZE_RESULT_SUCCESS) return bad;
    return reinterpret_cast<std::uint64_t>(address);
}

Result<void*> Usm::allocate(const Request& request) {
    if (request.bytes == 0) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    if (request.alignment > kLargestAlignment)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "alignment {}; the device offers up to {}",
                      request.alignment, kLargestAlignment);
    const std::size_t alignment = std::bit_ceil(std::max<std::size_t>(request.alignment, 1));
    const std::size_t spare = alignment > kCudaAlignment ? alignment : 0;
    if (request.bytes > SIZE_MAX - spare) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    const auto given = block(request, request.bytes + spare);
    if (!given) return given.code();
    UsmAllocation allocation{{alignedUp(*given, alignment), request.bytes, nextId(), request.type, request.device},
                             *given};
    return note(std::move(allocation));
}

Result<void*> Usm::note(UsmAllocation allocation) {
    try {
        allocations_.insert(allocation);
    } catch (...) {
        (void)giveBack(allocation);
        throw;
    }
    return reinterpret_cast<void*>(allocation.begin);
}

Status Usm::giveBack(const UsmAllocation& allocation) const noexcept {
    const Current current(work_->context);
    if (allocation.imported) return ZETL_CUDA(cuIpcCloseMemHandle(allocation.block));
    if (allocation.type == ZE_MEMORY_TYPE_DEVICE) return ZETL_CUDA(cuMemFree(allocation.block));
    return ZETL_CUDA(cuMemFreeHost(reinterpret_cast<void*>(allocation.block)));
}

Status Usm::free(void* pointer) {
    const auto allocation = allocations_.take(pointer, false);
    return allocation ? giveBack(*allocation) : allocation.code();
}

Result<void*> Usm::import(const CUipcMemHandle& handle, const Request& request) {
    const Current current(request.context);
    CUdeviceptr address = 0;
    const Status bad = ZETL_CUDA(cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    std::size_t bytes = 0;
    cuda().cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address);
    return note({{address, bytes, nextId(), ZE_MEMORY_TYPE_DEVICE, request.device, true}, address});
}

Status Usm::closeImport(const void* pointer) {
    const auto allocation = allocations_.take(pointer, true);
    return allocation ? giveBack(*allocation) : allocation.code();
}

}  // namespace zetl::nvidia
