#include "metrics/sample_source.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/log.h"
#include "device/status.h"
#include "metrics/calculation/sample_report.h"

namespace zetl::metrics {
namespace {

/// What the hardware keeps: 512 KiB of 64 bytes each for every unit that holds several engines.
constexpr std::uint64_t kCapacityOfUnit = 8192;

std::uint64_t capacityOf(const device::Device& device) {
    const auto& info = device.info();
    std::uint64_t units = 1;
    for (std::uint32_t level = 0; level + 2 < info.level_count; ++level) units *= info.levels[level].count;
    return std::min<std::uint64_t>(units * kCapacityOfUnit, UINT32_MAX);
}

/// Reports give instruction addresses in units of this many bytes.
constexpr std::uint64_t kAddressUnit = 8;
/// Reports of Intel's hardware have 29 bits for them, which is 32 of an address: tools compare them with the low 32
/// bits of where a kernel lies.
constexpr std::uint64_t kIntelInstructionBits = 0x1fffffff;
constexpr std::uint32_t kIntel = 0x8086;

std::uint64_t toldInstruction(const device::Device& device, std::uint64_t address) {
    const std::uint64_t bits = device.info().vendor_id == kIntel ? kIntelInstructionBits : UINT64_MAX;
    return address / kAddressUnit & bits;
}

}  // namespace

/// The hardware's buffers for samples have one size.
zetl_status_t SampleSource::start(const StreamTerms& asked) {
    zetl_stream_options_t options{};
    options.size = sizeof options;
    options.period_ns = static_cast<std::uint64_t>(asked.period.count());
    options.capacity = capacityOf(device());
    if (const auto status = functions().open(*lease_, &options, &stream_); status != ZETL_OK) return status;
    terms_ = {std::chrono::nanoseconds(std::max<std::uint64_t>(options.period_ns, 1)), options.capacity,
              options.capacity};
    taken_ = std::chrono::steady_clock::now();
    return ZETL_OK;
}

SampleSource::~SampleSource() {
    if (stream_ != 0) functions().close(stream_);
}

std::uint64_t SampleSource::pending() const {
    std::uint64_t looks = 0;
    if (functions().pending(stream_, &looks) != ZETL_OK) return UINT64_MAX;
    if (looks == 0) return 0;
    const auto since = std::chrono::steady_clock::now() - taken_.load();
    return std::min<std::uint64_t>(static_cast<std::uint64_t>(since / terms_.period), terms_.capacity);
}

ze_result_t SampleSource::take(std::uint64_t reports, std::size_t* size, std::uint8_t* target) {
    *size = 0;
    taken_ = std::chrono::steady_clock::now();
    std::uint64_t count = 0;
    zetl_loss_t loss{};
    loss.size = sizeof loss;
    if (const auto status = functions().drain(stream_, 0, nullptr, &count, &loss); status != ZETL_OK)
        return device::resultOf(status);
    reports = std::min(reports, count);
    if (reports == 0) return ZE_RESULT_SUCCESS;
    std::vector<zetl_sample_t> samples(reports);
    loss.size = sizeof loss;
    if (const auto status = functions().drain(stream_, reports, samples.data(), &count, &loss); status != ZETL_OK)
        return device::resultOf(status);
    if (loss.kind != ZETL_LOSS_NONE) {
        const bool known = loss.reports > 0 && loss.reports != UINT64_MAX;
        lost_ += known ? loss.reports : 1;
        log::warn(log::Channel::metrics, "streamer on {} lost {} samples: read more often or sample less often",
                  measured_.descriptor().name, known ? std::to_string(loss.reports) : "an unknown number of");
    }
    samples.resize(std::min<std::uint64_t>(count, reports));
    const auto reasons = (measured_.reportBytes() - sizeof(SampleHead)) / sizeof(std::uint64_t);
    for (const auto& sample : samples) {
        if (sample.reason >= reasons) continue;
        const SampleHead head{toldInstruction(device(), sample.address), loss.end, std::exchange(lost_, 0)};
        auto* const report = target + *size;
        std::memset(report, 0, measured_.reportBytes());
        std::memcpy(report, &head, sizeof head);
        std::memcpy(report + sizeof head + sample.reason * sizeof(std::uint64_t), &sample.count, sizeof sample.count);
        *size += measured_.reportBytes();
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t SampleSource::mark(ze_command_list_handle_t, std::uint32_t) {
    log::warn(log::Channel::metrics, "{} has no markers: groups of counters have them", measured_.descriptor().name);
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

}  // namespace zetl::metrics
