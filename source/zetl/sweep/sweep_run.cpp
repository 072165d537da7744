#include "sweep/sweep_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <set>
#include <utility>

#include "failure/rule.h"
#include "files/file_content.h"
#include "findings/gathered.h"
#include "run/launch.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

constexpr int kSignalled = 128;
constexpr std::array<std::string_view, 5> kReactions{"reported", "ignored", "leaked", "crashed", "hung"};

/// Those by which programs end. The C library's function with such names is newer than those that the wheel runs with.
constexpr std::array<std::pair<int, const char*>, 9> kSignals{{{SIGABRT, "SIGABRT"},
                                                               {SIGBUS, "SIGBUS"},
                                                               {SIGFPE, "SIGFPE"},
                                                               {SIGILL, "SIGILL"},
                                                               {SIGKILL, "SIGKILL"},
                                                               {SIGSEGV, "SIGSEGV"},
                                                               {SIGSYS, "SIGSYS"},
                                                               {SIGTERM, "SIGTERM"},
                                                               {SIGTRAP, "SIGTRAP"}}};

std::string signalText(int code) {
    const int number = code - kSignalled;
    const auto found = std::ranges::find(kSignals, number, &std::pair<int, const char*>::first);
    return found != kSignals.end() ? found->second : fmt::format("signal {}", number);
}

}  // namespace

std::string ruleForCall(std::string_view rule, std::uint64_t call) {
    const auto equals = rule.rfind('=');
    return fmt::format("{}:{}{}", rule.substr(0, equals), call, rule.substr(equals));
}

std::string failedFunction(std::string_view log) {
    const auto at = log.find(failure::kOnPurpose);
    const auto colon = at == std::string_view::npos ? at : log.rfind(':', at);
    if (colon == std::string_view::npos) return {};
    const auto named = log.substr(0, colon);
    const auto begin = named.find_last_of(" \n");
    return std::string(named.substr(begin == std::string_view::npos ? 0 : begin + 1));
}

SweepRun sweepOnce(const std::vector<std::string>& program, const Variables& variables, const fs::path& directory,
                   std::chrono::seconds limit) {
    const fs::path output = directory / "output";
    const fs::path log = directory / "log";
    const fs::path checks = directory / "checks";
    fs::create_directories(checks);
    SweepRun run;
    run.code = runWithin(limit, program, [&] {
        apply(variables);
        apply({{"ZETL_LOG_FILE", log.native()}, {"ZETL_CHECK_OUTPUT", checks.native()}});
        capture(output.native());
    });
    run.output = contentOf(output).value_or("");
    run.function = failedFunction(contentOf(log).value_or(""));
    run.findings = gather({{checks, {}}}).findings;
    return run;
}

void subtract(SweepRun& run, const SweepRun& usual) {
    std::set<std::string> known;
    for (const check::Finding& each : usual.findings) known.insert(keyOf(each));
    std::erase_if(run.findings, [&](const check::Finding& each) { return known.contains(keyOf(each)); });
}

Reaction reactionOf(const SweepRun& run, const SweepRun& usual) {
    if (!run.code) return Reaction::hung;
    if (*run.code > kSignalled) return Reaction::crashed;
    if (!run.findings.empty()) return Reaction::leaked;
    return run.code == usual.code && run.output == usual.output ? Reaction::ignored : Reaction::reported;
}

std::string_view nameOf(Reaction reaction) noexcept { return kReactions[static_cast<std::size_t>(reaction)]; }

std::string textOf(const SweepRun& run, Reaction reaction) {
    switch (reaction) {
        case Reaction::crashed:
            return fmt::format("crashed by {}", signalText(*run.code));
        case Reaction::hung:
            return "did not end";
        case Reaction::ignored:
            return fmt::format("ended with {} and the same output, as if nothing had failed", *run.code);
        case Reaction::leaked: {
            constexpr std::size_t kShown = 3;
            std::string text = fmt::format("ended with {}:", *run.code);
            for (std::size_t i = 0; i < std::min(run.findings.size(), kShown); ++i)
                text += fmt::format("\n    {}", run.findings[i].message);
            if (run.findings.size() > kShown) text += fmt::format("\n    and {} more", run.findings.size() - kShown);
            return text;
        }
        case Reaction::reported:
            return fmt::format("ended with {}", *run.code);
    }
    return {};
}

}  // namespace zetl::command
