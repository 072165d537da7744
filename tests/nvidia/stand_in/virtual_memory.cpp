// Address ranges, physical memory, and what is mapped: files in memory. As the real one, it maps and unmaps whole
// pieces alone.
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "stand_in.h"

namespace {

constexpr std::size_t kPage = 2 << 20;
constexpr std::size_t kMost = std::size_t{16} << 30;

std::mutex mapping;
using Pieces = std::map<CUdeviceptr, std::size_t>;
/// As long as the process: contexts unmap while it ends.
Pieces& reserved() {
    static auto* const all = new Pieces;
    return *all;
}
Pieces& mapped() {
    static auto* const all = new Pieces;
    return *all;
}

bool isWhole(std::size_t bytes) { return bytes > 0 && bytes % kPage == 0; }

void* pointerTo(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

/// Nothing can be reached there.
void* emptyPlace(CUdeviceptr address, std::size_t bytes, int more) {
    return mmap(pointerTo(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | more, -1, 0);
}

bool isIn(const Pieces& pieces, CUdeviceptr address, std::size_t bytes) {
    const auto after = pieces.upper_bound(address);
    if (after == pieces.begin()) return false;
    const auto& [begin, size] = *std::prev(after);
    return address - begin < size && bytes <= size - (address - begin);
}

int fileOf(CUmemGenericAllocationHandle handle) { return static_cast<int>(handle) - 1; }

}  // namespace

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
    *bytes = kPage;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr wanted,
                             unsigned long long) {
    ANSWER_AS_SCRIPTED;
    if (!isWhole(bytes) || bytes > SIZE_MAX / 2) return CUDA_ERROR_INVALID_VALUE;
    void* const given = emptyPlace(wanted, bytes + kPage, 0);
    if (given == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    const auto begin = reinterpret_cast<CUdeviceptr>(given);
    *address = (begin + kPage - 1) / kPage * kPage;
    if (*address > begin) munmap(given, *address - begin);
    if (*address < begin + kPage) munmap(pointerTo(*address + bytes), begin + kPage - *address);
    const std::lock_guard guard(mapping);
    reserved()[*address] = bytes;
    return CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
    const std::lock_guard guard(mapping);
    const auto found = reserved().find(address);
    if (found == reserved().end() || found->second != bytes) return CUDA_ERROR_INVALID_VALUE;
    reserved().erase(found);
    munmap(pointerTo(address), bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp*,
                     unsigned long long) {
    ANSWER_AS_SCRIPTED;
    if (!isWhole(bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (bytes > kMost) return CUDA_ERROR_OUT_OF_MEMORY;
    const int file = memfd_create("physical", 0);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = static_cast<CUmemGenericAllocationHandle>(file) + 1;
    return CUDA_SUCCESS;
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    return close(fileOf(handle)) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long) {
    ANSWER_AS_SCRIPTED;
    const std::lock_guard guard(mapping);
    if (offset != 0 || !isWhole(bytes) || !isIn(reserved(), address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (mmap(pointerTo(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, fileOf(handle), 0) == MAP_FAILED)
        return CUDA_ERROR_INVALID_VALUE;
    mapped()[address] = bytes;
    stand_in::noteAllocation(address, bytes);
    return CUDA_SUCCESS;
}
/// As the real one, it waits for the device.
CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
    stand_in::finishStreams();
    const std::lock_guard guard(mapping);
    const auto found = mapped().find(address);
    if (found == mapped().end() || found->second != bytes) return CUDA_ERROR_INVALID_VALUE;
    mapped().erase(found);
    stand_in::forgetAllocation(address);
    return emptyPlace(address, bytes, MAP_FIXED) == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count) {
    ANSWER_AS_SCRIPTED;
    const std::lock_guard guard(mapping);
    if (count != 1 || !isIn(mapped(), address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    int allowed = PROT_NONE;
    if (access->flags == CU_MEM_ACCESS_FLAGS_PROT_READ) allowed = PROT_READ;
    if (access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE) allowed = PROT_READ | PROT_WRITE;
    return mprotect(pointerTo(address), bytes, allowed) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
