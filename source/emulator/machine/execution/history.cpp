// Recording, of history.h. history_travel.cpp repeats what was recorded.
#include "emulator/machine/execution/history.h"

#include <algorithm>
#include <new>

#include "base/log.h"
#include "base/settings.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/memory/allocation_table.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint64_t kFirstInterval = std::uint64_t{1} << 20;  // instructions between two moments, at first
constexpr std::size_t kMostKept = 256;                            // then every other one goes
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{1} << 30;  // then the oldest go

const char* whyNot(HistoryAnswer::Reason reason) noexcept {
    switch (reason) {
        case HistoryAnswer::Reason::launches:
            return "another launch runs at the same time";
        case HistoryAnswer::Reason::memory:
            return "the host has no memory for its history";
        case HistoryAnswer::Reason::filled:
            return "ZETL_EMULATOR_FILL writes to its memory";
        case HistoryAnswer::Reason::differs:
            return "repeated, its threads do something else: the host, or another process, has changed memory "
                   "meanwhile";
        case HistoryAnswer::Reason::none:
            return "";
    }
    return "";
}

}  // namespace

std::unique_ptr<History> History::configured(Quiescence& quiescence, const AllocationTable& table) {
    if (!settings::enabled(settings::kEmulatorRecord)) return nullptr;
    return std::make_unique<History>(quiescence, table);
}

History::History(Quiescence& quiescence, const AllocationTable& table) : table_(table), worker_(0, quiescence) {}

History::~History() = default;

void History::forget() noexcept {
    launch_ = nullptr;
    others_ = unkept_ = false;
    broken_ = HistoryAnswer::Reason::none;
    places_.clear();
    ended_.clear();
    over_ = false;
    moments_.clear();
    temporary_.clear();
    interval_ = kFirstInterval;
    live_ = true;
    changed_ = wasWritten_ = false;
    base_ = entry_ = 0;
    now_ = offset_ = 0;
    turnStart_ = clockBase_ = soFar_ = 0;
    dropLog();
}

void History::dropLog() noexcept {
    log_.clear();
    footprints_.clear();
    recorded_ = nullptr;
    footprinted_ = 0;
    footprintedAt_ = now_;
}

/// The launch runs on, but cannot be taken back.
void History::give(HistoryAnswer::Reason reason) noexcept {
    if (broken_ != HistoryAnswer::Reason::none) return;
    broken_ = reason;
    log::warn(log::Channel::emulator, "the launch cannot be taken back: {}", whyNot(reason));
    dropLog();
    const Lock guard(pagesMutex_);
    moments_.clear();
    temporary_.clear();
    live_ = true;
}

bool History::records(const WorkGroup& group) const noexcept {
    return &group.dispatch() == launch_.load(std::memory_order_relaxed) && broken_ == HistoryAnswer::Reason::none &&
           !over_;
}

// Another launch may come while the worker is in a turn of the recorded one, which then finds out before its next one.
void History::placed(WorkGroup& group) {
    ActiveDispatch& dispatch = group.dispatch();
    if (launch_ == nullptr) {
        forget();
        if (dispatch.launch().ownMemoryFill) give(HistoryAnswer::Reason::filled);
        launch_ = &dispatch;
    }
    if (launch_ != &dispatch) {
        others_ = true;
        return;
    }
    try {
        places_.push_back(&group);
        ended_.push_back(false);
    } catch (const std::bad_alloc&) {
        others_ = true;
    }
}

/// No place can be taken back once one is gone.
void History::left(const WorkGroup& group) {
    if (&group.dispatch() != launch_) return;
    over_ = true;
    dropLog();
    moments_.clear();
    temporary_.clear();
    std::erase(places_, &group);
    if (places_.empty()) forget();
}

/// Without memory for it, the launch goes on without a history.
bool History::note(const Entry& entry) noexcept try {
    log_.push_back(entry);
    return true;
} catch (const std::bad_alloc&) {
    give(HistoryAnswer::Reason::memory);
    return false;
}

