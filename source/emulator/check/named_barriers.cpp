#include "emulator/check/named_barriers.h"

#include <algorithm>

namespace zetl::emulator::check {

void NamedBarriers::begin(std::uint32_t threads, std::uint32_t barriers) {
    own_.clear();
    seen_.clear();
    meetings_.clear();
    if (barriers <= 1) return;
    own_.assign(threads, 0);
    seen_.assign(threads, Seen(threads));
    meetings_.resize(barriers);
}

void NamedBarriers::add(Seen& to, const Seen& from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        to[i].done = std::max(to[i].done, from[i].done);
        for (std::size_t memory = 0; memory < kMemories; ++memory)
            to[i].visible[memory] = std::max(to[i].visible[memory], from[i].visible[memory]);
    }
}

void NamedBarriers::signal(std::uint32_t thread, const isa::BarrierSignal& signal, const ByMemory& fenced) {
    using Role = isa::BarrierSignal::Role;
    if (thread >= own_.size() || signal.id >= meetings_.size()) return;  // the machine says so
    Meeting& meeting = meetings_[signal.id];
    if (signal.producers != 0) meeting.producers = signal.producers;
    if (signal.role != Role::consumer) {
        Until& own = seen_[thread][thread];
        own.done = ++own_[thread];
        for (std::size_t memory = 0; memory < kMemories; ++memory)
            if (fenced[memory]) own.visible[memory] = own.done;
        add(meeting.brought, seen_[thread]);
        ++meeting.arrived;
    }
    if (signal.role != Role::producer) meeting.waiting.push_back(thread);
    if (meeting.arrived < meeting.producers) return;
    for (const std::uint32_t one : meeting.waiting) add(seen_[one], meeting.brought);
    meeting = {};
}

}  // namespace zetl::emulator::check
