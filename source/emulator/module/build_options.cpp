#include "emulator/module/build_options.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "binary/recorded_options.h"

namespace zetl::emulator::module {
namespace {

struct Translation {
    std::string_view from;
    std::string_view to;
};
// An empty translation drops the option: the device needs no hint, or this compiler has no such choice. The compiler
// records its options in the binary, where tools read the level, although only "none" makes a difference to the code.
constexpr Translation kTranslations[] = {
    {"-ze-opt-disable", "-cl-opt-disable"},
    {"-ze-opt-level=0", "-ze-opt-level=O0 -cl-opt-disable"},
    {"-ze-opt-level=O0", "-ze-opt-level=O0 -cl-opt-disable"},
    {"-ze-opt-level=1", "-ze-opt-level=O1"},
    {"-ze-opt-level=2", "-ze-opt-level=O2"},
    {"-ze-opt-large-register-file", "-cl-intel-256-GRF-per-thread"},
    {"-ze-exp-register-file-size=256", "-cl-intel-256-GRF-per-thread"},
    {"-ze-exp-register-file-size=128", "-cl-intel-128-GRF-per-thread"},
    {"-ze-exp-register-file-size=0", ""},
    {"-ze-intel-256-GRF-per-thread", "-cl-intel-256-GRF-per-thread"},
    {"-ze-intel-128-GRF-per-thread", "-cl-intel-128-GRF-per-thread"},
    {"-ze-intel-enable-auto-large-GRF-mode", ""},
    {"-ze-opt-greater-than-4GB-buffer-required", "-cl-intel-greater-than-4GB-buffer-required"},
    {"-ze-intel-greater-than-4GB-buffer-required", "-cl-intel-greater-than-4GB-buffer-required"},
    {"-ze-intel-has-buffer-offset-arg", ""},
    {"-ze-no-local-to-generic", "-cl-intel-no-local-to-generic"},
    {"-ze-allow-zebin", ""},
    {"-ze-disable-zebin", ""},
    {"-ze-kernel-debug-enable", "-cl-kernel-debug-enable"},
    {"-ze-library-compilation", "-library-compilation"},
    {"-ze-take-global-address", "-take-global-address"},
};

constexpr std::string_view kCompilerSwitches = "-igc_opts";

constexpr std::string_view kProfileFlags = "-zet-profile-flags";
enum ProfileFlag : std::uint32_t { kReallocateRegisters = 1, kFreeRegisterInfo = 2 };

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> result;
    for (std::size_t start = 0; (start = text.find_first_not_of(" \t\n", start)) != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(" \t\n", start), text.size());
        result.push_back(text.substr(start, end - start));
        start = end;
    }
    return result;
}

void append(std::string& options, std::string_view option) {
    if (option.empty()) return;
    if (!options.empty()) options += ' ';
    options += option;
}

std::string_view translated(std::string_view option) {
    const auto row = std::ranges::find(kTranslations, option, &Translation::from);
    return row == std::end(kTranslations) ? option : row->to;
}

}  // namespace

BuildOptions translateBuildOptions(std::string_view flags) {
    BuildOptions options;
    const std::vector<std::string_view> all = words(flags);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] == kProfileFlags) {
            const bool hasValue = i + 1 < all.size() && !all[i + 1].starts_with('-');
            if (hasValue)
                options.profileFlags =
                    static_cast<std::uint32_t>(std::strtoul(std::string(all[++i]).c_str(), nullptr, 16));
            continue;
        }
        const std::string_view option = translated(all[i]);
        options.debug |= option == "-g";
        options.exportsFunctions |= option == "-library-compilation";
        append(options.compiler, option);
    }
    const bool newRegisters = options.profileFlags & kReallocateRegisters;
    if (newRegisters) append(options.compiler, "-ze-gtpin-rera");
    if (options.profileFlags & kFreeRegisterInfo) append(options.compiler, "-ze-gtpin-grf-info");
    // The compiler reads one set of switches: the caller's own replaces ours.
    if (std::ranges::find(all, kCompilerSwitches) == all.end())
        options.forOlder = newRegisters ? binary::kAddedForNewRegisters : binary::kAddedSwitch;
    return options;
}

}  // namespace zetl::emulator::module
