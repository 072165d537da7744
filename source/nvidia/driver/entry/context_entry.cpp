// zeContext..., zeMem..., and what a context creates.
#include "driver/method.h"
#include "nvidia/driver/device/context.h"
#include "nvidia/driver/entry/rows.h"

namespace zetl::nvidia {

driver::Rows contextRows() noexcept {
    static const driver::Served rows[] = {
        ZETL_DESTROYS(zeContextDestroy, Context),
        ZETL_METHOD(zeContextGetStatus, &Context::getStatus),
        ZETL_METHOD(zeContextSystemBarrier, &Context::systemBarrier),
        ZETL_METHOD(zeContextMakeMemoryResident, &Context::makeResident),
        ZETL_METHOD(zeContextEvictMemory, &Context::evict),
        ZETL_METHOD(zeMemAllocDevice, &Context::allocDevice),
        ZETL_METHOD(zeMemAllocHost, &Context::allocHost, 0, 3),
        ZETL_METHOD(zeMemAllocShared, &Context::allocShared),
        ZETL_METHOD(zeMemFree, &Context::freeMemory, 0),
        ZETL_METHOD(zeMemFreeExt, &Context::freeExt, 0, 1),
        ZETL_METHOD(zeMemGetAllocProperties, &Context::getAllocProperties, 0, 1),
        ZETL_METHOD(zeMemGetAddressRange, &Context::getAddressRange, 0),
        ZETL_METHOD(zeMemGetIpcHandle, &Context::getIpcHandle, 0, 1),
        ZETL_METHOD(zeMemPutIpcHandle, &Context::putIpcHandle),
        ZETL_METHOD(zeMemOpenIpcHandle, &Context::openIpcHandle),
        ZETL_METHOD(zeMemCloseIpcHandle, &Context::closeIpcHandle, 0),
        ZETL_METHOD(zeCommandQueueCreate, &Context::createQueue),
        ZETL_METHOD(zeCommandListCreate, &Context::createList),
        ZETL_METHOD(zeCommandListCreateImmediate, &Context::createImmediateList),
        ZETL_METHOD(zeEventPoolCreate, &Context::createEventPool, 0, 3),
        ZETL_METHOD(zeModuleCreate, &Context::createModule),
    };
    return rows;
}

}  // namespace zetl::nvidia
