#include "nvidia/driver/program/door.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

#include "base/debug_wait.h"
#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "base/traced.h"

namespace zetl::nvidia {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kName = "zd:";  // with the word's address it just fits into a thread's name
constexpr auto kGlance = std::chrono::milliseconds(5);
constexpr std::uint32_t kOpen = 1;

class ThreadName {
  public:
    explicit ThreadName(const std::string& name) {
        prctl(PR_GET_NAME, former_.data());
        prctl(PR_SET_NAME, name.c_str());
    }
    ~ThreadName() { prctl(PR_SET_NAME, former_.data()); }
    ThreadName(const ThreadName&) = delete;
    ThreadName& operator=(const ThreadName&) = delete;

  private:
    std::array<char, 16> former_{};
};

/// Never freed: the debugger may open the door when no thread waits any more.
std::atomic<std::uint32_t>* newDoor() {
    static NeverDestroyed<Synchronized<std::deque<std::atomic<std::uint32_t>>>> doors;
    return (*doors).write([](auto& all) { return &all.emplace_back(0); });
}

}  // namespace

void waitAtDoor() {
    const auto patience = debugWait();
    if (patience.count() == 0) return;
    static std::atomic<bool> first{true};
    if (!first.exchange(false) && !isTraced("self")) return;
    const auto* const door = newDoor();
    const ThreadName name(fmt::format("{}{:x}", kName, reinterpret_cast<std::uintptr_t>(door)));
    const auto until = Clock::now() + patience;
    while (door->load() != kOpen && Clock::now() < until) std::this_thread::sleep_for(kGlance);
}

std::optional<std::uint64_t> doorOf(pid_t process) {
    std::error_code none;
    for (auto each = fs::directory_iterator(fmt::format("/proc/{}/task", process), none);
         !none && each != fs::end(each); each.increment(none)) {
        std::string name;
        std::getline(std::ifstream(each->path() / "comm"), name);
        std::uint64_t address = 0;
        if (!name.starts_with(kName)) continue;
        const auto* const begin = name.data() + kName.size();
        if (std::from_chars(begin, name.data() + name.size(), address, 16).ec == std::errc()) return address;
    }
    return std::nullopt;
}

bool comesToDoor(pid_t process) {
    constexpr std::size_t kStart = 20;  // of the words behind the name: in ticks since the host began
    std::ifstream environment(fmt::format("/proc/{}/environ", process), std::ios::binary);
    long patience = 0;
    for (std::string each; std::getline(environment, each, '\0');)
        if (const std::string key = std::string(settings::kDebugWait) + "="; each.starts_with(key))
            patience = std::strtol(each.c_str() + key.size(), nullptr, 10);
    std::string status;
    std::getline(std::ifstream(fmt::format("/proc/{}/stat", process)), status);
    std::istringstream words(status.substr(std::min(status.rfind(')') + 1, status.size())));
    std::string word;
    for (std::size_t i = 0; i < kStart && words >> word; ++i) {
    }
    double uptime = 0;
    std::ifstream("/proc/uptime") >> uptime;
    const double age = uptime - std::strtod(word.c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
    return age * 1000 < static_cast<double>(patience);
}

void openDoor(pid_t process, std::uint64_t door) {
    std::uint32_t open = kOpen;
    const iovec from{&open, sizeof open};
    const iovec to{reinterpret_cast<void*>(door), sizeof open};
    process_vm_writev(process, &from, 1, &to, 1, 0);
}

}  // namespace zetl::nvidia
