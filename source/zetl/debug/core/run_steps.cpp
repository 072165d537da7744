// Steps and watching, of run_control.h.
#include <ze_tools_layer/watches.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/failure.h"
#include "core/run_control.h"
#include "core/xe_registers.h"

namespace zetl::debugger {
namespace {

/// After this time a stepped thread is assumed to wait for others, for example at a barrier.
constexpr std::uint64_t kPatienceMs = 200;
/// For an instruction that waits for no other thread; only a busy host makes it late.
constexpr std::uint64_t kLongPatienceMs = 10'000;
constexpr int kMostInstructions = 1'000'000;
constexpr std::uint32_t kGeneralRegisters = 128;
constexpr std::size_t kHitsAtOnce = 128;  ///< of watches, that are taken from the device

std::vector<Scope> scopesAt(const ModuleList& modules, std::uint64_t address) {
    const auto* module = modules.at(address);
    return module ? module->debug().scopesAt(address) : std::vector<Scope>{};
}

/// Where a step by lines began, and whether it is done.
class LineStep {
  public:
    /// `over`: also step over inlined calls.
    LineStep(const ModuleList& modules, std::uint64_t address, bool over)
        : modules_(modules),
          from_(modules.lineAt(address)),
          function_(functionAt(address)),
          deepest_(over ? scopesAt(modules, address).size() : SIZE_MAX) {}

    /// `called`: through a call instruction.
    bool isDone(std::uint64_t address, bool called) {
        const auto* module = modules_.at(address);
        const auto line = modules_.lineAt(address);
        if (!module || !line) return !from_;  // code without lines is skipped, unless the step began there
        const auto* now = functionAt(address);
        if (called && now && now != function_ && address < now->body) {
            body_ = now->body;  // its arguments are not in their places yet
            return false;
        }
        if (body_ != 0) return address == body_;
        if (!module->debug().isStatement(address) || (line == from_ && now == function_)) return false;
        return now != function_ || scopesAt(modules_, address).size() <= deepest_;
    }

  private:
    const Function* functionAt(std::uint64_t address) const {
        const auto* module = modules_.at(address);
        return module ? module->debug().functionAt(address) : nullptr;
    }

    const ModuleList& modules_;
    const SourceLine from_;
    const Function* const function_;
    const std::size_t deepest_;
    std::uint64_t body_ = 0;
};

/// Whether a frame has been left: by a return, or at the end of an inlined call.
class FrameExit {
  public:
    FrameExit(const ModuleList& modules, const std::vector<Frame>& frames, std::size_t frame)
        : modules_(modules),
          above_(frames.size() - frame - 1),
          left_(identityOf(frames[frame])),
          block_(blockAt(frames.front().address)) {}

    /// True if the frames need to be checked.
    bool mayBeDone(std::uint64_t address, bool returned) {
        const auto former = std::exchange(block_, blockAt(address));
        return returned || former != block_;
    }
    bool isDone(const std::vector<Frame>& frames) const {
        return frames.size() <= above_ || identityOf(frames[frames.size() - 1 - above_]) != left_;
    }

  private:
    using Identity = std::pair<std::string, std::uint64_t>;

    Identity identityOf(const Frame& frame) const {
        const auto scopes = scopesAt(modules_, frame.address);
        return {frame.function, frame.isInlined && frame.scope < scopes.size() ? scopes[frame.scope].begin : 0};
    }
    std::uint64_t blockAt(std::uint64_t address) const {
        const auto scopes = scopesAt(modules_, address);
        return scopes.empty() ? 0 : scopes.front().begin;
    }

