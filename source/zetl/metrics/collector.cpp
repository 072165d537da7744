#include "metrics/collector.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "files/file_content.h"
#include "metrics/device_stream.h"
#include "metrics/prometheus_server.h"
#include "metrics/prometheus_text.h"
#include "text/result_name.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kSecondsToOpen = 20;
constexpr auto kBetweenReadings = 20ms;  // a device keeps 65,536 reports
constexpr auto kLongestEnd = 1000ms;

/// The first message of the process: whether it started.
enum class Beginning : char { ready = '+', noSuchGroup = '?', failed = '-' };

/// In the child.
class Streams {
  public:
    explicit Streams(const CollectorOptions& options) {
        if (!functions_.loader) throw std::runtime_error("no Level Zero loader was found; run `zetl doctor`");
        const auto& functions = functions_;
        if (const auto result = CALL(zeInit)(0); result != ZE_RESULT_SUCCESS)
            throw std::runtime_error(fmt::format(
                "zeInit returns {}: no device was found; use --emulated, or run `zetl doctor`", resultName(result)));
        for (auto* driver : driversOf(functions_)) openAll(driver, options);
        if (streams_.empty()) refuse();
        std::vector<CounterSource> all;
        for (const auto& each : streams_) std::ranges::move(each->sources(), std::back_inserter(all));
        writer_ = std::make_unique<CounterWriter>(options.file, all);
        if (options.prometheus) serve(*options.prometheus, all);
    }

    void read() {
        std::uint32_t first = 0;
        for (const auto& each : streams_) {
            each->read(*writer_, first);
            first += static_cast<std::uint32_t>(each->sources().size());
        }
        writer_->flush();
    }

    /// Waits until one more report has arrived.
    void waitForTheLast() const {
        auto longest = std::chrono::nanoseconds(0);
        for (const auto& each : streams_) longest = std::max(longest, each->period());
        std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(longest + 1ms, kLongestEnd));
    }

  private:
    void openAll(ze_driver_handle_t driver, const CollectorOptions& options) {
        const auto& functions = functions_;
        for (auto* device : handles<ze_device_handle_t>(CALL(zeDeviceGet), driver)) {
            ++devices_;
            try {
                streams_.push_back(
                    std::make_unique<DeviceStream>(functions_, driver, device, options.group, options.period));
            } catch (const NoSuchGroup& refusal) {
                refusal_ = refusal.what();
            }
        }
    }
    void serve(const PrometheusSocket& socket, const std::vector<CounterSource>& sources) {
        metrics_ = std::make_unique<PrometheusMetrics>(sources);
        writer_->setObserver([this](const CounterRow& row) { metrics_->add(row); });
        server_ = std::make_unique<PrometheusServer>(socket, [this] { return metrics_->text(); });
    }
    [[noreturn]] void refuse() const {
        if (devices_ == 0)
            throw std::runtime_error("no Level Zero device was found; use --emulated, or run `zetl doctor`");
        throw NoSuchGroup(refusal_ + "; `zetl metrics list` lists the groups, and CoreApiOnly works without metrics");
    }

    Functions functions_;
    std::vector<std::unique_ptr<DeviceStream>> streams_;
    std::unique_ptr<CounterWriter> writer_;
    std::unique_ptr<PrometheusMetrics> metrics_;
    std::unique_ptr<PrometheusServer> server_;  // uses the metrics
    std::uint32_t devices_ = 0;
    std::string refusal_;
};

void tell(int pipe, Beginning beginning, const std::string& text) {
    const auto message = static_cast<char>(beginning) + text;
    static_cast<void>(!write(pipe, message.data(), message.size()));
    close(pipe);
}

bool stopped(int stop) {
    pollfd waiting{stop, POLLIN, 0};
    return poll(&waiting, 1, static_cast<int>(std::chrono::milliseconds(kBetweenReadings).count())) > 0;
}

int collect(const CollectorOptions& options, int ready, int stop) try {
    std::unique_ptr<Streams> streams;
    try {
        streams = std::make_unique<Streams>(options);
    } catch (const NoSuchGroup& refusal) {
        tell(ready, Beginning::noSuchGroup, refusal.what());
        return 1;
    } catch (const std::exception& failure) {
        tell(ready, Beginning::failed, failure.what());
        return 1;
    }
    alarm(0);
    tell(ready, Beginning::ready, "");
    while (!stopped(stop)) streams->read();
    streams->waitForTheLast();
    streams->read();
    return 0;
} catch (const std::exception& failure) {
    fmt::print(stderr, "zetl: stopped reading counters early: {}\n", failure.what());
    return 1;
}

/// The program handles signals from the terminal.
[[noreturn]] void runChild(const Variables& variables, const CollectorOptions& options, int ready, int stop) {
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
    std::signal(SIGALRM, SIG_DFL);
    alarm(kSecondsToOpen);
    apply(variables);
    _exit(collect(options, ready, stop));
}

}  // namespace

Collector::Collector(const Installation& installation, Choice choice, const CollectorOptions& options) {
    choice.metrics = true;
    const auto variables = variablesFor(installation, choice);
    int ready[2];
    int stop[2];
    if (pipe2(ready, O_CLOEXEC) != 0 || pipe2(stop, O_CLOEXEC) != 0)
        throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
    process_ = fork();
    if (process_ < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
    if (process_ == 0) {
        close(ready[0]);
        close(stop[1]);
        runChild(variables, options, ready[1], stop[0]);
    }
    close(ready[1]);
    close(stop[0]);
    stop_ = stop[1];
    const auto said = readAll(ready[0]);
    close(ready[0]);
    const auto beginning = said.empty() ? Beginning::failed : static_cast<Beginning>(said[0]);
    if (beginning == Beginning::ready) return;
    close(std::exchange(stop_, -1));
    waitpid(std::exchange(process_, -1), nullptr, 0);
    if (beginning == Beginning::noSuchGroup) throw UsageError(said.substr(1));
    throw std::runtime_error(said.empty() ? "opening the streamers crashed, or did not finish within 20 s"
                                          : said.substr(1));
}

Collector::~Collector() { finish(); }

bool Collector::finish() {
    if (process_ < 0) return true;
    close(std::exchange(stop_, -1));
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    if (WIFSIGNALED(status))
        fmt::print(stderr, "zetl: the process that reads counters was ended by signal {}\n", WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace zetl::command
