#include "ddi/loader.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace zetl::ddi {
namespace {

const void* inThisProgram() { return reinterpret_cast<const void*>(&inThisProgram); }

TEST(SharedObject, IsTheObjectAroundAnAddress) {
    const auto libc = SharedObject::holding(dlsym(RTLD_DEFAULT, "labs"));
    ASSERT_TRUE(libc);
    EXPECT_TRUE(libc.loaded());
    EXPECT_EQ(libc, SharedObject::holding(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")));
    EXPECT_FALSE(libc == SharedObject::holding(inThisProgram()));
    EXPECT_FALSE(SharedObject::holding(nullptr));
}

TEST(SharedObject, FindsOnlyItsOwnExports) {
    const auto libc = SharedObject::named("libc.so.6");
    EXPECT_NE(libc.symbol("qsort"), nullptr);
    EXPECT_EQ(libc.symbol("zelLoaderGetVersionsInternal"), nullptr);
    EXPECT_FALSE(SharedObject::named("libno_such_library.so"));
}

TEST(SharedObject, NoticesThatItIsGone) {
    void* handle = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    const auto loader = SharedObject::named(kLoaderName);
    EXPECT_TRUE(loader.loaded());
    dlclose(handle);
    EXPECT_EQ(loader.loaded(), dlopen(kLoaderName, RTLD_LAZY | RTLD_NOLOAD) != nullptr);
}

TEST(LoaderVersion, IsNotGuessed) { EXPECT_FALSE(loaderVersion(SharedObject::named("libc.so.6"))); }

}  // namespace
}  // namespace zetl::ddi
