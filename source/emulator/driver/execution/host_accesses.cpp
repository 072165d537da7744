#include "emulator/driver/execution/host_accesses.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::uint64_t kPage = 4096;

bool isClosedPage(int code) noexcept {
#ifdef SEGV_PKUERR
    if (code == SEGV_PKUERR) return true;
#endif
    return code == SEGV_ACCERR;
}

// Of the process, for the handler.
std::atomic<HostAccesses*> handling{nullptr};
struct sigaction formerHandler {};

bool isWrite(const void* context) noexcept {
#ifdef __x86_64__
    constexpr greg_t kWriteBit = 2;
    return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWriteBit) != 0;
#else
    static_cast<void>(context);
    return false;
#endif
}

/// A fault that is not ours goes to the handler that would have got it.
void passOn(int signal, siginfo_t* info, void* context) noexcept {
    if ((formerHandler.sa_flags & SA_SIGINFO) != 0 && formerHandler.sa_sigaction != nullptr)
        return formerHandler.sa_sigaction(signal, info, context);
    if (formerHandler.sa_handler != SIG_DFL && formerHandler.sa_handler != SIG_IGN)
        return formerHandler.sa_handler(signal);
    sigaction(signal, &formerHandler, nullptr);  // the instruction faults again, and ends the process
}

/// Whether the same thread faults at the same address once more, though no page was given back meanwhile. The three are
/// one number, because several threads may be here at once, and two of them must not mix.
bool isAgain(std::uint64_t address, std::uint64_t givenBack) noexcept {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;  // an odd number: products of different numbers differ
    static std::atomic<std::uint64_t> last{0};
    const auto thread = static_cast<std::uint64_t>(pthread_self());
    const std::uint64_t fault = ((address * kSpread ^ thread) * kSpread ^ givenBack) * kSpread;
    return last.exchange(fault, std::memory_order_relaxed) == fault;
}

/// A closed page that is nobody's may have been given back since the access, so the instruction is tried once more.
void onFault(int signal, siginfo_t* info, void* context) noexcept {
    HostAccesses* const accesses = handling.load(std::memory_order_acquire);
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    const bool closed = accesses != nullptr && isClosedPage(info->si_code);
    if (closed && (accesses->handle(address, isWrite(context)) || !isAgain(address, accesses->givenBack()))) return;
    passOn(signal, info, context);
}

}  // namespace

void HostAccesses::takeHandler() {
    struct sigaction now {};
    if (sigaction(SIGSEGV, nullptr, &now) != 0) return;
    handling.store(this, std::memory_order_release);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == &onFault) return;
    formerHandler = now;
    struct sigaction ours {};
    ours.sa_sigaction = &onFault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    if (sigaction(SIGSEGV, &ours, nullptr) != 0)
        log::warn(log::Channel::emulator, "check: no handler of SIGSEGV, so races with the host are not looked for");
}

bool HostAccesses::open(std::uint64_t begin, std::uint64_t bytes) const noexcept {
    return key_ ? ProtectionKey::open(begin, bytes)
                : mprotect(reinterpret_cast<void*>(begin), bytes, PROT_READ | PROT_WRITE) == 0;
}

bool HostAccesses::handle(std::uint64_t address, bool write) noexcept {
    for (const Range& range : ranges_) {
        const std::uint64_t begin = range.begin.load(std::memory_order_acquire);
        if (begin == 0 || address < begin || address >= range.end.load(std::memory_order_acquire)) continue;
        const std::size_t place = used_.fetch_add(1, std::memory_order_relaxed);
        if (place < kMostAccesses) {
            slots_[place].address.store(address, std::memory_order_relaxed);
            slots_[place].write.store(write, std::memory_order_relaxed);
            slots_[place].whole.store(true, std::memory_order_release);
        }
        return open(address / kPage * kPage, kPage);
    }
    return false;
}

