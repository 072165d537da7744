#include "nvidia/driver/memory/usm.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>

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
    allocations_.write([this](auto& all) {
        if (!all.empty())
            log::warn(log::Module::nvidia, "a context is destroyed with {} allocations in it; they are freed",
                      all.size());
        for (const auto& [begin, allocation] : all) (void)giveBack(allocation);
        all.clear();
    });
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
    UsmAllocation allocation{
        alignedUp(*given, alignment), request.bytes, nextId(), request.type, request.device, *given, false};
    const std::uint64_t begin = allocation.begin;
    allocations_.write([&](auto& all) { all.emplace(begin, std::move(allocation)); });
    return reinterpret_cast<void*>(begin);
}

Result<UsmAllocation> Usm::take(std::uint64_t begin, bool imported) {
    std::optional<UsmAllocation> taken;
    allocations_.write([&](auto& all) {
        const auto found = all.find(begin);
        if (found == all.end() || found->second.imported != imported) return;
        taken = std::move(found->second);
        all.erase(found);
    });
    if (taken) return *std::move(taken);
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "{:#x} is not the beginning of a live {} of this context: freed twice, or from elsewhere", begin,
                  imported ? "IPC import" : "allocation");
}

Status Usm::giveBack(const UsmAllocation& allocation) const noexcept {
    const Current current(work_->context);
    if (allocation.imported) return ZETL_CUDA(cuIpcCloseMemHandle(allocation.block));
    if (allocation.type == ZE_MEMORY_TYPE_DEVICE) return ZETL_CUDA(cuMemFree(allocation.block));
    return ZETL_CUDA(cuMemFreeHost(reinterpret_cast<void*>(allocation.block)));
}

Status Usm::free(void* pointer) {
    const auto allocation = take(reinterpret_cast<std::uint64_t>(pointer), false);
    return allocation ? giveBack(*allocation) : allocation.code();
}

Result<void*> Usm::import(const CUipcMemHandle& handle, const Request& request) {
    const Current current(request.context);
    CUdeviceptr address = 0;
    const Status bad = ZETL_CUDA(cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    std::size_t bytes = 0;
    cuda().cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address);
    UsmAllocation allocation{address, bytes, nextId(), ZE_MEMORY_TYPE_DEVICE, request.device, address, true};
    allocations_.write([&](auto& all) { all.emplace(address, std::move(allocation)); });
    return reinterpret_cast<void*>(address);
}

Status Usm::closeImport(const void* pointer) {
    const auto allocation = take(reinterpret_cast<std::uint64_t>(pointer), true);
    return allocation ? giveBack(*allocation) : allocation.code();
}

std::optional<UsmAllocation> Usm::find(const void* pointer) const {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    return allocations_.read([&](const auto& all) -> std::optional<UsmAllocation> {
        const auto after = all.upper_bound(address);
        if (after == all.begin()) return std::nullopt;
        const UsmAllocation& candidate = std::prev(after)->second;
        if (address - candidate.begin >= candidate.bytes) return std::nullopt;
        return candidate;
    });
}

}  // namespace zetl::nvidia
