// The project's log: one logger per channel, silent unless ZETL_LOG enables it.
//
// - ZETL_LOG=channel=level,... with the channels layer, tracing, metrics, pin, debug, emulator, nvidia, or all (a bare
//   level means all), and the levels trace, debug, info, warn, error, off;
// - ZETL_LOG_FILE=path instead of standard error.
//
// Loggers and sink are our own spdlog objects; spdlog's registry, which the host process may use, is never touched. The
// first message that a level lets through opens the sink; a forked child opens it anew. Before that no file is opened.
// All functions are thread-safe, and safe in a forked child (whatever the parent's other threads were doing), in static
// destruction and after teardown. None ends the process: a message that cannot be written is lost.
#pragma once

#include <fmt/core.h>

#include <atomic>
#include <string_view>

namespace zetl::log {

/// The part of the project that logs (cmake/Settings.cmake reads the names from this line, too).
enum class Channel { layer, tracing, metrics, pin, debug, emulator, nvidia };
inline constexpr int kChannels = 7;
inline constexpr std::string_view kChannelNames[kChannels] = {"layer", "tracing",  "metrics", "pin",
                                                              "debug", "emulator", "nvidia"};

enum class Level { trace, debug, info, warn, error, off };

namespace detail {
/// Reads the settings on first use.
Level threshold(Channel channel) noexcept;
void write(Channel channel, Level level, fmt::string_view format, fmt::format_args arguments) noexcept;
}  // namespace detail

/// True if a message of that level would be written. Arguments of the functions below are formatted only then.
inline bool enabled(Channel channel, Level level) noexcept { return level >= detail::threshold(channel); }

template <class... A>
void write(Channel channel, Level level, fmt::format_string<A...> format, A&&... arguments) noexcept {
    if (enabled(channel, level)) detail::write(channel, level, format, fmt::make_format_args(arguments...));
}
template <class... A>
void trace(Channel channel, fmt::format_string<A...> format, A&&... arguments) noexcept {
    write(channel, Level::trace, format, std::forward<A>(arguments)...);
}
template <class... A>
void debug(Channel channel, fmt::format_string<A...> format, A&&... arguments) noexcept {
    write(channel, Level::debug, format, std::forward<A>(arguments)...);
}
template <class... A>
void info(Channel channel, fmt::format_string<A...> format, A&&... arguments) noexcept {
    write(channel, Level::info, format, std::forward<A>(arguments)...);
}
/// Logs a refusal: it names the function, the value, the reason and the remedy.
template <class... A>
void warn(Channel channel, fmt::format_string<A...> format, A&&... arguments) noexcept {
    write(channel, Level::warn, format, std::forward<A>(arguments)...);
}
template <class... A>
void error(Channel channel, fmt::format_string<A...> format, A&&... arguments) noexcept {
    write(channel, Level::error, format, std::forward<A>(arguments)...);
}

}  // namespace zetl::log
