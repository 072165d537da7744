#include "emulator/driver/memory/physical_memory.h"

#include <atomic>

#include "emulator/driver/device/device.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/memory/memory_sharing.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

std::uint64_t nextPhysicalMemoryId() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

PhysicalMemory::PhysicalMemory(std::shared_ptr<machine::PhysicalMemory> pages, Device* device)
    : pages_(std::move(pages)), device_(device), id_(nextPhysicalMemoryId()) {}

Result<std::shared_ptr<PhysicalMemory>> PhysicalMemory::create(Device* device,
                                                               const ze_physical_mem_desc_t& description) {
    constexpr ze_physical_mem_flags_t kOnDevice = ZE_BIT(0);
    constexpr ze_physical_mem_flags_t kOnHost = ZE_BIT(1);
    if (description.flags & ~(kOnDevice | kOnHost)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const bool onHost = description.flags & kOnHost;
    const std::uint64_t page = onHost ? machine::Memory::pageBytes() : kPhysicalPageBytes;
    if (description.size == 0 || description.size % page != 0)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "{} bytes are not a multiple of the page size of {}",
                      description.size, page);
    if (!onHost && !device) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (onHost) device = nullptr;
    const Status bad = refuseOthers(
        &description, ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
        {ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD, kIpcHandleTypes},
        ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    const auto imported = importedDescriptor(&description, ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC);
    if (!imported) return imported.code();
    if (*imported) {
        auto pages = platform().memory().importPhysical(**imported, description.size);
        if (pages) return std::make_shared<PhysicalMemory>(std::move(pages), device);
        return refuseDescriptor(**imported, description.size);
    }
    auto pages = platform().memory().createPhysical(description.size, device ? device->memoryBudget() : nullptr);
    if (pages) return std::make_shared<PhysicalMemory>(std::move(pages), device);
    return refuse(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "no {} bytes of physical memory", description.size);
}

}  // namespace zetl::emulator::driver
