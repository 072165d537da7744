#include "attachment/recorder_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace zetl::attachment {
namespace {

/// Beside the library that holds this function, by its own name rather than a slot's.
std::filesystem::path recorderPath() {
    Dl_info own{};
    if (dladdr(reinterpret_cast<const void*>(&recorderPath), &own) == 0) return {};
    std::error_code failure;
    const auto library = std::filesystem::canonical(own.dli_fname, failure);
    return failure ? std::filesystem::path() : library.parent_path() / ZETL_SLOT_DIRECTORY / "libzetl_trace.so";
}

template <class F>
bool look(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

std::string RecorderLibrary::load() {
    if (begin_ && end_ && release_) return {};
    const auto path = recorderPath();
    void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!library) return fmt::format("the recorder cannot be loaded: {}; install ze-tools-layer again", dlerror());
    if (look(library, "zetlBeginRecording", begin_) && look(library, "zetlEndRecording", end_) &&
        look(library, "zetlReleaseRecording", release_))
        return {};
    return fmt::format("{} is of another version than the layer; install ze-tools-layer again", path.native());
}

std::string RecorderLibrary::begin(std::string_view settings) const {
    const char* const failure = begin_(settings.data(), settings.size());
    return failure ? failure : "";
}

void RecorderLibrary::end() const noexcept { end_(); }

void RecorderLibrary::release() const noexcept { release_(); }

}  // namespace zetl::attachment
