#include "emulator/check/group_state.h"

#include <algorithm>

namespace zetl::emulator::check {

bool GroupState::enter(std::uint64_t launch, std::uint64_t group, std::uint32_t threads, std::uint32_t localBytes,
                       std::uint32_t barriers) {
    if (launch_ == launch && group_ == group) return false;
    progresses();
    launch_ = 0;  // nobody's, if the host has no memory
    threads_.assign(threads, {});
    named_.begin(threads, barriers);
    launch_ = launch;
    group_ = group;
    epoch_ = 0;
    arrived_ = 0;
    everybody_ = threads < kMostThreads ? (std::uint64_t{1} << threads) - 1 : ~std::uint64_t{0};
    localVisible_ = 0;
    localBytes_ = localBytes;
    showsReads_ = true;
    acquired_ = {};
    phase_ = {};
    command_ = nullptr;
    if (localBytes == 0)
        local_.reset();
    else if (!local_ || local_->count() < localBytes / kGranule)
        local_ = LocalMarks::make(localBytes);
    else
        local_->begin();
    updateReads();
    return true;
}

void GroupState::setLocalGaps(std::span<const std::array<std::uint32_t, 2>> gaps) {
    for (const auto& [begin, end] : gaps) {
        showsReads_ = showsReads_ && begin % kGranule == 0 && end % kGranule == 0;
        if (local_ != nullptr) local_->bar(begin / kGranule, end / kGranule);
    }
    updateReads();
}

/// Of each epoch anew.
void GroupState::updateReads() noexcept {
    const bool shows = local_ != nullptr && showsReads_ && !named_.any();
    localReads_ = shows ? local_->reads(std::min(epoch_, Mark::kEpochMask), localVisible_) : isa::LocalReads();
    localReads_.dwords = std::min(localReads_.dwords, localBytes_ / kGranule);
}

void GroupState::fence(std::uint32_t thread, Memory memory, bool withinGroup) {
    Thread& own = threads_[thread];
    own.unfenced[indexOf(memory)] = false;
    own.fences += own.hasAtomics ? 1 : 0;
    acquired_.add(own.read);
    own.read = {};
    own.wide |= !withinGroup;
    own.released = acquired_;
    own.released.threads |= std::uint64_t{1} << thread;
    if (own.wide) own.released.addGroup(group_);
}

void GroupState::arrive(std::uint32_t thread) noexcept {
    for (const Memory memory : {Memory::local, Memory::global}) {
        const std::size_t index = indexOf(memory);
        if (!threads_[thread].unfenced[index]) threads_[thread].visible[index] = epoch_ + 1;
    }
    progresses();
    arrived_ |= std::uint64_t{1} << thread;
    if (arrived_ != everybody_) return;
    arrived_ = 0;
    ++epoch_;
    localVisible_ = epoch_;
    for (const Thread& one : threads_) localVisible_ = std::min(localVisible_, one.visible[indexOf(Memory::local)]);
    forgetAcquired();
    phase_.next();
    updateReads();
}

/// All see by the barrier what its threads did before it. What these do behind it, atomics before it have not released.
void GroupState::forgetAcquired() noexcept {
    std::uint64_t hidden = 0;  // threads of which the barrier does not show all
    for (std::size_t thread = 0; thread < threads_.size(); ++thread)
        if (std::ranges::min(threads_[thread].visible) < epoch_) hidden |= std::uint64_t{1} << thread;
    acquired_.threads &= hidden;
    for (Thread& one : threads_) {
        one.read.threads &= hidden;
        one.released.threads &= hidden;
    }
}

void GroupState::arrive(std::uint32_t thread, const isa::BarrierSignal& signal) {
    const Thread& own = threads_[thread];
    progresses();
    named_.signal(thread, signal, {!own.unfenced[0], !own.unfenced[1]});
}

void GroupState::atomic(std::uint32_t thread, std::uint64_t address, ReleaseClock& clock) {
    Thread& own = threads_[thread];
    own.hasAtomics = true;
    if (own.released.empty() && clock.empty()) return;
    own.hasReleased |= !own.released.empty();
    clock.release(group_, lateWriter(thread));  // of what others wrote, too, before a barrier
    Acquired acquired = clock.exchange(address, own.released);
    acquired.remove(thread, group_);  // others have not seen what it reads back of itself
    own.read.add(acquired);
}

}  // namespace zetl::emulator::check
