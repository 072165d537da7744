#include "session/spirv.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace session {
namespace {

// The library's two functions; its package ships no header.
using Invoke = int (*)(unsigned int argumentCount, const char* arguments[], std::uint32_t sourceCount,
                       const std::uint8_t** sources, const std::uint64_t* sourceBytes, const char** sourceNames,
                       std::uint32_t headerCount, const std::uint8_t** headers, const std::uint64_t* headerBytes,
                       const char** headerNames, std::uint32_t* outputCount, std::uint8_t*** outputs,
                       std::uint64_t** outputBytes, char*** outputNames);
using FreeOutput = int (*)(std::uint32_t* count, std::uint8_t*** outputs, std::uint64_t** bytes, char*** names);

[[noreturn]] void fail(const char* reason) {
    std::fprintf(stderr, "cannot compile OpenCL C: %s\n", reason);
    std::exit(EXIT_FAILURE);
}

void* openCompiler() {
    for (const char* name : {"libocloc.so", "libocloc.so.1"})
        if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return library;
    fail("no libocloc.so (Debian: apt install intel-opencl-icd)");
}

}  // namespace

std::vector<std::uint8_t> compileToSpirv(const std::string& source, const std::string& options, const char* file) {
    void* library = openCompiler();
    const auto invoke = reinterpret_cast<Invoke>(dlsym(library, "oclocInvoke"));
    const auto freeOutput = reinterpret_cast<FreeOutput>(dlsym(library, "oclocFreeOutput"));
    if (!invoke || !freeOutput) fail("libocloc.so lacks oclocInvoke");

    // Without -device: SPIR-V is the same for every device.
    const char* arguments[] = {"ocloc", "compile", "-q", "-file", file, "-spv_only", "-options", options.c_str()};
    const char* names[] = {file};
    const auto* text = reinterpret_cast<const std::uint8_t*>(source.c_str());
    const std::uint64_t bytes = source.size() + 1;
    std::uint32_t outputs = 0;
    std::uint8_t** data = nullptr;
    std::uint64_t* sizes = nullptr;
    char** outputNames = nullptr;
    const int result = invoke(std::size(arguments), arguments, 1, &text, &bytes, names, 0, nullptr, nullptr, nullptr,
                              &outputs, &data, &sizes, &outputNames);
    std::vector<std::uint8_t> spirv;
    for (std::uint32_t i = 0; i < outputs; ++i) {
        const std::string_view name = outputNames[i];
        if (name.ends_with(".spv")) spirv.assign(data[i], data[i] + sizes[i]);
        if (result != 0 && name == "stdout.log")
            std::fprintf(stderr, "%.*s\n", static_cast<int>(sizes[i]), reinterpret_cast<const char*>(data[i]));
    }
    freeOutput(&outputs, &data, &sizes, &outputNames);
    if (result != 0 || spirv.empty()) fail("the compiler rejected the source");
    return spirv;
}

}  // namespace session
