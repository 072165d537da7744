#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <iterator>
#include <mutex>
#include <optional>

#include "base/settings.h"
#include "base/write_signals.h"

namespace zetl::log::detail {
namespace {

constexpr std::string_view kLevelNames[] = {"trace", "debug", "info", "warn", "error", "off"};
constexpr spdlog::level::level_enum kSpdlogLevels[] = {spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                                                       spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};
using Thresholds = std::array<Level, kModules>;

template <std::size_t N>
std::optional<int> find(const std::string_view (&names)[N], std::string_view name) {
    for (std::size_t i = 0; i < N; ++i)
        if (names[i] == name) return static_cast<int>(i);
    return std::nullopt;
}

void apply(std::string_view entry, Thresholds& thresholds) {
    const auto equals = entry.find('=');
    const auto module = equals == std::string_view::npos ? std::string_view("all") : entry.substr(0, equals);
    const auto level = find(kLevelNames, equals == std::string_view::npos ? entry : entry.substr(equals + 1));
    if (!level) return;
    if (const auto index = find(kModuleNames, module)) thresholds[static_cast<std::size_t>(*index)] = Level(*level);
    if (module == "all") thresholds.fill(Level(*level));
}

Thresholds parse(std::string_view setting) {
    Thresholds thresholds;
    thresholds.fill(Level::off);
    while (!setting.empty()) {
        const auto comma = setting.find(',');
        apply(setting.substr(0, comma), thresholds);
        setting = comma == std::string_view::npos ? std::string_view() : setting.substr(comma + 1);
    }
    return thresholds;
}

const Thresholds& thresholds() {
    static const Thresholds value = parse(settings::text(settings::kLog).value_or(""));
    return value;
}

spdlog::sink_ptr openSink() {
    if (const auto path = settings::text(settings::kLogFile)) try {
            return std::make_shared<spdlog::sinks::basic_file_sink_mt>(*path);
        } catch (const std::exception& failure) {
            fmt::print(stderr, "ze-tools-layer: {}={}: {}; logging to standard error\n", settings::kLogFile, *path,
                       failure.what());
        }
    return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

/// Never destroyed: static objects of the host may still call us while the process exits.
spdlog::logger& logger(Module module) {
    struct Loggers {
        std::array<std::unique_ptr<spdlog::logger>, kModules> byModule;
        Loggers() {
            const auto sink = openSink();
            sink->set_pattern("[%H:%M:%S.%f] [%P:%t] [%n] [%l] %v");
            for (int i = 0; i < kModules; ++i) {
                auto& each = byModule[static_cast<std::size_t>(i)];
                each = std::make_unique<spdlog::logger>(std::string(kModuleNames[i]), sink);
                each->set_level(spdlog::level::trace);
                each->flush_on(spdlog::level::trace);
            }
        }
    };
    static auto* const loggers = new Loggers;
    return *loggers->byModule[static_cast<std::size_t>(module)];
}

}  // namespace

Level threshold(Module module) noexcept {
    try {
        return thresholds()[static_cast<std::size_t>(module)];
    } catch (...) {
        return Level::off;  // until there is memory to read the setting
    }
}

void write(Module module, Level level, fmt::string_view format, fmt::format_args arguments) noexcept {
    const WriteSignalsHeld held;
    try {
        fmt::memory_buffer text;
        fmt::vformat_to(std::back_inserter(text), format, arguments);
        logger(module).log(kSpdlogLevels[static_cast<int>(level)], spdlog::string_view_t(text.data(), text.size()));
    } catch (...) {
        // A log line that cannot be written must not disturb the caller.
    }
}

}  // namespace zetl::log::detail
