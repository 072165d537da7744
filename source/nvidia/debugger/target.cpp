#include "nvidia/debugger/target.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <iterator>

#include "base/log.h"
#include "nvidia/driver/program/door.h"

namespace zetl::nvidia {
namespace {

constexpr auto kInterrupting = std::chrono::seconds(5);
constexpr int kModulesEvery = 50;  // milliseconds

std::uint64_t number(std::string_view text, int base) {
    return std::strtoull(std::string(text).c_str(), nullptr, base);
}

/// How cuda-gdb names what a stop came from.
std::uint32_t causeOf(const mi::Value& stop) {
    const auto reason = stop.textOf("reason");
    const auto signal = stop.textOf("signal-name");
    if (reason == "breakpoint-hit") return ZETL_STOP_BREAKPOINT;
    if (reason == "end-stepping-range") return ZETL_STOP_STEP;
    if (signal == "CUDA_EXCEPTION_4") return ZETL_STOP_ILLEGAL;  // "Warp Illegal Instruction"
    if (signal.starts_with("CUDA_EXCEPTION_")) return ZETL_STOP_FAULT;
    return ZETL_STOP_HALT;
}

}  // namespace

void Target::hear(const mi::Record& record) {
    if (record.kind != '*' || record.name != "stopped") return;
    Stop stop{std::nullopt, causeOf(record.value), record.value.textOf("reason").starts_with("exited")};
    const auto* const place = record.value.find("CudaFocus");
    if (place && number(place->textOf("device"), 10) == ordinal_)
        stop.warp = Warp{static_cast<std::uint32_t>(number(place->textOf("sm"), 10)),
                         static_cast<std::uint32_t>(number(place->textOf("warp"), 10))};
    heard_ = stop;
}

void Target::work(PollingThread& thread) {
    std::array<pollfd, 2> from{};
    {
        const Lock guard(mutex_);
        from = {{{gdb_->output(), POLLIN, 0}, {thread.wake(), POLLIN, 0}}};
    }
    deliver();
    while (!thread.ending()) {
        poll(from.data(), from.size(), kModulesEvery);
        thread.drainWake();
        {
            const Lock guard(mutex_);
            if (state_ == State::gone) {
                from[0].fd = -1;
            } else {
                gdb_->listen({}, [] { return false; });
                if (heard_)
                    takeStop();
                else if (gdb_->gone())
                    takeEnd();
                else if (state_ == State::running) {
                    findModules();
                    passOldDoor();
                }
            }
        }
        deliver();
    }
}

void Target::queue(const Event& event) {
    zetl_event_t told{};
    told.size = sizeof told;
    told.kind = event.kind;
    told.thread = event.thread;
    told.cause = event.cause;
    told.module = event.module;
    told.token = event.token;
    told.stopped = event.stopped;
    told.address = event.address;
    told.hold = event.hold;
    events_.push_back(told);
}

void Target::deliver() {
    std::vector<zetl_event_t> events;
    {
        const Lock guard(mutex_);
        events.swap(events_);
    }
    for (const auto& event : events) sink_(user_, &event);
}

void Target::takeStop() {
    const Stop stop = *std::exchange(heard_, std::nullopt);
    if (stop.ended) return takeEnd();
    state_ = State::stopped;
    faulted_ = faulted_ || (stop.cause & (ZETL_STOP_FAULT | ZETL_STOP_ILLEGAL)) != 0;
    findModules();
    findWarps();
    findRegisters();
    const bool ofItsOwn = stop.warp && stop.cause != ZETL_STOP_HALT;
    if (ofItsOwn && stop.cause == ZETL_STOP_STEP) {
        stepped_.push_back(*stop.warp);
        if (stepNext()) return;
    } else if (ofItsOwn && stop.cause == ZETL_STOP_BREAKPOINT) {
        for (const auto& warp : besides(*stop.warp))
            queue({.kind = ZETL_EVENT_STOPPED, .thread = threadOf(warp), .cause = stop.cause});
    } else if (ofItsOwn) {
        queue({.kind = ZETL_EVENT_STOPPED, .thread = threadOf(*stop.warp), .cause = stop.cause});
    }
    for (const auto& warp : std::exchange(stepped_, {}))
        queue({.kind = ZETL_EVENT_STOPPED, .thread = threadOf(warp), .cause = ZETL_STOP_STEP});
    toStep_.clear();
    // Signals of the host, and halts that found nothing on the device: there is no listener that could end such a stop.
    const bool wanted = ofItsOwn || (!halts_.empty() && !warps_.empty());
    answerHalts();
    if (!wanted) resume("-exec-continue");
}

void Target::takeEnd() {
    if (state_ == State::gone) return;
    state_ = State::gone;
    warps_.clear();
    answerHalts();
    queue({.kind = ZETL_EVENT_PROCESS_EXIT});
    queue({.kind = ZETL_EVENT_GONE});
}

void Target::answerHalts() {
    for (const auto& halt : std::exchange(halts_, {})) {
        const auto stopped = std::ranges::count_if(warps_, [&](const Warp& warp) { return contains(halt.set, warp); });
        queue({.kind = ZETL_EVENT_HALTED,
               .thread = halt.set,
               .token = halt.token,
               .stopped = static_cast<std::uint64_t>(stopped)});
    }
}

void Target::findWarps() {
    warps_.clear();
    const auto answer = gdb_->ask(fmt::format("-cuda-info-sms device {}", ordinal_));
    const auto* const table = answer ? answer->value.find("InfoCudaSmsTable") : nullptr;
    const auto* const rows = table ? table->find("body") : nullptr;
    if (!rows) return;
    for (const auto& [name, row] : rows->items) {
        const auto sm = static_cast<std::uint32_t>(number(row.textOf("sm"), 10));
        for (auto mask = number(row.textOf("active_warps_mask"), 16); mask != 0; mask &= mask - 1)
            warps_.insert({sm, static_cast<std::uint32_t>(std::countr_zero(mask))});
    }
}

// Those of what it looks at, which is the host until it is asked to look at a warp.
void Target::findRegisters() {
    if (!registers_.empty() || warps_.empty() || !focus(*warps_.begin(), std::nullopt)) return;
    const auto answer = gdb_->ask("-data-list-register-names");
    const auto* const names = answer ? answer->value.find("register-names") : nullptr;
    if (!names) return;
    for (std::size_t number = 0; number < names->items.size(); ++number)
        if (const auto& name = names->items[number].value.text; !name.empty())
            registers_.emplace(name, std::to_string(number));
}

void Target::findModules() {
    const auto changes = images_->refresh();
    const bool waits = !changes.loaded.empty() && doorOf(process_);
    for (const auto id : changes.unloaded) {
        holds_.erase(id);
        queue({.kind = ZETL_EVENT_MODULE_UNLOAD, .module = id});
    }
    for (const auto id : changes.loaded) {
        if (waits) holds_.insert(id);
        queue({.kind = ZETL_EVENT_MODULE_LOAD,
               .module = id,
               .address = images_->find(id)->begin,
               .hold = waits ? id : 0});
    }
}

void Target::passDoor() {
    if (!holds_.empty()) return;
    if (const auto door = doorOf(process_)) openDoor(process_, *door);
}

void Target::passOldDoor() {
    const auto door = doorOf(process_);
    if (door && door == seenDoor_) passDoor();
    seenDoor_ = door;
}

zetl_status_t Target::release(std::uint64_t hold) {
    const Lock guard(mutex_);
    if (state_ == State::gone || holds_.erase(hold) == 0) return ZETL_GONE;
    if (!holds_.empty()) return ZETL_OK;
    passDoor();
    return std::exchange(held_, false) && !resume("-exec-continue") ? ZETL_LOST : ZETL_OK;
}

// cuda-gdb reports one warp that came to a breakpoint; the others that did pass over it with the next run.
std::vector<Warp> Target::besides(const Warp& warp) {
    std::vector<Warp> all{warp};
    const auto* const row = rowOf(warp);
    for (const auto& other : warps_) {
        const auto* const another = row && other != warp ? rowOf(other) : nullptr;
        if (another && another->counter == row->counter) all.push_back(other);
    }
    return all;
}

const WarpRow* Target::rowOf(const Warp& warp) {
    const auto [at, isNew] = rows_.try_emplace(warp.sm);
    if (isNew)
        if (const auto answer = gdb_->ask(fmt::format("-cuda-info-warps device {} sm {}", ordinal_, warp.sm)))
            at->second = warpsFrom(answer->value);
    const auto found = at->second.find(warp.warp);
    return found == at->second.end() ? nullptr : &found->second;
}

bool Target::resume(std::string_view command) {
    const auto answer = gdb_->ask(command);
    if (!answer || !answer->done) {
        if (answer) log::warn(log::Channel::nvidia, "cuda-gdb does not run the process: {}", answer->words);
        return false;
    }
    state_ = State::running;
    warps_.clear();
    rows_.clear();
    return true;
}

bool Target::stepNext() {
    if (toStep_.empty()) return false;
    const Warp warp = *toStep_.begin();
    toStep_.erase(warp);
    steps_.erase(warp);
    return focus(warp, std::nullopt) && resume("-exec-step-instruction");
}

bool Target::interrupt() {
    if (!gdb_->ask("-exec-interrupt --all")) return false;
    gdb_->listen(kInterrupting, [this]() ZETL_NOT_ANALYSED { return heard_.has_value(); });
    return heard_.has_value();
}

zetl_status_t Target::whileStopped(const std::function<zetl_status_t()>& body) {
    if (state_ == State::gone) return ZETL_GONE;
    if (state_ == State::stopped) return body();
    if (!interrupt()) return ZETL_LOST;
    const bool ours = halts_.empty() && heard_->cause == ZETL_STOP_HALT && !heard_->ended;
    if (!ours) takeStop();
    if (state_ == State::gone) return ZETL_GONE;
    if (ours) heard_.reset();
    const bool stays = !ours && state_ == State::stopped;
    const auto status = body();
    if (!stays) resume("-exec-continue");
    return status;
}

std::optional<mi::Value> Target::focus(const Warp& warp, std::optional<std::uint32_t> lane) {
    auto command = fmt::format("-cuda-focus-switch device {} sm {} warp {}", ordinal_, warp.sm, warp.warp);
    if (lane) command += fmt::format(" lane {}", *lane);
    auto answer = gdb_->ask(command);
    const auto* const place = answer && answer->done ? answer->value.find("CudaFocus") : nullptr;
    return place ? std::optional(*place) : std::nullopt;
}

zetl_status_t Target::halt(const zetl_thread_t& set, std::uint64_t token) {
    const Lock guard(mutex_);
    if (state_ == State::gone) return ZETL_GONE;
    const bool running = state_ == State::running && halts_.empty();
    halts_.push_back({set, token});
    if (state_ == State::stopped)
        answerHalts();
    else if (running && !gdb_->ask("-exec-interrupt --all"))
        return ZETL_LOST;
    eventfd_write(thread_->wake(), 1);
    return ZETL_OK;
}

zetl_status_t Target::run(const zetl_thread_t& set) {
    const Lock guard(mutex_);
    if (state_ == State::gone) return ZETL_GONE;
    const auto among = [&](const Warp& warp) { return contains(set, warp); };
    if (state_ != State::stopped || std::ranges::none_of(warps_, among)) return ZETL_NOT_READY;
    std::ranges::copy_if(steps_, std::inserter(toStep_, toStep_.end()), among);
    return (toStep_.empty() ? resume("-exec-continue") : stepNext()) ? ZETL_OK : ZETL_LOST;
}

zetl_status_t Target::state(const zetl_thread_t& thread, zetl_thread_state_t& state, std::uint32_t& cause) {
    state = stopped(thread).empty() ? ZETL_THREAD_RUNNING : ZETL_THREAD_STOPPED;
    cause = 0;
    return ZETL_OK;
}

std::vector<zetl_thread_t> Target::stopped(const zetl_thread_t& set) {
    const Lock guard(mutex_);
    std::vector<zetl_thread_t> threads;
    for (const auto& warp : warps_)
        if (contains(set, warp)) threads.push_back(threadOf(warp));
    return threads;
}

}  // namespace zetl::nvidia
