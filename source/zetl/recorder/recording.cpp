#include "recorder/recording.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <vector>

#include "recorder/live_stream.h"
#include "text/rank.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace zetl::recorder {
namespace {

using namespace command;

/// The place that one thread fills. `generation` tells a chunk of this process's recording from one inherited by fork.
struct Cursor {
    char* next;
    char* end;
    std::uint32_t generation;
    std::uint32_t thread;
};

struct State {
    std::mutex mutex;  // file creation, unused chunks
    std::string directory;
    std::atomic<bool> started{false};
    std::atomic<bool> attached{false};  // by another process, for this process alone
    std::atomic<std::uint64_t> limit{0};
    // a Period
    std::atomic<std::uint64_t> from{0};
    std::atomic<std::uint64_t> until{UINT64_MAX};
    std::atomic<bool> paused{false};
    std::atomic<FileHeader*> file{nullptr};
    std::atomic<std::uint64_t> writable{0};  // bytes of the file whose blocks are allocated; changes under the mutex
    std::atomic<std::uint32_t> generation{1};
    std::vector<Cursor> unused;  // of threads that ended
    pthread_key_t threadEnd{};
};

/// Never destroyed, because calls may come until the process ends.
State& state() {
    static auto* const instance = new State;
    return *instance;
}

constinit thread_local Cursor cursor{};

constexpr std::uint64_t kPageBytes = 4096;
static_assert(kHeaderBytes % kPageBytes == 0 && kChunkBytes % kPageBytes == 0);

void complain(const char* what, const std::string& subject) {
    std::fprintf(stderr, "zetl: not recording: %s %s: %s\n", what, subject.c_str(), std::strerror(errno));
}

/// The limit, made smaller if the process may not write files that large: going beyond would raise SIGXFSZ.
std::uint64_t allowedBytes(std::uint64_t limit) {
    rlimit fileSize{};
    if (getrlimit(RLIMIT_FSIZE, &fileSize) == 0 && fileSize.rlim_cur < limit) return fileSize.rlim_cur;
    return limit;
}

/// A new file of the whole size, without blocks yet, and its mapping. The descriptor is not kept, because programs may
/// close unknown descriptors.
FileHeader* createFile(const State& state) {
    const auto bytes = allowedBytes(state.limit);
    if (bytes < kSmallestRecording) {
        std::fprintf(stderr, "zetl: not recording: only %llu bytes are allowed (%s, ulimit -f), but %llu are needed\n",
                     static_cast<unsigned long long>(bytes), kLimitVariable,
                     static_cast<unsigned long long>(kSmallestRecording));
        return nullptr;
    }
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const auto path =
            state.directory + "/" + std::to_string(getpid()) + "-" + std::to_string(attempt) + command::kFileSuffix;
        const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0 && errno == EEXIST) continue;
        if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
            complain("cannot create", path);
            if (file >= 0) close(file);
            return nullptr;
        }
        void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
        close(file);
        if (memory == MAP_FAILED) {
            complain("cannot map", path);
            return nullptr;
        }
        return static_cast<FileHeader*>(memory);
    }
    return nullptr;
}

