#include "mpi/libraries.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "recording/format.h"

namespace zetl::mpi {
namespace {

int addMpi(dl_phdr_info* library, std::size_t, void* paths) {
    if (library->dlpi_name && std::strstr(library->dlpi_name, "libmpi"))
        static_cast<std::vector<std::string>*>(paths)->emplace_back(library->dlpi_name);
    return 0;
}

/// Also in libraries of MPI that were opened for another library alone, as Python does it.
void* addressOf(const char* name) {
    if (void* const found = dlsym(RTLD_DEFAULT, name)) return found;
    std::vector<std::string> paths;
    dl_iterate_phdr(addMpi, &paths);
    for (const auto& each : paths)
        if (void* const library = dlopen(each.c_str(), RTLD_LAZY | RTLD_NOLOAD))
            if (void* const found = dlsym(library, name)) return found;
    return nullptr;
}

World findWorld() {
    // Open MPI: the address of an object. MPICH and what has its binary interface: a number. The standard's own binary
    // interface: another number, as a pointer.
    constexpr std::uintptr_t kOfMpich = 0x44000000;
    constexpr std::uintptr_t kOfTheStandard = 0x101;
    if (const void* const object = addressOf("ompi_mpi_comm_world"))
        return {reinterpret_cast<std::uintptr_t>(object), false, true};
    Dl_info library{};
    const void* const barrier = realFunction("MPI_Barrier");
    if (!barrier || dladdr(barrier, &library) == 0 || !library.dli_fname) return {};
    if (std::strstr(library.dli_fname, "libmpi_abi")) return {kOfTheStandard, false, true};
    return {kOfMpich, true, true};
}

/// Beside this library.
void* openRecorder() {
    Dl_info own{};
    if (dladdr(reinterpret_cast<const void*>(&openRecorder), &own) == 0) return nullptr;
    const auto path = std::filesystem::path(own.dli_fname).parent_path() / "libzetl_trace.so";
    void* const opened = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!opened) std::fprintf(stderr, "zetl: calls of MPI are not recorded: %s\n", dlerror());
    return opened;
}

template <class F>
bool look(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

bool find(Recorder& found) noexcept try {
    const char* const directory = secure_getenv(command::kDirectoryVariable);
    void* const library = directory && *directory ? openRecorder() : nullptr;
    return library && look(library, "zetlBeginCall", found.beginCall) && look(library, "zetlEndCall", found.endCall) &&
           look(library, "zetlMeeting", found.meeting);
} catch (const std::exception&) {
    return false;
}

}  // namespace

void* realFunction(const char* name) noexcept try {
    return addressOf((std::string("P") + name).c_str());
} catch (const std::bad_alloc&) {
    return nullptr;
}

const World& world() noexcept {
    static const World found = findWorld();
    return found;
}

const Recorder* recorder() noexcept {
    static Recorder functions;
    static const bool found = find(functions);
    return found ? &functions : nullptr;
}

}  // namespace zetl::mpi
