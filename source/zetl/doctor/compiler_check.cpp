#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "doctor/finding.h"
#include "run/compilers.h"
#include "run/probe.h"
#include "run/profile_table.h"

namespace zetl::command {
namespace {

struct Library {
    const char* name;
    const char* use;
    const char* package;
};

constexpr Library kLibraries[] = {{"libigc.so.1", "Intel's code generator", "libigc1"},
                                  {"libigdfcl.so.1", "Intel's OpenCL C front end", "libigdfcl1"}};

constexpr const char* kHowToInstall =
    "apt install intel-opencl-icd (Debian 12) or libocloc1 (later), or pip install ze-tools-layer-compiler, or "
    "scripts/compiler newest";
constexpr const char* kHowToInstallNewest = "pip install ze-tools-layer-compiler, or scripts/compiler newest";

/// What zetl asks a compiler about.
std::vector<std::string> allProducts() { return {products().begin(), products().end()}; }

bool isSet(const char* variable) { return std::getenv(variable) != nullptr; }

/// Those that are here; the first is the one that programs get.
std::vector<Compiler> compilersInOrder(const Installation& installation) {
    const char* const chosen = std::getenv("ZETL_COMPILER");
    const std::string choice = chosen ? chosen : isSet("ZETL_OCLOC") ? "system" : "newest";
    std::vector<Compiler> all{askSystemsCompiler(installation, allProducts())};
    // Another library is another compiler (source/compiler/start.cpp).
    if (isSet("ZETL_COMPILER_LIBRARY")) return all;
    const bool named = choice != "system" && choice != "newest";
    const auto bundle = named ? std::filesystem::path(choice) : installation.bundle;
    if (!hasBundle(bundle) && !named) return all;
    auto bundled = askBundledCompiler(installation, bundle, allProducts());
    if (choice == "system" || (!chosen && all.front().isNewerThan(bundled)))
        all.push_back(std::move(bundled));
    else
        all.insert(all.begin(), std::move(bundled));
    return all;
}

/// The parts that the compiler opens when it builds.
void checkBundle(const std::filesystem::path& bundle, Findings& findings) {
    std::error_code unreadable;
    for (const auto* part : {"libigc.so", "libigdfcl.so"}) {
        bool found = false;
        for (const auto& file : std::filesystem::directory_iterator(bundle, unreadable))
            found = found || file.path().filename().native().starts_with(part);
        if (!found)
            findings.push_back({Verdict::problem, "compiler", fmt::format("{}/{}* is missing", bundle.native(), part),
                                kHowToInstallNewest});
    }
}

void checkSystemsParts(Findings& findings) {
    for (const auto& library : kLibraries) {
        const auto opened = openLibrary(library.name);
        if (opened.path.empty())
            findings.push_back({Verdict::problem, "compiler",
                                std::string(library.name) + " (" + library.use + "): " + opened.reason,
                                std::string("apt install ") + library.package});
        else
            findings.push_back({Verdict::good, "compiler", opened.path});
    }
}

void checkUsed(const Compiler& used, Findings& findings) {
    if (!used.isUsable()) {
        findings.push_back({Verdict::problem, "compiler", used.reason, kHowToInstall});
        return;
    }
    findings.push_back(
        {Verdict::good, "compiler",
         fmt::format("{} builds for the emulated GPU: {}", used.identity, fmt::join(used.devices, " "))});
    std::vector<std::string> missing;
    for (const std::string& product : allProducts())
        if (std::ranges::find(used.devices, product) == used.devices.end()) missing.push_back(product);
    if (!missing.empty())
        findings.push_back({Verdict::note, "compiler",
                            fmt::format("{} does not build for {}", used.identity, fmt::join(missing, ", ")),
                            kHowToInstallNewest});
}

}  // namespace

void checkCompiler(const Patient& patient, Findings& findings) {
    const auto all = compilersInOrder(patient.installation);
    checkUsed(all.front(), findings);
    if (all.front().bundle.empty())
        checkSystemsParts(findings);
    else
        checkBundle(all.front().bundle, findings);
    for (std::size_t i = 1; i < all.size(); ++i)
        if (all[i].isUsable())
            findings.push_back({Verdict::good, "compiler",
                                fmt::format("{} is not used, and builds for {}; choose it with --compiler {}",
                                            all[i].identity, fmt::join(all[i].devices, " "),
                                            all[i].bundle.empty() ? "system" : all[i].bundle.native())});
}

}  // namespace zetl::command