/// Allocates the pages' blocks on disk now, so that a full disk is an error here and not a SIGBUS in the program later.
/// Kernels before 5.14 do not support this; there the risk remains.
bool makeWritable(char* memory, std::uint64_t bytes) {
    return madvise(memory, bytes, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
}

std::uint64_t realTime() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

/// The pair of clocks, read so that a switch to another process in between does not count.
void readClocks(FileHeader& header) {
    std::uint64_t narrowest = UINT64_MAX;
    for (int attempt = 0; attempt < 8; ++attempt) {
        const auto before = now();
        const auto real = realTime();
        const auto width = now() - before;
        if (width >= narrowest) continue;
        narrowest = width;
        header.monotonic = before + width / 2;
        header.realtime = real;
    }
}

void readBoot(FileHeader& header) {
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const auto bytes = read(file, header.boot, sizeof header.boot - 1);
    close(file);
    header.boot[bytes > 0 ? bytes - 1 : 0] = 0;  // without the end of the line
}

/// Where the process runs, for recordings of several ranks and hosts.
void fillPlace(FileHeader& header) {
    const auto rank = currentRank();
    header.rank = rank.number;
    header.ranks = rank.of;
    header.job = currentJob();
    if (gethostname(header.host, sizeof header.host - 1) != 0) header.host[0] = 0;
    readBoot(header);
    readClocks(header);
}

void fillHeader(FileHeader& header, bool paused) {
    fillPlace(header);
    header.paused.store(paused ? 1 : 0, std::memory_order_relaxed);
    header.functions = kFunctions;
    header.process = static_cast<std::uint32_t>(getpid());
    header.parent = static_cast<std::uint32_t>(getppid());
    std::snprintf(header.command, sizeof header.command, "%s", program_invocation_short_name);
    for (auto& each : header.overflow) each.shortest.store(UINT64_MAX, std::memory_order_relaxed);
    std::memcpy(header.magic, kMagic, sizeof kMagic);
}

/// The file's first bytes, up to `end`.
bool makeWritableTo(State& state, FileHeader* file, std::uint64_t end) {
    const auto done = state.writable.load(std::memory_order_relaxed);
    if (end <= done) return true;
    if (!makeWritable(reinterpret_cast<char*>(file) + done, end - done)) return false;
    state.writable.store(end, std::memory_order_relaxed);
    return true;
}

bool openFile(State& state) {
    auto* header = createFile(state);
    if (!header) return false;
    state.writable = 0;
    if (!makeWritableTo(state, header, kHeaderBytes)) {
        std::fprintf(stderr, "zetl: not recording: no room in %s\n", state.directory.c_str());
        return false;
    }
    fillHeader(*header, state.paused);
    state.file.store(header, std::memory_order_release);
    return true;
}

std::uint64_t nextChunk(const FileHeader& file) {
    return kHeaderBytes + file.chunks.load(std::memory_order_relaxed) * kChunkBytes;
}

/// Why there can be no chunk at this place. If there is no reason, its pages have blocks.
Shortage shortageAt(State& state, FileHeader* file, std::uint64_t offset) {
    if (offset + kChunkBytes > state.limit) return Shortage::limit;
    if (offset + kChunkBytes > allowedBytes(state.limit)) return Shortage::fileSize;
    return makeWritableTo(state, file, offset + kChunkBytes) ? Shortage::none : Shortage::space;
}

/// Gives the calling thread a new chunk, or one of an ended thread; false if the limit is reached or the disk is full.
bool takeChunk(State& state, std::uint64_t needed) {
    const std::lock_guard guard(state.mutex);
    while (!state.unused.empty()) {
        const auto left = state.unused.back();
        state.unused.pop_back();
        if (left.end - left.next < static_cast<std::ptrdiff_t>(needed)) continue;
        cursor.next = left.next;
        cursor.end = left.end;
        return true;
    }
    auto* file = state.file.load(std::memory_order_relaxed);
    const auto offset = nextChunk(*file);
    if (const auto shortage = shortageAt(state, file, offset); shortage != Shortage::none) {
        file->shortage.store(shortage, std::memory_order_relaxed);
        return false;
    }
    file->chunks.fetch_add(1, std::memory_order_relaxed);
    cursor.next = reinterpret_cast<char*>(file) + offset;
    cursor.end = cursor.next + kChunkBytes;
    return true;
}

Record* place(std::uint16_t function, std::uint16_t words) {
    auto* record = reinterpret_cast<Record*>(cursor.next);
    record->thread = cursor.thread;
    record->function = function;
    record->words = words;
    cursor.next += record->bytes();
    return record;
}

/// Threads are usually named after they start, so the name is written at the first call and again at the end.
void writeThreadName() {
    if (static_cast<std::uint64_t>(cursor.end - cursor.next) < sizeof(Record) + kThreadNameWords * 8) return;
    auto* record = place(kThreadName, kThreadNameWords);
    prctl(PR_GET_NAME, record->payload());
    record->begin.store(now(), std::memory_order_release);
}

void leaveThread(void*) {
    auto& all = state();
    if (cursor.generation != all.generation.load(std::memory_order_relaxed)) return;
    writeThreadName();
    const std::lock_guard guard(all.mutex);
    all.unused.push_back(cursor);
    cursor = Cursor{};
}

bool joinThread(State& state) {
    if (!state.file.load(std::memory_order_acquire)) {
        const std::lock_guard guard(state.mutex);
        if (!state.file.load(std::memory_order_relaxed) && (state.directory.empty() || !openFile(state))) {
            state.directory.clear();
            return false;
        }
    }
    cursor = Cursor{nullptr, nullptr, state.generation.load(std::memory_order_relaxed),
                    static_cast<std::uint32_t>(syscall(SYS_gettid))};
    pthread_setspecific(state.threadEnd, &state);
    if (takeChunk(state, kChunkBytes / 2)) writeThreadName();
    return true;
}

/// Room for a record in this thread's chunk.
bool makeRoom(std::uint64_t needed) {
    auto& all = state();
    if (cursor.generation != all.generation.load(std::memory_order_relaxed) && !joinThread(all)) return false;
    return cursor.end - cursor.next >= static_cast<std::ptrdiff_t>(needed) || takeChunk(all, needed);
}

void beforeFork() { state().mutex.lock(); }
void afterForkInParent() { state().mutex.unlock(); }
void afterForkInChild() {
    auto& all = state();
    all.unused.clear();
    all.file.store(nullptr, std::memory_order_relaxed);
    all.generation.fetch_add(1, std::memory_order_relaxed);
    if (all.attached) all.until = 0;  // nobody would end the child's recording
    all.mutex.unlock();
}

void raise(std::atomic<std::uint64_t>& highest, std::uint64_t value) {
    auto known = highest.load(std::memory_order_relaxed);
    while (known < value && !highest.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
    }
}

void lower(std::atomic<std::uint64_t>& lowest, std::uint64_t value) {
    auto known = lowest.load(std::memory_order_relaxed);
    while (known > value && !lowest.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
    }
}

void count(Overflow& overflow, std::uint64_t duration, bool failed) {
    overflow.calls.fetch_add(1, std::memory_order_relaxed);
    overflow.errors.fetch_add(failed ? 1 : 0, std::memory_order_relaxed);
    overflow.total.fetch_add(duration, std::memory_order_relaxed);
    lower(overflow.shortest, duration);
    raise(overflow.longest, duration);
}

/// The file exists from the first call on, so that recording can be resumed.
bool isOnAt(std::uint64_t time) {
    auto& all = state();
    if (time < all.from.load(std::memory_order_relaxed) || time >= all.until.load(std::memory_order_relaxed))
        return false;
    const auto* file = all.file.load(std::memory_order_acquire);
    if (!file && all.paused.load(std::memory_order_relaxed) && makeRoom(0))
        file = all.file.load(std::memory_order_acquire);
    return !file || file->paused.load(std::memory_order_relaxed) == 0;
}

}  // namespace