    const ModuleList& modules_;
    const std::size_t above_;  ///< frames that stay
    const Identity left_;
    std::uint64_t block_;
};

}  // namespace

Stop RunControl::stepped(const ThreadId& id, unsigned lane, const std::string& text) {
    return {Stop::Kind::step, id, lane, {}, 0, text};
}

std::optional<Stop> RunControl::waitFor(const ThreadId& id, std::uint64_t patience, bool alone) {
    for (std::uint64_t spent = 0;; spent += kGlanceMs) {
        const auto seen = pending_.empty() ? wait(kGlanceMs) : Waited::stop;
        if (seen == Waited::exit) return Stop{};
        if (seen == Waited::interrupt) return interrupt();
        if (seen == Waited::stop) {
            if (alone && pending_ == std::vector{id}) {
                pending_.clear();
                passesOver_.insert(id);
                threads_[id] = std::make_unique<StoppedThread>(link_, id);
                if (link_.architecture().runsAsAWhole())  // at a barrier others went on
                    for (auto& [other, thread] : threads_) thread = std::make_unique<StoppedThread>(link_, other);
                return std::nullopt;
            }
            if (!haltAll()) continue;
            const bool came = std::erase(pending_, id) > 0;
            if (came) passesOver_.insert(id);
            othersRun_ = false;
            if (auto stop = judgeWhileStepping(id)) return stop;
            if (came && threads_.contains(id)) return std::nullopt;
            releaseUntroubled();
            alone = false;
        }
        if (seen == Waited::nothing && observer_.hasEnded()) {
            exited_ = true;
            return Stop{};
        }
        if (!alone || spent < (keepsOthers() ? kPatienceMs : patience)) continue;
        if (keepsOthers()) {
            if (auto stop = standsStill(id)) return stop;
            spent = 0;
        } else {  // it waits for others, or was the last instruction
            releaseUntroubled();
            alone = false;
        }
    }
}

std::optional<Stop> RunControl::standsStill(const ThreadId& id) {
    Stop stop{Stop::Kind::interrupted, id, 0, {}, 0, ""};
    if (!haltAll()) return exited_ ? std::optional(Stop{}) : std::nullopt;
    if (!pending_.empty()) return std::nullopt;  // it has stopped meanwhile
    if (!threads_.contains(id)) {
        stop.thread = threads_.begin()->first;
        stop.text = fmt::format("thread {} has ended; the others stay stopped (scheduler-locking)", textOf(id));
        return stop;
    }
    // A thread at a barrier, or in a loop that looks at memory, is later as it was before.
    const auto registers = thread(id).read(registers::kGeneral, 0, kGeneralRegisters).value_or(Bytes());
    const std::pair now(thread(id).address(), registers);
    if (std::exchange(seenAlone_, now) == now) {
        waiting_ = id;
        stop.lane = firstLaneIn(thread(id).activeLanes());
        stop.text = "it waits for other threads, which stay stopped (set scheduler-locking auto lets them run)";
        return stop;
    }
    threads_.erase(id);
    link_.resume(id);
    return std::nullopt;
}

void RunControl::resumeForStep(const ThreadId& id) {
    conditions_.agree(locations_);
    if (locking_ != Locking::off || link_.architecture().runsAsAWhole()) {
        threads_.erase(id);
        passesOver_.erase(id);
        link_.resume(id);
        return;
    }
    passesOver_.erase(id);
    othersRun_ = true;
    releaseUntroubled();
}

std::optional<Stop> RunControl::stepOne(const ThreadId& id) {
    if (stepRecorded(id)) return std::nullopt;
    const auto instruction = memory_.instruction(thread(id).address());
    thread(id).prepare(true);
    resumeForStep(id);
    // A thread that stands in a barrier is at the instruction behind it.
    const bool mayWait = !instruction || instruction->mayWait || waiting_ == id;
    return waitFor(id, mayWait ? kPatienceMs : kLongPatienceMs);
}

void RunControl::runOn(const ThreadId& id) {
    if (link_.architecture().runsAsAWhole()) return releaseAll();
    thread(id).prepare(false);
    resumeForStep(id);
}

std::optional<Stop> RunControl::stepOverCall(const ThreadId& id, std::uint64_t next) {
    if (!memory_.insertBreakpoint(next)) return stepOne(id);
    while (isPast_ && thread(id).address() != next)
        if (!stepRecorded(id)) break;
    if (thread(id).address() == next) {
        memory_.removeBreakpoint(next);
        return std::nullopt;
    }
    const bool alone = !link_.architecture().runsAsAWhole();
    runOn(id);
    std::optional<Stop> stop;
    do {
        stop = waitFor(id, kPatienceMs, alone);
        if (stop) break;
        const auto at = thread(id).address();
        if (at == next) break;
        passesOver_.insert(id);
        if (!breakpoints_.hitAt(at).empty()) {
            stop = judgeBreakpoint(id, at);
            if (stop) break;
        }
        runOn(id);
    } while (true);
    memory_.removeBreakpoint(next);
    return stop;
}

Stop RunControl::step(const ThreadId& id, unsigned lane, Step how, std::size_t frame) {
    told_.clear();
    seenAlone_.reset();
    auto stop = stepUntilDone(id, lane, how, frame);
    if (stop.kind != Stop::Kind::interrupted) waiting_.reset();
    const bool isHere = stop.kind == Stop::Kind::interrupted && stop.thread == id && threads_.contains(id);
    if (isHere && (thread(id).activeLanes() >> lane & 1) != 0) stop.lane = lane;
    if (!std::exchange(othersRun_, false) || exited_) return stop;
    haltAll();
    if (auto other = judgeWhileStepping(id)) untold_.push_front(*std::move(other));
    return stop;
}

Stop RunControl::stepUntilDone(const ThreadId& id, unsigned lane, Step how, std::size_t frame) {
    letModulesRun();
    const auto began = thread(id).address();
    std::erase_if(untold_, [&](const Stop& each) { return each.thread == id; });
    LineStep line(modules_, began, how == Step::overLine);
    std::optional<FrameExit> exit;
    if (how == Step::out) {
        const auto frames = framesOf(id);
        if (frame + 1 >= frames.size()) fail("{}", link_.architecture().silence().noCaller);
        exit.emplace(modules_, frames, frame);
    }
    for (int left = kMostInstructions; left > 0; --left) {
        const auto address = thread(id).address();
        const auto instruction = memory_.instruction(address);
        if (instruction && instruction->endsThread)  // its work-items end here
            return keepsOthers() ? proceedAlone(id) : proceed();
        const bool over = how == Step::overLine || how == Step::overInstruction || how == Step::out;
        const bool isCall = instruction && instruction->isCall;
        const auto stop = over && isCall ? stepOverCall(id, address + instruction->bytes) : stepOne(id);
        if (stop) return *stop;
        if (const auto seen = seenByDevice(); !seen.empty()) return seen.front();
        const auto now = thread(id).address();
        const auto exceptions = thread(id).exceptions();
        if (exceptions.fault) return faulted(id);
        if (exceptions.illegal) return {Stop::Kind::illegal, id, lane, {}, 0, ""};
        if (how == Step::instruction || how == Step::overInstruction) return stepped(id, lane);
        if (!breakpoints_.hitAt(now).empty())
            if (auto hit = judgeBreakpoint(id, now)) return *hit;
        const bool isActive = (thread(id).activeLanes() >> lane & 1) != 0;
        if (exit) {
            const bool returned = instruction && instruction->isReturn;
            if (exit->mayBeDone(now, returned) && (returned || isActive) && exit->isDone(framesOf(id)))
                return stepped(id, lane);
        } else if (isActive && line.isDone(now, isCall)) {
            return stepped(id, lane);
        }
        if (observer_.wantsInterrupt()) return {Stop::Kind::interrupted, id, lane, {}, 0, ""};
    }
    return stepped(id, lane, "the line did not end within a million instructions");
}

std::optional<Bytes> RunControl::lookAt(const Watch& watch, const ThreadId& id) {
    if (!watch.group) return memory_.read(watch.address, watch.last.size());
    if (!threads_.contains(id) || thread(id).group() != *watch.group) return std::nullopt;
    return memory_.readLocal(id, watch.address, watch.last.size());
}

std::string RunControl::newsOf(const Watch& watch, std::uint64_t address, const Bytes& before,
                               const Bytes& after) const {
    const auto shown = [&](const Bytes& bytes) {
        if (watch.type) return textOf(Value{&*watch.type, bytes, std::nullopt, false, ""});
        return fmt::format("{:02x}", fmt::join(bytes, " "));
    };
    return fmt::format("watch {}: {} changed at {}: {} -> {}", watch.number, watch.name, modules_.nameOf(address),
                       shown(before), shown(after));
}

void RunControl::hand() {
    if (watches_.empty() && !deviceWatches_) return;
    std::vector<zetl_watch_t> all;
    for (const auto& each : watches_) {
        zetl_watch_t watch{each.address, each.last.size(), {}, each.group ? 1u : 0u};
        for (std::size_t axis = 0; each.group && axis < each.group->size(); ++axis)
            watch.group[axis] = static_cast<std::uint32_t>(each.group->at(axis));
        all.push_back(watch);
    }
    if (all.empty()) all.emplace_back();
    const auto result = link_.writeMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_WATCHES, 0,
                                          all.size() * sizeof(zetl_watch_t), all.data());
    deviceWatches_ = result == ZE_RESULT_SUCCESS && !watches_.empty();
}

