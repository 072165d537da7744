#include "ddi/loader.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace zetl::ddi {
namespace {

const void* inThisProgram() { return reinterpret_cast<const void*>(&inThisProgram); }

TEST(Module, IsTheObjectAroundAnAddress) {
    const auto libc = Module::holding(dlsym(RTLD_DEFAULT, "labs"));
    ASSERT_TRUE(libc);
    EXPECT_TRUE(libc.loaded());
    EXPECT_EQ(libc, Module::holding(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")));
    EXPECT_FALSE(libc == Module::holding(inThisProgram()));
    EXPECT_FALSE(Module::holding(nullptr));
}

TEST(Module, FindsOnlyItsOwnExports) {
    const auto libc = Module::named("libc.so.6");
    EXPECT_NE(libc.symbol("qsort"), nullptr);
    EXPECT_EQ(libc.symbol("zelLoaderGetVersionsInternal"), nullptr);
    EXPECT_FALSE(Module::named("libno_such_library.so"));
}

TEST(Module, NoticesThatItIsGone) {
    void* handle = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    const auto loader = Module::named(kLoaderName);
    EXPECT_TRUE(loader.loaded());
    dlclose(handle);
    EXPECT_EQ(loader.loaded(), dlopen(kLoaderName, RTLD_LAZY | RTLD_NOLOAD) != nullptr);
}

TEST(LoaderVersion, IsNotGuessed) { EXPECT_FALSE(loaderVersion(Module::named("libc.so.6"))); }

}  // namespace
}  // namespace zetl::ddi