std::uint64_t now() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

bool Recording::start(const char* directory, std::uint64_t limit, const Period& period) noexcept {
    auto& all = state();
    static const bool prepared = pthread_key_create(&all.threadEnd, leaveThread) == 0 &&
                                 pthread_atfork(beforeFork, afterForkInParent, afterForkInChild) == 0;
    if (!prepared) return false;
    const std::lock_guard guard(all.mutex);
    all.unused.clear();
    all.file.store(nullptr, std::memory_order_relaxed);  // its mapping stays: calls in progress may still write there
    all.generation.fetch_add(1, std::memory_order_relaxed);
    all.directory = directory;
    all.limit = limit;
    all.from = period.from;
    all.until = period.until;
    all.paused = period.paused;
    all.started = true;
    return true;
}

bool Recording::startAtOnce(const char* directory, std::uint64_t limit, const Period& period) noexcept {
    Period never = period;
    never.until = 0;
    if (!start(directory, limit, never)) return false;
    auto& all = state();
    const std::lock_guard guard(all.mutex);
    all.attached = true;
    all.started = openFile(all);
    if (all.started) all.until = period.until;
    return all.started;
}

void Recording::stop() noexcept {
    state().until = 0;
    state().started = false;
}

Call Recording::beginCall(std::uint16_t function, std::uint16_t words) noexcept {
    const auto begin = now();
    if (!isOnAt(begin)) return Call::ignored();
    if (!makeRoom(sizeof(Record) + words * sizeof(std::uint64_t))) return Call::counted(begin);
    auto* record = place(function, words);
    record->begin.store(begin, std::memory_order_release);
    return Call::recorded(record);
}

