#include "recorder/binary_recorder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "injected/tracer.h"
#include "recorder/arguments.h"

namespace zetl::recorder {
namespace {

/// The callback's data. Never destroyed, because modules may be created until the process ends.
struct BinaryRecorder {
    std::string directory;
    decltype(&zeModuleGetNativeBinary) nativeBinary = nullptr;
    std::atomic<unsigned> count{0};
};
BinaryRecorder& binaryRecorder() {
    static auto* const instance = new BinaryRecorder;
    return *instance;
}

/// Files beyond ulimit -f would raise SIGXFSZ in the application.
bool mayBeWritten(std::size_t bytes) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

bool write(const std::string& path, const std::vector<char>& bytes) {
    errno = EFBIG;
    if (!mayBeWritten(bytes.size())) return false;
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return false;
    std::size_t done = 0;
    for (ssize_t step = 1; step > 0 && done<bytes.size(); done += step> 0 ? static_cast<std::size_t>(step) : 0)
        step = ::write(file, bytes.data() + done, bytes.size() - done);
    const int failure = errno;
    close(file);
    errno = failure;
    return done == bytes.size();
}

void record(ze_module_handle_t module) {
    auto& all = binaryRecorder();
    std::size_t size = 0;
    if (all.nativeBinary(module, &size, nullptr) != ZE_RESULT_SUCCESS || size == 0) return;
    std::vector<char> bytes(size);
    if (all.nativeBinary(module, &size, reinterpret_cast<std::uint8_t*>(bytes.data())) != ZE_RESULT_SUCCESS) return;
    bytes.resize(std::min(size, bytes.size()));
    char name[64];
    std::snprintf(name, sizeof name, "/%d-%04u.bin", getpid(), all.count.fetch_add(1));
    if (!write(all.directory + name, bytes))
        std::fprintf(stderr, "zetl: a module is not shown: %s%s: %s\n", all.directory.c_str(), name,
                     std::strerror(errno));
}

void moduleMade(Parameters parameters, std::uint64_t result, void*, void**) noexcept try {
    if (static_cast<ze_result_t>(result) != ZE_RESULT_SUCCESS) return;
    const auto* module = *static_cast<ze_module_handle_t* const*>(parameters[3]);
    if (module) record(*module);
} catch (const std::bad_alloc&) {
    std::fprintf(stderr, "zetl: a module is not shown: out of memory\n");
}

}  // namespace

void recordBinaries(void* layer, const char* directory) {
    binaryRecorder().directory = directory;
    void* loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
    binaryRecorder().nativeBinary = reinterpret_cast<decltype(&zeModuleGetNativeBinary)>(
        loader ? dlsym(loader, "zeModuleGetNativeBinary") : nullptr);
    auto tracer = binaryRecorder().nativeBinary ? command::Tracer::create(layer) : std::nullopt;
    if (tracer) tracer->add("zeModuleCreate", ZEL_REGISTER_EPILOGUE, moduleMade);
    if (!tracer || !tracer->enable())
        std::fprintf(stderr, "zetl: modules are not shown: the tools layer refused a tracer\n");
}

}  // namespace zetl::recorder
