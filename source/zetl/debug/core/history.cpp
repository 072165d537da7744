#include "core/history.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>

#include "core/failure.h"
#include "core/level_zero.h"

namespace zetl::debugger {
namespace {

constexpr int kMostTurns = 20;
constexpr std::chrono::milliseconds kTurn{1};

const char* reasonText(std::uint32_t reason) {
    switch (reason) {
        case ZETL_HISTORY_LAUNCHES:
            return "another launch ran at the same time; wait for each launch before the next one";
        case ZETL_HISTORY_MEMORY:
            return "the host had no memory for its history; free host memory, raise ulimit -v, or record a smaller "
                   "launch";
        case ZETL_HISTORY_FILLED:
            return "ZETL_EMULATOR_FILL is set; unset it";
        case ZETL_HISTORY_DIFFERS:
            return "repeated, its threads did something else, because the host or another process changed memory; "
                   "leave shared memory alone while a launch runs";
        default:
            return "the driver does not say why; record the launch again";
    }
}

}  // namespace

ze_result_t History::exchange(const zetl_history_request_t& request, Code code, zetl_history_answer_t& answer) {
    std::vector<std::byte> message(sizeof request + code.size_bytes());
    std::memcpy(message.data(), &request, sizeof request);
    if (!code.empty()) std::memcpy(message.data() + sizeof request, code.data(), code.size_bytes());
    const auto written =
        link_.writeMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_HISTORY, 0, message.size(), message.data());
    if (written != ZE_RESULT_SUCCESS) return written;
    return link_.readMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_HISTORY, 0, sizeof answer, &answer);
}

zetl_history_answer_t History::ask(const zetl_history_request_t& request, Code code) {
    zetl_history_answer_t answer{};
    auto result = exchange(request, code, answer);
    // The device reports that a thread has stopped shortly before the turn of its work-group ends.
    for (int left = kMostTurns; left != 0 && result == ZE_RESULT_SUCCESS && answer.status == ZETL_HISTORY_RUNS;
         --left) {
        std::this_thread::sleep_for(kTurn);
        result = exchange(request, code, answer);
    }
    if (result != ZE_RESULT_SUCCESS)
        fail("this device has no history of launches ({}); only emulated devices have one", resultText(result));
    if (answer.status == ZETL_HISTORY_NONE)
        fail("nothing is recorded: type record before run, or start zetl debug --record");
    if (answer.status == ZETL_HISTORY_RUNS) fail("the threads must be stopped; type interrupt");
    if (answer.status == ZETL_HISTORY_BROKEN) fail("this launch cannot be taken back: {}", reasonText(answer.reason));
    return answer;
}

zetl_history_answer_t History::lookOnly() {
    zetl_history_answer_t answer{};
    const auto result = exchange(requestFor(ZETL_HISTORY_LOOK, kEveryThread), {}, answer);
    return result == ZE_RESULT_SUCCESS ? answer : zetl_history_answer_t{};
}

std::optional<std::uint64_t> History::soFar() {
    const auto answer = lookOnly();
    const bool isKnown = answer.status == ZETL_HISTORY_RUNS && answer.end != 0;
    return isKnown ? std::optional(answer.end) : std::nullopt;
}

bool History::isThere() { return lookOnly().status == ZETL_HISTORY_OK; }

zetl_history_request_t History::requestFor(zetl_history_kind_t kind, const ThreadId& thread) const {
    zetl_history_request_t request{};
    request.kind = kind;
    if (thread.single()) request.thread = static_cast<std::uint32_t>(link_.shape().indexOf(thread));
    return request;
}

Moment History::look() {
    const auto answer = ask(requestFor(ZETL_HISTORY_LOOK, kEveryThread));
    return {answer.begin, answer.now, answer.end};
}

void History::go(std::uint64_t time) {
    auto request = requestFor(ZETL_HISTORY_GO, kEveryThread);
    request.time = time;
    for (std::uint64_t former = UINT64_MAX;;) {
        const auto answer = ask(request);
        if (answer.status != ZETL_HISTORY_MOVES || answer.now == former) return;
        former = answer.now;
        onTheWay(answer.now);
    }
}

std::optional<std::uint64_t> History::before(const ThreadId& thread) {
    const auto answer = ask(requestFor(ZETL_HISTORY_BACK, thread));
    return answer.status == ZETL_HISTORY_OK ? std::optional(answer.found) : std::nullopt;
}

std::optional<std::uint64_t> History::after(const ThreadId& thread) {
    const auto answer = ask(requestFor(ZETL_HISTORY_FORTH, thread));
    return answer.status == ZETL_HISTORY_OK ? std::optional(answer.found) : std::nullopt;
}

/// Asks about one interval after the other.
std::optional<Found> History::search(zetl_history_request_t request, Code code) {
    for (;;) {
        onTheWay(request.time);
        const auto answer = ask(request, code);
        if (answer.status == ZETL_HISTORY_OK)
            return Found{answer.found, link_.shape().at(answer.thread), answer.lanes, answer.is_write != 0};
        const bool backwards = request.kind != ZETL_HISTORY_NEXT_HIT;
        const bool isOver = backwards ? answer.found <= answer.begin || answer.found >= request.time
                                      : answer.status != ZETL_HISTORY_MOVES || answer.found <= request.time;
        if (isOver) return std::nullopt;
        request.time = answer.found;
    }
}

std::optional<zetl_history_step_t> History::entryBefore(std::uint64_t time, const ThreadId& thread, Code code) {
    auto request = requestFor(ZETL_HISTORY_ENTRY, thread);
    request.time = time;
    request.count = static_cast<std::uint32_t>(code.size());
    zetl_history_step_t step{};
    const bool isFound = search(request, code) &&
                         link_.readMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_HISTORY, sizeof(zetl_history_answer_t),
                                          sizeof step, &step) == ZE_RESULT_SUCCESS;
    return isFound ? std::optional(step) : std::nullopt;
}

std::optional<Found> History::hitBefore(std::uint64_t time) {
    auto request = requestFor(ZETL_HISTORY_HIT, kEveryThread);
    request.time = time;
    return search(request);
}

std::optional<Found> History::hitAfter(std::uint64_t time) {
    auto request = requestFor(ZETL_HISTORY_NEXT_HIT, kEveryThread);
    request.time = time;
    return search(request);
}

std::optional<Found> History::accessBefore(std::uint64_t time, std::uint64_t address, std::uint64_t bytes,
                                           const std::optional<ThreadId>& local, bool reads) {
    auto request = requestFor(ZETL_HISTORY_ACCESS, local.value_or(kEveryThread));
    request.time = time;
    request.address = address;
    request.bytes = bytes;
    request.is_read = reads;
    request.is_local = local.has_value();
    return search(request);
}

}  // namespace zetl::debugger