void Recording::endCall(Call call, std::uint16_t function, std::uint64_t result, bool failed) noexcept {
    if (call.isIgnored()) return;
    const auto end = now();
    std::uint64_t begin = 0;
    if (auto* record = call.record()) {
        if (!owns(record)) return;
        begin = record->begin.load(std::memory_order_relaxed);
        record->result = result;
        record->end = end;
    } else {
        begin = call.begin() & (UINT64_MAX >> 1);
        if (auto* file = state().file.load(std::memory_order_acquire))
            count(file->overflow[function], end > begin ? end - begin : 0, failed);
    }
    if (LiveStream::isOn()) LiveStream::call(function, begin, end, result);
}

void Recording::prepare() noexcept {
    auto& all = state();
    auto* const file = all.file.load(std::memory_order_acquire);
    if (!file || cursor.generation != all.generation.load(std::memory_order_relaxed)) return;
    const auto enough = nextChunk(*file) + kChunkBytes;
    if (all.writable.load(std::memory_order_relaxed) >= enough || enough > all.limit) return;
    const std::unique_lock guard(all.mutex, std::try_to_lock);
    if (!guard || file != all.file.load(std::memory_order_relaxed) || enough > allowedBytes(all.limit)) return;
    // Where this fails, so will takeChunk(), which says so.
    static_cast<void>(makeWritableTo(all, file, all.writable.load(std::memory_order_relaxed) + kPageBytes));
}

bool Recording::isOn() noexcept { return isOnAt(now()); }

Record* Recording::add(std::uint16_t kind, std::uint16_t words, std::uint32_t thread) noexcept {
    if (!makeRoom(sizeof(Record) + words * sizeof(std::uint64_t))) return nullptr;
    auto* record = place(kind, words);
    record->thread = thread;
    return record;
}

Record* Recording::addHere(std::uint16_t kind, std::uint16_t words) noexcept {
    return makeRoom(sizeof(Record) + words * sizeof(std::uint64_t)) ? place(kind, words) : nullptr;
}

void Recording::finish(Record* record, std::uint64_t begin) noexcept {
    record->begin.store(begin, std::memory_order_release);
}

std::uint64_t Recording::placeOf(const Record* record) noexcept {
    const auto* file = reinterpret_cast<const char*>(state().file.load(std::memory_order_acquire));
    return owns(record) ? static_cast<std::uint64_t>(reinterpret_cast<const char*>(record) - file) : 0;
}

Record* Recording::at(std::uint64_t place) noexcept {
    auto* file = reinterpret_cast<char*>(state().file.load(std::memory_order_acquire));
    return file && place >= kHeaderBytes && place < state().limit ? reinterpret_cast<Record*>(file + place) : nullptr;
}

void Recording::setPaused(bool paused) noexcept {
    makeRoom(0);  // there is a file from now on
    if (auto* file = state().file.load(std::memory_order_acquire))
        file->paused.store(paused ? 1 : 0, std::memory_order_relaxed);
}

void Recording::addMeeting(std::uint64_t number, std::uint64_t entered, std::uint64_t left) noexcept {
    auto* const file = state().file.load(std::memory_order_acquire);
    if (!file || number == 0) return;
    constexpr std::uint64_t kHalf = kMeetings / 2;
    const auto place = number <= kHalf ? number - 1 : kHalf + number % kHalf;
    file->meetings[place] = {number, entered, left};
}

bool Recording::hasStarted() noexcept { return state().started; }

void Recording::countSpanBeyond() noexcept {
    if (auto* file = state().file.load(std::memory_order_acquire))
        file->spansBeyond.fetch_add(1, std::memory_order_relaxed);
}

void Recording::setUnmeasured(std::uint64_t commands) noexcept {
    if (auto* file = state().file.load(std::memory_order_acquire))
        file->unmeasured.store(commands, std::memory_order_relaxed);
}

void Recording::setUnread(std::uint64_t commands) noexcept {
    if (auto* file = state().file.load(std::memory_order_acquire))
        file->unread.store(commands, std::memory_order_relaxed);
}

bool Recording::owns(const Record* record) noexcept {
    const auto* file = reinterpret_cast<const char*>(state().file.load(std::memory_order_acquire));
    const auto* place = reinterpret_cast<const char*>(record);
    return file && place >= file && place < file + state().limit;
}

}  // namespace zetl::recorder
