// A library in the loader's place, for loader releases that cannot be installed.
#pragma once

#include <dlfcn.h>
#include <level_zero/ze_api.h>

#include <string>

#include "support/process.h"

namespace zetl::test {

class FakeLoader {
    using Call = ze_result_t (*)(void* getter, ze_api_version_t version, void** table);
    using Report = void (*)(int major, int minor, int patch);
    void* const library_ = dlopen(inBuildTree("tests/layer/fake_loader/libze_loader.so.1").c_str(), RTLD_NOW);

  public:
    const std::string error = library_ ? "" : dlerror();
    /// Calls a layer's getter as a loader does.
    const Call call = reinterpret_cast<Call>(library_ ? dlsym(library_, "fakeLoaderCall") : nullptr);
    /// Sets the version that the loader reports of itself from now on.
    const Report report = reinterpret_cast<Report>(library_ ? dlsym(library_, "fakeLoaderReport") : nullptr);
};

}  // namespace zetl::test
