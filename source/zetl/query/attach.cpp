// libzetl_queries.so: puts a metric query around every kernel of a process, for `zetl metrics query`, or samples its
// instructions, for `zetl stalls` (sampling.h).
//
// It gets into the process as the recorder does (recorder/recorder.cpp): the loader opens it as its tracing layer and
// finds the tools layer, on which it depends, through it. Data are taken where the program waits, and at its end.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "activity/launch_observer.h"
#include "injected/query_format.h"
#include "injected/stalls_format.h"
#include "query/launches.h"
#include "query/sampling.h"

namespace zetl::queries {
namespace {

using namespace std::chrono_literals;

/// Created at the first use, before this library's other objects, and never destroyed.
std::string& file() {
    static auto* const path = new std::string;
    return *path;
}
pid_t owner = 0;

/// If memory runs out, a launch is not measured, and the program goes on.
template <class F>
void guarded(F&& body) noexcept {
    try {
        body();
    } catch (const std::exception&) {
        std::fputs("zetl: a kernel is not measured: out of memory\n", stderr);
    }
}

/// What has been submitted may end a moment later; what never executed is not waited for long.
void finish() {
    if (getpid() != owner) return;
    guarded([] {
        auto& launches = Launches::instance();
        constexpr int kLooks = 100;
        for (int i = 0; i < kLooks; ++i) {
            launches.collect();
            if (launches.complete()) break;
            std::this_thread::sleep_for(1ms);
        }
        launches.write(file().c_str());
    });
}

void finishAtExit() {
    static const int registered = std::atexit(finish);
    static_cast<void>(registered);
}

/// Puts a query around each launch.
class Brackets : public activity::LaunchObserver {
  public:
    void launching(const activity::Launch& launch) noexcept override {
        open_ = nullptr;
        guarded([&] {
            finishAtExit();
            open_ = Launches::instance().begin(launch);
        });
    }
    void launched(ze_result_t) noexcept override {
        if (open_) guarded([] { Launches::instance().end(open_); });
    }
    void captured(std::span<const ze_kernel_handle_t> kernels, activity::CapturedKernels& all) noexcept override {
        guarded([&] { Launches::instance().describe(kernels, all); });
    }
    void listEnds(ze_command_list_handle_t list) noexcept override {
        guarded([&] { Launches::instance().listEnds(list); });
    }
    void somethingIsOver() noexcept override {
        guarded([] { Launches::instance().collect(); });
    }

  private:
    static thread_local Bracket* open_;  ///< of the launch that this thread is in; null: not measured
};
thread_local Bracket* Brackets::open_ = nullptr;

void measure(void* layer, const char* path) {
    file() = path;
    owner = getpid();
    static auto* const brackets = new Brackets;
    std::string failure;
    if (!activity::observeLaunches(layer, *brackets, failure))
        std::fprintf(stderr, "zetl: not measuring: %s\n", failure.c_str());
}

/// Null if it is not wanted.
const char* wanted(const char* variable) {
    const char* const value = secure_getenv(variable);
    return value && *value ? value : nullptr;
}

[[gnu::constructor]] void attach() {
    const char* const queries = wanted(command::kQueryFileVariable);
    const char* const stalls = wanted(command::kStallsDirectoryVariable);
    if (!queries && !stalls) return;
    guarded([&] {
        void* const layer = dlopen("libze_tools_layer.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        if (!layer)
            return static_cast<void>(std::fputs("zetl: not measuring: the tools layer is not loaded\n", stderr));
        if (queries) measure(layer, queries);
        if (stalls && !sample(layer, stalls))
            std::fputs("zetl: not sampling: the tools layer refused a tracer\n", stderr);
    });
}

}  // namespace
}  // namespace zetl::queries
