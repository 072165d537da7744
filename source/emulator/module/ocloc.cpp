#include "emulator/module/ocloc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>
#include <string_view>

#include "base/settings.h"

namespace zetl::emulator::module {

Outcome<const Ocloc*> Ocloc::load() {
    // Constant-initialised; a failure is not kept, so that installing the compiler helps a running process.
    static std::mutex mutex;
    static Ocloc instance;
    std::lock_guard guard(mutex);
    if (instance.free_ != nullptr) return &instance;

    const std::string library = settings::text(settings::kCompilerLibrary).value_or(ZETL_COMPILER_LIBRARY);
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
        return Error{
            Cause::compilerMissing,
            fmt::format("the compiler cannot be loaded ({}); install intel-opencl-icd and libigc1", dlerror())};
    instance.invoke_ = reinterpret_cast<Invoke>(dlsym(handle, "oclocInvoke"));
    instance.free_ = reinterpret_cast<Free>(dlsym(handle, "oclocFreeOutput"));
    if (instance.invoke_ != nullptr && instance.free_ != nullptr) return &instance;
    instance.free_ = nullptr;
    dlclose(handle);
    return Error{Cause::compilerMissing, fmt::format("{} does not export oclocInvoke and oclocFreeOutput", library)};
}

Ocloc::Output Ocloc::invoke(const std::vector<std::string>& arguments, std::span<const Source> sources) const {
    std::vector<const char*> words{"ocloc"}, sourceNames;
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    std::vector<const std::uint8_t*> sourceData;
    std::vector<std::uint64_t> sourceSizes;
    for (const Source& source : sources) {
        sourceNames.push_back(source.name.c_str());
        sourceData.push_back(source.bytes.data());
        sourceSizes.push_back(source.bytes.size());
    }
    std::uint32_t count = 0;
    std::uint8_t** outputs = nullptr;
    std::uint64_t* sizes = nullptr;
    char** names = nullptr;

    Output result;
    result.code = invoke_(static_cast<unsigned>(words.size()), words.data(), static_cast<std::uint32_t>(sources.size()),
                          sourceData.data(), sourceSizes.data(), sourceNames.data(), 0, nullptr, nullptr, nullptr,
                          &count, &outputs, &sizes, &names);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (std::string_view(names[i]) == "stdout.log")
            result.log.assign(reinterpret_cast<char*>(outputs[i]), sizes[i]);
        if (std::string_view(names[i]) == kOutputName && result.code == 0)
            result.binary.assign(outputs[i], outputs[i] + sizes[i]);
    }
    free_(&count, &outputs, &sizes, &names);
    return result;
}

}  // namespace zetl::emulator::module
