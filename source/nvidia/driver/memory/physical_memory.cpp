#include "nvidia/driver/memory/physical_memory.h"

#include <atomic>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/result.h"

namespace zetl::nvidia {
namespace {

std::uint64_t nextPhysicalMemory() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

Result<std::shared_ptr<PhysicalMemory>> PhysicalMemory::create(const std::shared_ptr<Context>&, Context::Member place,
                                                               const ze_physical_mem_desc_t& description) {
    constexpr ze_physical_mem_flags_t kOnDevice = ZE_BIT(0);
    constexpr ze_physical_mem_flags_t kOnHost = ZE_BIT(1);
    if (description.flags & ~(kOnDevice | kOnHost)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (description.flags & kOnHost)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "physical memory is on the device alone; zeMemAllocHost allocates on the host");
    const Status bad =
        refuseOthers(&description, ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, {}, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    const auto page = VirtualMemory::pageBytes(place.work->device);
    if (!page) return page.code();
    if (description.size == 0 || description.size % *page != 0)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "{} bytes are not a multiple of the page size of {}",
                      description.size, *page);
    const CUmemAllocationProp properties = VirtualMemory::propertiesOn(place.work->device);
    CUmemGenericAllocationHandle pages = 0;
    const Status failed = ZETL_CUDA(cuMemCreate(&pages, description.size, &properties, 0));
    if (failed != ZE_RESULT_SUCCESS) return failed;
    return std::make_shared<PhysicalMemory>(std::move(place), pages, description.size);
}

PhysicalMemory::PhysicalMemory(Context::Member place, CUmemGenericAllocationHandle pages, std::size_t bytes)
    : place_(std::move(place)), pages_(pages), bytes_(bytes), id_(nextPhysicalMemory()) {}

PhysicalMemory::~PhysicalMemory() { cuda().cuMemRelease(pages_); }

Status PhysicalMemory::getProperties(ze_physical_mem_properties_t& out) const noexcept {
    out.id = id_;
    out.size = bytes_;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
