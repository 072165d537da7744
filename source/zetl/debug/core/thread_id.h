// The name of a hardware thread, and how users write it.
#pragma once

#include <level_zero/ze_api.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zetl::debugger {

/// The ids of a work-group or a work-item along the axes.
using Triple = std::array<std::uint64_t, 3>;

/// Slice, sub-slice, EU and thread; UINT32_MAX in a field means every value of it.
struct ThreadId {
    std::uint32_t slice = UINT32_MAX;
    std::uint32_t subslice = UINT32_MAX;
    std::uint32_t eu = UINT32_MAX;
    std::uint32_t thread = UINT32_MAX;

    // clang-tidy 14 sees a null pointer in what the compiler makes of it.
    auto operator<=>(const ThreadId&) const = default;  // NOLINT(modernize-use-nullptr)
    bool single() const noexcept {
        return slice != UINT32_MAX && subslice != UINT32_MAX && eu != UINT32_MAX && thread != UINT32_MAX;
    }
    ze_device_thread_t native() const noexcept { return {slice, subslice, eu, thread}; }
    static ThreadId of(const ze_device_thread_t& id) noexcept { return {id.slice, id.subslice, id.eu, id.thread}; }
};

inline constexpr ThreadId kEveryThread{};

/// "1.0.7.3"; `*` for every value.
std::string textOf(const ThreadId& thread);
/// Nothing if the text is not four numbers or `*`, separated by points.
std::optional<ThreadId> threadFrom(std::string_view text);

/// The number of values of each field.
struct ThreadShape {
    std::uint32_t slices = 0;
    std::uint32_t subslices = 0;
    std::uint32_t eus = 0;
    std::uint32_t threads = 0;

    std::uint64_t count() const noexcept { return std::uint64_t{slices} * subslices * eus * threads; }
    ThreadId at(std::uint64_t index) const noexcept;
    std::uint64_t indexOf(const ThreadId& thread) const noexcept;
};

}  // namespace zetl::debugger
