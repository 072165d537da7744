#include "core/thread_id.h"

#include <fmt/format.h>

#include <charconv>

namespace zetl::debugger {
namespace {

std::string part(std::uint32_t value) { return value == UINT32_MAX ? "*" : std::to_string(value); }

}  // namespace

std::string textOf(const ThreadId& thread) {
    return fmt::format("{}.{}.{}.{}", part(thread.slice), part(thread.subslice), part(thread.eu), part(thread.thread));
}

std::optional<ThreadId> threadFrom(std::string_view text) {
    std::uint32_t parts[4];
    for (int i = 0; i < 4; ++i) {
        const auto end = i < 3 ? text.find('.') : text.size();
        if (end == std::string_view::npos || end == 0) return std::nullopt;
        const auto word = text.substr(0, end);
        if (word == "*")
            parts[i] = UINT32_MAX;
        else if (const auto read = std::from_chars(word.data(), word.data() + word.size(), parts[i]);
                 read.ec != std::errc() || read.ptr != word.data() + word.size())
            return std::nullopt;
        text.remove_prefix(i < 3 ? end + 1 : end);
    }
    return ThreadId{parts[0], parts[1], parts[2], parts[3]};
}

ThreadId ThreadShape::at(std::uint64_t index) const noexcept {
    ThreadId id;
    id.thread = static_cast<std::uint32_t>(index % threads);
    id.eu = static_cast<std::uint32_t>(index / threads % eus);
    id.subslice = static_cast<std::uint32_t>(index / threads / eus % subslices);
    id.slice = static_cast<std::uint32_t>(index / threads / eus / subslices);
    return id;
}

std::uint64_t ThreadShape::indexOf(const ThreadId& id) const noexcept {
    return ((std::uint64_t{id.slice} * subslices + id.subslice) * eus + id.eu) * threads + id.thread;
}

}  // namespace zetl::debugger
