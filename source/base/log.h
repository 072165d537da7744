// The project's log: one logger a module, silent until ZETL_LOG asks.
//
// - ZETL_LOG=module=level,... with the modules layer, tracing, metrics, pin, debug, emulator, nvidia, or all (a bare
//   level means all), and the levels trace, debug, info, warn, error, off;
// - ZETL_LOG_FILE=path instead of standard error.
//
// Loggers and sink are our own spdlog objects; spdlog's registry, which the host process may use, is never touched.
// The first message that a level lets through opens the sink, in a forked child anew; before that no file is opened.
// All functions are thread-safe, safe in a forked child whatever other threads of the parent were at, in static
// destruction and after teardown. None ends the process: whatever cannot be written is lost.
#pragma once

#include <fmt/core.h>

#include <atomic>
#include <string_view>

namespace zetl::log {

enum class Module { layer, tracing, metrics, pin, debug, emulator, nvidia };
inline constexpr int kModules = 7;
inline constexpr std::string_view kModuleNames[kModules] = {"layer", "tracing",  "metrics", "pin",
                                                            "debug", "emulator", "nvidia"};

enum class Level { trace, debug, info, warn, error, off };

namespace detail {
/// Reads the settings on first use.
Level threshold(Module module) noexcept;
void write(Module module, Level level, fmt::string_view format, fmt::format_args arguments) noexcept;
}  // namespace detail

/// True if a message of that level would be written. Arguments of the functions below are formatted only then.
inline bool enabled(Module module, Level level) noexcept { return level >= detail::threshold(module); }

template <class... A>
void write(Module module, Level level, fmt::format_string<A...> format, A&&... arguments) noexcept {
    if (enabled(module, level)) detail::write(module, level, format, fmt::make_format_args(arguments...));
}
template <class... A>
void trace(Module module, fmt::format_string<A...> format, A&&... arguments) noexcept {
    write(module, Level::trace, format, std::forward<A>(arguments)...);
}
template <class... A>
void debug(Module module, fmt::format_string<A...> format, A&&... arguments) noexcept {
    write(module, Level::debug, format, std::forward<A>(arguments)...);
}
template <class... A>
void info(Module module, fmt::format_string<A...> format, A&&... arguments) noexcept {
    write(module, Level::info, format, std::forward<A>(arguments)...);
}
/// A refusal: names the function, the value, the reason and the remedy.
template <class... A>
void warn(Module module, fmt::format_string<A...> format, A&&... arguments) noexcept {
    write(module, Level::warn, format, std::forward<A>(arguments)...);
}
template <class... A>
void error(Module module, fmt::format_string<A...> format, A&&... arguments) noexcept {
    write(module, Level::error, format, std::forward<A>(arguments)...);
}

}  // namespace zetl::log
