#include "core/merged_link.h"

#include <ze_tools_layer/conditions.h>
#include <ze_tools_layer/history.h>
#include <ze_tools_layer/watches.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "core/failure.h"

namespace zetl::debugger {
namespace {

constexpr std::uint64_t kTurnMs = 2;  ///< in which one device is waited for

bool isSpaceOf(zet_debug_memory_space_type_t space, zet_debug_memory_space_type_t wanted) {
    return static_cast<std::uint32_t>(space) == static_cast<std::uint32_t>(wanted);
}

ThreadShape timesSlices(ThreadShape shape, std::size_t devices) {
    shape.slices *= static_cast<std::uint32_t>(devices);
    return shape;
}

bool isAlike(const Link& one, const Link& other) {
    const auto& a = one.shape();
    const auto& b = other.shape();
    return &one.architecture() == &other.architecture() && a.slices == b.slices && a.subslices == b.subslices &&
           a.eus == b.eus && a.threads == b.threads;
}

}  // namespace

MergedLink::MergedLink(std::vector<std::unique_ptr<Link>> parts)
    : parts_(std::move(parts)), part_(parts_.front()->shape()), shape_(timesSlices(part_, parts_.size())) {
    for (const auto& each : parts_)
        if (!isAlike(*parts_.front(), *each))
            fail("devices of different kinds cannot be debugged in one session; choose one with --gpu N");
}

template <class F>
ze_result_t MergedLink::each(F&& call) const {
    auto best = call(*parts_.front());
    for (std::size_t i = 1; i < parts_.size(); ++i)
        if (const auto result = call(*parts_[i]); best != ZE_RESULT_SUCCESS) best = result;
    return best;
}

MergedLink::Place MergedLink::placeOf(const ThreadId& thread) const {
    const auto part = thread.slice / std::max(part_.slices, 1u);
    if (part >= parts_.size()) return {};
    auto own = thread;
    own.slice %= part_.slices;
    return {parts_[part].get(), own};
}

Link& MergedLink::ownerOf(std::uint64_t address) const {
    for (const auto& [load, module] : modules_)
        if (module.imageBegin <= address && address < module.imageEnd) return *parts_[module.part];
    const auto behind = modules_.upper_bound(address);
    return *parts_[behind == modules_.begin() ? 0 : std::prev(behind)->second.part];
}

/// One answer for all devices: those without threads answer that no thread is there.
bool MergedLink::digestAnswer(zet_debug_event_t& event) {
    anyStopped_ = anyStopped_ || event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED;
    if (unanswered_ > 1) {
        --unanswered_;
        return false;
    }
    unanswered_ = 0;
    if (std::exchange(anyStopped_, false)) event.type = ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED;
    return true;
}

bool MergedLink::digest(std::size_t part, zet_debug_event_t& event) {
    auto& thread = event.info.thread.thread;
    switch (event.type) {
        case ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED:
        case ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE:
            if (ThreadId::of(thread) == kEveryThread) return digestAnswer(event);
            thread.slice += static_cast<std::uint32_t>(part) * part_.slices;
            return true;
        case ZET_DEBUG_EVENT_TYPE_MODULE_LOAD: {
            const auto& module = event.info.module;
            modules_.emplace(module.load, Module{part, module.moduleBegin, module.moduleEnd});
            return true;
        }
        case ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD:
            std::erase_if(modules_, [&](const auto& known) {
                return known.first == event.info.module.load && known.second.part == part;
            });
            return true;
        case ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY:
            return entered_++ == 0;
        case ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT:
            return entered_ == 0 || --entered_ == 0;
        default:
            return true;
    }
}

ze_result_t MergedLink::readEvent(std::uint64_t milliseconds, zet_debug_event_t& event) {
    std::size_t silent = 0;
    for (std::uint64_t left = milliseconds;;) {
        const auto part = next_++ % parts_.size();
        const auto wait = silent < parts_.size() ? 0 : std::min(left, kTurnMs);
        const auto result = parts_[part]->readEvent(wait, event);
        if (result == ZE_RESULT_SUCCESS) {
            silent = 0;
            if (digest(part, event)) return result;
            continue;
        }
        if (result != ZE_RESULT_NOT_READY) return result;
        left -= wait;
        if (++silent >= parts_.size() && left == 0) return result;
    }
}

ze_result_t MergedLink::acknowledge(const zet_debug_event_t& event) {
    const auto [begin, end] = modules_.equal_range(event.info.module.load);
    auto result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    for (auto known = begin; known != end && result != ZE_RESULT_SUCCESS; ++known)
        if (known->second.imageBegin == event.info.module.moduleBegin)
            result = parts_[known->second.part]->acknowledge(event);
    return result;
}

ze_result_t MergedLink::interrupt(const ThreadId& set) {
    if (set.single()) {
        const auto place = placeOf(set);
        return place.link ? place.link->interrupt(place.thread) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    return each([&](Link& part) {
        const auto result = part.interrupt(kEveryThread);
        if (result == ZE_RESULT_SUCCESS) ++unanswered_;
        return result;
    });
}

ze_result_t MergedLink::resume(const ThreadId& set) {
    if (!set.single()) return each([](Link& part) { return part.resume(kEveryThread); });
    const auto place = placeOf(set);
    return place.link ? place.link->resume(place.thread) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/// The first device that has a recorded launch answers.
ze_result_t MergedLink::askHistory(std::size_t bytes, const void* request) {
    zetl_history_request_t asked{};
    if (bytes < sizeof asked) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    std::memcpy(&asked, request, sizeof asked);
    const auto* const words = static_cast<const std::uint8_t*>(request);
    Bytes message(words, words + bytes);
    const auto threads = static_cast<std::uint32_t>(part_.count());
    const auto global = asked.thread;
    auto result = ZE_RESULT_ERROR_NOT_AVAILABLE;
    for (recorded_ = 0; recorded_ < parts_.size(); ++recorded_) {
        asked.thread = global / threads == recorded_ ? global % threads : threads;
        std::memcpy(message.data(), &asked, sizeof asked);
        result = parts_[recorded_]->writeMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_HISTORY, 0, message.size(),
                                                message.data());
        zetl_history_answer_t answer{};
        const bool isAnswered = result == ZE_RESULT_SUCCESS &&
                                parts_[recorded_]->readMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_HISTORY, 0,
                                                              sizeof answer, &answer) == ZE_RESULT_SUCCESS;
        if (isAnswered && answer.status != ZETL_HISTORY_NONE) return result;
    }
    recorded_ = 0;
    return result;
}

ze_result_t MergedLink::readHistory(std::uint64_t offset, std::size_t bytes, void* buffer) {
    const auto result =
        parts_[recorded_]->readMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_HISTORY, offset, bytes, buffer);
    if (result != ZE_RESULT_SUCCESS || offset != 0 || bytes < sizeof(zetl_history_answer_t)) return result;
    zetl_history_answer_t answer{};
    std::memcpy(&answer, buffer, sizeof answer);
    answer.thread += static_cast<std::uint32_t>(recorded_ * part_.count());
    std::memcpy(buffer, &answer, sizeof answer);
    return result;
}

