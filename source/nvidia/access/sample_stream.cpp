#include "nvidia/access/sample_stream.h"

#include <poll.h>

#include <algorithm>

#include "base/log.h"
#include "provider/clock_kind.h"

namespace zetl::nvidia::access {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSamplesAFetch = 16;
constexpr zetl_loss_t kNone = {.size = sizeof kNone, .kind = ZETL_LOSS_NONE, .begin = 0, .end = 0, .reports = 0};

}  // namespace

SampleStream::SampleStream(CountedPlan counted, const zetl_stream_options_t& options)
    : lease_(std::move(counted.lease)),
      plan_(std::move(counted.plan)),
      period_(options.period_ns),
      capacity_(options.capacity),
      sampler_(static_cast<std::size_t>(lease_->device->ordinal()), counted.chip, plan_.texts(),
               std::move(counted.configuration), options.period_ns),
      sums_(plan_.names.size()),
      times_(options.capacity),
      words_(options.capacity * plan_.names.size()),
      loss_(kNone) {}

zetl_status_t SampleStream::start() {
    const Lock guard(sampling_);
    if (running_) return ZETL_OK;
    // The clock that samples are placed on is read once before, since its first reading takes a while.
    if (!lease_->work->clock.now()) return ZETL_LOST;
    fetched_ = fetched_ || thread_.start(log::Channel::nvidia, "zetl-samples", [this] { fetch(); });
    if (!fetched_) return ZETL_NO_MEMORY;
    if (const auto bad = sampler_.start(); bad != ZETL_OK) return bad;
    running_ = true;
    return ZETL_OK;
}

zetl_status_t SampleStream::stop() {
    const Lock guard(sampling_);
    if (!running_) return ZETL_OK;
    sampler_.stop();
    collect();
    running_ = false;
    return ZETL_OK;
}

void SampleStream::fetch() {
    const auto pause = std::clamp(kSamplesAFetch * period_, 2 * kMillisecond, 20 * kMillisecond) / kMillisecond;
    while (!thread_.ending()) {
        pollfd wake{thread_.wake(), POLLIN, 0};
        poll(&wake, 1, static_cast<int>(pause));
        const Lock guard(sampling_);
        if (running_) collect();
    }
}

void SampleStream::collect() {
    const auto status = sampler_.collect([this](const Sampler::Sample& sample) { add(sample); });
    if (status == ZETL_OK) return;
    const Lock guard(mutex_);
    lose(ZETL_LOSS_ALL, last_, last_, UINT64_MAX);
    last_ = 0;
    if (status == ZETL_NOT_READY) return;
    log::error(log::Channel::nvidia, "the streamer ends: its samples cannot be read any more");
    running_ = false;
}

std::uint64_t SampleStream::deviceTime(std::uint64_t real) const {
    return lease_->work->clock.deviceTimeOf(provider::rawFromReal(real));
}

void SampleStream::add(const Sampler::Sample& sample) {
    const auto begin = deviceTime(sample.begin);
    const auto end = deviceTime(sample.end);
    const Lock guard(mutex_);
    if (last_ == 0)
        append(begin);  // what the first sample's sums are compared with
    else if (begin > last_ + period_)
        lose(ZETL_LOSS_GAP, last_, begin, (begin - last_) / period_);
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += sample.counts[i];
    append(end);
    last_ = end;
}

void SampleStream::append(std::uint64_t time) {
    if (count_ == capacity_) {
        lose(ZETL_LOSS_GAP, times_[first_], times_[first_], 1);
        first_ = (first_ + 1) % capacity_;
        --count_;
    }
    const auto place = (first_ + count_++) % capacity_;
    times_[place] = time;
    std::copy(sums_.begin(), sums_.end(), words_.begin() + static_cast<std::ptrdiff_t>(place * sums_.size()));
}

void SampleStream::lose(std::uint32_t kind, std::uint64_t begin, std::uint64_t end, std::uint64_t reports) {
    if (loss_.kind == ZETL_LOSS_NONE) loss_.begin = begin;
    loss_.kind = std::max(loss_.kind, kind);
    loss_.end = end;
    loss_.reports = reports == UINT64_MAX || loss_.reports == UINT64_MAX ? UINT64_MAX : loss_.reports + reports;
}

std::uint64_t SampleStream::pending() {
    const Lock guard(mutex_);
    return count_;
}

std::uint64_t SampleStream::drain(std::uint64_t capacity, void* reports, zetl_report_info_t* infos, zetl_loss_t& loss) {
    const Lock guard(mutex_);
    auto* to = static_cast<std::uint64_t*>(reports);
    const auto taken = std::min(capacity, count_);
    for (std::uint64_t i = 0; i < taken; ++i) {
        const auto place = (first_ + i) % capacity_;
        const auto from = words_.begin() + static_cast<std::ptrdiff_t>(place * sums_.size());
        to = std::copy(from, from + static_cast<std::ptrdiff_t>(sums_.size()), to);
        infos[i] = {times_[place], ZETL_REPORT_TIMER, 0};
    }
    first_ = (first_ + taken) % capacity_;
    count_ -= taken;
    loss = std::exchange(loss_, kNone);
    return taken;
}

zetl_status_t SampleStream::marker(ze_command_list_handle_t, std::uint32_t) {
    log::warn(log::Channel::nvidia,
              "the hardware's samples take no markers; compare their times with kernels' instead");
    return ZETL_UNSUPPORTED;
}

}  // namespace zetl::nvidia::access
