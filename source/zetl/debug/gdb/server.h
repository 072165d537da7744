// The debugger as a server of GDB's remote protocol: one thread per stopped hardware thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/channel.h"
#include "core/session.h"
#include "gdb/packets.h"
#include "gdb/target_description.h"

namespace zetl::debugger::gdb {

class Server {
  public:
    Server(Options options, Channel channel);

    /// Starts the program, or attaches, and stops at the first kernel; then serves until the client disconnects.
    /// Returns the exit code.
    int serve();

  private:
    struct Handler {
        std::string_view prefix;
        std::string (Server::*answer)(std::string_view rest);
    };
    static const std::vector<Handler>& handlers();

    bool wantsInterrupt();
    bool receive(bool wait);
    void reply(std::string_view text);
    std::string answerTo(const std::string& command);

    std::string supported(std::string_view rest);
    std::string startNoAcknowledgement(std::string_view rest);
    std::string transfer(std::string_view rest);
    std::string whyStopped(std::string_view rest);
    std::string listThreads(std::string_view rest);
    std::string endOfThreads(std::string_view rest);
    std::string currentThread(std::string_view rest);
    std::string describeThread(std::string_view rest);
    std::string isAlive(std::string_view rest);
    std::string selectThread(std::string_view rest);
    std::string attached(std::string_view rest);
    std::string readAll(std::string_view rest);
    std::string readOne(std::string_view rest);
    std::string writeOne(std::string_view rest);
    std::string readMemory(std::string_view rest);
    std::string writeMemory(std::string_view rest);
    std::string insertBreakpoint(std::string_view rest);
    std::string removeBreakpoint(std::string_view rest);
    std::string insertWatch(std::string_view rest);
    std::string removeWatch(std::string_view rest);
    std::string actions(std::string_view rest);
    std::string proceed(std::string_view rest);
    std::string step(std::string_view rest);
    std::string proceedBack(std::string_view rest);
    std::string stepBack(std::string_view rest);
    std::string detach(std::string_view rest);
    std::string kill(std::string_view rest);

    /// The digits of its value, or as many x if it has none.
    std::string valueOf(const Register& which);
    std::string textOf(const Stop& stop);
    ThreadId threadFrom(std::string_view text);
    std::string numberOf(const ThreadId& id);

    Channel channel_;
    Session session_;
    PacketReader reader_;
    std::vector<Packet> packets_;
    std::vector<Register> registers_;
    Stop last_;
    std::map<std::uint64_t, unsigned> breakpoints_;  ///< breakpoint numbers by address
    std::map<std::uint64_t, unsigned> watches_;      ///< numbers of watches by address
    bool acknowledges_ = true;
    bool goesBack_ = false;  ///< the last run or step went back
    bool over_ = false;
    bool closed_ = false;
};

/// On standard input and output: `target remote | zetl gdbserver ...`.
int runServer(const Options& options);

}  // namespace zetl::debugger::gdb
