#include "compiler/ptx/toolchain.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/settings.h"

namespace zetl::compiler {
namespace {

constexpr int kOldest = 14;  // LLVM's versions that were tried: Debian 12 has 14 and 15, Debian 13 has 17 to 19
constexpr int kNewest = 19;
constexpr const char* kLibrary = "/usr/lib/clc/nvptx64--nvidiacl.bc";

/// The directory below which Debian's packages are unpacked.
std::string root() {
    const char* const named = std::getenv(settings::kLlvm);
    return named ? named : "";
}

Toolchain ofVersion(int version) {
    const std::string number = std::to_string(version);
    const std::string tools = root() + "/usr/lib/llvm-" + number + "/bin/";
    return {version,
            root() + "/usr/bin/llvm-spirv-" + number,
            tools + "llvm-dis",
            tools + "llvm-link",
            tools + "opt",
            tools + "llc",
            root() + kLibrary};
}

std::vector<std::string> pathsOf(const Toolchain& tools) {
    return {tools.translator, tools.disassembler, tools.linker, tools.optimizer, tools.generator, tools.library};
}

}  // namespace

std::optional<Toolchain> Toolchain::find(std::string& reason) {
    for (int version = kNewest; version >= kOldest; --version) {
        Toolchain tools = ofVersion(version);
        std::string missing;
        for (const auto& path : pathsOf(tools))
            if (access(path.c_str(), R_OK) != 0) missing += " " + path;
        if (missing.empty()) return tools;
        reason = "SPIR-V takes LLVM's tools (" + missing.substr(1) + " and others are missing); install llvm-" +
                 std::to_string(version) + ", llvm-spirv-" + std::to_string(version) + " and libclc-" +
                 std::to_string(version) + ", or a newer version of all three";
    }
    return std::nullopt;
}

std::vector<FileStamp> Toolchain::files() const {
    std::vector<FileStamp> all;
    auto paths = pathsOf(*this);
    std::error_code unknown;
    paths.push_back(std::filesystem::read_symlink("/proc/self/exe", unknown));
    for (const auto& path : paths)
        if (auto stamp = FileStamp::of(path)) all.push_back(*std::move(stamp));
    return all;
}

}  // namespace zetl::compiler