std::vector<Stop> RunControl::seenByDevice() {
    std::vector<Stop> stops;
    if (!deviceWatches_) return stops;
    std::array<zetl_watch_hit_t, kHitsAtOnce> hits{};
    if (link_.readMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_WATCHES, 0, sizeof hits, hits.data()) !=
        ZE_RESULT_SUCCESS)
        return stops;
    for (const auto& hit : hits) {
        if (hit.is_hit == 0 || hit.number >= watches_.size() || hit.thread >= link_.shape().count()) continue;
        auto& watch = watches_[hit.number];
        const auto bytes = std::min(watch.last.size(), sizeof hit.before);
        const Bytes before(hit.before, hit.before + bytes);
        const Bytes after(hit.after, hit.after + bytes);
        const auto lane = static_cast<unsigned>(hit.lanes ? __builtin_ctz(hit.lanes) : 0);
        const auto id = link_.shape().at(hit.thread);
        stops.push_back({Stop::Kind::watch, id, lane, {}, 0, newsOf(watch, hit.address, before, after), watch.address});
        if (auto now = lookAt(watch, id)) watch.last = *std::move(now);
    }
    return stops;
}

std::optional<Stop> RunControl::changed(const ThreadId& id, std::uint64_t address) {
    for (auto& each : watches_) {
        const auto now = lookAt(each, id);
        if (!now || *now == each.last) continue;
        auto text = newsOf(each, address, each.last, *now);
        each.last = *now;
        return Stop{Stop::Kind::watch, id, 0, {}, 0, std::move(text), each.address};
    }
    return std::nullopt;
}

