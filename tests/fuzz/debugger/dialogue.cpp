#include "dialogue.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "console/commands.h"
#include "console/console.h"
#include "core/elf_image.h"
#include "core/failure.h"
#include "dap/adapter.h"
#include "gdb/server.h"
#include "scripted_link.h"

namespace zetl::test {
namespace {

using namespace zetl::debugger;

/// The debug image of tests/zetl/debugger/saxpy.cl, built with -g -cl-opt-disable, as a debugger read it (saxpy.elf).
const Bytes& recordedImage() {
    static const Bytes image = [] {
        std::ifstream file(ZETL_RECORDED_IMAGE, std::ios::binary);
        return Bytes(std::istreambuf_iterator<char>(file), {});
    }();
    return image;
}

/// One module. Its first thread stops after each resume, at another place of the kernel or of the function that it
/// calls and for another reason, until the process has ended. All registers lead to memory that can be read.
class BusyLink : public ScriptedLink {
  public:
    BusyLink() {
        general = kBase;
        say(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
        const ElfImage image(recordedImage());
        for (const auto& code : image.code()) {
            const auto bytes = image.section(".text." + code.name);
            mapped[code.begin] = {bytes.begin(), bytes.end()};
            bases[registers::kInstructionBase] = code.begin - kCode;
        }
        mapped[kImage] = recordedImage();
        sayLoaded(kImage, bases[registers::kInstructionBase] + kCode);
        bases[registers::kScratchBase] = kBase;
        control[kFirst][2] = kCode + kInKernel;
        control[kSecond][2] = kCode + kInFunction;
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i * 7 >> 2);
        constexpr std::uint32_t kReturn = kCode + kBehindCall;  // what a function's frame begins with
        std::memcpy(memory.data(), &kReturn, sizeof kReturn);
        onResume = [this] { goOn(); };
        onIdle = [this] { return ++idle_ < kMostIdle ? ZE_RESULT_NOT_READY : ZE_RESULT_ERROR_UNINITIALIZED; };
    }

  private:
    static constexpr std::uint64_t kImage = 0x20000;
    // In saxpy.elf's code.
    static constexpr std::uint32_t kInKernel = 0x850;
    static constexpr std::uint32_t kInFunction = 0x1c50;
    static constexpr std::uint32_t kBehindCall = 0xd90;
    static constexpr std::uint32_t kPlaces[] = {0x590, kInKernel, kBehindCall, kInFunction, 0x1d00};
    static constexpr int kMostResumes = 24;
    static constexpr int kMostIdle = 64;  ///< looks for events between two resumes
    static constexpr std::uint32_t kReasons[] = {registers::kBreakpointOrStep, registers::kBreakpointOrStep,
                                                 registers::kIllegal, registers::kFault};

    void goOn() {
        idle_ = 0;
        if (resumes > kMostResumes) return say(ZET_DEBUG_EVENT_TYPE_DETACHED);
        if (!standing.contains(kSecond)) running.insert(kSecond);
        stop(kFirst, kReasons[resumes % 4]);
        control[kFirst][2] += kPlaces[static_cast<std::size_t>(resumes) % std::size(kPlaces)];
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

bool opensFile(const std::string& word) try {
    const std::string name = commandFor(word).name;
    return name == "source" || name == "directory" || name == "save";
} catch (const Failure&) {
    return false;
}

/// Also behind another command, such as "thread apply all".
bool opensFiles(const std::string& line) {
    for (auto [word, rest] = firstWord(line); !word.empty(); std::tie(word, rest) = firstWord(rest))
        if (opensFile(word)) return true;
    return false;
}

/// The command of a debug console; empty: none.
std::string typedIn(const dap::Json& message) try {
    return message.at("arguments").at("expression").get<std::string>();
} catch (const dap::Json::exception&) {
    return "";
}

}  // namespace

void speakToAdapter(std::string_view lines) {
    std::vector<std::string> messages;
    for (const auto line : linesOf(lines)) {
        const auto message = dap::Json::parse(line, nullptr, false);
        if (message.is_object() && !opensFiles(typedIn(message))) messages.push_back(dap::framed(message));
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
