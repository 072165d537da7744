#include "compiler/start.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/never_destroyed.h"
#include "base/settings.h"

namespace zetl::compiler {
namespace {

constexpr const char* kPlace = "ze-tools-layer/";  // of the programs, beside the library
constexpr const char* kDynamicLinker = "/ld-linux-x86-64.so.2";

std::string besideThisLibrary() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&besideThisLibrary), &here) == 0 || here.dli_fname == nullptr)
        return kPlace;
    std::error_code noDirectory;  // the working directory may be gone
    const auto library = std::filesystem::absolute(here.dli_fname, noDirectory);
    return (noDirectory ? std::filesystem::path(here.dli_fname) : library).parent_path() / kPlace;
}
// Found when the library is loaded: its name may be relative, and the application may change its directory later. Empty
// if there was no memory then, since exceptions of a library that is being loaded are not caught.
NeverDestroyed<std::string> foundWhenLoaded([]() noexcept {
    try {
        return besideThisLibrary();
    } catch (const std::bad_alloc&) {
        return std::string();
    }
}());

std::string place() { return (*foundWhenLoaded).empty() ? besideThisLibrary() : *foundWhenLoaded; }

bool hasCompiler(const std::string& bundle) { return access((bundle + kDynamicLinker).c_str(), X_OK) == 0; }

Start systems(std::string program) { return {.words = {std::move(program)}}; }

Start bundled(std::string program, const std::string& bundle) {
    return {.words = {bundle + kDynamicLinker, "--library-path", bundle, std::move(program)}, .bundle = bundle};
}

std::string parentOf(const std::string& program) {
    const auto slash = program.rfind('/');
    return slash == std::string::npos ? std::string(".") : program.substr(0, slash);
}

}  // namespace

Start Start::of(const Command& command) {
    const auto named = settings::text(command.program.setting);
    std::string program = named ? *named : place() + command.program.name;
    // A library that is named by its path is another compiler, too.
    if (command.program.bundle == nullptr || command.library.find('/') != std::string::npos)
        return systems(std::move(program));
    const auto wanted = settings::text(settings::kCompiler);
    if (wanted == settings::kSystemsCompiler || (named && !wanted)) return systems(std::move(program));
    if (wanted && wanted != settings::kNewestCompiler) {
        if (hasCompiler(*wanted)) return bundled(std::move(program), *wanted);
        return {.words = {},
                .bundle = *wanted,
                .refusal = fmt::format("{}={}: no compiler is there; `scripts/compiler newest {}` puts one there",
                                       settings::kCompiler, *wanted, *wanted)};
    }
    const std::string beside = parentOf(program) + "/" + command.program.bundle;
    return hasCompiler(beside) ? bundled(std::move(program), beside) : systems(std::move(program));
}

}  // namespace zetl::compiler
