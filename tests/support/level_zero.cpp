#include "support/level_zero.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/process.h"

namespace zetl::test {

void* layerFunction(const char* name) {
    void* const layer = dlopen(inBuildTree("lib/libze_tools_layer.so.1").c_str(), RTLD_LAZY | RTLD_NOLOAD);
    return layer ? dlsym(layer, name) : nullptr;
}

FakeDriverControl* fakeDriver(bool second) {
    const auto path =
        inBuildTree(second ? "tests/support/libze_fake_driver_b.so.1" : "tests/support/libze_fake_driver.so.1");
    void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    const auto get =
        library ? reinterpret_cast<FakeDriverControlFunction>(dlsym(library, kFakeDriverControl)) : nullptr;
    return get ? get() : nullptr;
}

std::string takeBuildLog(ze_module_build_log_handle_t log) {
    std::size_t size = 0;
    EXPECT_EQ(zeModuleBuildLogGetString(log, &size, nullptr), ZE_RESULT_SUCCESS);
    std::string text(size, '\0');
    EXPECT_EQ(zeModuleBuildLogGetString(log, &size, text.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeModuleBuildLogDestroy(log), ZE_RESULT_SUCCESS);
    return text.c_str();
}

Objects Objects::make(unsigned index) {
    Objects objects;
    EXPECT_EQ(zeInit(0), ZE_RESULT_SUCCESS);
    std::uint32_t count = 0;
    EXPECT_EQ(zeDriverGet(&count, nullptr), ZE_RESULT_SUCCESS);
    std::vector<ze_driver_handle_t> drivers(count);
    EXPECT_EQ(zeDriverGet(&count, drivers.data()), ZE_RESULT_SUCCESS);
    EXPECT_GT(count, index);
    if (count <= index) return objects;
    objects.driver = drivers[index];
    count = 1;
    EXPECT_EQ(zeDeviceGet(objects.driver, &count, &objects.device), ZE_RESULT_SUCCESS);
    const ze_context_desc_t contextDesc{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    EXPECT_EQ(zeContextCreate(objects.driver, &contextDesc, &objects.context), ZE_RESULT_SUCCESS);
    const ze_command_list_desc_t listDesc{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0, 0};
    EXPECT_EQ(zeCommandListCreate(objects.context, objects.device, &listDesc, &objects.list), ZE_RESULT_SUCCESS);
    return objects;
}

const Objects& Objects::get() {
    static const Objects objects = make(0);
    return objects;
}

}  // namespace zetl::test