std::optional<Stop> RunControl::roundOfWatching() {
    for (const auto& id : threads()) {
        if (!threads_.contains(id)) continue;
        const auto address = thread(id).address();
        const auto instruction = memory_.instruction(address);
        const auto lanes = thread(id).activeLanes();
        if (instruction && instruction->endsThread) {
            thread(id).prepare(false);
            threads_.erase(id);
            link_.resume(id);
            continue;
        }
        if (auto stop = stepOne(id)) return stop;
        if (instruction && instruction->mayWrite)
            if (auto stop = changed(id, address)) {
                stop->lane = static_cast<unsigned>(lanes ? __builtin_ctz(lanes) : 0);
                return stop;
            }
        if (!threads_.contains(id)) continue;
        if (thread(id).exceptions().fault) return faulted(id);
        if (!breakpoints_.hitAt(thread(id).address()).empty())
            if (auto hit = judgeBreakpoint(id, thread(id).address())) return hit;
    }
    return std::nullopt;
}

// New threads start stopped at the kernel's entry, before their first instruction.
Stop RunControl::proceedWatching() {
    std::vector<std::uint64_t> doors;
    for (const auto& module : modules_.all())
        for (const auto& kernel : module->kernels())
            if (const auto door = module->doorOf(kernel.name); door && memory_.insertBreakpoint(door))
                doors.push_back(door);
    std::optional<Stop> stop;
    while (!stop) {
        if (!stopped()) {
            conditions_.agree(locations_);
            link_.resume(kEveryThread);
            const auto seen = pending_.empty() ? wait(kGlanceMs) : Waited::stop;
            if (seen == Waited::exit || (seen == Waited::nothing && observer_.hasEnded())) {
                exited_ = true;
                stop = Stop{};
            }
            if (seen == Waited::interrupt) stop = interrupt();
            if (seen != Waited::stop || !haltAll()) continue;
            const auto news = std::exchange(pending_, {});
            passesOver_.insert(news.begin(), news.end());
        }
        if (!stop) stop = roundOfWatching();
        if (!stop && observer_.wantsInterrupt()) stop = interrupt();
    }
    for (const auto door : doors) memory_.removeBreakpoint(door);
    return *stop;
}

}  // namespace zetl::debugger
