#include "nvidia/cupti/instruction_sampler.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/log.h"
#include "nvidia/cupti/result.h"

namespace zetl::nvidia {
namespace {

constexpr std::size_t kMostPlaces = 2048;  // that one call hands out; more are asked for again
constexpr std::size_t kHardwareBytes = std::size_t{128} << 20;
constexpr std::uint32_t kMillisecondsBetweenFetches = 2;

constexpr std::string_view kCommon = "smsp__pcsamp_warps_issue_";
/// What CUPTI counts again beside each reason: those samples in which no other warp of the sub-partition issued either.
constexpr std::string_view kTwin = "_not_issued";

/// The reasons of a GH100; the last one stands for further ones of other chips.
constexpr std::array kReasons = {
    "stalled_selected",
    "stalled_not_selected",
    "stalled_long_scoreboard",
    "stalled_short_scoreboard",
    "stalled_wait",
    "stalled_barrier",
    "stalled_membar",
    "stalled_branch_resolving",
    "stalled_no_instructions",
    "stalled_imc_miss",
    "stalled_dispatch_stall",
    "stalled_lg_throttle",
    "stalled_math_pipe_throttle",
    "stalled_mio_throttle",
    "stalled_tex_throttle",
    "stalled_warpgroup_arrive",
    "stalled_drain",
    "stalled_sleeping",
    "stalled_misc",
};

/// Nothing for names that are no reasons: totals, and duplicates.
std::optional<std::uint32_t> reasonNamed(std::string_view name) {
    if (!name.starts_with(kCommon) || name.ends_with(kTwin)) return std::nullopt;
    name.remove_prefix(kCommon.size());
    const auto* const found = std::ranges::find(kReasons, name);
    if (found != kReasons.end()) return static_cast<std::uint32_t>(found - kReasons.begin());
    log::info(log::Channel::nvidia, "samples that say {} are counted as {}", name, kReasons.back());
    return static_cast<std::uint32_t>(kReasons.size() - 1);
}

using Attribute = CUpti_PCSamplingConfigurationInfo;

Attribute attribute(CUpti_PCSamplingConfigurationAttributeType type) {
    Attribute made{};
    made.attributeType = type;
    return made;
}

/// The parameters of a function of PC sampling, which states their size by a macro of its own form.
#define ZETL_CUPTI_PC_PARAMS(type, name) \
    type##Params name{};                 \
    name.size = type##ParamsSize

}  // namespace

std::span<const char* const> stallReasons() noexcept { return kReasons; }

std::uint64_t checksumOf(std::span<const std::uint8_t> cubin) noexcept {
    ZETL_CUPTI_PC_PARAMS(CUpti_GetCubinCrc, get);
    get.cubinSize = cubin.size();
    get.cubin = cubin.data();
    return cupti().cuptiGetCubinCrc(&get) == CUPTI_SUCCESS ? get.cubinCrc : 0;
}

InstructionSampler::Records::Records(std::size_t reasons) : places(kMostPlaces), counts(kMostPlaces * reasons) {
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i].size = sizeof places[i];
        places[i].stallReason = &counts[i * reasons];
    }
    data.size = sizeof data;
    data.collectNumPcs = places.size();
    data.pPcData = places.data();
}

InstructionSampler::InstructionSampler(CUcontext context, std::uint32_t period)
    : context_(context), period_(std::clamp(period, kShortestPeriod, kLongestPeriod)) {}

InstructionSampler::~InstructionSampler() { stop(); }

zetl_status_t InstructionSampler::start() {
    ZETL_CUPTI_PC_PARAMS(CUpti_PCSamplingEnable, enable);
    enable.ctx = context_;
    if (const auto bad = ZETL_CUPTI(cuptiPCSamplingEnable(&enable)); bad != ZETL_OK) return bad;
    running_ = true;
    if (const auto bad = learnReasons(); bad != ZETL_OK) return bad;
    return configure();
}

