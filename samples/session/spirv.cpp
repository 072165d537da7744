#include "session/spirv.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
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

using Bytes = std::vector<std::uint8_t>;

/// Null if there is none, or if another compiler is wanted.
void* openCompiler() {
    if (std::getenv("ZETL_LLVM")) return nullptr;
    for (const char* name : {"libocloc.so", "libocloc.so.1"})
        if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return library;
    return nullptr;
}

/// A directory for the files of one compilation.
class Workplace {
  public:
    Workplace() {
        std::string path = (std::filesystem::temp_directory_path() / "session-XXXXXX").string();
        if (!mkdtemp(path.data())) fail("no temporary directory can be made");
        path_ = path;
    }
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;
    ~Workplace() { std::filesystem::remove_all(path_); }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

/// A tool that is loaded into this process has no business in the compiler's.
bool run(const Workplace& place, const std::string& command) {
    const std::string words = "cd " + place.path().string() + " && env -u LD_PRELOAD " + command;
    return std::system(words.c_str()) == 0;
}

/// By the newest of LLVM's versions of which Clang and the translator to SPIR-V are installed, below the directory that
/// ZETL_LLVM names.
Bytes compileByClang(const std::string& source, const std::string& options, const char* file) {
    const char* const root = std::getenv("ZETL_LLVM");
    for (int version = 19; version >= 14; --version) {
        const std::string number = std::to_string(version);
        const std::string clang = (root ? root : "") + ("/usr/lib/llvm-" + number) + "/bin/clang";
        const std::string translator = (root ? root : "") + ("/usr/bin/llvm-spirv-" + number);
        if (!std::filesystem::exists(clang) || !std::filesystem::exists(translator)) continue;
        const Workplace place;
        std::ofstream(place.path() / file) << source;
        const std::string fixed = " -c -x cl -target spir64 -emit-llvm -Xclang -finclude-default-header -o module.bc ";
        if (!run(place, clang + fixed + options + " " + file) || !run(place, translator + " module.bc -o module.spv"))
            fail("the compiler rejected the source");
        std::ifstream made(place.path() / "module.spv", std::ios::binary);
        return {std::istreambuf_iterator<char>(made), {}};
    }
    fail(
        "no libocloc.so, and no Clang with llvm-spirv (Debian: apt install intel-opencl-icd, or clang-14 "
        "llvm-spirv-14)");
}

Bytes compileByOcloc(void* library, const std::string& source, const std::string& options, const char* file) {
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
    Bytes spirv;
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

}  // namespace

std::vector<std::uint8_t> compileToSpirv(const std::string& source, const std::string& options, const char* file) {
    if (void* const library = openCompiler()) return compileByOcloc(library, source, options, file);
    return compileByClang(source, options, file);
}

}  // namespace session
