// The debugger as a Debug Adapter: requests in, responses and events out.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "console/console.h"
#include "core/channel.h"
#include "core/session.h"
#include "dap/messages.h"

namespace zetl::debugger::dap {

/// In the client's words.
struct WantedBreakpoint {
    std::string place;
    std::string condition;
    std::string hitCondition;
};

class Adapter {
  public:
    Adapter(Options options, Channel channel);

    /// Runs until the client disconnects or disappears. Returns the exit code.
    int serve();

  private:
    /// The object behind a reference of the protocol; valid until the next stop.
    struct Reference {
        enum class Kind { arguments, locals, workItem, registers, value } kind = Kind::value;
        ThreadId thread;
        std::size_t frame = 0;
        Value value;
    };
    /// Memory that can be watched.
    struct Data {
        std::string name;
        std::uint64_t address = 0;
        std::size_t bytes = 0;
        std::optional<ThreadId> local;  ///< in the local memory of its work-group
    };
    struct Handler {
        const char* command;
        Json (Adapter::*answer)(const Json& arguments);
    };
    static const std::vector<Handler>& handlers();

    void handle(const Json& request);
    /// Moves received requests into requests_. False if the other end closed.
    bool receive(bool wait);
    bool wantsInterrupt();
    void send(Json message);
    void event(const char* name, Json body = Json::object());
    void forwardOutput();

    Json initialize(const Json& arguments);
    Json launch(const Json& arguments);
    Json attach(const Json& arguments);
    Json configurationDone(const Json& arguments);
    Json setBreakpoints(const Json& arguments);
    Json setFunctionBreakpoints(const Json& arguments);
    Json setInstructionBreakpoints(const Json& arguments);
    Json dataBreakpointInfo(const Json& arguments);
    Json setDataBreakpoints(const Json& arguments);
    Json nothing(const Json& arguments);
    Json threads(const Json& arguments);
    Json stackTrace(const Json& arguments);
    Json scopes(const Json& arguments);
    Json variables(const Json& arguments);
    Json setVariable(const Json& arguments);
    Json evaluate(const Json& arguments);
    Json valueOf(const Json& arguments, const std::string& expression);
    Json carryOut(const Json& arguments, const std::string& command);
    Json proceed(const Json& arguments);
    Json next(const Json& arguments);
    Json stepIn(const Json& arguments);
    Json stepOut(const Json& arguments);
    Json stepBack(const Json& arguments);
    Json proceedBack(const Json& arguments);
    Json readMemory(const Json& arguments);
    Json writeMemory(const Json& arguments);
    Json disassemble(const Json& arguments);
    Json disconnect(const Json& arguments);

    Json step(const Json& arguments, Step how);
    void run(std::function<Stop()> go) { go_ = std::move(go); }
    void runBack(std::function<Stop()> go);
    Stop go();
    void report(const Stop& stop);
    /// Of a command in the debug console: told as a stop after its answer.
    void arrived(const Stop& stop);
    void announceBreakpoints();
    Json replaceBreakpoints(const std::string& owner, const std::vector<WantedBreakpoint>& wanted);
    Json describe(const Breakpoint& breakpoint);

    void select(const Reference& reference);
    ThreadId threadOf(const Json& arguments);
    Json describe(const std::string& name, const Value& value, const Reference& owner);
    int refer(Reference reference);
    const Reference& referred(const Json& arguments, const char* field);
    std::vector<std::pair<std::string, Value>> partsOf(const Reference& reference);

    Channel channel_;
    Session session_;
    std::string said_;  ///< by the console
    Console console_;   ///< what is typed in the editor's debug console
    MessageReader reader_;
    std::deque<Json> requests_;
    std::function<Stop()> go_;  ///< the run that the request asked for; started after the answer
    int sequence_ = 0;
    bool over_ = false;
    bool closed_ = false;
    bool interruptsForRequest_ = false;
    bool goesBack_ = false;
    std::map<std::string, std::vector<unsigned>> breakpoints_;  ///< numbers, by file, "functions", or "instructions"
    std::map<unsigned, bool> verified_;
    std::map<std::string, Data> data_;  ///< that the client asked about, by the id that it was given
    std::vector<unsigned> watches_;
    std::vector<Reference> references_;
};

/// On standard input and output.
int runAdapter(const Options& options);

}  // namespace zetl::debugger::dap
