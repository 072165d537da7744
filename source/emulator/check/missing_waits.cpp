#include "emulator/check/missing_waits.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "emulator/isa/register_use.h"
#include "isa/xe/opcodes.h"
#include "isa/xe/scoreboard.h"

namespace zetl::emulator::check {
namespace {

using isa::Instruction;
using isa::Line;
using isa::Opcode;
using isa::Operand;
using zetl::isa::xe::Scoreboard;
using Token = Scoreboard::Token;

/// Bytes of the general registers.
struct Bytes {
    std::uint32_t begin;
    std::uint32_t end;
};
using Places = std::vector<Bytes>;

void add(Places& places, std::uint32_t begin, std::uint32_t bytes) {
    if (bytes == 0) return;
    if (!places.empty() && places.back().end == begin)
        places.back().end += bytes;
    else
        places.push_back({begin, begin + bytes});
}

/// The first byte that is in both.
const std::uint32_t* common(const Places& a, const Places& b, std::uint32_t& found) {
    for (const Bytes& one : a)
        for (const Bytes& other : b) {
            found = std::max(one.begin, other.begin);
            if (found < std::min(one.end, other.end)) return &found;
        }
    return nullptr;
}

bool isPlain(const Operand& operand) noexcept { return operand.isGrf() && !operand.isIndirect(); }

void addRegisters(Places& places, const Operand& operand, std::uint32_t registers) {
    if (isPlain(operand)) add(places, isa::placeOf(operand), registers * isa::layout::kRegisterBytes);
}

/// What an instruction does to registers, and its waits.
struct Use {
    Places reads;
    Places writes;
    Scoreboard waits;
    Opcode opcode = Opcode::illegal;

    bool sets() const noexcept { return waits.token == Token::set; }
};

void useOfMessage(const Instruction& in, Use& use) {
    const zetl::isa::xe::Message& message = in.message;
    const bool known = !message.descriptorInRegister && !message.general;
    const auto sent = static_cast<std::uint32_t>(message.descriptor >> 25 & 15);
    const auto answered = static_cast<std::uint32_t>(message.descriptor >> 20 & 31);
    const std::uint32_t first = known ? sent : std::max<std::int32_t>(message.src0Registers, 1);
    addRegisters(use.reads, in.source[0], first);
    addRegisters(use.reads, in.source[1], static_cast<std::uint32_t>(std::max<std::int32_t>(message.src1Registers, 0)));
    addRegisters(use.writes, in.destination, known ? answered : 1);
}

void useOfProduct(const Instruction& in, Use& use) {
    constexpr std::uint32_t kDword = 4;  // in which elements of the factors share places
    const std::uint32_t sums = in.repeatCount * in.width * byteSize(in.destination.type);
    const std::array<std::uint32_t, 3> bytes{sums, in.systolicDepth * in.width * kDword,
                                             std::uint32_t{in.repeatCount} * in.systolicDepth * kDword};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        if (isPlain(in.source[i])) add(use.reads, isa::placeOf(in.source[i]), bytes[i]);
    if (isPlain(in.destination)) add(use.writes, isa::placeOf(in.destination), sums);
}

void useOfLanes(const Instruction& in, Use& use) {
    constexpr std::uint32_t kWidest = 32;
    const std::uint32_t lanes = std::min<std::uint32_t>(in.width, kWidest);
    for (std::uint32_t i = 0; i < in.sources; ++i) {
        const Operand& from = in.source[i];
        const std::uint32_t size = byteSize(from.type);
        for (std::uint32_t lane = 0; lane < lanes && isPlain(from); ++lane)
            add(use.reads, isa::placeOf(from) + isa::elementOf(from, lane) * size, size);
    }
    const Operand& to = in.destination;
    const std::uint32_t size = byteSize(to.type);
    const std::uint32_t stride = std::max<std::uint32_t>(to.horizontal, 1) * size;
    for (std::uint32_t lane = 0; lane < lanes && isPlain(to); ++lane)
        add(use.writes, isa::placeOf(to) + lane * stride, size);
}

/// Compilers without optimization move a variable to nowhere to say that it lives until here. Whatever is read, nothing
/// comes of it.
bool isOnlyAMark(const Instruction& in) noexcept {
    return in.opcode == Opcode::mov && in.destination.isNull() && in.condition == zetl::isa::xe::Condition::none;
}

Use useOf(const Instruction& in) {
    Use use;
    use.opcode = in.opcode;
    use.waits = zetl::isa::xe::scoreboardOf(in);
    if (isa::isSend(in.opcode))
        useOfMessage(in, use);
    else if (in.opcode == Opcode::dpas || in.opcode == Opcode::bdpas)
        useOfProduct(in, use);
    else if (isa::computesByLanes(in) && !isOnlyAMark(in))
        useOfLanes(in, use);
    return use;
}

bool isJump(const Instruction& in) noexcept {
    const isa::OpcodeInfo* const info = isa::findOpcode(static_cast<std::uint8_t>(in.opcode));
    return info != nullptr && info->format == isa::Format::branch;
}
bool isCall(const Instruction& in) noexcept {
    return in.opcode == Opcode::call || in.opcode == Opcode::calla || in.opcode == Opcode::ret || in.targetInRegister;
}
bool endsThread(const Instruction& in) noexcept { return isa::isSend(in.opcode) && in.message.endOfThread; }

/// Lines that may not have finished, on some way to a place.
struct Unfinished {
    std::set<Line> writing;
    std::set<Line> reading;
    /// By message: those to the same function that came before it and may not have read their payload. Messages to one
    /// function read theirs in order, so a wait for the last one is a wait for all of them; compilers rely on it.
    std::map<Line, std::set<Line>> older;

