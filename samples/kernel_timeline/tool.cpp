// Prints when each kernel, copy, fill and barrier of a program ran, on the host's clock: one line each, when the
// program ends. The program is not changed and does not notice.
//
//   eval "$(zetl env --emulated)"
//   LD_PRELOAD=libkernel_timeline.so program
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <ze_tools_layer/device_activity.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

using namespace zetl::activity;

class Timeline final : public Sink {
  public:
    void opened(const Stream& stream) noexcept override { streams_[stream.id] = stream; }
    void named(std::uint32_t kernel, std::string_view name) noexcept override { kernels_[kernel] = name; }
    void took(const Span& span) noexcept override { spans_.push_back(span); }
    void missed(std::uint64_t commands) noexcept override { missed_ = commands; }

    void print() {
        std::sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
        std::fprintf(stderr, "%12s %12s  %-8s %s\n", "begin us", "length us", "engine", "work");
        for (const auto& span : spans_) {
            const auto& stream = streams_[span.stream];
            std::fprintf(stderr, "%12.2f %12.2f  %u.%-6u %s\n", microseconds(span.begin - spans_.front().begin),
                         microseconds(span.end - span.begin), stream.ordinal, stream.index, nameOf(span).c_str());
        }
        if (missed_) std::fprintf(stderr, "kernel_timeline: %" PRIu64 " commands could not be measured\n", missed_);
    }

  private:
    static double microseconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

    std::string nameOf(const Span& span) const {
        static const char* const kWorks[] = {"kernel", "copy", "fill", "barrier"};
        const auto kernel = kernels_.find(span.kernel);
        return kernel == kernels_.end() ? kWorks[static_cast<unsigned>(span.work)] : kernel->second;
    }

    std::map<std::uint32_t, Stream> streams_;
    std::map<std::uint32_t, std::string> kernels_;
    std::vector<Span> spans_;
    std::uint64_t missed_ = 0;
};

/// Lives until the process is gone: the program may call Level Zero while it ends.
Timeline& timeline() {
    static auto* const instance = new Timeline;
    return *instance;
}

void start() {
    static std::once_flag once;
    std::call_once(once, [] {
        std::string failure = "the tools layer is in no slot of the loader (zetl run, zetl env)";
        auto* layer = dlopen("libze_tools_layer.so.1", RTLD_LAZY | RTLD_NOLOAD);
        auto collector = layer ? Collector::start(layer, timeline(), failure) : nullptr;
        if (!collector) std::fprintf(stderr, "kernel_timeline: %s\n", failure.c_str());
        static_cast<void>(collector.release());
    });
}

template <class F>
F* next(const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

[[gnu::destructor]] void report() { timeline().print(); }

}  // namespace

/// When the loader has initialised its drivers, it has loaded the layer, and the program has no object yet.
extern "C" ZE_APIEXPORT ze_result_t ZE_APICALL zeInit(ze_init_flags_t flags) {
    static const auto original = next<decltype(zeInit)>("zeInit");
    const auto result = original(flags);
    if (result == ZE_RESULT_SUCCESS) start();
    return result;
}
