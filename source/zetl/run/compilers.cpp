#include "run/compilers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "run/program_answer.h"
#include "text/shell.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDynamicLinker = "ld-linux-x86-64.so.2";
constexpr const char* kLibrary = "libocloc.so";
constexpr std::string_view kSystems = "system";
constexpr std::string_view kNewest = "newest";
// With one of these, the environment chooses.
constexpr const char* kChoosing[] = {"ZETL_COMPILER", "ZETL_OCLOC", "ZETL_COMPILER_LIBRARY"};

std::string valueOr(const char* variable, std::string otherwise) {
    const char* value = std::getenv(variable);
    return value ? std::string(value) : std::move(otherwise);
}

using Release = std::array<unsigned, 3>;

/// Of "libocloc.so, version 26.27.039122".
Release releaseIn(const std::string& identity) {
    constexpr std::string_view kWord = ", version ";
    Release version{};
    const auto at = identity.rfind(kWord);
    if (at != std::string::npos)
        std::sscanf(identity.c_str() + at + kWord.size(), "%u.%u.%u", &version[0], &version[1], &version[2]);
    return version;
}

std::vector<std::string> wordsIn(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

/// How a compiler's program is started, and the library that it opens. A compiler with libraries of its own starts
/// without the search path of this shell, as the driver starts it.
struct Program {
    std::string start;
    std::string library;

    std::string asking(const std::string& question) const {
        return fmt::format("{} {} {}", start, question, shellQuoted(library));
    }
};

Program systemsProgram(const Installation& installation) {
    return {shellQuoted(valueOr("ZETL_OCLOC", installation.compiler)), valueOr("ZETL_COMPILER_LIBRARY", kLibrary)};
}

Program bundledProgram(const Installation& installation, const fs::path& bundle) {
    return {fmt::format("{} --library-path {} {}", shellQuoted(bundle / kDynamicLinker), shellQuoted(bundle),
                        shellQuoted(valueOr("ZETL_OCLOC", installation.compiler))),
            kLibrary};
}

/// A compiler that is being asked who it is.
class AskedCompiler {
  public:
    AskedCompiler(Program program, fs::path bundle)
        : program_(std::move(program)), bundle_(std::move(bundle)), asked_(program_.asking("--identify")) {}

    Compiler identified() {
        Compiler compiler{.bundle = bundle_};
        const auto said = asked_.answer();
        const auto line = said.text.substr(0, said.text.find('\n'));
        (said.good ? compiler.identity : compiler.reason) = line;
        if (!said.good && line.empty()) compiler.reason = fmt::format("{} cannot be started", program_.start);
        return compiler;
    }
    Compiler identifiedWith(const std::vector<std::string>& products) {
        Compiler compiler = identified();
        if (!compiler.isUsable() || products.empty()) return compiler;
        const auto built =
            wordsIn(answerOf(fmt::format("{} {}", program_.asking("--builds-for"), fmt::join(products, " "))).text);
        for (const auto& product : products)
            if (std::ranges::find(built, product) != built.end()) compiler.devices.push_back(product);
        return compiler;
    }

  private:
    Program program_;
    fs::path bundle_;
    AskedProgram asked_;
};

}  // namespace

bool Compiler::isNewerThan(const Compiler& other) const {
    return isUsable() && (!other.isUsable() || releaseIn(identity) > releaseIn(other.identity));
}

Compiler askSystemsCompiler(const Installation& installation, const std::vector<std::string>& products) {
    return AskedCompiler(systemsProgram(installation), {}).identifiedWith(products);
}

Compiler askBundledCompiler(const Installation& installation, const fs::path& bundle,
                            const std::vector<std::string>& products) {
    return AskedCompiler(bundledProgram(installation, bundle), bundle).identifiedWith(products);
}

bool hasBundle(const fs::path& directory) { return access((directory / kDynamicLinker).c_str(), X_OK) == 0; }

BetterCompiler askForBetterCompiler(const Installation& installation) {
    const bool chosen = std::ranges::any_of(kChoosing, [](const char* name) { return std::getenv(name) != nullptr; });
    if (chosen || !hasBundle(installation.bundle)) return [] { return std::nullopt; };
    const auto systems = std::make_shared<AskedCompiler>(systemsProgram(installation), fs::path());
    const auto bundled =
        std::make_shared<AskedCompiler>(bundledProgram(installation, installation.bundle), installation.bundle);
    return [systems, bundled] {
        const bool better = systems->identified().isNewerThan(bundled->identified());
        return better ? std::optional<std::string>(kSystems) : std::nullopt;
    };
}

std::string compilerNamed(const Installation& installation, const std::string& choice) {
    if (choice == kSystems) return choice;
    if (choice == kNewest)
        return hasBundle(installation.bundle) ? askForBetterCompiler(installation)().value_or(choice) : choice;
    const auto directory = fs::absolute(choice).lexically_normal();
    if (!hasBundle(directory))
        throw UsageError(fmt::format(
            "--compiler {0}: there is no compiler in this directory; `scripts/compiler newest {0}` puts one there, and "
            "`system` and `newest` name those that zetl finds by itself",
            choice));
    return directory;
}

}  // namespace zetl::command
