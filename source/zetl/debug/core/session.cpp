#include "core/session.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/failure.h"
#include "core/merged_link.h"

namespace zetl::debugger {
namespace {

constexpr unsigned kRetryMicroseconds = 2000;
constexpr const char* kRecord = "ZETL_EMULATOR_RECORD";
constexpr const char* kSchedule = "ZETL_EMULATOR_ORDER";

/// Used while nothing is debugged: breakpoints can be set, and stay pending.
class NoLink : public Link {
  public:
    const Architecture& architecture() const override { return xe(); }
    const ThreadShape& shape() const override { return shape_; }
    const std::vector<zet_debug_regset_properties_t>& registerSets() const override { return sets_; }
    ze_result_t readEvent(std::uint64_t, zet_debug_event_t&) override { return kRefusal; }
    ze_result_t acknowledge(const zet_debug_event_t&) override { return kRefusal; }
    ze_result_t interrupt(const ThreadId&) override { return kRefusal; }
    ze_result_t resume(const ThreadId&) override { return kRefusal; }
    ze_result_t readMemory(const ThreadId&, zet_debug_memory_space_type_t, std::uint64_t, std::size_t, void*) override {
        return kRefusal;
    }
    ze_result_t writeMemory(const ThreadId&, zet_debug_memory_space_type_t, std::uint64_t, std::size_t,
                            const void*) override {
        return kRefusal;
    }
    ze_result_t setBreakpoint(std::uint64_t, bool) override { return kRefusal; }
    ze_result_t readRegisters(const ThreadId&, std::uint32_t, std::uint32_t, std::uint32_t, void*) override {
        return kRefusal;
    }
    ze_result_t writeRegisters(const ThreadId&, std::uint32_t, std::uint32_t, std::uint32_t, const void*) override {
        return kRefusal;
    }

