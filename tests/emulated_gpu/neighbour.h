// A second process of a scenario.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <utility>

namespace zetl::test {

/// Another process, forked before this one makes any Level Zero call. Both speak by single bytes.
class Neighbour {
  public:
    explicit Neighbour(const std::function<void(const Neighbour&)>& body) {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        process_ = fork();
        socket_ = ends[process_ == 0 ? 1 : 0];
        close(ends[process_ == 0 ? 0 : 1]);
        if (process_ != 0) return;
        body(*this);
        std::exit(testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed() ? 1 : 0);
    }
    ~Neighbour() {
        close(socket_);
        if (process_ > 0) end();
    }
    Neighbour(Neighbour&& other) noexcept
        : process_(std::exchange(other.process_, -1)), socket_(std::exchange(other.socket_, -1)) {}
    Neighbour& operator=(Neighbour&& other) noexcept {
        std::swap(process_, other.process_);
        std::swap(socket_, other.socket_);
        return *this;
    }

    pid_t process() const { return process_; }
    void say() const { ASSERT_EQ(write(socket_, "x", 1), 1); }
    /// Waits until the other side has said something, or ended.
    void hear() const {
        char byte = 0;
        [[maybe_unused]] const auto got = read(socket_, &byte, 1);
    }
    void tell() const {
        say();
        hear();
    }
    void kill() {
        EXPECT_EQ(::kill(process_, SIGKILL), 0);
        EXPECT_EQ(waitpid(process_, nullptr, 0), process_);
        process_ = -1;
    }
    void end() {
        int status = 0;
        EXPECT_EQ(waitpid(process_, &status, 0), process_);
        EXPECT_EQ(status, 0);
        process_ = -1;
    }

  private:
    pid_t process_ = -1;
    int socket_ = -1;
};

}  // namespace zetl::test
