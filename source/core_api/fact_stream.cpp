#include "core_api/fact_stream.h"

#include <algorithm>
#include <utility>

namespace zetl::core_api {
namespace {

constexpr zetl_loss_t kNone = {.size = sizeof kNone, .kind = ZETL_LOSS_NONE, .begin = 0, .end = 0, .reports = 0};

}  // namespace

FactStream::FactStream(zetl_device_t device, std::vector<std::size_t> columns, const zetl_stream_options_t& options)
    : device_(device),
      columns_(std::move(columns)),
      period_(options.period_ns),
      capacity_(options.capacity),
      loss_(kNone) {}

void FactStream::start(std::uint64_t now) {
    const Lock guard(mutex_);
    if (start_ == 0) start_ = now;
}

void FactStream::stop(std::uint64_t now) {
    const Lock guard(mutex_);
    if (stop_ == 0) stop_ = now;
}

std::uint64_t FactStream::due(std::uint64_t now) const {
    if (start_ == 0) return 0;
    const auto until = stop_ == 0 ? now : std::min(stop_, now);
    return until > start_ ? (until - start_) / period_ : 0;
}

Row& FactStream::at(std::uint64_t number) { return periods_[std::max(number, next_)]; }

void FactStream::took(const activity::Span& span) {
    const Lock guard(mutex_);
    if (start_ == 0 || span.end < start_ || (stop_ != 0 && span.begin > stop_)) return;
    loseBeyondCapacity(span.end);
    auto inside = span;
    inside.begin = std::max(span.begin, start_);
    auto* const periods = &periods_;
    const auto next = next_;
    activity::addSpan(inside, start_, period_,
                      [=](std::uint64_t number) -> Row& { return (*periods)[std::max(number, next)]; });
}

void FactStream::missed(std::uint64_t commands, std::uint64_t now) {
    const Lock guard(mutex_);
    if (start_ == 0 || stop_ != 0) return;
    at((now - start_) / period_)[kUnmeasured] += commands;
}

/// The next report is made, or is lost: the sums then include its period.
void FactStream::pass() {
    if (const auto found = periods_.find(next_); found != periods_.end()) {
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += found->second[i];
        periods_.erase(found);
    }
    ++next_;
}

void FactStream::loseBeyondCapacity(std::uint64_t now) {
    const auto all = due(now);
    if (all <= next_ + capacity_) return;
    const auto kept = all - capacity_;
    if (loss_.kind == ZETL_LOSS_NONE) loss_.begin = timeOf(next_);
    loss_.kind = ZETL_LOSS_GAP;
    loss_.end = timeOf(kept - 1);
    loss_.reports += kept - next_;
    while (next_ < kept) {
        const auto first = periods_.begin();
        next_ = first == periods_.end() ? kept : std::min(std::max(first->first, next_), kept);
        if (next_ < kept) pass();
    }
}

std::uint64_t FactStream::pending(std::uint64_t now) {
    const Lock guard(mutex_);
    loseBeyondCapacity(now);
    return due(now) - std::min(due(now), next_);
}

std::uint64_t FactStream::drain(std::uint64_t now, std::uint64_t capacity, std::uint64_t* reports,
                                zetl_report_info_t* infos, zetl_loss_t& loss) {
    const Lock guard(mutex_);
    loseBeyondCapacity(now);
    const auto taken = std::min(capacity, due(now) - std::min(due(now), next_));
    for (std::uint64_t i = 0; i < taken; ++i) {
        infos[i] = {timeOf(next_), ZETL_REPORT_TIMER, 0};
        pass();
        for (const auto column : columns_) *reports++ = sums_[column];
    }
    loss = std::exchange(loss_, kNone);
    return taken;
}

}  // namespace zetl::core_api
