#include "gdb/server.h"

#include <algorithm>

#include "core/failure.h"

namespace zetl::debugger::gdb {
namespace {

constexpr std::size_t kPacketBytes = 0x4000;
const std::string kOk = "OK";
const std::string kRefused = "E01";

/// GDB's signal numbers for the kinds of stops.
unsigned signalOf(Stop::Kind kind) {
    switch (kind) {
        case Stop::Kind::fault:
            return 11;
        case Stop::Kind::illegal:
            return 4;
        case Stop::Kind::interrupted:
        case Stop::Kind::idle:
            return 2;
        default:
            return 5;
    }
}

/// "ADDRESS,LENGTH"; leaves the rest in the text.
struct Range {
    std::uint64_t address;
    std::uint64_t bytes;
};
std::optional<Range> takeRange(std::string_view& text) {
    const auto address = takeHex(text);
    if (!address || !text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
    const auto bytes = takeHex(text);
    return bytes ? std::optional(Range{*address, *bytes}) : std::nullopt;
}

}  // namespace

Server::Server(Options options, Channel channel)
    : channel_(std::move(channel)),
      session_(std::move(options),
               {[this] { return wantsInterrupt(); }, [] { return false; }, [](const std::string&) {}}) {}

bool Server::receive(bool wait) {
    const auto bytes = channel_.read(wait);
    if (!bytes) return false;
    reader_.add(*bytes);
    while (auto packet = reader_.next()) packets_.push_back(*std::move(packet));
    return true;
}

bool Server::wantsInterrupt() {
    fmt::print(stderr, "{}", session_.output());
    if (!closed_) closed_ = !receive(false);
    return closed_ ||
           std::erase_if(packets_, [](const Packet& each) { return each.kind == Packet::Kind::interrupt; }) > 0;
}

void Server::reply(std::string_view text) { channel_.write(framed(text)); }

int Server::serve() try {
    if (session_.options().pid != 0) {
        session_.attach(session_.options().pid);
        last_ = session_.interrupt();
    } else if (session_.start()) {
        session_.control().breakpoints().add("entry", "", true);
        last_ = session_.proceed();
    }
    if (session_.isAlive() && session_.link().architecture().gdbFeature().empty())
        fail("gdbserver does not support this device; use zetl debug");
    registers_ = registersOf(session_.link());
    while (!over_ && !closed_) {
        while (packets_.empty() && receive(true)) {
        }
        if (packets_.empty()) break;
        const auto packet = packets_.front();
        packets_.erase(packets_.begin());
        if (packet.kind == Packet::Kind::damaged && acknowledges_) channel_.write("-");
        if (packet.kind != Packet::Kind::command) continue;
        if (acknowledges_) channel_.write("+");
        reply(answerTo(packet.text));
    }
    return session_.exitCode();
} catch (const Failure& failure) {
    fmt::print(stderr, "zetl: {}\n", failure.what());
    return 1;
}

std::string Server::answerTo(const std::string& command) try {
    for (const auto& each : handlers())
        if (command.starts_with(each.prefix))
            return (this->*each.answer)(std::string_view(command).substr(each.prefix.size()));
    return "";  // the protocol's answer to an unknown packet
} catch (const Failure&) {
    return kRefused;
}

std::string Server::supported(std::string_view) {
    return fmt::format("PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;vContSupported+;swbreak+{}", kPacketBytes,
                       session_.records() ? ";ReverseStep+;ReverseContinue+" : "");
}
std::string Server::startNoAcknowledgement(std::string_view) {
    acknowledges_ = false;
    return kOk;
}

std::string Server::transfer(std::string_view rest) {
    constexpr std::string_view kFile = "target.xml:";
    if (!rest.starts_with(kFile)) return "E00";
    rest.remove_prefix(kFile.size());
    const auto range = takeRange(rest);
    if (!range) return kRefused;
    const auto text = describe(registers_, session_.link().architecture().gdbFeature());
    if (range->address >= text.size()) return "l";
    const auto part = text.substr(range->address, std::min<std::uint64_t>(range->bytes, kPacketBytes / 2));
    return (range->address + part.size() < text.size() ? "m" : "l") + part;
}

std::string Server::numberOf(const ThreadId& id) {
    return fmt::format("{:x}", session_.link().shape().indexOf(id) + 1);
}
ThreadId Server::threadFrom(std::string_view text) {
    const auto number = takeHex(text);
    if (!number || *number == 0 || *number > session_.link().shape().count())
        fail("no such thread; type info threads for a list");
    return session_.link().shape().at(*number - 1);
}

std::string Server::textOf(const Stop& stop) {
    if (stop.kind == Stop::Kind::exited) return fmt::format("W{:02x}", session_.exitCode() & 0xff);
    if (!stop.thread.single()) return fmt::format("S{:02x}", signalOf(stop.kind));
    std::string reason = stop.kind == Stop::Kind::breakpoint ? "swbreak:;" : "";
    if (stop.kind == Stop::Kind::watch) reason = fmt::format("watch:{:x};", stop.address);
    if (stop.kind == Stop::Kind::moment) reason = goesBack_ ? "replaylog:begin;" : "replaylog:end;";
    return fmt::format("T{:02x}thread:{};{}", signalOf(stop.kind), numberOf(stop.thread), reason);
}
std::string Server::whyStopped(std::string_view) { return textOf(last_); }

std::string Server::listThreads(std::string_view) {
    std::vector<std::string> numbers;
    for (const auto& id : session_.control().threads()) numbers.push_back(numberOf(id));
    return numbers.empty() ? "l" : fmt::format("m{}", fmt::join(numbers, ","));
}
std::string Server::endOfThreads(std::string_view) { return "l"; }
std::string Server::currentThread(std::string_view rest) {
    return rest.empty() ? "QC" + numberOf(session_.thread()) : "";  // otherwise it is qCRC
}

std::string Server::describeThread(std::string_view rest) {
    const auto id = threadFrom(rest);
    const auto items = session_.control().itemsOf(id);
    auto text = fmt::format("{} group {}", debugger::textOf(id), debugger::textOf(items.group));
    if (items.known && !items.items.empty())
        text += fmt::format(" items {}..{}", debugger::textOf(items.items.front().global),
                            debugger::textOf(items.items.back().global));
    return hexOf({text.begin(), text.end()});
}
std::string Server::isAlive(std::string_view rest) {
    session_.control().thread(threadFrom(rest));
    return kOk;
}
std::string Server::selectThread(std::string_view rest) {
    if (rest.size() < 2) return kRefused;
    rest.remove_prefix(1);  // the kind of operation does not matter here
    if (rest != "0" && !rest.starts_with('-')) session_.select(threadFrom(rest));
    return kOk;
}
std::string Server::attached(std::string_view) {
    auto* const debuggee = session_.debuggee();
    return debuggee && debuggee->isOurs() ? "0" : "1";
}

std::string Server::valueOf(const Register& which) {
    auto& thread = session_.control().thread(session_.thread());
    Bytes bytes(which.bytes);
    switch (which.kind) {
        case Register::Kind::absent:
            return std::string(2 * std::size_t{which.bytes}, 'x');
        case Register::Kind::programCounter:
            setBits(bytes, 0, 64, thread.address());
            return hexOf(bytes);
        case Register::Kind::stackPointer:
            return hexOf(bytes);
        case Register::Kind::device:
            return hexOf(thread.read(which.set, which.index, 1).value_or(bytes));
    }
    return kRefused;
}
/// The registers that gdb needs after each stop; it requests others when they are shown.
std::string Server::readAll(std::string_view) {
    std::string all;
    for (std::size_t i = 0; i < expectedRegisters(); ++i) all += valueOf(registers_[i]);
    return all;
}
std::string Server::readOne(std::string_view rest) {
    const auto number = takeHex(rest);
    return number && *number < registers_.size() ? valueOf(registers_[*number]) : kRefused;
}
std::string Server::writeOne(std::string_view rest) {
    const auto number = takeHex(rest);
    if (!number || *number >= registers_.size() || !rest.starts_with('=')) return kRefused;
    const auto& which = registers_[*number];
    const auto bytes = bytesFrom(rest.substr(1));
    if (!bytes || bytes->size() != which.bytes || !which.writable) return kRefused;
    session_.control().thread(session_.thread()).write(which.set, which.index, 1, *bytes);
    return kOk;
}

std::string Server::readMemory(std::string_view rest) {
    const auto range = takeRange(rest);
    if (!range || range->bytes > kPacketBytes / 2) return kRefused;
    const auto data = session_.control().memory().read(range->address, range->bytes);
    return data ? hexOf(*data) : kRefused;
}
std::string Server::writeMemory(std::string_view rest) {
    const auto range = takeRange(rest);
    if (!range || !rest.starts_with(':')) return kRefused;
    const auto data = bytesFrom(rest.substr(1));
    if (!data || data->size() != range->bytes) return kRefused;
    return session_.control().memory().write(range->address, *data) ? kOk : kRefused;
}

std::string Server::insertBreakpoint(std::string_view rest) {
    const auto range = takeRange(rest);
    if (!range) return kRefused;
    if (breakpoints_.contains(range->address)) return kOk;
    const auto& added = session_.control().breakpoints().add(fmt::format("*{:#x}", range->address), "");
    breakpoints_[range->address] = added.number;
    return kOk;
}
std::string Server::removeBreakpoint(std::string_view rest) {
    const auto range = takeRange(rest);
    const auto known = range ? breakpoints_.find(range->address) : breakpoints_.end();
    if (known == breakpoints_.end()) return kRefused;
    session_.control().breakpoints().remove(known->second);
    breakpoints_.erase(known);
    return kOk;
}

std::string Server::insertWatch(std::string_view rest) {
    const auto range = takeRange(rest);
    if (!range) return kRefused;
    auto& control = session_.control();
    if (!watches_.contains(range->address))
        watches_[range->address] = control.watch(fmt::format("*{:#x}", range->address), range->address, range->bytes);
    return kOk;
}
std::string Server::removeWatch(std::string_view rest) {
    const auto range = takeRange(rest);
    const auto known = range ? watches_.find(range->address) : watches_.end();
    if (known == watches_.end()) return kRefused;
    session_.control().unwatch(known->second);
    watches_.erase(known);
    return kOk;
}

// "vCont;s:3;c": the first step action decides; all others run, or stay stopped while one steps.
std::string Server::actions(std::string_view rest) {
    if (rest == "?") return "vCont;c;C;s;S";
    const auto at = std::min(rest.find(";s"), rest.find(";S"));
    if (at == std::string_view::npos) return proceed("");
    auto action = rest.substr(at + 1);
    action = action.substr(0, action.find(';'));
    const auto colon = action.find(':');
    if (colon != std::string_view::npos && action.substr(colon + 1) != "-1")
        session_.select(threadFrom(action.substr(colon + 1)));
    return step("");
}
std::string Server::proceed(std::string_view) {
    goesBack_ = false;
    return textOf(last_ = session_.proceed());
}
std::string Server::step(std::string_view) {
    goesBack_ = false;
    return textOf(last_ = session_.step(Step::instruction));
}
std::string Server::proceedBack(std::string_view) {
    goesBack_ = true;
    return textOf(last_ = session_.proceedBack());
}
std::string Server::stepBack(std::string_view) {
    goesBack_ = true;
    return textOf(last_ = session_.stepBack(Step::instruction));
}

std::string Server::detach(std::string_view) {
    over_ = true;
    session_.detach();
    return kOk;
}
std::string Server::kill(std::string_view) {
    over_ = true;
    if (session_.isAlive()) session_.kill();
    return kOk;
}

const std::vector<Server::Handler>& Server::handlers() {
    static const std::vector<Handler> all = {{"qSupported", &Server::supported},
                                             {"QStartNoAckMode", &Server::startNoAcknowledgement},
                                             {"qXfer:features:read:", &Server::transfer},
                                             {"?", &Server::whyStopped},
                                             {"qfThreadInfo", &Server::listThreads},
                                             {"qsThreadInfo", &Server::endOfThreads},
                                             {"qThreadExtraInfo,", &Server::describeThread},
                                             {"qC", &Server::currentThread},
                                             {"qAttached", &Server::attached},
                                             {"T", &Server::isAlive},
                                             {"H", &Server::selectThread},
                                             {"g", &Server::readAll},
                                             {"p", &Server::readOne},
                                             {"P", &Server::writeOne},
                                             {"m", &Server::readMemory},
                                             {"M", &Server::writeMemory},
                                             {"Z0,", &Server::insertBreakpoint},
                                             {"z0,", &Server::removeBreakpoint},
                                             {"Z2,", &Server::insertWatch},
                                             {"z2,", &Server::removeWatch},
                                             {"vCont", &Server::actions},
                                             {"vKill", &Server::kill},
                                             {"bc", &Server::proceedBack},
                                             {"bs", &Server::stepBack},
                                             {"c", &Server::proceed},
                                             {"s", &Server::step},
                                             {"D", &Server::detach},
                                             {"k", &Server::kill}};
    return all;
}

int runServer(const Options& options) { return Server(options, standardChannel()).serve(); }

}  // namespace zetl::debugger::gdb
