#include "emulator/machine/model/spare_traces.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/log.h"

namespace zetl::emulator::machine {
namespace {

std::size_t bytesOf(const GroupTrace& trace) noexcept {
    std::size_t sum = 0;
    for (const ThreadTrace& thread : trace.threads) sum += thread.bytes();
    return sum;
}

}  // namespace

SpareTraces::Trace SpareTraces::take(std::size_t threads, std::size_t mostWords) {
    Trace trace;
    {
        const Lock guard(mutex_);
        if (!traces_.empty()) {
            trace = std::move(traces_.back());
            traces_.pop_back();
        }
    }
    if (!trace) trace = std::make_unique<GroupTrace>();
    trace->threads.resize(threads, ThreadTrace(mostWords));
    for (ThreadTrace& thread : trace->threads) thread.clear(mostWords);
    return trace;
}

void SpareTraces::keep(std::vector<Trace> traces) noexcept try {
    const Lock guard(mutex_);
    for (Trace& trace : traces)
        if (trace) traces_.push_back(std::move(trace));
} catch (const std::bad_alloc&) {
    log::debug(log::Channel::emulator, "the memory of recordings is not kept for later ones");
}

void SpareTraces::trim() noexcept {
    const Lock guard(mutex_);
    std::size_t bytes = 0;
    const auto beyond = std::ranges::find_if(traces_, [&](const Trace& trace) {
        bytes += bytesOf(*trace);
        return bytes > kMostBytes;
    });
    traces_.erase(beyond, traces_.end());
}

}  // namespace zetl::emulator::machine
