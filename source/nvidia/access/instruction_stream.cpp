#include "nvidia/access/instruction_stream.h"

#include <poll.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/log.h"

namespace zetl::nvidia::access {
namespace {

constexpr int kMillisecondsBetweenFetches = 10;
constexpr std::size_t kMostPlaces = std::size_t{1} << 15;  // an instruction is one for each reason
constexpr std::uint64_t kUnknown = UINT64_MAX;

std::uint64_t kilohertzOf(const Device& device) noexcept {
    return static_cast<std::uint64_t>(std::max(device.attributes().clockKilohertz, 1));
}

constexpr std::uint64_t kNanosecondsPerMillisecond = 1'000'000;

/// The power of two that is nearest to so many cycles.
std::uint32_t periodOf(const Device& device, std::uint64_t nanoseconds) noexcept {
    const std::uint64_t longest =
        (std::uint64_t{1} << InstructionSampler::kLongestPeriod) * kNanosecondsPerMillisecond / kilohertzOf(device);
    const auto cycles = std::min(nanoseconds, longest) * kilohertzOf(device) / kNanosecondsPerMillisecond;
    const auto whole = static_cast<std::uint32_t>(std::bit_width(std::max<std::uint64_t>(cycles + cycles / 3, 1)) - 1);
    return std::clamp(whole, InstructionSampler::kShortestPeriod, InstructionSampler::kLongestPeriod);
}

}  // namespace

InstructionStream::InstructionStream(std::shared_ptr<Lease> lease, zetl_stream_options_t& options)
    : lease_(std::move(lease)),
      sampler_(lease_->work->context, periodOf(*lease_->device, options.period_ns)),
      code_(*lease_->device) {
    const auto cycles = std::uint64_t{1} << periodOf(*lease_->device, options.period_ns);
    options.period_ns = cycles * kNanosecondsPerMillisecond / kilohertzOf(*lease_->device);
    options.capacity = kMostPlaces;
}

zetl_status_t InstructionStream::start() {
    const Lock guard(mutex_);
    if (!lease_->work->clock.now()) return ZETL_LOST;
    if (const auto bad = sampler_.start(); bad != ZETL_OK) return bad;
    since_ = now();
    running_ = true;
    return thread_.start(log::Channel::nvidia, "zetl-samples", [this] { fetch(); }) ? ZETL_OK : ZETL_NO_MEMORY;
}

void InstructionStream::fetch() {
    while (!thread_.ending()) {
        pollfd wake{thread_.wake(), POLLIN, 0};
        poll(&wake, 1, kMillisecondsBetweenFetches);
        collect();
    }
}

void InstructionStream::collect() {
    const Lock guard(mutex_);
    if (!running_) return;
    code_.learn();
    std::uint64_t dropped = 0;
    const auto status = sampler_.collect([this](const auto& sample) ZETL_REQUIRES(mutex_) { add(sample); }, dropped);
    if (dropped > 0) lose(dropped);
    if (status == ZETL_OK) return;
    lose(kUnknown);
    if (status == ZETL_NOT_READY) return;
    log::error(log::Channel::nvidia, "sampling ends: the samples cannot be read any more");
    running_ = false;
}

void InstructionStream::add(const InstructionSampler::Sample& sample) {
    const auto address = code_.addressOf(sample.cubin, sample.function ? sample.function : "", sample.offset);
    const Place place{address, sample.reason};
    if (counts_.size() >= kMostPlaces && !counts_.contains(place)) return lose(sample.count);
    counts_[place] += sample.count;
    looks_ += sample.count;
}

void InstructionStream::lose(std::uint64_t looks) {
    lost_ = looks == kUnknown || lost_ == kUnknown ? kUnknown : lost_ + looks;
}

std::uint64_t InstructionStream::now() const {
    const auto pair = lease_->work->clock.now();
    return pair ? pair->device : since_;
}

std::uint64_t InstructionStream::pending() {
    const Lock guard(mutex_);
    return looks_;
}

std::uint64_t InstructionStream::drain(std::uint64_t capacity, zetl_sample_t* samples, zetl_loss_t& loss) {
    collect();
    const Lock guard(mutex_);
    if (capacity == 0) return counts_.size();
    std::uint64_t written = 0;
    for (auto next = counts_.begin(); next != counts_.end() && written < capacity; next = counts_.erase(next)) {
        const auto& [place, count] = *next;
        samples[written++] = {code_.moduleAt(place.address), place.address, count, place.reason, 0};
        looks_ -= count;
    }
    const auto lost = std::exchange(lost_, 0);
    const auto kind = lost == 0 ? ZETL_LOSS_NONE : lost == kUnknown ? ZETL_LOSS_ALL : ZETL_LOSS_GAP;
    loss = {sizeof loss, static_cast<std::uint32_t>(kind), since_, now(), lost};
    since_ = loss.end;
    return written;
}

}  // namespace zetl::nvidia::access
