#include "support/slow_variable.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

namespace {

std::atomic<const char*> slow{nullptr};
std::atomic<bool> isRead{false};
constexpr std::chrono::milliseconds kLong{400};

}  // namespace

/// In place of the C library's, for everything in this program and the libraries that it opens.
extern "C" __attribute__((visibility("default"))) char* getenv(const char* name) noexcept {
    const char* waited = slow;
    if (waited && std::strcmp(name, waited) == 0) {
        isRead = true;
        std::this_thread::sleep_for(kLong);
    }
    const std::size_t length = std::strlen(name);
    for (char** each = environ; each && *each; ++each)
        if (std::strncmp(*each, name, length) == 0 && (*each)[length] == '=') return *each + length + 1;
    return nullptr;
}

namespace zetl::test {

int exitOfChild(const std::function<int()>& body) {
    const pid_t child = fork();
    if (child == 0) {
        slow = nullptr;
        _exit(body());
    }
    for (int i = 0; i < 500; ++i) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return -1;
}

int exitOfChildMeanwhile(const char* variable, const std::function<void()>& first, const std::function<int()>& body) {
    isRead = false;
    slow = variable;
    std::thread thread(first);
    for (int i = 0; i < 1000 && !isRead; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const int code = isRead ? exitOfChild(body) : kNotRead;
    thread.join();
    slow = nullptr;
    return code;
}

}  // namespace zetl::test
