#include "emulator/driver/execution/unfinished_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace zetl::emulator::driver {
namespace {

std::string titleOf(const UnfinishedCommands::Entry& entry) {
    const std::string& kernel = entry.footprint.kernel;
    return kernel.empty() ? entry.name : fmt::format("{} of {}", entry.name, kernel);
}

}  // namespace

/// Looks for a way in which a wait may end.
class UnfinishedCommands::Search {
  public:
    explicit Search(const std::map<std::uint64_t, Entry>& entries) : entries_(entries) {}

    bool mayEnd(const SignalState& state) {
        if (state.value() != SignalState::Value::pending) return true;
        bool signalled = false;
        for (const auto& [number, entry] : entries_) {
            if (entry.ended || entry.signal.get() != &state) continue;
            signalled = true;
            if (mayEnd(entry)) return true;
        }
        if (!signalled) endless_.chain.push_back("the event is signalled by no command and by no call of the host");
        return false;
    }
    /// All of the stream.
    bool mayEnd(const Stream* stream) {
        for (const auto& [number, entry] : entries_)
            if (!entry.ended && entry.stream == stream && !mayEnd(entry)) return false;
        return true;
    }
    Endless take() && {
        std::ranges::reverse(endless_.chain);
        return std::move(endless_);
    }

  private:
    bool mayEnd(const Entry& last) {
        if (!looking_.insert(last.number).second) {
            endless_.chain.push_back(fmt::format("the {} waits for itself: the waits are a circle", titleOf(last)));
            return false;
        }
        for (const auto& [number, entry] : entries_) {
            if (number > last.number) break;
            if (entry.stream != last.stream || entry.ended || entry.begun) continue;
            for (const auto& wait : entry.waits) {
                if (!wait || mayEnd(*wait)) continue;
                if (endless_.roots.empty()) endless_.roots.push_back(wait);
                endless_.chain.push_back(
                    entry.number == last.number
                        ? fmt::format("the {} waits for an event", titleOf(entry))
                        : fmt::format("the {} comes behind a {} in its queue, which waits for an event", titleOf(last),
                                      titleOf(entry)));
                return false;
            }
        }
        looking_.erase(last.number);
        return true;
    }

    const std::map<std::uint64_t, Entry>& entries_;
    std::set<std::uint64_t> looking_;
    Endless endless_;
};

void UnfinishedCommands::add(Entry entry) {
    const Lock guard(mutex_);
    const std::uint64_t number = entry.number;
    entries_.insert_or_assign(number, std::move(entry));
}

void UnfinishedCommands::begun(std::uint64_t number) noexcept {
    const Lock guard(mutex_);
    if (const auto found = entries_.find(number); found != entries_.end()) found->second.begun = true;
}

void UnfinishedCommands::ended(std::uint64_t number) noexcept {
    Entry freed;  // destroyed without the mutex
    const Lock guard(mutex_);
    const auto found = entries_.find(number);
    if (found == entries_.end()) return;
    found->second.ended = true;
    freed.waits.swap(found->second.waits);
    freed.signal.swap(found->second.signal);
}

void UnfinishedCommands::drop(const Stream& stream) noexcept {
    std::map<std::uint64_t, Entry> dropped;  // destroyed without the mutex
    const Lock guard(mutex_);
    for (auto at = entries_.begin(); at != entries_.end();) {
        const auto next = std::next(at);
        if (at->second.stream == &stream && !at->second.ended) dropped.insert(entries_.extract(at));
        at = next;
    }
}

void UnfinishedCommands::seen(const check::Clock& host) {
    if (!host) return;
    const Lock guard(mutex_);
    host_ = host;
    std::erase_if(entries_, [&](const auto& entry) { return entry.second.ended && host->has(entry.first); });
}

std::optional<UnfinishedCommands::Entry> UnfinishedCommands::firstWith(
    const std::function<bool(const Entry&)>& wanted) const {
    const Lock guard(mutex_);
    const auto found = std::ranges::find_if(entries_, [&](const auto& entry) ZETL_REQUIRES(mutex_) {
        return !(host_ && host_->has(entry.first)) && wanted(entry.second);
    });
    return found == entries_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<const Stream*> UnfinishedCommands::streams() const {
    const Lock guard(mutex_);
    std::set<const Stream*> all;
    for (const auto& [number, entry] : entries_)
        if (!entry.ended) all.insert(entry.stream);
    return {all.begin(), all.end()};
}

std::optional<UnfinishedCommands::Endless> UnfinishedCommands::endless(const SignalState* state,
                                                                       const Stream* stream) const {
    const Lock guard(mutex_);
    Search search(entries_);
    if (state != nullptr ? search.mayEnd(*state) : search.mayEnd(stream)) return std::nullopt;
    return std::move(search).take();
}

}  // namespace zetl::emulator::driver
