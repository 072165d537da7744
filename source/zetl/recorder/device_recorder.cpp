#include "recorder/device_recorder.h"

#include <ze_tools_layer/device_activity.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "recorder/live_stream.h"
#include "recorder/recording.h"
#include "text/patterns.h"
#include "timeline/device_view.h"

namespace zetl::recorder {
namespace {

using namespace command;

constinit thread_local const Record* currentCall = nullptr;

/// Serves the application's calls, until the process is gone or the recording is ended from outside.
std::atomic<activity::Collector*> collector{nullptr};

/// A program that ends does not wait for its commands. The signal handler that ends it may have interrupted a call, and
/// then the driver must not be entered again.
void readAtExit() {
    auto* const reading = collector.load();
    if (!currentCall && reading) reading->readLast();
}

/// Once a driver is there, so that its own end comes after this.
void registerReading() {
    static const bool registered = std::atexit(readAtExit) == 0 && std::at_quick_exit(readAtExit) == 0;
    static_cast<void>(registered);
}

class Watcher final : public activity::Sink {
  public:
    explicit Watcher(const char* kernels) : wanted_(kernels) {}

    std::uint64_t call() noexcept override { return currentCall ? Recording::placeOf(currentCall) : 0; }
    std::uint64_t began() noexcept override {
        return currentCall ? currentCall->begin.load(std::memory_order_relaxed) : 0;
    }
    /// True inside a recorded call, without reading the clock again.
    bool wanted() noexcept override { return currentCall || Recording::isOn(); }

    void opened(const activity::Stream& stream) noexcept override {
        const RecordedStream recorded{reinterpret_cast<std::uintptr_t>(stream.handle),
                                      reinterpret_cast<std::uintptr_t>(stream.device),
                                      stream.ordinal,
                                      stream.index,
                                      stream.immediate ? 1u : 0u,
                                      0};
        if (auto* record = Recording::add(kStream, kStreamWords, stream.id)) {
            std::memcpy(record->payload(), &recorded, sizeof recorded);
            Recording::finish(record, now());
        }
    }

    /// A name is recorded once, before the first span that has it.
    void named(std::uint32_t kernel, std::string_view name) noexcept override try {
        if (LiveStream::isOn()) names_.emplace(kernel, name);
        if (!wanted_.match(name)) unwanted_.insert(kernel);  // its name says which patterns would have met it
        const auto words = static_cast<std::uint16_t>(std::min<std::size_t>(name.size() / 8 + 1, kMostNameWords));
        if (auto* record = Recording::add(kKernelName, words, kernel)) {
            std::memcpy(record->payload(), name.data(), std::min<std::size_t>(name.size(), words * 8 - 1));
            Recording::finish(record, now());
        }
    } catch (const std::bad_alloc&) {
    }

    void took(const activity::Span& span) noexcept override {
        if (!isWanted(span)) return;
        if (LiveStream::isOn()) LiveStream::work(nameOf(span), span.stream, span.begin, span.end);
        auto* record = Recording::add(kSpan, kSpanWords, span.stream);
        if (!record) return Recording::countSpanBeyond();
        const auto& [groups, size, localBytes, registers, simdWidth] = span.shape;
        const RecordedSpan recorded{span.appended,
                                    span.submitted,
                                    span.bytes,
                                    span.submittedAt,
                                    span.stream,
                                    span.kernel,
                                    static_cast<std::uint32_t>(span.work),
                                    localBytes,
                                    {groups[0], groups[1], groups[2]},
                                    {size[0], size[1], size[2]},
                                    registers,
                                    simdWidth,
                                    0};
        std::memcpy(record->payload(), &recorded, sizeof recorded);
        record->end = span.end;
        Recording::finish(record, std::max<std::uint64_t>(span.begin, 1));
    }

    void missed(std::uint64_t commands) noexcept override { Recording::setUnmeasured(commands); }
    /// In the file whatever ends the process: what it leaves here was not measured.
    void unread(std::uint64_t commands) noexcept override {
        registerReading();
        Recording::setUnread(commands);
    }

  private:
    bool isWanted(const activity::Span& span) const {
        if (span.work != activity::Work::kernel) return wanted_.each().empty();  // who names kernels wants nothing else
        return !unwanted_.contains(span.kernel);
    }

    std::string_view nameOf(const activity::Span& span) const {
        const auto found = names_.find(span.kernel);
        return span.work == activity::Work::kernel && found != names_.end()
                   ? std::string_view(found->second)
                   : kKindsOfWork[static_cast<std::size_t>(span.work) % std::size(kKindsOfWork)];
    }

    command::Patterns wanted_;
    std::unordered_map<std::uint32_t, std::string> names_;  // of kernels, for the live stream
    std::unordered_set<std::uint32_t> unwanted_;
};

}  // namespace

void DeviceRecorder::start(void* layer, const char* kernels, bool late) {
    // Each is used until the process ends: calls in progress may still reach one that was replaced.
    static std::vector<std::unique_ptr<Watcher>>* const watchers = new std::vector<std::unique_ptr<Watcher>>;
    auto& watcher = *watchers->emplace_back(std::make_unique<Watcher>(kernels));
    std::string failure;
    collector = (late ? activity::Collector::startLate(layer, watcher, failure)
                      : activity::Collector::start(layer, watcher, failure))
                    .release();
    if (!collector) std::fprintf(stderr, "zetl: calls are recorded, but not what devices do: %s\n", failure.c_str());
}

void DeviceRecorder::read() noexcept {
    if (auto* const reading = collector.load()) reading->readComplete();
}

void DeviceRecorder::stop() noexcept { delete collector.exchange(nullptr); }

void DeviceRecorder::callBegins(const Record* record) noexcept { currentCall = record; }

}  // namespace zetl::recorder
