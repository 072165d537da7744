// cuda-gdb in a process of its own, used through GDB/MI.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "nvidia/debugger/mi_record.h"

namespace zetl::nvidia {

/// The program that ZETL_CUDA_GDB names, or the first of cuda-gdb-minimal and cuda-gdb in PATH and in the toolkit's
/// usual directory. Empty if there is none.
std::string findCudaGdb();

/// Not thread-safe.
class Gdb {
  public:
    using Milliseconds = std::chrono::milliseconds;
    using Heard = std::function<void(const mi::Record&)>;

    struct Answer {
        bool done = false;  ///< otherwise refused
        std::string words;  ///< the console's output; of a refusal, its reason
        mi::Value value;
    };

    /// Starts the program. `heard` gets every asynchronous record, within ask() and listen(). Returns null, and logs a
    /// line, if there is no such program or the system gives no process.
    static std::unique_ptr<Gdb> start(const std::string& program, Heard heard);
    Gdb(FileDescriptor commands, FileDescriptor output, pid_t process, Heard heard)
        : commands_(std::move(commands)), output_(std::move(output)), process_(process), heard_(std::move(heard)) {}
    /// Closes its input: cuda-gdb then lets go of the debugged process and ends.
    ~Gdb() = default;
    Gdb(const Gdb&) = delete;
    Gdb& operator=(const Gdb&) = delete;

    /// Sends one command and waits for its result. Returns nothing if there is none in that time: it is gone() then.
    std::optional<Answer> ask(std::string_view command, Milliseconds limit = kPatience);
    /// The same for a command of the console, whose output is the answer.
    std::optional<Answer> askConsole(std::string_view command);
    /// Reads its output until `over` or until the time has passed. Returns false if it is gone.
    bool listen(Milliseconds limit, const std::function<bool()>& over);

    /// It has ended, or has not answered in time: no more commands are sent.
    bool gone() const noexcept { return gone_; }
    pid_t process() const noexcept { return process_; }
    int output() const noexcept { return output_.get(); }  ///< for poll()

    static constexpr Milliseconds kPatience{10'000};

  private:
    bool send(std::string_view command);
    /// Reads once and handles whole lines. Returns false at the end.
    bool receive(Milliseconds limit);
    void take(std::string_view line);

    FileDescriptor commands_;
    FileDescriptor output_;
    const pid_t process_;
    const Heard heard_;
    std::string unread_;
    std::string words_;             ///< since the last command
    std::optional<Answer> answer_;  ///< of the last command
    bool asking_ = false;
    bool gone_ = false;
};

}  // namespace zetl::nvidia