zetl_status_t InstructionSampler::learnReasons() {
    std::size_t count = 0;
    ZETL_CUPTI_PC_PARAMS(CUpti_PCSamplingGetNumStallReasons, number);
    number.ctx = context_;
    number.numStallReasons = &count;
    if (const auto bad = ZETL_CUPTI(cuptiPCSamplingGetNumStallReasons(&number)); bad != ZETL_OK) return bad;
    std::vector<std::uint32_t> numbers(count);
    std::vector<std::array<char, CUPTI_STALL_REASON_STRING_SIZE>> texts(count);
    std::vector<char*> names;
    names.reserve(count);
    for (auto& each : texts) names.push_back(each.data());
    ZETL_CUPTI_PC_PARAMS(CUpti_PCSamplingGetStallReasons, get);
    get.ctx = context_;
    get.numStallReasons = count;
    get.stallReasonIndex = numbers.data();
    get.stallReasons = names.data();
    if (const auto bad = ZETL_CUPTI(cuptiPCSamplingGetStallReasons(&get)); bad != ZETL_OK) return bad;
    reasonOf_.clear();
    for (std::size_t i = 0; i < count; ++i) {
        reasonOf_.resize(std::max<std::size_t>(reasonOf_.size(), numbers[i] + 1));
        reasonOf_[numbers[i]] = reasonNamed(names[i]);
    }
    rest_.emplace(count);
    fetched_.emplace(count);
    return ZETL_OK;
}

zetl_status_t InstructionSampler::configure() {
    auto period = attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD);
    period.attributeData.samplingPeriodData.samplingPeriod = period_;
    auto buffer = attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE);
    buffer.attributeData.hardwareBufferSizeData.hardwareBufferSize = kHardwareBytes;
    auto mode = attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE);
    mode.attributeData.collectionModeData.collectionMode = CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
    auto format = attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT);
    format.attributeData.outputDataFormatData.outputDataFormat = CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED;
    auto rest = attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER);
    rest.attributeData.samplingDataBufferData.samplingDataBuffer = &rest_->data;
    auto pause = attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN);
    pause.attributeData.workerThreadPeriodicSleepSpanData.workerThreadPeriodicSleepSpan = kMillisecondsBetweenFetches;
    std::array all{period, buffer, mode, format, rest, pause};
    ZETL_CUPTI_PC_PARAMS(CUpti_PCSamplingConfigurationInfo, set);
    set.ctx = context_;
    set.numAttributes = all.size();
    set.pPCSamplingConfigurationInfo = all.data();
    return ZETL_CUPTI(cuptiPCSamplingSetConfigurationAttribute(&set));
}

void InstructionSampler::stop() {
    if (!running_) return;
    ZETL_CUPTI_PC_PARAMS(CUpti_PCSamplingDisable, end);
    end.ctx = context_;
    cupti().cuptiPCSamplingDisable(&end);
    running_ = false;
}

zetl_status_t InstructionSampler::collect(const Take& take, std::uint64_t& dropped) {
    if (!running_) return ZETL_LOST;
    ZETL_CUPTI_PC_PARAMS(CUpti_PCSamplingGetData, get);
    get.ctx = context_;
    get.pcSamplingData = &fetched_->data;
    do {
        const auto result = cupti().cuptiPCSamplingGetData(&get);
        if (result == CUPTI_ERROR_OUT_OF_MEMORY) {
            stop();
            const auto bad = start();
            return bad == ZETL_OK ? ZETL_NOT_READY : bad;
        }
        if (const auto bad = checkCupti(result, "cuptiPCSamplingGetData("); bad != ZETL_OK) return bad;
        dropped += fetched_->data.droppedSamples;
        give(*fetched_, take);
    } while (fetched_->data.remainingNumPcs > 0 && fetched_->data.totalNumPcs > 0);
    return ZETL_OK;
}

void InstructionSampler::give(const Records& records, const Take& take) const {
    const std::span places(records.data.pPcData, std::min(records.data.totalNumPcs, records.places.size()));
    for (const auto& place : places)
        for (const auto& each : std::span(place.stallReason, place.stallReasonCount)) {
            const auto number = each.pcSamplingStallReasonIndex;
            const auto reason = number < reasonOf_.size() ? reasonOf_[number] : std::nullopt;
            if (!reason || each.samples == 0) continue;
            take({place.cubinCrc, place.functionName, place.pcOffset, *reason, each.samples});
        }
}

}  // namespace zetl::nvidia