    bool add(const Unfinished& other) {
        const std::size_t before = writing.size() + reading.size();
        writing.insert(other.writing.begin(), other.writing.end());
        reading.insert(other.reading.begin(), other.reading.end());
        for (const auto& [line, lines] : other.older) older[line].insert(lines.begin(), lines.end());
        return writing.size() + reading.size() != before;
    }
};

class Ways {
  public:
    explicit Ways(const isa::Program& program) : program_(program), begins_(program.lineCount() + 1) {
        uses_.reserve(program.lineCount());
        for (Line line = 0; line < program.lineCount(); ++line) {
            const Instruction& in = program.instruction(line);
            uses_.push_back(useOf(in));
            if (!isJump(in)) continue;
            begins_[line + 1] = true;
            for (const Line target : targetsOf(in))
                if (target != isa::kNoLine) begins_[target] = true;
        }
        begins_[0] = true;
        for (Line line = 0; line < program.lineCount(); ++line)
            if (endsThread(program.instruction(line))) begins_[line + 1] = true;
    }

    std::vector<MissingWait> missing() {
        before_.resize(begins_.size());
        std::set<Line> open;
        for (Line line = 0; line < program_.lineCount(); ++line)
            if (begins_[line]) open.insert(line);
        while (!open.empty()) {
            const Line begin = *open.begin();
            open.erase(open.begin());
            Unfinished state = before_[begin];
            follow(begin, state, [&](Line next, const Unfinished& there) {
                if (next < program_.lineCount() && before_[next].add(there)) open.insert(next);
            });
        }
        looks_ = true;
        for (Line line = 0; line < program_.lineCount(); ++line) {
            if (!begins_[line]) continue;
            Unfinished state = before_[line];
            follow(line, state, [](Line, const Unfinished&) {});
        }
        return std::move(found_);
    }

  private:
    /// Where its lanes go on. Others may be executed next, but not by these; what they use, these do not write.
    std::vector<Line> targetsOf(const Instruction& in) const {
        if (in.opcode == Opcode::join) return {};
        if (in.opcode == Opcode::jumpTo) return {program_.lineAt(in.ip + static_cast<std::uint32_t>(in.uip))};
        std::vector<Line> targets{program_.lineAt(in.ip + static_cast<std::uint32_t>(in.jip))};
        if (in.uip != 0) targets.push_back(program_.lineAt(in.ip + static_cast<std::uint32_t>(in.uip)));
        return targets;
    }

    /// To the end of the block, and calls next() for what follows.
    template <class Next>
    void follow(Line line, Unfinished& state, Next&& next) {
        for (;; ++line) {
            const Instruction& in = program_.instruction(line);
            execute(line, in, state);
            if (endsThread(in) || in.opcode == Opcode::illegal) return;
            if (isJump(in)) {
                if (!isCall(in))
                    for (const Line target : targetsOf(in))
                        if (target != isa::kNoLine) next(target, state);
                const bool jumps = in.opcode == Opcode::jmpi || in.opcode == Opcode::jumpTo;
                const bool always = jumps && in.predicate == zetl::isa::xe::Predicate::none;
                if (!always) next(line + 1, state);
                return;
            }
            if (line + 1 >= program_.lineCount()) return;
            if (begins_[line + 1]) return next(line + 1, state);
        }
    }

