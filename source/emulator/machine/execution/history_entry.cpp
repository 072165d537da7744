// Where a thread last came into some code, of history.h.
//
// Footprints name the turns in which the thread may have been in the code that it came from. Only these are repeated
// instruction by instruction.
#include <algorithm>
#include <optional>
#include <utility>

#include "emulator/machine/execution/history.h"
#include "emulator/machine/execution/work_group.h"

namespace zetl::emulator::machine {

/// One search. Positions are those of the history's log.
class EntrySearch {
  public:
    EntrySearch(History& history, const HistoryRequest& request, const CodeMarks& code)
        : history_(history),
          request_(request),
          code_(code),
          from_(marked(MarkedCode::kFrom)),
          to_(marked(MarkedCode::kTo)),
          wantsTo_(code.has(MarkedCode::kTo)) {}

    /// False if the thread has executed nothing that is kept.
    bool begin() {
        const auto thread = history_.threadAt(request_.slot);
        if (!thread) return false;
        thread_ = *thread;
        const auto& log = history_.log_;
        const auto isEarlier = [](const History::Entry& entry, std::uint64_t time) { return entry.start < time; };
        const auto at = [&](std::uint64_t time) {
            return static_cast<std::size_t>(std::lower_bound(log.begin(), log.end(), time, isEarlier) - log.begin());
        };
        first_ = std::max(at(history_.beginning()), history_.beginOf(thread_.first, request_.time));
        end_ = at(request_.time);
        return first_ < end_;
    }
    /// The last turn before that position in which the thread may have been in code that it came from.
    std::optional<std::size_t> lastBefore(std::size_t position) const {
        for (std::size_t i = fails() ? first_ : position; i-- > first_;)
            if (mayTouch(history_.log_[i], from_)) return i;
        return std::nullopt;
    }
    /// The last look found the thread in code that it came from.
    bool hasCome() const noexcept { return came_.has_value(); }
    std::size_t first() const noexcept { return first_; }
    std::size_t end() const noexcept { return end_; }
    /// Of the instruction that was found.
    std::uint32_t ip() const noexcept { return ip_; }
    /// The launch cannot be repeated; its log may be gone.
    bool fails() const noexcept { return history_.differs_ || history_.broken_ != HistoryAnswer::Reason::none; }

    /// Looks at the thread's turns from one position to another, both included, all of which follow a moment.
    std::optional<std::uint64_t> in(std::size_t first, std::size_t last)ZETL_REQUIRES(kTurns) {
        start(first);
        repeatTo(last);
        if (came_ && !wantsTo_) return came_;
        return came_ ? goOn() : std::nullopt;
    }
    /// The thread has not been in such code: it came from where it began.
    std::optional<std::uint64_t> fromTheBeginning() ZETL_REQUIRES(kTurns) {
        if (!wantsTo_) return std::nullopt;
        start(first_);
        came_ = history_.now_;
        return goOn();
    }

  private:
    LineSet marked(std::uint32_t mark) const {
        return Footprints::lines(*history_.recorded_, [&](std::uint32_t ip) { return (code_.at(ip) & mark) != 0; });
    }
    bool mayTouch(const History::Entry& entry, const LineSet& lines) const {
        return entry.isTurn() && entry.place == thread_.first && entry.thread == thread_.second &&
               history_.footprints_.mayTouch(entry.footprint, lines);
    }
    void start(std::size_t position) ZETL_REQUIRES(kTurns) {
        came_.reset();
        arrived_.reset();
        if (fails()) return;
        const std::uint64_t time = history_.log_[position].start;
        history_.toMoment(history_.momentBefore(time));
        history_.repeat(time);
    }
    void repeatTo(std::size_t last) {
        if (fails()) return;
        History::Visitor visitor;
        visitor.wants = [&](const History::Entry& entry) {
            return mayTouch(entry, from_) || (came_ && !arrived_ && mayTouch(entry, to_));
        };
        visitor.before = [&](const History::Entry&, HardwareThread& thread, std::uint64_t time) {
            const std::uint32_t ip = thread.state.ip();
            const std::uint32_t marks = code_.at(ip);
            const bool comes = (marks & MarkedCode::kFrom) != 0 && time < request_.time;
            if (comes) {
                came_ = time;
                arrived_.reset();
            }
            const bool arrives = (marks & MarkedCode::kTo) != 0 && came_ && !arrived_;
            if (arrives) arrived_ = time;
            if (wantsTo_ ? arrives : comes) ip_ = ip;
        };
        history_.repeat(history_.log_[last].end(), &visitor);
    }
    /// From where it came, to where it arrived.
    std::optional<std::uint64_t> goOn() {
        for (std::size_t i = history_.entry_; i < history_.log_.size() && !arrived_ && !fails(); ++i)
            if (mayTouch(history_.log_[i], to_)) repeatTo(i);
        return arrived_;
    }

    History& history_;
    const HistoryRequest& request_;
    const CodeMarks& code_;
    const LineSet from_;
    const LineSet to_;
    const bool wantsTo_;
    std::pair<std::uint32_t, std::uint32_t> thread_;  ///< place, number in the group
    std::size_t first_ = 0;                           ///< of the work-group's entries that are kept
    std::size_t end_ = 0;
    std::optional<std::uint64_t> came_;     ///< when it was last in code that it came from
    std::optional<std::uint64_t> arrived_;  ///< when it was first where it came to, since
    std::uint32_t ip_ = 0;
};

/// Looks at one interval between moments; the debugger asks for those before that.
void History::findEntry(const HistoryRequest& request, const CodeMarks& code, HistoryReport& report) {
    HistoryAnswer& answer = report.answer;
    answer.status = static_cast<std::uint32_t>(HistoryAnswer::Status::absent);
    answer.found = beginning();
    answer.slot = request.slot;
    if (request.time <= beginning() || recorded_ == nullptr) return;
    leavePresent();
    EntrySearch search(*this, request, code);
    if (!search.begin()) return;
    std::optional<std::uint64_t> found;
    auto left = search.lastBefore(search.end());
    if (left) {
        const std::size_t index = momentBefore(log_[*left].start);
        const auto [time, entry] = std::pair(moments_[index].time, moments_[index].entry);
        found = search.in(*left, *left);
        if (!search.hasCome()) left = search.lastBefore(*left);
        if (!search.hasCome() && left && *left >= entry) {
            found = search.in(std::max(entry, search.first()), *left);
            if (!search.hasCome()) left = search.lastBefore(entry);
        }
        if (!search.hasCome() && left) answer.found = time;
    }
    if (!left) found = search.fromTheBeginning();
    if (!found || search.fails()) return;
    answer.status = static_cast<std::uint32_t>(HistoryAnswer::Status::ok);
    answer.found = *found;
    report.way.push_back({*found, search.ip()});
    answer.count = 1;
}

}  // namespace zetl::emulator::machine
