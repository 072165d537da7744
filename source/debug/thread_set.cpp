#include "debug/thread_set.h"

#include <array>

namespace zetl::debug {
namespace {

using Fields = std::array<std::uint32_t, 4>;

Fields fieldsOf(const ze_device_thread_t& thread) { return {thread.slice, thread.subslice, thread.eu, thread.thread}; }
ze_device_thread_t threadOf(const Fields& fields) { return {fields[0], fields[1], fields[2], fields[3]}; }

}  // namespace

ThreadSet ThreadSet::of(const zetl_thread_t& thread) noexcept {
    return ThreadSet({thread.level[0], thread.level[1], thread.level[2], thread.level[3]});
}

bool ThreadSet::single() const noexcept {
    for (const auto field : fieldsOf(thread_))
        if (field == UINT32_MAX) return false;
    return true;
}

bool ThreadSet::isAll() const noexcept { return *this == all(); }

bool ThreadSet::within(const device::Device& device) const noexcept {
    const auto counts = device.threadCounts();
    const auto fields = fieldsOf(thread_);
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (fields[i] != UINT32_MAX && fields[i] >= counts[i]) return false;
    return true;
}

bool ThreadSet::contains(const ThreadSet& other) const noexcept {
    const auto mine = fieldsOf(thread_);
    const auto its = fieldsOf(other.thread_);
    for (std::size_t i = 0; i < mine.size(); ++i)
        if (mine[i] != UINT32_MAX && mine[i] != its[i]) return false;
    return true;
}

bool ThreadSet::operator==(const ThreadSet& other) const noexcept {
    return fieldsOf(thread_) == fieldsOf(other.thread_);
}

zetl_thread_t ThreadSet::access() const noexcept {
    zetl_thread_t thread{};
    const auto fields = fieldsOf(thread_);
    for (std::size_t i = 0; i < fields.size(); ++i) thread.level[i] = fields[i];
    return thread;
}

std::uint64_t ThreadSet::indexIn(const device::Device& device) const noexcept {
    const auto counts = device.threadCounts();
    const auto fields = fieldsOf(thread_);
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) index = index * counts[i] + fields[i];
    return index;
}

ThreadSet ThreadSet::at(std::uint64_t index, const device::Device& device) noexcept {
    const auto counts = device.threadCounts();
    Fields fields{};
    for (std::size_t i = fields.size(); i-- > 0; index /= counts[i])
        fields[i] = static_cast<std::uint32_t>(index % counts[i]);
    return ThreadSet(threadOf(fields));
}

}  // namespace zetl::debug