    void execute(Line line, const Instruction& in, Unfinished& state) {
        const Use& use = uses_[line];
        wait(in, use.waits, state);
        if (isCall(in)) state = {};
        if (looks_) look(line, use, state);
        if (!use.sets()) return;
        if (!use.writes.empty()) state.writing.insert(line);
        if (isa::isSend(use.opcode)) {
            std::set<Line> before;
            for (const Line other : state.reading)
                if (goToOneFunction(line, other)) before.insert(other);
            state.older[line] = std::move(before);
        }
        if (!use.reads.empty() && use.opcode != Opcode::math) state.reading.insert(line);
    }

    /// One that takes a token waits until the one before it is over.
    void wait(const Instruction& in, const Scoreboard& waits, Unfinished& state) const {
        std::uint32_t written = 0;
        std::uint32_t read = 0;
        if (waits.token == Token::written || waits.token == Token::set) written |= 1u << waits.number;
        if (waits.token == Token::read) read |= 1u << waits.number;
        if (in.opcode == Opcode::sync) {
            constexpr std::uint8_t kAllRead = 2;
            constexpr std::uint8_t kAllWritten = 3;
            const std::uint32_t tokens =
                in.source[0].isImmediate() ? static_cast<std::uint32_t>(in.source[0].immediate) : ~0u;
            if (in.function == kAllRead) read |= tokens;
            if (in.function == kAllWritten) written |= tokens;
        }
        if ((written | read) == 0) return;
        const auto isOf = [this](std::uint32_t tokens) {
            return [this, tokens](Line line) { return (tokens >> uses_[line].waits.number & 1) != 0; };
        };
        for (auto message = state.older.begin(); message != state.older.end();) {
            if (!isOf(written | read)(message->first)) {
                ++message;
                continue;
            }
            for (const Line before : message->second) state.reading.erase(before);
            message = state.older.erase(message);
        }
        std::erase_if(state.writing, isOf(written));
        std::erase_if(state.reading, isOf(written | read));
    }

    void look(Line line, const Use& use, const Unfinished& state) {
        using What = MissingWait::What;
        for (const Line other : state.writing) {
            const Use& before = uses_[other];
            if (isInOrder(use.opcode, before.opcode)) continue;
            if (!note(What::readsUnwritten, line, other, use.reads, before.writes))
                note(What::writesUnwritten, line, other, use.writes, before.writes);
        }
        for (const Line other : state.reading)
            if (!isInOrder(use.opcode, uses_[other].opcode) && !goToOneFunction(line, other))
                note(What::overwritesUnread, line, other, use.writes, uses_[other].reads);
    }
    bool goToOneFunction(Line a, Line b) const noexcept {
        return isa::isSend(uses_[a].opcode) && isa::isSend(uses_[b].opcode) &&
               program_.instruction(a).message.function == program_.instruction(b).message.function;
    }
    /// Products of matrices, and functions, wait for their like by themselves.
    static bool isInOrder(Opcode a, Opcode b) noexcept { return a == b && !isa::isSend(a); }

    bool note(MissingWait::What what, Line line, Line other, const Places& used, const Places& pending) {
        std::uint32_t byte = 0;
        if (common(used, pending, byte) == nullptr) return false;
        const auto isSame = [&](const MissingWait& one) { return one.line == line && one.other == other; };
        if (std::ranges::none_of(found_, isSame))
            found_.push_back({what, line, other, uses_[other].waits.number, byte / isa::layout::kRegisterBytes});
        return true;
    }

    const isa::Program& program_;
    std::vector<bool> begins_;  // by line: a block begins there
    std::vector<Use> uses_;     // by line
    std::vector<Unfinished> before_;
    bool looks_ = false;  // ways are followed only until then
    std::vector<MissingWait> found_;
};

}  // namespace

std::vector<MissingWait> missingWaits(const isa::Program& program) {
    if (program.lineCount() == 0) return {};
    return Ways(program).missing();
}

}  // namespace zetl::emulator::check
