// One run of a sweep, and what it shows.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/finding.h"
#include "run/environment.h"

namespace zetl::command {

enum class Reaction : std::uint8_t {
    reported,  ///< the program ended with another exit code, or printed something else
    ignored,   ///< it ended as if nothing had failed
    leaked,    ///< it left objects behind, or used them wrongly, that it does not without the failure
    crashed,   ///< a signal ended it
    hung       ///< it did not end
};

struct SweepRun {
    std::uint64_t call = 0;   ///< the call that fails, from 1; 0: none does
    std::string rule;         ///< that lets it fail
    std::string function;     ///< of that call; empty: there was none
    std::optional<int> code;  ///< 128 plus the signal that ended it; nothing: it was killed as it took too long
    std::string output;       ///< of both streams
    std::vector<check::Finding> findings;  ///< of the checks of the API
};

/// "zeMemAllocDevice:3=OUT_OF_DEVICE_MEMORY" of a rule without the number.
std::string ruleForCall(std::string_view rule, std::uint64_t call);

/// The function that failed, by the log of the run. Empty if none did.
std::string failedFunction(std::string_view log);

/// Runs the program with these variables. What it leaves goes into the directory, which is made.
SweepRun sweepOnce(const std::vector<std::string>& program, const Variables& variables,
                   const std::filesystem::path& directory, std::chrono::seconds limit);

/// Removes what the run without failures has, too.
void subtract(SweepRun& run, const SweepRun& usual);

Reaction reactionOf(const SweepRun& run, const SweepRun& usual);
std::string_view nameOf(Reaction reaction) noexcept;

/// "crashed by SIGSEGV", and what was left behind.
std::string textOf(const SweepRun& run, Reaction reaction);

}  // namespace zetl::command
