// PC sampling in software behind libcupti's names: every millisecond one warp waits for memory at the second
// instruction of the first kernel of each cubin whose checksum was asked for, and one issues twice as often, and waits
// thrice for what no other chip knows; the same at code of no module. One place is handed out at a time.
//
// STAND_IN_OVERFLOW=n: the n-th reading finds that the hardware's buffer overflowed.
#include <cupti_pcsampling.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "scripted.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kReasons[] = {
    "smsp__pcsamp_sample_count",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
    "smsp__pcsamp_warps_issue_stalled_selected",
    "smsp__pcsamp_warps_issue_stalled_by_the_weather",
};
constexpr std::uint64_t kSecondInstruction = 16;

struct Waiting {
    std::string function;
    std::uint64_t given = 0;  ///< milliseconds
};

// Never destroyed: threads may still read when the process ends.
std::mutex& mutex = *new std::mutex;
std::map<std::uint64_t, Waiting>& cubins = *new std::map<std::uint64_t, Waiting>;
bool enabled = false;
Clock::time_point began;
int readings = 0;

std::uint64_t checksum(const char* bytes, std::size_t size) {
    std::uint64_t sum = 5381;
    for (std::size_t i = 0; i < size; ++i) sum = sum * 33 + static_cast<unsigned char>(bytes[i]);
    return sum;
}

std::string firstKernelOf(const char* bytes, std::size_t size) {
    constexpr std::string_view kEntry = ".entry ";
    const std::string_view text(bytes, size);
    const auto at = text.find(kEntry);
    if (at == std::string_view::npos) return {};
    const auto name = text.substr(at + kEntry.size());
    return std::string(name.substr(0, name.find_first_of(" (")));
}

}  // namespace

CUptiResult cuptiGetCubinCrc(CUpti_GetCubinCrcParams* given) {
    ANSWER_AS_SCRIPTED;
    const std::lock_guard guard(mutex);
    const auto* const bytes = static_cast<const char*>(given->cubin);
    given->cubinCrc = checksum(bytes, given->cubinSize);
    cubins.try_emplace(given->cubinCrc, Waiting{firstKernelOf(bytes, given->cubinSize)});
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams*) {
    ANSWER_AS_SCRIPTED;
    const std::lock_guard guard(mutex);
    if (enabled) return CUPTI_ERROR_INVALID_OPERATION;
    cubins.try_emplace(1, Waiting{"nobodys"});
    for (auto& [sum, waiting] : cubins) waiting.given = 0;
    enabled = true;
    began = Clock::now();
    return CUPTI_SUCCESS;
}
CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams*) {
    const std::lock_guard guard(mutex);
    if (!enabled) return CUPTI_ERROR_INVALID_OPERATION;
    enabled = false;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams* given) {
    ANSWER_AS_SCRIPTED;
    if (!enabled) return CUPTI_ERROR_INVALID_OPERATION;
    *given->numStallReasons = std::size(kReasons);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams* given) {
    for (std::uint32_t i = 0; i < given->numStallReasons; ++i) {
        given->stallReasonIndex[i] = i;
        std::strcpy(given->stallReasons[i], kReasons[i]);
    }
    return CUPTI_SUCCESS;
}
CUptiResult cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams*) {
    ANSWER_AS_SCRIPTED;
    return enabled ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams* given) {
    ANSWER_AS_SCRIPTED;
    const std::lock_guard guard(mutex);
    if (!enabled) return CUPTI_ERROR_INVALID_OPERATION;
    if (const char* const overflow = std::getenv("STAND_IN_OVERFLOW"); overflow && ++readings == std::atoi(overflow))
        return CUPTI_ERROR_OUT_OF_MEMORY;
    auto& data = *static_cast<CUpti_PCSamplingData*>(given->pcSamplingData);
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
    const auto now = static_cast<std::uint64_t>(passed.count());
    const auto waits = [now](const auto& each) { return each.second.given < now; };
    const auto found = std::find_if(cubins.begin(), cubins.end(), waits);
    data.totalNumPcs = found == cubins.end() ? 0 : 1;
    data.remainingNumPcs =
        found == cubins.end() ? 0 : static_cast<std::size_t>(std::count_if(std::next(found), cubins.end(), waits));
    data.droppedSamples = 0;
    if (found == cubins.end()) return CUPTI_SUCCESS;
    auto& [sum, waiting] = *found;
    auto& place = data.pPcData[0];
    place.cubinCrc = sum;
    place.pcOffset = kSecondInstruction;
    place.functionName = waiting.function.data();
    const auto count = static_cast<std::uint32_t>(now - waiting.given);
    waiting.given = now;
    place.stallReason[0] = {1, count};
    place.stallReason[1] = {2, count};
    place.stallReason[2] = {3, 2 * count};
    place.stallReason[3] = {4, 3 * count};
    place.stallReasonCount = 4;
    data.totalSamples = 6 * std::uint64_t{count};
    return CUPTI_SUCCESS;
}