void History::begins(WorkGroup& group) {
    if (!records(group)) return;
    const auto place = static_cast<std::uint32_t>(std::ranges::find(places_, &group) - places_.begin());
    note({now_, 0, launch().numberOf(group.id()), place, kBegin, 0});
}

bool History::keepsEnded(const WorkGroup& group) {
    if (!records(group)) return false;
    const auto place = static_cast<std::uint32_t>(std::ranges::find(places_, &group) - places_.begin());
    ended_[place] = true;
    if (!note({now_, 0, 0, place, kEnd, 0})) return false;
    over_ = std::ranges::find(ended_, false) == ended_.end();
    return true;
}

bool History::isOver(const WorkGroup& group) const noexcept { return !records(group) || group.dispatch().stopping(); }

std::uint64_t History::kept() const noexcept {
    constexpr std::uint64_t kThread = 16 << 10;
    std::uint64_t bytes = 0;
    const Moment* former = nullptr;
    for (const Moment& moment : moments_) {
        bytes += moment.pages.bytes();
        for (std::size_t place = 0; place < moment.groups.size(); ++place) {
            const bool shared = former != nullptr && former->groups[place].executed == moment.groups[place].executed;
            if (!shared) bytes += moment.groups[place].threads.size() * kThread;
        }
        former = &moment;
    }
    return bytes;
}

/// A launch without end keeps a history of bounded size: first with fewer moments, then of less time.
void History::makeRoom() {
    if (moments_.size() > kMostKept) {
        std::vector<Moment> fewer;
        fewer.reserve(moments_.size());
        for (std::size_t i = 0; i < moments_.size(); ++i) {
            const bool goes = i % 2 == 1 && i + 1 < moments_.size() && !moments_[i].isPinned;
            if (goes)
                fewer.back().pages.add(std::move(moments_[i].pages));
            else
                fewer.push_back(std::move(moments_[i]));
        }
        moments_ = std::move(fewer);
        interval_ *= 2;
    }
    while (moments_.size() > 2 && kept() > kMostKeptBytes) moments_.erase(moments_.begin());
}

/// `shares`: what did not run since the last moment is as it was.
void History::keepMoment(bool shares) {
    Moment moment{now_, log_.size(), !shares, {}, {}};
    moment.groups.reserve(places_.size());
    for (std::size_t place = 0; place < places_.size(); ++place) {
        const GroupMoment* const former = shares && !moments_.empty() ? &moments_.back().groups[place] : nullptr;
        moment.groups.push_back(places_[place]->keep(former));
    }
    moments_.push_back(std::move(moment));
    makeRoom();
}

void History::beforeTurn(Worker& worker, const HardwareThread& thread) {
    if (!records(WorkGroup::of(thread))) return;
    if (others_) return give(HistoryAnswer::Reason::launches);
    if (unkept_) return give(HistoryAnswer::Reason::memory);
    turnStart_ = now_;
    const bool due = moments_.empty() || changed_ || now_ - moments_.back().time >= interval_;
    if (!due) return;
    if (moments_.empty()) clockBase_ = launch().tile().device().clock().peek();
    try {
        // A debugger may let go of threads that are stopped, and change them first.
        const TurnLock guard(launch().tile().scheduler().mutex());
        keepMoment(!changed_.exchange(false));
    } catch (const std::bad_alloc&) {
        give(HistoryAnswer::Reason::memory);
    }
    ++worker.turn;  // threads ask for their memory once more
}

void History::afterTurn(const HardwareThread& thread, std::int64_t quantum, std::uint64_t executed) {
    if (executed == 0 || !records(WorkGroup::of(thread))) return;
    const auto place = std::ranges::find(places_, thread.group);
    const bool repeatsItself = thread.state.status != isa::Status::breakpoint && !thread.meetsWatch;
    if (!note({now_, executed, 0, static_cast<std::uint32_t>(place - places_.begin()), thread.index,
               repeatsItself ? quantum : 0}))
        return;
    soFar_.store(now_ += executed, std::memory_order_relaxed);
    recorded_ = thread.tally;
    if (now_ - footprintedAt_ >= footprints_.interval()) keepFootprint();
}

