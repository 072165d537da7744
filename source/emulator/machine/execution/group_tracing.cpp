#include "emulator/machine/execution/group_tracing.h"

#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/trace_recorder.h"
#include "emulator/machine/execution/work_group.h"

namespace zetl::emulator::machine {

// A debugger finds no breakpoints where the threads of a sample run, so with one they do not record.
void GroupTracing::choose() {
    DispatchModel* const model = group_.dispatch().model();
    if (model == nullptr) return;
    const std::uint64_t number = group_.dispatch().numberOf(group_.id());
    followed_ = model->follows(number);
    const bool records = followed_ && (!model->samples() || !group_.tile().isDebugged());
    trace_ = records ? model->begin(number) : nullptr;
}

void GroupTracing::begin() {
    for (const auto& thread : threads_.states()) {
        thread->trace = trace_ ? &trace_->threads[thread->index] : nullptr;
        if (trace_) group_.tile().recorder().begin(thread->state);
    }
}

void GroupTracing::end() noexcept {
    if (!followed_) return;
    followed_ = false;
    for (const auto& thread : threads_.states()) {
        if (!thread) continue;
        if (trace_) trace_->threads[thread->index].executed = thread->state.executed;
        thread->trace = nullptr;
    }
    group_.dispatch().model()->end(group_.dispatch().numberOf(group_.id()), std::move(trace_));
}

void GroupTracing::drop() noexcept {
    for (const auto& thread : threads_.states())
        if (thread) thread->trace = nullptr;
    trace_.reset();
    followed_ = false;
}

std::unique_ptr<GroupTrace> GroupTracing::soFar() const {
    if (!trace_) return nullptr;
    const DispatchModel& model = *group_.dispatch().model();
    auto known = std::make_unique<GroupTrace>();
    known->index = trace_->index;
    known->threads.reserve(threads_.count());
    for (std::uint32_t index = 0; index < threads_.count(); ++index) {
        const ThreadTrace& trace = trace_->threads[index];
        const bool goesOn = (threads_.live() & bit(index)) != 0;
        known->threads.push_back(model.knowsTraces() ? ThreadTrace::unbegun()
                                 : goesOn            ? trace.soFar(model.askedWords())
                                                     : trace);
        known->threads.back().executed = threads_[index].state.executed;
    }
    return known;
}

}  // namespace zetl::emulator::machine
