// zeModule..., zeModuleBuildLog..., zeKernel...

#include "driver/method.h"
#include "nvidia/driver/device/driver.h"
#include "nvidia/driver/entry/rows.h"
#include "nvidia/driver/program/kernel.h"
#include "nvidia/driver/program/module.h"

namespace zetl::nvidia {
namespace {

/// As Intel's driver offers it: profilers find the kernel of a sampled instruction by it.
ze_result_t ZE_APICALL getBaseAddress(ze_kernel_handle_t kernel, std::uint64_t* address) noexcept {
    return driver::onObject<Kernel>("zexKernelGetBaseAddress", kernel, {address},
                                    [&](Kernel& object) { return object.getBaseAddress(address); });
}

}  // namespace

driver::Rows programRows() noexcept {
    static const driver::Served rows[] = {
        ZETL_DESTROYS(zeModuleDestroy, Module),
        ZETL_METHOD(zeModuleGetNativeBinary, &Module::getNativeBinary, 0),
        ZETL_METHOD(zeModuleGetGlobalPointer, &Module::getGlobalPointer, 0),
        ZETL_METHOD(zeModuleGetFunctionPointer, &Module::getFunctionPointer, 0, 1),
        ZETL_METHOD(zeModuleGetKernelNames, &Module::getKernelNames, 0),
        ZETL_METHOD(zeModuleGetProperties, &Module::getProperties, 0),
        ZETL_DESTROYS(zeModuleBuildLogDestroy, BuildLog),
        ZETL_METHOD(zeModuleBuildLogGetString, &BuildLog::getString, 0),
        ZETL_METHOD(zeKernelCreate, &Module::createKernel, 0, 1),
        ZETL_DESTROYS(zeKernelDestroy, Kernel),
        ZETL_METHOD(zeKernelSetGroupSize, &Kernel::setGroupSize),
        ZETL_METHOD(zeKernelSuggestGroupSize, &Kernel::suggestGroupSize, 3, 4, 5),
        ZETL_METHOD(zeKernelSuggestMaxCooperativeGroupCount, &Kernel::suggestMaxCooperativeGroupCount, 0),
        ZETL_METHOD(zeKernelSetArgumentValue, &Kernel::setArgumentValue),
        ZETL_METHOD(zeKernelSetIndirectAccess, &Kernel::setIndirectAccess),
        ZETL_METHOD(zeKernelGetIndirectAccess, &Kernel::getIndirectAccess, 0),
        ZETL_METHOD(zeKernelSetCacheConfig, &Kernel::setCacheConfig),
        ZETL_METHOD(zeKernelGetProperties, &Kernel::getProperties, 0),
        ZETL_METHOD(zeKernelGetName, &Kernel::getName, 0),
        ZETL_METHOD(zeKernelGetSourceAttributes, &Kernel::getSourceAttributes, 0),
        ZETL_METHOD(zeKernelGetBinaryExp, &Kernel::getBinary, 0),
    };
    return rows;
}

void offerProgramFunctions() {
    ze_result_t(ZE_APICALL* const function)(ze_kernel_handle_t, std::uint64_t*) noexcept = getBaseAddress;
    offerExtensionFunction("zexKernelGetBaseAddress", reinterpret_cast<void*>(function));
}

}  // namespace zetl::nvidia
