#include "core/location_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "core/code_flow.h"
#include "core/module.h"

namespace zetl::debugger {
namespace {

using instrumentation::ByteRange;
constexpr std::uint32_t kLocalIdBytes = 2;
constexpr std::size_t kMostKnown = 10'000;
constexpr std::uint64_t kRegisterBits = std::uint64_t{isa::xe::kRegisterBytes} * 8;

/// The bytes of general registers that a piece names; nothing for other pieces.
std::optional<ByteRange> bytesOf(const Piece& piece, std::uint64_t size) {
    if (piece.kind != Piece::Kind::registerBits || piece.number < kFirstGeneralRegister) return std::nullopt;
    const std::uint64_t begin = (piece.number - kFirstGeneralRegister) * kRegisterBits + piece.firstBit;
    const std::uint64_t bits = piece.bits != 0 ? piece.bits : size * 8;
    constexpr std::uint64_t kAll = std::uint64_t{instrumentation::place::kGeneralBytes} * 8;
    if (bits == 0 || bits > kAll || begin > kAll - bits) return std::nullopt;
    return ByteRange{static_cast<std::uint32_t>(begin / 8), static_cast<std::uint32_t>((bits + 7) / 8)};
}

/// The variable, its place in the kernel's code, and what is known of both.
struct Question {
    const CodeFlow& flow;
    const DebugInfo& debug;
    std::uint64_t begin = 0;  ///< of the kernel's code
    std::uint64_t body = 0;   ///< offset of its first line
    std::uint32_t now = 0;    ///< the instruction where the thread stands
    std::uint64_t first = 0;  ///< offsets of the location's range, without what is before the body
    std::uint64_t end = 0;
    bool isArgument = false;  ///< of a function that was called: it has its value before the body
    ByteRange localIds;       ///< the registers in which the thread got them
    int callLine = 0;         ///< of an inlined call, which gives its parameters their values
    const AssigningLines& lines;
};

/// One register of the location.
class RegisterCheck {
  public:
    RegisterCheck(const Question& question, ByteRange bytes, std::optional<std::uint32_t> pitch)
        : about_(question),
          bytes_(bytes),
          pitch_(pitch),
          last_(about_.flow.lastWriters(about_.now, bytes)),
          all_(about_.flow.writersIn(about_.first, about_.end, bytes)) {}

    std::string doubt() const {
        for (const auto& each : {overwritten(), notYet(), unfinished(), otherwiseLaidOut()})
            if (!each.empty()) return each;
        return "";
    }

  private:
    std::uint64_t offsetOf(std::uint32_t number) const { return about_.flow.instruction(number).ip; }
    int lineOf(std::uint32_t number) const { return about_.debug.lineAt(about_.begin + offsetOf(number)).line; }
    bool isInside(std::uint32_t number) const {
        return offsetOf(number) >= about_.first && offsetOf(number) < about_.end;
    }
    bool isOwnLine(int line) const {
        return line > 0 && (about_.lines.lines.contains(line) || line == about_.callLine);
    }
    /// It belongs to a line that sets the variable, or to a function that such a line calls and that is built in.
    bool isOwn(std::uint32_t number) const {
        if (isOwnLine(lineOf(number))) return true;
        const auto scopes = about_.debug.scopesAt(about_.begin + offsetOf(number));
        return std::ranges::any_of(scopes, [&](const Scope& each) { return isOwnLine(each.calledFrom.line); });
    }
    bool anyOwn(const std::vector<std::uint32_t>& writers) const {
        return std::ranges::any_of(writers, [&](auto each) { return isOwn(each); });
    }
    std::string nameOfRegister() const { return fmt::format("r{}", bytes_.start / isa::xe::kRegisterBytes); }

    /// A loop's counter and the like: the instruction changes what it wrote itself a turn before.
    bool goesAround(std::uint32_t number) const {
        const auto before = about_.flow.lastWriters(number, bytes_);
        return about_.flow.reads(number, bytes_) && std::ranges::find(before, number) != before.end();
    }
    bool mayBeOwn(std::uint32_t number) const {
        if (isOwn(number)) return true;
        return !about_.lines.hasText && goesAround(number);
    }

