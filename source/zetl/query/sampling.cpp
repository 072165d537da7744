#include "query/sampling.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>

#include "injected/stalls_format.h"
#include "injected/tracer.h"
#include "query/samplers.h"

namespace zetl::queries {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenReadings = 1ms;

Samplers* samplers = nullptr;  // of this process, never destroyed
pid_t sampled = 0;

/// A forked child has no thread that reads. If memory runs out, samples are lost, and the program goes on.
template <class F>
void onSamplers(F&& body) noexcept {
    if (getpid() != sampled) return;
    try {
        body(*samplers);
    } catch (const std::exception&) {
        std::fputs("zetl: out of memory for samples\n", stderr);
    }
}

void finishSampling() {
    onSamplers([](Samplers& all) { all.finish(); });
}

void readOnAndOn() noexcept {
    prctl(PR_SET_NAME, "zetl-stalls");
    bool more = true;
    while (more) {
        onSamplers([&](Samplers& all) { more = all.read(); });
        std::this_thread::sleep_for(kBetweenReadings);
    }
}

/// The thread takes none of the application's signals.
void startThread() {
    sigset_t all;
    sigset_t former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    try {
        std::thread(readOnAndOn).detach();
    } catch (const std::system_error& failure) {
        std::fprintf(stderr, "zetl: samples are read only at the end, so more may be lost: %s\n", failure.what());
    }
    pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

void startReading() {
    static const bool started = [] {
        startThread();
        return std::atexit(finishSampling) == 0;
    }();
    static_cast<void>(started);
}

void moduleMade(ze_module_create_params_t* parameters, ze_result_t result, void*, void**) noexcept {
    if (result != ZE_RESULT_SUCCESS || !*parameters->pphModule) return;
    onSamplers([&](Samplers& all) {
        all.moduleMade(**parameters->pphModule);
        startReading();
    });
}

void moduleEnds(ze_module_destroy_params_t* parameters, ze_result_t, void*, void**) noexcept {
    onSamplers([&](Samplers& all) { all.moduleEnds(*parameters->phModule); });
}

/// None: it is adapted.
std::optional<std::uint32_t> wantedPeriod() {
    const char* const text = secure_getenv(command::kStallsPeriodVariable);
    std::uint32_t period = 0;
    const bool good = text && std::from_chars(text, text + std::strlen(text), period).ec == std::errc() && period > 0;
    return good ? std::optional(period) : std::nullopt;
}

}  // namespace

bool sample(void* layer, const char* directory) {
    auto calls = command::Tracer::create(layer);
    if (!calls) return false;
    samplers = new Samplers(directory, wantedPeriod());
    sampled = getpid();
    calls->add("zeModuleCreate", ZEL_REGISTER_EPILOGUE, moduleMade);
    calls->add("zeModuleDestroy", ZEL_REGISTER_PROLOGUE, moduleEnds);
    return calls->enable();
}

}  // namespace zetl::queries
