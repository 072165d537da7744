#include "support/slow_variable.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "support/wait_for.h"

namespace {

std::atomic<const char*> slow{nullptr};
std::atomic<bool> isRead{false};
/// What the thread that reads it waits for.
std::atomic<bool> mayEnd{false};
/// Less than the thread waits: a child that waits for it must not be answered.
constexpr std::chrono::seconds kPatience{10};

}  // namespace

/// In place of the C library's, for everything in this program and the libraries that it opens.
extern "C" __attribute__((visibility("default"))) char* getenv(const char* name) noexcept {
    const char* waited = slow;
    if (waited && std::strcmp(name, waited) == 0) {
        isRead = true;
        zetl::test::waitFor([] { return mayEnd.load(); });
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
    int status = 0;
    if (waitFor([&] { return waitpid(child, &status, WNOHANG) == child; }, kPatience))
        return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return -1;
}

int exitOfChildMeanwhile(const char* variable, const std::function<void()>& first, const std::function<int()>& body) {
    isRead = false;
    mayEnd = false;
    slow = variable;
    std::thread thread(first);
    const int code = waitFor([] { return isRead.load(); }) ? exitOfChild(body) : kNotRead;
    mayEnd = true;
    thread.join();
    slow = nullptr;
    return code;
}

}  // namespace zetl::test
