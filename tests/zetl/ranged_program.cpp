// A program for `zetl trace` to run that marks ranges by Intel's ITT API. In the place of the API's static library it
// has what that library does at the first call: it loads INTEL_LIBITTNOTIFY64 and lets it set the pointers behind the
// calls.
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

struct Domain {
    int flags;
    const char* name;
    void* wide;
    int reserved;
    void* also;
    Domain* next;
};
struct Text {
    const char* text;
    void* wide;
    int reserved;
    void* also;
    Text* next;
};
struct Id {
    unsigned long long words[3];
};
struct Function {
    const char* name;
    void** called;
    void* before;
    void* without;
    std::uint32_t group;
};
struct State {
    unsigned char magic[8] = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30};
    unsigned long version[3] = {3, 24, 20230630};
    long counts[3] = {};
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    void* library = nullptr;
    void* errorHandler = nullptr;
    const char** path = nullptr;
    Function* functions = nullptr;
    State* next = nullptr;
};

void (*taskBegin)(const Domain*, Id, Id, Text*) = nullptr;
void (*taskEnd)(const Domain*) = nullptr;
void (*overlappedBegin)(const Domain*, Id, Id, Text*) = nullptr;
void (*overlappedEnd)(const Domain*, Id) = nullptr;
Domain* (*makeDomain)(const char*) = nullptr;
Text* (*makeText)(const char*) = nullptr;
int (*makeEvent)(const char*, int) = nullptr;
int (*eventStart)(int) = nullptr;
int (*eventEnd)(int) = nullptr;
void (*pauseCollection)() = nullptr;
void (*resumeCollection)() = nullptr;
void (*ofNoInterest)() = nullptr;

template <class F>
Function row(const char* name, F& pointer) {
    return {name, reinterpret_cast<void**>(&pointer), nullptr, nullptr, 1};
}

State state;

int load(const std::string& variant) {
    static Function functions[] = {row("__itt_of_no_interest", ofNoInterest),
                                   row("__itt_task_begin", taskBegin),
                                   row("__itt_task_end", taskEnd),
                                   row("__itt_task_begin_overlapped", overlappedBegin),
                                   row("__itt_task_end_overlapped", overlappedEnd),
                                   row("__itt_domain_create", makeDomain),
                                   row("__itt_string_handle_create", makeText),
                                   row("__itt_event_create", makeEvent),
                                   row("__itt_event_start", eventStart),
                                   row("__itt_event_end", eventEnd),
                                   row("__itt_pause", pauseCollection),
                                   row("__itt_resume", resumeCollection),
                                   {}};
    state.functions = functions;
    if (variant == "unknown") state.version[2] = 20090101;
    const char* name = std::getenv("INTEL_LIBITTNOTIFY64");
    state.library = name ? dlopen(name, RTLD_LAZY) : nullptr;
    if (!state.library) {
        std::fprintf(stderr, "ranged_program: %s\n", name ? dlerror() : "no collector");
        return 1;
    }
    const auto init = reinterpret_cast<void (*)(State*, std::uint32_t)>(dlsym(state.library, "__itt_api_init"));
    if (!init) return 2;
    init(&state, 1);
    if (variant == "unknown") return taskBegin ? 3 : 0;
    return ofNoInterest || !taskBegin || !taskEnd || !pauseCollection || !resumeCollection ? 4 : 0;
}

class Range {
  public:
    explicit Range(const char* name) : name_{name, nullptr, 0, nullptr, nullptr} {
        taskBegin(&kDomain, {}, {}, &name_);
    }
    ~Range() { taskEnd(&kDomain); }
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;

  private:
    static constexpr Domain kDomain{1, "solver.example", nullptr, 0, nullptr, nullptr};
    Text name_;
};

void markAll() {
    {
        const Range outer("set up");
        zeInit(0);
        const Range inner("find <drivers>");
        std::uint32_t count = 0;
        zeDriverGet(&count, nullptr);
    }
    const std::string large(100'000, 'n');
    for (const auto* name : {static_cast<const char*>(nullptr), large.c_str()}) const Range named(name);
    {
        const Range around("around a pause");
        pauseCollection();
        {
            const Range hidden("hidden");
            ze_driver_handle_t driver = nullptr;
            std::uint32_t one = 1;
            zeDriverGet(&one, &driver);
            resumeCollection();
            const Range half("inside a hidden one");
        }
        const Range again("shown again");
    }
    std::thread([] { const Range other("on another thread"); }).join();
    taskEnd(nullptr);  // one too many
}

/// The static library leaves domains and strings to its collector, once it has loaded one.
bool markOverlapped() {
    auto* const domain = makeDomain("late.example");
    auto* const text = makeText("overlapped");
    if (!domain || domain->flags == 0 || makeDomain("late.example") != domain) return false;
    if (!text || makeText("overlapped") != text) return false;
    const int event = makeEvent("event and more", 5);
    if (event == 0 || makeEvent("event", 5) != event || makeEvent("other", 5) == event) return false;
    overlappedBegin(domain, {{1, 0, 0}}, {}, text);
    eventStart(event);
    overlappedBegin(domain, {{2, 0, 0}}, {}, text);
    overlappedEnd(domain, {{1, 0, 0}});
    overlappedEnd(domain, {{3, 0, 0}});            // never began
    std::thread([&] { eventEnd(event); }).join();  // another thread's would be
    eventEnd(event);
    eventStart(-1);
    eventEnd(4711);
    overlappedEnd(domain, {{2, 0, 0}});
    return true;
}

void forkInRange() {
    const Range around("around a fork");
    const auto child = fork();
    if (child != 0) {
        waitpid(child, nullptr, 0);
        return;
    }
    {
        const Range own("in the child");
        std::uint32_t count = 0;
        zeDriverGet(&count, nullptr);
    }
    taskEnd(nullptr);  // the parent's
    taskEnd(nullptr);
    _exit(0);
}

}  // namespace

int main(int, char** arguments) {
    const std::string variant = arguments[1];
    if (const int failure = load(variant); failure != 0 || variant == "unknown") return failure;
    markAll();
    if (!markOverlapped()) return 5;
    forkInRange();
    const Text left{"never ended", nullptr, 0, nullptr, nullptr};
    taskBegin(nullptr, {}, {}, const_cast<Text*>(&left));
    std::fflush(nullptr);
    _exit(0);
}