ze_result_t MergedLink::readWatches(std::size_t bytes, void* buffer) {
    std::vector<zetl_watch_hit_t> all;
    std::vector<zetl_watch_hit_t> hits(bytes / sizeof(zetl_watch_hit_t));
    auto result = ZE_RESULT_SUCCESS;
    for (std::size_t part = 0; part < parts_.size() && all.size() < hits.size(); ++part) {
        const auto room = (hits.size() - all.size()) * sizeof hits[0];
        result = parts_[part]->readMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_WATCHES, 0, room, hits.data());
        if (result != ZE_RESULT_SUCCESS) return result;
        for (auto hit : std::span(hits).first(room / sizeof hits[0])) {
            if (hit.is_hit == 0) break;
            hit.thread += static_cast<std::uint32_t>(part * part_.count());
            all.push_back(hit);
        }
    }
    std::memset(buffer, 0, bytes);
    if (!all.empty()) std::memcpy(buffer, all.data(), all.size() * sizeof all[0]);
    return result;
}

ze_result_t MergedLink::readConditions(std::size_t bytes, void* buffer) {
    zetl_condition_counts_t all{};
    if (bytes != sizeof all) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    for (const auto& part : parts_) {
        zetl_condition_counts_t counts{};
        const auto result =
            part->readMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_CONDITIONS, 0, sizeof counts, &counts);
        if (result != ZE_RESULT_SUCCESS) return result;
        all.passed += counts.passed;
        all.unknown += counts.unknown;
    }
    std::memcpy(buffer, &all, sizeof all);
    return ZE_RESULT_SUCCESS;
}

ze_result_t MergedLink::readMemory(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                                   std::size_t bytes, void* buffer) {
    if (thread.single()) {
        const auto place = placeOf(thread);
        return place.link ? place.link->readMemory(place.thread, space, address, bytes, buffer)
                          : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (isSpaceOf(space, ZETL_DEBUG_MEMORY_SPACE_HISTORY)) return readHistory(address, bytes, buffer);
    if (isSpaceOf(space, ZETL_DEBUG_MEMORY_SPACE_WATCHES)) return readWatches(bytes, buffer);
    if (isSpaceOf(space, ZETL_DEBUG_MEMORY_SPACE_CONDITIONS)) return readConditions(bytes, buffer);
    return ownerOf(address).readMemory(thread, space, address, bytes, buffer);
}

ze_result_t MergedLink::writeMemory(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                                    std::size_t bytes, const void* buffer) {
    if (thread.single()) {
        const auto place = placeOf(thread);
        return place.link ? place.link->writeMemory(place.thread, space, address, bytes, buffer)
                          : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (isSpaceOf(space, ZETL_DEBUG_MEMORY_SPACE_HISTORY)) return askHistory(bytes, buffer);
    if (isSpaceOf(space, ZETL_DEBUG_MEMORY_SPACE_WATCHES))
        return each([&](Link& part) { return part.writeMemory(thread, space, address, bytes, buffer); });
    return ownerOf(address).writeMemory(thread, space, address, bytes, buffer);
}

ze_result_t MergedLink::setBreakpoint(std::uint64_t address, bool on) {
    return ownerOf(address).setBreakpoint(address, on);
}

ze_result_t MergedLink::readRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t first,
                                      std::uint32_t count, void* values) {
    const auto place = placeOf(thread);
    return place.link ? place.link->readRegisters(place.thread, type, first, count, values)
                      : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t MergedLink::writeRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t first,
                                       std::uint32_t count, const void* values) {
    const auto place = placeOf(thread);
    return place.link ? place.link->writeRegisters(place.thread, type, first, count, values)
                      : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

}  // namespace zetl::debugger
