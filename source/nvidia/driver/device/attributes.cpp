#include "nvidia/driver/device/attributes.h"

#include <cstring>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/result.h"

namespace zetl::nvidia {
namespace {

struct Row {
    CUdevice_attribute attribute;
    int Attributes::*field;
};

constexpr Row kRows[] = {
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &Attributes::multiprocessors},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &Attributes::threadsPerMultiprocessor},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &Attributes::threadsPerBlock},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &Attributes::blockX},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &Attributes::blockY},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &Attributes::blockZ},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &Attributes::gridX},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &Attributes::gridY},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &Attributes::gridZ},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &Attributes::warp},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &Attributes::sharedPerBlock},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, &Attributes::reservedShared},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &Attributes::clockKilohertz},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &Attributes::memoryClockKilohertz},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &Attributes::memoryBusBits},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &Attributes::cacheBytes},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, &Attributes::copyEngines},
    {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, &Attributes::pciDomain},
    {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, &Attributes::pciBus},
    {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, &Attributes::pciDevice},
    {CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID, &Attributes::pciIdentity},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &Attributes::major},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &Attributes::minor},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, &Attributes::ecc},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, &Attributes::cooperative},
};

}  // namespace

Result<Attributes> attributesOf(CUdevice device) {
    Attributes all;
    char name[256]{};
    CUuuid uuid{};
    std::size_t bytes = 0;
    Status status = ZETL_CUDA(cuDeviceGetName(name, sizeof name - 1, device));
    if (status == ZE_RESULT_SUCCESS) status = ZETL_CUDA(cuDeviceGetUuid(&uuid, device));
    if (status == ZE_RESULT_SUCCESS) status = ZETL_CUDA(cuDeviceTotalMem(&bytes, device));
    if (status != ZE_RESULT_SUCCESS) return status;
    all.name = name;
    std::memcpy(all.uuid.data(), uuid.bytes, all.uuid.size());
    all.memoryBytes = bytes;
    // A driver that does not know an attribute says so; the field stays 0 then.
    for (const Row& row : kRows) cuda().cuDeviceGetAttribute(&(all.*row.field), row.attribute, device);
    return all;
}

}  // namespace zetl::nvidia