  private:
    static constexpr auto kRefusal = ZE_RESULT_ERROR_NOT_AVAILABLE;
    const ThreadShape shape_{};
    const std::vector<zet_debug_regset_properties_t> sets_{};
};

void keep(const std::vector<Breakpoint>& former, Breakpoints& now) {
    for (const auto& each : former) now.adopt(each);
}

[[noreturn]] void refuse(std::uint32_t pid, ze_result_t result) {
    switch (result) {
        case ZE_RESULT_NOT_READY:
            fail(
                "process {} cannot be debugged, at least not yet: start it with `zetl run --debugging` "
                "(ZET_ENABLE_PROGRAM_DEBUGGING=1), and attach after it has called zeInit",
                pid);
        case ZE_RESULT_ERROR_NOT_AVAILABLE:
            fail("another debugger is attached to process {}; end it first", pid);
        case ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS:
            fail(
                "the system does not let you debug process {}; set kernel.yama.ptrace_scope to 0 (see ptrace(2)), or "
                "start the program in zetl debug",
                pid);
        case ZE_RESULT_ERROR_INVALID_ARGUMENT:
            fail("there is no process {}; ps shows those that run", pid);
        default:
            fail("process {} cannot be debugged: {}", pid, resultText(result));
    }
}

}  // namespace

Session::Session(Options options, Observer observer)
    : options_(std::move(options)),
      observer_(std::move(observer)),
      link_(std::make_unique<NoLink>()),
      control_(std::make_unique<RunControl>(*link_, observer_, history_, locations_)) {
    source_.addDirectory(".");
    for (const auto& each : options_.directories) source_.addDirectory(each);
}

Session::~Session() {
    if (debuggee_ && !debuggee_->isOurs()) control_->release();
    close(true);
}

const std::vector<Device>& Session::devices() {
    if (options_.link) fail("this session has no devices; start zetl debug again");
    if (!levelZero_) levelZero_ = std::make_unique<LevelZero>();
    return levelZero_->devices();
}

Observer Session::observed() const {
    auto observer = observer_;
    const auto notify = observer_.hasEnded;
    observer.hasEnded = [this, notify] {
        return notify() || !debuggee_ || const_cast<Debuggee&>(*debuggee_).hasEnded();
    };
    return observer;
}

void Session::open(Debuggee debuggee, std::unique_ptr<Link> link) {
    const auto former = control_->breakpoints().all();
    debuggee_ = std::move(debuggee);
    locations_.forgetCode();
    control_.reset();
    link_ = std::move(link);
    control_ = std::make_unique<RunControl>(*link_, observed(), history_, locations_);
    control_->setLocking(locking_);
    keep(former, control_->breakpoints());
}

void Session::close(bool kills) {
    const auto former = control_->breakpoints().all();
    if (kills && debuggee_) debuggee_->beginKill();
    thread_.reset();
    frames_.clear();
    items_.reset();
    control_.reset();
    link_ = std::make_unique<NoLink>();
    if (kills && debuggee_) debuggee_->kill();
    if (debuggee_ && debuggee_->hasEnded()) exitCode_ = debuggee_->exitCode();
    if (debuggee_) lastOutput_ += debuggee_->output();
    debuggee_.reset();
    control_ = std::make_unique<RunControl>(*link_, observer_, history_, locations_);
    keep(former, control_->breakpoints());
}

void Session::setProgram(std::vector<std::string> words, std::string directory,
                         const std::vector<std::pair<std::string, std::string>>& variables) {
    options_.program.words = std::move(words);
    options_.program.directory = std::move(directory);
    setVariables(variables);
}

void Session::setVariables(const std::vector<std::pair<std::string, std::string>>& variables) {
    auto& program = options_.program;
    for (const auto& each : variables) {
        std::erase_if(program.environment, [&](const auto& known) { return known.first == each.first; });
        program.environment.push_back(each);
    }
}

void Session::setLocking(Locking locking) {
    if (isAlive() && locking != Locking::untilWaiting && link_->architecture().runsAsAWhole())
        fail("threads of this device do not run one by one; type continue");
    locking_ = locking;
    control_->setLocking(locking);
}

std::string Session::output() {
    auto text = std::exchange(lastOutput_, {});
    if (debuggee_) text += debuggee_->output();
    return text;
}

void Session::setSchedule(const std::string& schedule) {
    std::erase_if(options_.program.environment, [](const auto& known) { return known.first == kSchedule; });
    if (!schedule.empty()) setVariables({{kSchedule, schedule}});
}

std::string Session::schedule() const {
    const auto& variables = options_.program.environment;
    const auto found = std::ranges::find_if(variables, [](const auto& each) { return each.first == kSchedule; });
    return found == variables.end() ? std::string() : found->second;
}

void Session::record() { setProgram(options_.program.words, options_.program.directory, {{kRecord, "1"}}); }

bool Session::records() const noexcept {
    return std::ranges::any_of(options_.program.environment, [](const auto& each) { return each.first == kRecord; });
}

void Session::setArguments(const std::vector<std::string>& arguments) {
    auto& words = options_.program.words;
    if (words.empty()) fail("no program was given; start zetl debug -- PROGRAM");
    words.resize(1);
    words.insert(words.end(), arguments.begin(), arguments.end());
}

bool Session::start() {
    if (isAlive()) fail("process {} is already being debugged; type kill or detach first", pid());
    if (options_.program.words.empty()) fail("no program was given; start zetl debug -- PROGRAM, or type attach PID");
    chosenDevices();  // before the program starts
    auto debuggee = Debuggee::start(options_.program);
    for (;;) {
        auto link = reachFamily(debuggee);
        if (link) {
            wasInterrupted_ = false;
            open(std::move(debuggee), std::move(link));
            return true;
        }
        const bool ended = debuggee.hasEnded();
        wasInterrupted_ = !ended && observer_.wantsInterrupt();
        if (ended || wasInterrupted_) {
            debuggee_ = std::move(debuggee);
            if (!ended) kill();
            close();
            return false;
        }
        usleep(kRetryMicroseconds);
    }
}

/// A program may be a script that starts the one with kernels. Null if none of them can be debugged yet.
std::unique_ptr<Link> Session::reachFamily(const Debuggee& debuggee) {
    for (const auto pid : debuggee.family()) {
        auto result = ZE_RESULT_SUCCESS;
        if (auto link = reach(static_cast<std::uint32_t>(pid), result)) {
            attached_ = pid;
            return link;
        }
        const bool mayBeLater = result == ZE_RESULT_NOT_READY || result == ZE_RESULT_ERROR_INVALID_ARGUMENT;
        if (!mayBeLater && !Debuggee::isEnding(pid))  // nobody can read an ending process
            refuse(static_cast<std::uint32_t>(pid), result);
    }
    return nullptr;
}

std::unique_ptr<Link> Session::reach(std::uint32_t pid, ze_result_t& result) {
    if (options_.link) return options_.link(pid);
    std::vector<std::unique_ptr<Link>> links;
    for (const auto& each : chosenDevices()) {
        links.push_back(levelZero_->attach(each, pid, result));
        if (!links.back()) return nullptr;
    }
    if (links.size() == 1) return std::move(links.front());
    return std::make_unique<MergedLink>(std::move(links));
}

std::vector<Device> Session::chosenDevices() {
    const auto& all = devices();
    if (options_.allDevices) return all;
    if (options_.device >= all.size()) fail("there is no device {}; type info devices for a list", options_.device);
    return {all[options_.device]};
}

void Session::attach(std::uint32_t pid) {
    if (isAlive()) fail("process {} is already being debugged; type kill or detach first", this->pid());
    auto result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    auto link = reach(pid, result);
    if (!link) refuse(pid, result);
    attached_ = static_cast<pid_t>(pid);
    open(Debuggee::running(attached_), std::move(link));
}

void Session::detach() {
    if (!isAlive()) fail("{}", kNothingDebugged);
    const auto former = control_->breakpoints().all();
    control_->release();
    debuggee_->letGo();
    close();
    keep(former, control_->breakpoints());
}

void Session::kill() {
    if (!debuggee_) fail("{}", kNothingDebugged);
    close(true);
}

Stop Session::arrived(Stop stop) {
    frames_.clear();
    items_.reset();
    frame_ = 0;
    if (stop.kind == Stop::Kind::exited) {
        constexpr int kPatience = 500;  // times the time between two looks; a script may go on behind its child
        const bool isChild = debuggee_ && attached_ != debuggee_->pid();
        for (int i = 0; (i < kPatience || isChild) && debuggee_ && debuggee_->isOurs() && !debuggee_->hasEnded() &&
                        !(isChild && observer_.wantsInterrupt());
             ++i)
            usleep(kRetryMicroseconds);
        close();
    } else if (stop.thread.single()) {
        // At another time of the launch, the user looks at the same work-item.
        const bool isSame = stop.kind == Stop::Kind::moment && thread_ == stop.thread;
        if (isSame && (control_->thread(stop.thread).activeLanes() >> lane_ & 1) != 0) stop.lane = lane_;
        thread_ = stop.thread;
        lane_ = stop.lane;
    } else {
        thread_.reset();
    }
    return stop;
}

std::optional<Stop> Session::endSince() {
    constexpr int kPatience = 500;  // milliseconds
    if (!isAlive()) return std::nullopt;
    for (int i = 0; !control_->hasEnded(); ++i) {
        if (i == kPatience || !Debuggee::isEnding(debuggee_->pid())) return std::nullopt;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return arrived(Stop{});
}

const ThreadId& Session::thread() const {
    if (!thread_ && !isAlive()) fail("{}", kNothingDebugged);
    if (!thread_) fail("no thread is stopped; set a breakpoint, or type interrupt");
    return *thread_;
}

void Session::select(const ThreadId& id) {
    const auto lanes = control_->thread(id).activeLanes();
    thread_ = id;
    lane_ = lanes == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(lanes));
    frame_ = 0;
    frames_.clear();
    items_.reset();
}

void Session::selectLane(std::uint64_t lane) {
    if (lane >= 32 || (control_->thread(thread()).dispatchedLanes() >> lane & 1) == 0)
        fail("the thread has no work-item in lane {}; type info items for a list", lane);
    lane_ = static_cast<unsigned>(lane);
}

void Session::selectFrame(std::size_t number) {
    if (number >= frames().size()) fail("there is no frame {}; type backtrace for a list", number);
    frame_ = number;
}

bool Session::selectItem(const Triple& global) {
    for (const auto& id : control_->threads()) {
        const auto found = control_->itemsOf(id);
        const auto item = std::ranges::find(found.items, global, &WorkItem::global);
        if (!found.known || item == found.items.end()) continue;
        select(id);
        lane_ = item->lane;
        return true;
    }
    return false;
}

const std::vector<Frame>& Session::frames() {
    if (frames_.empty()) frames_ = control_->framesOf(thread());
    return frames_;
}

const WorkItems& Session::items() {
    if (!items_) items_ = control_->itemsOf(thread());
    return *items_;
}

Inspector Session::inspectorOf(const Frame& frame, bool calls) {
    Inspector::Caller caller;
    if (calls)
        caller = [this, &frame](const std::string& name, const std::vector<Value>& arguments) {
            return called(frame, name, arguments);
        };
    return {frame,      control_->thread(thread()), control_->memory(), items(), lane_, history_,
            locations_, std::move(caller)};
}

Value Session::called(const Frame& frame, const std::string& name, const std::vector<Value>& arguments) {
    auto& stopped = control_->thread(thread());
    const auto& architecture = stopped.architecture();
    const auto* const module = control_->modules().at(stopped.address());
    if (!module || !frame.module) fail("there is no source here, so {} is not known; build with -g", name);
    if (records()) fail("no function is called while launches are recorded: the call would become a part of them");
    const auto call = preparedCall(*frame.module, control_->memory(), architecture, name, arguments, lane_);
    requireStack(*module, control_->memory(), architecture, stopped.address());
    if ((stopped.activeLanes() >> lane_ & 1) == 0)
        fail("the work-item of lane {} is not active here; select another one with item", lane_);
    return resultOf(call, control_->call(thread(), call));
}

std::string Session::file() {
    if (thread_) return frame().line.file;
    for (const auto& module : control_->modules().all())
        for (const auto& file : module->debug().files()) return file;
    return "";
}

}  // namespace zetl::debugger
