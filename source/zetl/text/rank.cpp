#include "text/rank.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace zetl::command {
namespace {

struct Launcher {
    const char* rank;
    const char* ranks;  // null: it does not say how many
    const char* only;   // counts only if this is set, too; null: always
};

/// The more specific ones come first: launchers below Slurm have Slurm's variables as well. A batch script has
/// SLURM_PROCID without being a rank; only steps have SLURM_STEP_ID.
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr},
    {"PMI_RANK", "PMI_SIZE", nullptr},
    {"PMIX_RANK", nullptr, nullptr},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID"},
};

/// A whole number from 0 to 2^31 - 1, or -1.
std::int32_t numberIn(const char* variable) noexcept {
    const char* text = variable ? std::getenv(variable) : nullptr;
    if (!text || *text < '0' || *text > '9') return -1;
    std::int32_t number = -1;
    const char* end = text + std::strlen(text);
    const auto [stop, failure] = std::from_chars(text, end, number);
    return failure == std::errc() && stop == end ? number : -1;
}

/// All that are set count together.
constexpr const char* kJobs[] = {"PMIX_NAMESPACE", "OMPI_MCA_orte_ess_jobid", "PMI_KVSNAME", "SLURM_JOB_ID",
                                 "SLURM_STEP_ID"};

}  // namespace

Rank currentRank() noexcept {
    for (const auto& launcher : kLaunchers) {
        const auto number = numberIn(launcher.rank);
        if (number < 0 || (launcher.only && !std::getenv(launcher.only))) continue;
        const auto of = numberIn(launcher.ranks);
        return {number, of < 0 ? 0 : static_cast<std::uint32_t>(of)};
    }
    return {};
}

std::uint64_t currentJob() noexcept {
    constexpr std::uint64_t kPrime = 0x100000001b3;
    std::uint64_t hash = 0;
    for (const char* variable : kJobs) {
        const char* text = std::getenv(variable);
        if (!text || !*text) continue;
        if (hash == 0) hash = 0xcbf29ce484222325;
        for (; *text; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * kPrime;
        hash *= kPrime;  // the end of one is not the beginning of the next
    }
    return hash;
}

}  // namespace zetl::command