void HostAccesses::protect(const Range& range, bool closed) {
    const std::uint64_t begin = range.begin.load(std::memory_order_relaxed);
    const std::uint64_t bytes = range.end.load(std::memory_order_relaxed) - begin;
    if (!closed) {
        open(begin, bytes);
        return;
    }
    takeHandler();
    if (key_)
        key_->close(begin, bytes);
    else
        mprotect(reinterpret_cast<void*>(begin), bytes, PROT_NONE);
}

void HostAccesses::watch(std::uint64_t begin, std::uint64_t bytes, std::uint64_t command) {
    if (begin % kPage != 0) return;
    const Lock guard(mutex_);
    auto found = byBegin_.find(begin);
    if (found == byBegin_.end()) {
        const auto* const free = std::ranges::find_if(ranges_, [](const Range& one) { return one.begin.load() == 0; });
        if (free == ranges_.end()) return;
        found = byBegin_.emplace(begin, Watched{static_cast<std::size_t>(free - ranges_.begin()), {}}).first;
        Range& range = ranges_[found->second.place];
        range.end.store((begin + bytes + kPage - 1) / kPage * kPage, std::memory_order_release);
        range.begin.store(begin, std::memory_order_release);
        watched_.store(byBegin_.size(), std::memory_order_relaxed);
    }
    found->second.commands.push_back(command);
    if (executing_ == 0 || key_) protect(ranges_[found->second.place], true);
}

void HostAccesses::end(const Watched& watched) {
    Range& range = ranges_[watched.place];
    protect(range, false);
    givenBack_.fetch_add(1, std::memory_order_release);  // before the handler no longer finds the range
    range.begin.store(0, std::memory_order_release);
}

void HostAccesses::seen(const check::Clock& host) {
    if (!any() || !host) return;
    const Lock guard(mutex_);
    for (auto next = byBegin_.begin(); next != byBegin_.end();) {
        std::vector<std::uint64_t>& commands = next->second.commands;
        std::erase_if(commands, [&](std::uint64_t command) { return host->has(command); });
        if (!commands.empty()) {
            ++next;
            continue;
        }
        end(next->second);
        next = byBegin_.erase(next);
    }
    watched_.store(byBegin_.size(), std::memory_order_relaxed);
}

void HostAccesses::forget(std::uint64_t begin) {
    if (!any()) return;
    const Lock guard(mutex_);
    std::erase_if(byBegin_, [&](const auto& entry) ZETL_REQUIRES(mutex_) {
        if (begin != 0 && entry.first != begin) return false;
        end(entry.second);
        return true;
    });
    watched_.store(byBegin_.size(), std::memory_order_relaxed);
}

std::uint32_t HostAccesses::open() {
    const Lock guard(mutex_);
    const bool isFirst = executing_++ == 0;
    if (key_) return key_->allow();
    if (isFirst)
        for (const auto& [begin, watched] : byBegin_) protect(ranges_[watched.place], false);
    return 0;
}

void HostAccesses::close(std::uint32_t rights) {
    const Lock guard(mutex_);
    if (key_) ProtectionKey::restore(rights);
    if (--executing_ != 0) return;
    for (const auto& [begin, watched] : byBegin_) protect(ranges_[watched.place], true);  // some pages were opened
}

std::vector<HostAccesses::Access> HostAccesses::take() {
    std::vector<Access> taken;
    if (used_.load(std::memory_order_relaxed) == 0) return taken;
    const Lock guard(mutex_);
    const std::size_t used = std::min(used_.exchange(0, std::memory_order_acq_rel), kMostAccesses);
    for (std::size_t i = 0; i < used; ++i)
        if (slots_[i].whole.exchange(false, std::memory_order_acquire))
            taken.push_back(
                {slots_[i].address.load(std::memory_order_relaxed), slots_[i].write.load(std::memory_order_relaxed)});
    return taken;
}

}  // namespace zetl::emulator::driver
