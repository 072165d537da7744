#include "base/log.h"

#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>

#include "base/parts.h"
#include "base/settings.h"
#include "base/write_signals.h"

namespace zetl::log::detail {
namespace {

constexpr std::string_view kLevelNames[] = {"trace", "debug", "info", "warn", "error", "off"};
constexpr spdlog::level::level_enum kSpdlogLevels[] = {spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                                                       spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};
using Thresholds = std::array<Level, kChannels>;

template <std::size_t N>
std::optional<int> find(const std::string_view (&names)[N], std::string_view name) noexcept {
    for (std::size_t i = 0; i < N; ++i)
        if (names[i] == name) return static_cast<int>(i);
    return std::nullopt;
}

void apply(std::string_view entry, Thresholds& thresholds) noexcept {
    const auto equals = entry.find('=');
    const auto channel = equals == std::string_view::npos ? std::string_view("all") : entry.substr(0, equals);
    const auto level = find(kLevelNames, equals == std::string_view::npos ? entry : entry.substr(equals + 1));
    if (!level) return;
    if (const auto index = find(kChannelNames, channel)) thresholds[static_cast<std::size_t>(*index)] = Level(*level);
    if (channel == "all") thresholds.fill(Level(*level));
}

Thresholds parse(std::string_view setting) noexcept {
    Thresholds thresholds;
    thresholds.fill(Level::off);
    forEachPart(setting, ',', [&](std::string_view entry) { apply(entry, thresholds); });
    return thresholds;
}

// First uses. No thread waits for another: a thread that finds a first use in progress makes its own logger, and the
// first one to be done is kept. A child forked meanwhile would wait for a thread that it does not have.

/// The thresholds, four bits per channel; 0 until they are read, since bit 63 is set then.
constinit std::atomic<std::uint64_t> packedThresholds{0};
constexpr std::uint64_t kRead = std::uint64_t{1} << 63;
constexpr unsigned kBits = 4;
static_assert(kChannels * kBits < 63);

std::uint64_t packed(const Thresholds& thresholds) noexcept {
    std::uint64_t all = kRead;
    for (std::size_t i = 0; i < thresholds.size(); ++i) all |= static_cast<std::uint64_t>(thresholds[i]) << (i * kBits);
    return all;
}

/// Standard error with its own lock; spdlog's sink shares one lock with all other users of it.
class StandardError : public spdlog::sinks::base_sink<std::mutex> {
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        std::fwrite(line.data(), 1, line.size(), stderr);
    }
    void flush_() override { std::fflush(stderr); }
};

spdlog::sink_ptr openSink() {
    if (const auto path = settings::text(settings::kLogFile)) try {
            return std::make_shared<spdlog::sinks::basic_file_sink_mt>(*path);
        } catch (const std::exception& failure) {
            fmt::print(stderr, "ze-tools-layer: {}={}: {}; logging to standard error\n", settings::kLogFile, *path,
                       failure.what());
        }
    return std::make_shared<StandardError>();
}

/// Of local time to UTC, in this moment.
std::chrono::seconds offsetNow() noexcept {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    return std::chrono::seconds(localtime_r(&now, &local) ? local.tm_gmtoff : 0);
}

/// The hour as it was when the library was loaded, also across a change of summer time. The C library's functions would
/// take its lock on time zones for each line, and a child that is forked while another thread has it would wait for
/// ever.
const std::chrono::seconds offset = offsetNow();

class TimeOfDay : public spdlog::custom_flag_formatter {
  public:
    static constexpr char kFlag = '*';
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& to) override {
        using std::chrono::microseconds;
        const auto since = std::chrono::duration_cast<microseconds>(message.time.time_since_epoch()) + offset;
        const std::chrono::hh_mm_ss time(since - std::chrono::floor<std::chrono::days>(since));
        fmt::format_to(std::back_inserter(to), "{:02}:{:02}:{:02}.{:06}", time.hours().count(), time.minutes().count(),
                       time.seconds().count(), time.subseconds().count());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<TimeOfDay>(); }
};

std::unique_ptr<spdlog::formatter> lineFormat() {
    auto line = std::make_unique<spdlog::pattern_formatter>();
    line->add_flag<TimeOfDay>(TimeOfDay::kFlag).set_pattern("[%*] [%P:%t] [%n] [%l] %v");
    return line;
}

struct Loggers {
    std::array<std::unique_ptr<spdlog::logger>, kChannels> byChannel;

    Loggers() {
        const auto sink = openSink();
        sink->set_formatter(lineFormat());
        for (int i = 0; i < kChannels; ++i) {
            auto& each = byChannel[static_cast<std::size_t>(i)];
            each = std::make_unique<spdlog::logger>(std::string(kChannelNames[i]), sink);
            each->set_level(spdlog::level::trace);
            each->flush_on(spdlog::level::trace);
        }
    }
};

/// Never destroyed: static objects of the host may still call us while the process exits.
constinit std::atomic<Loggers*> published{nullptr};

/// For a forked child: a thread that it does not have may hold the parent's locks, so the child opens its own loggers.
/// The parent's are not destroyed, because that would write their buffered text a second time.
[[maybe_unused]] const int forkHandled = pthread_atfork(nullptr, nullptr, [] { published.store(nullptr); });

spdlog::logger& logger(Channel channel) {
    Loggers* loggers = published.load(std::memory_order_acquire);
    if (!loggers) {
        auto made = std::make_unique<Loggers>();
        if (published.compare_exchange_strong(loggers, made.get(), std::memory_order_acq_rel)) loggers = made.release();
    }
    return *loggers->byChannel[static_cast<std::size_t>(channel)];
}

}  // namespace

Level threshold(Channel channel) noexcept {
    std::uint64_t all = packedThresholds.load(std::memory_order_relaxed);
    if (all == 0) {
        const char* setting = settings::value(settings::kLog);
        all = packed(parse(setting ? setting : ""));
        packedThresholds.store(all, std::memory_order_relaxed);
    }
    return static_cast<Level>((all >> (static_cast<unsigned>(channel) * kBits)) & ((1u << kBits) - 1));
}

void write(Channel channel, Level level, fmt::string_view format, fmt::format_args arguments) noexcept {
    const WriteSignalsHeld held;
    try {
        fmt::memory_buffer text;
        fmt::vformat_to(std::back_inserter(text), format, arguments);
        logger(channel).log(kSpdlogLevels[static_cast<int>(level)], spdlog::string_view_t(text.data(), text.size()));
    } catch (...) {
        // A log line that cannot be written must not disturb the caller.
    }
}

}  // namespace zetl::log::detail