    std::string overwritten() const {
        for (const auto each : last_) {
            if (!isInside(each) || mayBeOwn(each)) continue;
            if (!about_.isArgument && areOthersWritersBelieved()) continue;
            return fmt::format("{} was written by {} since", nameOfRegister(), placeOf(each));
        }
        return "";
    }
    std::string placeOf(std::uint32_t number) const {
        const auto line = lineOf(number);
        return line > 0 ? fmt::format("line {}", line)
                        : fmt::format("the instruction at {:#x}", about_.begin + offsetOf(number));
    }
    /// A copy of another variable, for instance, has no instructions of its own: what is written first, or by one line
    /// alone, is its value.
    bool areOthersWritersBelieved() const {
        if (anyOwn(all_) || about_.flow.anyComputes([&](std::uint32_t each) { return isOwnLine(lineOf(each)); }))
            return false;
        const bool isOneLine = lineOf(all_.front()) > 0 && areOnOneLine(all_);  // 0: of no line, which says nothing
        const auto first = about_.flow.numberAt(about_.first);
        const bool hadValue = !first || !about_.flow.lastWriters(*first, bytes_).empty();
        return isOneLine || (!hadValue && last_.size() == 1 && last_.front() == all_.front());
    }
    bool areOnOneLine(const std::vector<std::uint32_t>& writers) const {
        return std::ranges::all_of(writers, [&](auto each) { return lineOf(each) == lineOf(writers.front()); });
    }

    std::string notYet() const {
        if (about_.isArgument) return "";
        const auto own = std::ranges::find_if(all_, [&](auto each) { return isOwn(each); });
        const bool startsHere = offsetOf(about_.now) == about_.first && about_.first > about_.body &&
                                about_.flow.writes(about_.now, bytes_) && !about_.flow.reads(about_.now, bytes_);
        if (startsHere) return fmt::format("this instruction writes {}", nameOfRegister());
        if (own == all_.end() && last_.empty() && !all_.empty())
            return fmt::format("{} writes {} later", placeOf(all_.front()), nameOfRegister());
        if (own == all_.end() || anyOwn(last_)) return "";
        if (std::ranges::any_of(last_, [&](auto each) { return isInside(each); })) return "";
        const bool isCopyOfOther = about_.lines.isInitialised && !isOnDeclaration();
        return isCopyOfOther ? "" : fmt::format("{} writes {} later", placeOf(*own), nameOfRegister());
    }
    /// Whether some instruction that writes it belongs to the line of its declaration.
    bool isOnDeclaration() const {
        return std::ranges::any_of(all_, [&](auto each) { return lineOf(each) == *about_.lines.lines.begin(); });
    }

    /// The line computes on, in the same register or in an accumulator, which debug information cannot name.
    std::string unfinished() const {
        for (const auto each : last_) {
            if (offsetOf(each) < about_.body || !isOwnLine(lineOf(each))) continue;
            for (auto next = each + 1; about_.flow.areInOneBlock(each, next) && lineOf(next) == lineOf(each); ++next) {
                if (!about_.flow.reads(next, bytes_)) continue;
                const auto& to = about_.flow.instruction(next).destination;
                const bool isAhead = next >= about_.now && about_.flow.writes(next, bytes_);
                if (isAhead || (to.isAccumulator() && !isWrittenFrom(next)))
                    return fmt::format("{} holds an intermediate result of line {}", nameOfRegister(), lineOf(each));
            }
        }
        return "";
    }
    /// The rest of the line brings the accumulator's value back.
    bool isWrittenFrom(std::uint32_t number) const {
        for (auto next = number + 1; about_.flow.areInOneBlock(number, next) && lineOf(next) == lineOf(number); ++next)
            if (about_.flow.writes(next, bytes_)) return true;
        return false;
    }

    /// Elements of another size than the location's, of which it would show parts of two.
    std::string otherwiseLaidOut() const {
        if (!pitch_) return "";
        if (holdsLocalIds() && *pitch_ != kLocalIdBytes) return layout(kLocalIdBytes);
        for (const auto each : last_) {
            const auto& one = about_.flow.instruction(each);
            const auto& to = one.destination;
            if (isa::xe::isSend(one.opcode) || !to.isGrf() || to.isIndirect() || one.width == 1) continue;
            const auto written = isa::xe::byteSize(to.type) * std::max<std::uint32_t>(to.horizontal, 1);
            if (written != *pitch_) return layout(written);
        }
        return "";
    }
    std::string layout(std::uint32_t written) const {
        return fmt::format("the numbers in {} are {} bytes apart, not {}", nameOfRegister(), written, *pitch_);
    }
    /// As the thread got them.
    bool holdsLocalIds() const {
        const auto& ids = about_.localIds;
        return bytes_.start >= ids.start && bytes_.start < ids.start + ids.count &&
               std::ranges::all_of(last_, [&](auto each) { return offsetOf(each) < about_.body; });
    }

