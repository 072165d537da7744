// A library in the loader's place, for loader releases that cannot be installed.
#pragma once

#include <dlfcn.h>
#include <level_zero/ze_api.h>

#include <string>

#include "support/process.h"

namespace zetl::test {

struct FakeLoader {
    void* const library = dlopen(inBuildTree("tests/layer/fake_loader/libze_loader.so.1").c_str(), RTLD_NOW);
    const std::string error = library ? "" : dlerror();
    /// Calls a layer's getter as a loader does.
    ze_result_t (*const call)(void* getter, ze_api_version_t version, void** table) =
        reinterpret_cast<decltype(call)>(library ? dlsym(library, "fakeLoaderCall") : nullptr);
    /// Sets the version that the loader reports of itself from now on.
    void (*const report)(int major, int minor,
                         int patch) = reinterpret_cast<decltype(report)>(library ? dlsym(library, "fakeLoaderReport")
                                                                                 : nullptr);
};

}  // namespace zetl::test
