#include "dialogue.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "console/commands.h"
#include "console/console.h"
#include "core/failure.h"
#include "dap/adapter.h"
#include "gdb/server.h"
#include "scripted_link.h"

namespace zetl::test {
namespace {

using namespace zetl::debugger;

/// Its first thread stops after each resume, an instruction further and for another reason, until the process has
/// ended.
class BusyLink : public ScriptedLink {
  public:
    BusyLink() {
        say(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i * 7 >> 2);
        onResume = [this] { goOn(); };
        onIdle = [this] { return ++idle_ < kMostIdle ? ZE_RESULT_NOT_READY : ZE_RESULT_ERROR_UNINITIALIZED; };
    }

  private:
    static constexpr int kMostResumes = 24;
    static constexpr int kMostIdle = 64;  ///< looks for events between two resumes
    static constexpr std::uint32_t kReasons[] = {registers::kBreakpointOrStep, registers::kBreakpointOrStep,
                                                 registers::kIllegal, registers::kFault};

    void goOn() {
        idle_ = 0;
        if (resumes > kMostResumes) return say(ZET_DEBUG_EVENT_TYPE_DETACHED);
        if (!standing.contains(kSecond)) running.insert(kSecond);
        stop(kFirst, kReasons[resumes % 4]);
        control[kFirst][2] += 16 * static_cast<std::uint32_t>(resumes % 8);
    }

    int idle_ = 0;
};

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// Says one of the messages whenever it is waited for, and now and then while the debuggee runs.
class Script {
  public:
    explicit Script(std::vector<std::string> messages) : messages_(std::move(messages)) {}

    std::optional<std::string> read(bool wait) {
        constexpr int kGlances = 3;
        if (!wait && ++glances_ % kGlances != 0) return "";
        if (next_ == messages_.size()) return std::nullopt;
        return messages_[next_++];
    }

  private:
    std::vector<std::string> messages_;
    std::size_t next_ = 0;
    int glances_ = 0;
};

Options options() {
    Options result;
    result.pid = static_cast<std::uint32_t>(getpid());
    result.link = [](std::uint32_t) { return std::make_unique<BusyLink>(); };
    return result;
}

Channel channelTo(Script& script) {
    return {[&script](bool wait) { return script.read(wait); }, [](const std::string&) {}};
}

bool opensFiles(const std::string& line) try {
    const std::string name = commandFor(firstWord(line).first).name;
    return name == "source" || name == "directory";
} catch (const Failure&) {
    return false;
}

}  // namespace

void speakToAdapter(std::string_view lines) {
    std::vector<std::string> messages;
    for (const auto line : linesOf(lines)) {
        const auto message = dap::Json::parse(line, nullptr, false);
        if (message.is_object()) messages.push_back(dap::framed(message));
    }
    Script script(std::move(messages));
    dap::Adapter(options(), channelTo(script)).serve();
}

void speakToServer(std::string_view lines) {
    std::vector<std::string> messages;
    for (const auto line : linesOf(lines)) messages.push_back(line == "interrupt" ? "\x03" : gdb::framed(line));
    Script script(std::move(messages));
    gdb::Server(options(), channelTo(script)).serve();
}

void typeAtConsole(std::string_view lines) {
    Console console(
        options(), [](const std::string&) {}, [] { return false; });
    console.execute("attach 1");
    for (const auto line : linesOf(lines))
        if (!console.isOver() && !opensFiles(std::string(line))) console.execute(std::string(line));
}

}  // namespace zetl::test
