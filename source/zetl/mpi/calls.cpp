// libzetl_mpi.so: stands in front of the MPI library (LD_PRELOAD) and reports the program's calls to the recorder, for
// `zetl trace --mpi`.
//
// MPI's profiling interface lets any library define MPI_Send, which then calls PMPI_Send. The types of arguments differ
// between MPI libraries, but all are integers or pointers. Each takes one register or one place of eight bytes on the
// stack, so calls are passed on as thirteen such words, the most that any function has: words beyond a function's own
// arguments are whatever the registers and the caller's stack hold, and the function does not look at them.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "mpi/libraries.h"

namespace zetl::mpi {
namespace {

using Word = std::uintptr_t;
using Real = int (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

/// No error of the MPI libraries has this number.
constexpr int kNoLibrary = -1;

struct Function {
    const char* name;
    int communicator = -1;  // its place among the arguments of a meeting
    int count = -1;
    std::atomic<Real> real{nullptr};
};

constinit thread_local bool isInside = false;  // an MPI library may call MPI's functions itself

std::uint64_t now() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

Real realOf(Function& function) noexcept {
    auto real = function.real.load(std::memory_order_relaxed);
    if (real) return real;
    real = reinterpret_cast<Real>(realFunction(function.name));
    function.real.store(real, std::memory_order_relaxed);
    if (!real)
        std::fprintf(stderr, "zetl: %s is called, but no MPI library is loaded that has it; leave out --mpi\n",
                     function.name);
    return real;
}

/// A collective call without data need not wait for the other ranks.
bool isMeeting(const Function& function, const Word (&words)[13]) noexcept {
    if (function.communicator < 0 || !world().is(words[function.communicator])) return false;
    return function.count < 0 || static_cast<std::uint32_t>(words[function.count]) != 0;
}

/// All ranks pass the meetings in the same order, so the number of a meeting is the same for all.
void meet(const Recorder& recorder, std::uint64_t entered) noexcept {
    constinit static std::atomic<std::uint64_t> meetings{0};
    recorder.meeting(++meetings, entered, now());
}

int pass(Function& function, const Word (&words)[13]) noexcept {
    const auto real = realOf(function);
    if (!real) return kNoLibrary;
    const auto callReal = [&] {
        return real(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8], words[9],
                    words[10], words[11], words[12]);
    };
    const auto* const to = isInside ? nullptr : recorder();
    if (!to) return callReal();
    isInside = true;
    const bool meets = isMeeting(function, words);
    to->beginCall(function.name, "MPI");
    const auto entered = now();
    const int code = callReal();
    if (meets && code == 0) meet(*to, entered);
    to->endCall();
    isInside = false;
    return code;
}

}  // namespace

#define FUNCTION(name) MEETING(name, -1, -1)
#define MEETING(name, communicator, count)                                                                             \
    extern "C" [[gnu::visibility("default")]] int name(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, \
                                                       Word i, Word j, Word k, Word l, Word m) noexcept;               \
    extern "C" int name(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k,        \
                        Word l, Word m) noexcept {                                                                     \
        constinit static Function function{#name, communicator, count};                                                \
        return pass(function, {a, b, c, d, e, f, g, h, i, j, k, l, m});                                                \
    }
#include "mpi/functions.def"
#undef MEETING
#undef FUNCTION

}  // namespace zetl::mpi