/// Of the instructions since the last one, for the entries since.
void History::keepFootprint() noexcept {
    const std::uint32_t number = footprints_.take(*recorded_);
    for (; footprinted_ < log_.size(); ++footprinted_) log_[footprinted_].footprint = number;
    footprintedAt_ = now_;
}

void History::accesses(const HardwareThread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                       isa::MemoryWindow& window) noexcept {
    if (records(WorkGroup::of(thread))) narrow(address, bytes, write, window);
}

/// Each page that is written is seen before its first write since the last moment, so windows do not reach beyond it.
void History::narrow(std::uint64_t address, std::uint64_t bytes, bool write, isa::MemoryWindow& window) noexcept {
    if (moments_.empty() || bytes == 0) return;
    const std::uint64_t first = PageRecord::pageOf(address);
    const std::uint64_t last = PageRecord::pageOf(address + bytes - 1);
    const bool looks = wanted_ != nullptr && wanted_->isGlobal();
    const bool isWanted =
        looks && PageRecord::pageOf(wanted_->begin) <= last && first <= PageRecord::pageOf(wanted_->end - 1);
    if (isWanted && (write || wanted_->reads)) wanted_->touched |= wanted_->contains(address, bytes);
    if (!write && !(looks && wanted_->reads)) return;
    const std::uint64_t end = window.begin + window.bytes;
    const auto isKept = [&] {
        const Lock guard(pagesMutex_);
        return keepPages(address, bytes, window);
    };
    if (write && !isKept()) return give(HistoryAnswer::Reason::memory);
    const std::uint64_t from = isWanted ? address : std::max(first * PageRecord::kPage, window.begin);
    const std::uint64_t to = isWanted ? address + bytes : std::min((last + 1) * PageRecord::kPage, end);
    window = {from, to - from, window.host + (from - window.begin)};
}

bool History::keepPages(std::uint64_t address, std::uint64_t bytes, const isa::MemoryWindow& window) noexcept try {
    const std::uint64_t last = PageRecord::pageOf(address + bytes - 1);
    for (std::uint64_t page = PageRecord::pageOf(address); page <= last; ++page)
        written().keep(page, std::max(page * PageRecord::kPage, window.begin),
                       std::min((page + 1) * PageRecord::kPage, window.begin + window.bytes));
    return true;
} catch (const std::bad_alloc&) {
    return false;
}

std::uint64_t History::timestamp(std::uint64_t now) noexcept {
    const std::uint64_t base = clockBase_.load(std::memory_order_relaxed);
    return base == 0 ? now : base + turnStart_.load(std::memory_order_relaxed);
}

/// Also while the worker is in a turn, which adds to the same pages.
void History::changes(std::uint64_t address, std::uint64_t bytes) {
    if (launch_ == nullptr || bytes == 0) return;
    worker_.reader.enter();
    const Allocation* const allocation = table_.find(address);
    {
        const Lock guard(pagesMutex_);
        const bool isRecorded = !moments_.empty();
        if (isRecorded) changed();
        if (isRecorded && allocation != nullptr) {
            const isa::MemoryWindow window{allocation->begin, allocation->bytes(),
                                           reinterpret_cast<std::byte*>(allocation->begin)};
            if (!keepPages(address, std::min(bytes, allocation->end - address), window)) unkept_ = true;
        }
    }
    worker_.reader.leave();
}

void History::changed() {
    if (launch_ == nullptr) return;
    (live_ ? changed_ : wasWritten_) = true;
}

void History::goesOn() { becomePresent(); }

}  // namespace zetl::emulator::machine
