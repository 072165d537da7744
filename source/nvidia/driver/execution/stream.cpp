#include "nvidia/driver/execution/stream.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "nvidia/cuda/api.h"
#include "nvidia/cuda/result.h"

namespace zetl::nvidia {
namespace {

/// CUDA's range runs from least (0) to greatest (negative); normal is least, since nothing is below.
int cudaPriority(ze_command_queue_priority_t priority) noexcept {
    int least = 0;
    int greatest = 0;
    cuda().cuCtxGetStreamPriorityRange(&least, &greatest);
    return priority == ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH ? greatest : least;
}

/// The streams that keep commands, alive as long as they do.
using Keeping = std::set<std::shared_ptr<Stream>>;
Synchronized<Keeping>& keeping() {
    static NeverDestroyed<Synchronized<Keeping>> streams;
    return *streams;
}
std::atomic<std::size_t> keepers{0};  // size of that set

}  // namespace

Result<std::shared_ptr<Stream>> Stream::create(std::shared_ptr<Context> context, Context::Member place,
                                               ze_command_queue_priority_t priority) {
    const Current current(place.work->context);
    CUstream stream = nullptr;
    const Status bad = ZETL_CUDA(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, cudaPriority(priority)));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    return std::make_shared<Stream>(std::move(context), std::move(place), stream);
}

Stream::~Stream() {
    const Current current(place_.work->context);
    backlog_.destroy();
    cuda().cuStreamDestroy(stream_);
}

Status Stream::submitOrKeep(const Command& command) {
    if (kept_.empty() && command.events.ready())
        return nvidia::submit(stream_, backlog_, command.events, command.work, command.submission);
    kept_.push_back(command);
    return ZE_RESULT_SUCCESS;
}

Status Stream::submitRenewed(const Command& command) {
    auto events = command.events.renewed();
    if (!events) return events.code();
    return submitOrKeep({*std::move(events), command.work, command.submission, {}});
}

Status Stream::submit(const CommandSequence& commands) {
    Status status = ZE_RESULT_SUCCESS;
    bool kept = false;
    {
        const Lock guard(mutex_);
        const Current current(place_.work->context);
        for (const Command& command : commands) {
            status = command.events.areRenewed() ? submitRenewed(command) : submitOrKeep(command);
            if (status != ZE_RESULT_SUCCESS) break;
        }
        kept = !kept_.empty();
    }
    return settle(status, kept, true);
}

Status Stream::settle(Status status, bool kept, bool signalled) {
    if (kept)
        keeping().write([this](Keeping& all) {
            all.insert(shared_from_this());
            keepers = all.size();
        });
    // Also after keeping: what it waits for may have come meanwhile.
    if (kept || signalled) advanceStreams();
    if (status != ZE_RESULT_SUCCESS || !kept) return status;
    const Lock guard(mutex_);
    return std::exchange(failure_, ZE_RESULT_SUCCESS);
}

bool Stream::advance() {
    const Lock guard(mutex_);
    const Current current(place_.work->context);
    bool any = false;
    while (!kept_.empty() && kept_.front().events.ready()) {
        const Command command = std::move(kept_.front());
        kept_.pop_front();
        any = true;
        const Status status = nvidia::submit(stream_, backlog_, command.events, command.work, command.submission);
        if (status != ZE_RESULT_SUCCESS) failure_ = status;
    }
    return any;
}

bool Stream::keepsCommands() {
    const Lock guard(mutex_);
    return !kept_.empty();
}

void advanceStreams() {
    if (keepers == 0) return;
    for (bool any = true; any;) {
        any = false;
        const auto streams = keeping().read([](const Keeping& all) { return all; });
        for (const auto& stream : streams) any |= stream->advance();
    }
    // A stream that goes with the set must not go under the set's lock.
    std::vector<std::shared_ptr<Stream>> done;
    keeping().write([&](Keeping& all) {
        std::copy_if(all.begin(), all.end(), std::back_inserter(done),
                     [](const auto& stream) { return !stream->keepsCommands(); });
        for (const auto& stream : done) all.erase(stream);
        keepers = all.size();
    });
}

Status Stream::queryAll() {
    const Lock guard(mutex_);
    if (failure_ != ZE_RESULT_SUCCESS) return std::exchange(failure_, ZE_RESULT_SUCCESS);
    return kept_.empty() ? ZETL_CUDA(cuStreamQuery(stream_)) : ZE_RESULT_NOT_READY;
}

Status Stream::synchronize(std::uint64_t nanoseconds) {
    const Current current(place_.work->context);
    if (nanoseconds == kForever && !keepsCommands()) return ZETL_CUDA(cuStreamSynchronize(stream_));
    return waitFor(nanoseconds, place_.work->clock, [this] { return queryAll(); });
}

}  // namespace zetl::nvidia
