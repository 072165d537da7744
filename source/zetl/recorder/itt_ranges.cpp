// Ranges that programs mark by Intel's ITT API. A program that uses the API has a small static library in it, which
// loads the library that INTEL_LIBITTNOTIFY64 names and calls its __itt_api_init.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "recorder/itt_objects.h"
#include "recorder/lanes.h"
#include "recorder/ranges.h"
#include "recorder/recording.h"

namespace zetl::recorder {
namespace {

// The part of the API's structures that is used, as the static library in the program has them.

struct IttFunction {
    const char* name;
    void** called;  // what the program's calls go through
    void* before;
    void* without;
    std::uint32_t group;
};
struct IttState {
    unsigned char magic[8];
    unsigned long major;
    unsigned long minor;
    unsigned long build;  // a date: 20230630
    long isInitialised;
    long hasMutex;
    long count;
    pthread_mutex_t mutex;
    void* library;
    void* errorHandler;
    const char** path;
    IttFunction* functions;  // up to one without a name
};
struct IttId {
    std::uint64_t words[3];
};

constexpr unsigned char kIttMagic[8] = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30};
constexpr unsigned long kFirstKnownBuild = 20110101;  // earlier ones have another IttFunction

std::string_view orEmpty(const char* text) { return text ? std::string_view(text) : std::string_view(); }
std::string_view nameOf(const IttDomain* domain) { return domain ? orEmpty(domain->name) : std::string_view(); }
std::string_view textOf(const IttText* text) { return text ? orEmpty(text->text) : std::string_view(); }

void beginTask(const IttDomain* domain, IttId, IttId, const IttText* name) noexcept {
    openRange(textOf(name), nameOf(domain));
}
void endTask(const IttDomain*) noexcept { closeRange(); }

RangeKey keyOf(const IttDomain* domain, const IttId& id) {
    return {reinterpret_cast<std::uintptr_t>(domain), id.words[0], id.words[1], id.words[2]};
}
void beginOverlapped(const IttDomain* domain, IttId id, IttId, const IttText* name) noexcept {
    startRange(textOf(name), nameOf(domain), keyOf(domain, id));
}
void endOverlapped(const IttDomain* domain, IttId id) noexcept { endRange(keyOf(domain, id)); }

/// Each thread has its own occurrences of an event. No domain has the address 0.
RangeKey keyOf(int event) { return {0, static_cast<std::uint64_t>(event), pthread_self(), 0}; }
int startEvent(int event) noexcept {
    if (const auto* name = nameOfIttEvent(event)) startRange(*name, {}, keyOf(event));
    return 0;
}
int endEvent(int event) noexcept {
    endRange(keyOf(event));
    return 0;
}

void pauseRecording() noexcept { Recording::setPaused(true); }
void resumeRecording() noexcept { Recording::setPaused(false); }

struct Entry {
    std::string_view name;
    void* function;
};

template <class F>
void* addressOf(F* function) {
    return reinterpret_cast<void*>(function);
}

void connect(const IttState& state) noexcept {
    const std::array entries = {
        Entry{"__itt_domain_create", addressOf(makeIttDomain)},
        Entry{"__itt_string_handle_create", addressOf(makeIttText)},
        Entry{"__itt_task_begin", addressOf(beginTask)},
        Entry{"__itt_task_end", addressOf(endTask)},
        Entry{"__itt_task_begin_overlapped", addressOf(beginOverlapped)},
        Entry{"__itt_task_end_overlapped", addressOf(endOverlapped)},
        Entry{"__itt_event_create", addressOf(makeIttEvent)},
        Entry{"__itt_event_start", addressOf(startEvent)},
        Entry{"__itt_event_end", addressOf(endEvent)},
        Entry{"__itt_pause", addressOf(pauseRecording)},
        Entry{"__itt_resume", addressOf(resumeRecording)},
    };
    for (auto* each = state.functions; each && each->name; ++each) {
        const auto found = std::ranges::find(entries, std::string_view(each->name), &Entry::name);
        if (found != entries.end() && each->called) *each->called = found->function;
    }
}

}  // namespace

/// Called once for each static library of the process, while it holds a lock of its own.
extern "C" [[gnu::visibility("default")]] void zetlConnectRanges(const IttState* state, std::uint32_t groups) noexcept
    asm("__itt_api_init");

extern "C" void zetlConnectRanges(const IttState* state, std::uint32_t) noexcept {
    if (!state || !Recording::hasStarted()) return;
    if (std::memcmp(state->magic, kIttMagic, sizeof kIttMagic) != 0 || state->build < kFirstKnownBuild) {
        std::fprintf(stderr,
                     "zetl: ranges of this program are not recorded: its ITT library is of an unknown version\n");
        return;
    }
    connect(*state);
}

}  // namespace zetl::recorder