    const Question& about_;
    const ByteRange bytes_;
    const std::optional<std::uint32_t> pitch_;  ///< bytes from lane to lane
    const std::vector<std::uint32_t> last_;     ///< those that wrote it last
    const std::vector<std::uint32_t> all_;      ///< those in the location's range that write it
};

/// What holds the value, or what it is computed from. Addresses come from registers that the whole kernel keeps.
std::vector<Piece> registersOf(const Location& location) {
    std::vector<Piece> all;
    for (const auto& each : location.pieces) {
        if (each.kind == Piece::Kind::registerBits) all.push_back(each);
        if (each.kind == Piece::Kind::value) all.insert(all.end(), location.used.begin(), location.used.end());
    }
    return all;
}

ByteRange localIdsOf(const KernelInfo* kernel) {
    constexpr std::uint32_t kFirst = 1;
    return {kFirst * isa::xe::kRegisterBytes, kernel ? kernel->localIdBytes : 0};
}

std::optional<std::uint32_t> pitchOf(const Piece& one, const Piece& other, unsigned lanesApart) {
    if (one.kind != other.kind || one.kind != Piece::Kind::registerBits || lanesApart == 0) return std::nullopt;
    const auto bitOf = [](const Piece& piece) {
        return static_cast<std::int64_t>(piece.number * kRegisterBits + piece.firstBit);
    };
    const auto bits = static_cast<std::uint64_t>(std::abs(bitOf(one) - bitOf(other)));
    return bits == 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(bits / 8 / lanesApart));
}

}  // namespace

const AssigningLines& LocationCheck::linesOf(const Variable& variable, const std::string& file) {
    const auto [entry, isNew] =
        lines_.try_emplace({file, variable.declared, variable.name, source_.directories().size()});
    if (isNew) entry->second = assigningLines(source_, file, variable.declared, variable.name);
    return entry->second;
}

std::string LocationCheck::doubtOf(const Variable& variable, const Frame& frame,
                                   const isa::xe::Architecture& architecture, const Location& here,
                                   const Location& beside) {
    // In a caller, what unwinding restored holds.
    if (trusts_ || !frame.module || !frame.saved.empty() || !variable.type) return "";
    const auto& module = *frame.module;
    const auto* const code = module.isOptimised() ? module.codeAt(frame.address) : nullptr;
    const auto* const flow = code ? module.flowOf(*code, architecture) : nullptr;
    const auto* const function = module.debug().functionAt(frame.address);
    const auto now = flow && flow->isKnown() ? flow->numberAt(frame.address - code->begin) : std::nullopt;
    if (!now || !function) return "";
    const auto scopes = frame.isInlined ? module.debug().scopesAt(frame.address) : std::vector<Scope>();
    const Question question{
        .flow = *flow,
        .debug = module.debug(),
        .begin = code->begin,
        .body = function->body - code->begin,
        .now = *now,
        .first = std::max(variable.liveFrom, function->begin) - code->begin,
        .end = std::min({variable.liveTo, function->end, code->end}) - code->begin,
        .isArgument = variable.isParameter && !frame.isInlined,
        .localIds = localIdsOf(module.kernelAt(frame.address)),
        .callLine = variable.isParameter && frame.scope < scopes.size() ? scopes[frame.scope].calledFrom.line : 0,
        .lines = linesOf(variable, frame.line.file)};
    const auto pieces = registersOf(here);
    const auto others = registersOf(beside);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto bytes = bytesOf(pieces[i], variable.type->size);
        if (!bytes) continue;
        const auto pitch = others.size() == pieces.size() ? pitchOf(pieces[i], others[i], 1) : std::nullopt;
        const bool mayKnowMore =
            std::exchange(directories_, source_.directories().size()) != source_.directories().size();
        if (mayKnowMore || known_.size() > kMostKnown) known_.clear();
        const auto [entry, isNew] = known_.try_emplace({frame.address, frame.scope, variable.name, variable.declared,
                                                        bytes->start, bytes->count, pitch.value_or(0)});
        if (isNew) entry->second = RegisterCheck(question, *bytes, pitch).doubt();
        if (!entry->second.empty()) return entry->second;
    }
    return "";
}

}  // namespace zetl::debugger
