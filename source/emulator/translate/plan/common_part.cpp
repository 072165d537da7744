#include "emulator/translate/plan/common_part.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>
#include <map>

#include "emulator/isa/common_work.h"
#include "emulator/isa/register_descriptor.h"
#include "emulator/isa/register_use.h"
#include "isa/xe/access_shape.h"

namespace zetl::emulator::translate {
namespace {

namespace layout = isa::layout;
using isa::Instruction;
using isa::Line;
using isa::Opcode;
using R = isa::ArchitectureRegister;

constexpr std::uint32_t kThreadNumber = layout::kGrf + 8;  // r0.2
constexpr std::uint32_t kAccumulatorLanes = 8;             // that one slot holds, with their wide values
constexpr Line kMostFollowed = 1024;
constexpr Line kMostOwn = 48;      // one behind the other: what follows is a thread's own
constexpr Line kFewestLines = 24;  // beside one for each register that is taken over
constexpr std::size_t kMostDetours = 32;
constexpr std::uint32_t kMostLanes = 32;  // that an instruction has, if its encoding means any

using Piece = CommonPart::Piece;

/// Some bytes of a thread's state: those that other threads may have otherwise, or those that are written.
class Bytes {
  public:
    bool operator[](std::uint32_t at) const noexcept { return is_[at]; }
    bool any(const Piece& piece) const noexcept {
        return std::memchr(is_.data() + piece.place, 1, piece.bytes) != nullptr;
    }
    void set(const Piece& piece, bool is) noexcept { std::memset(is_.data() + piece.place, is, piece.bytes); }
    void add(const Bytes& others) noexcept {
        for (std::size_t i = 0; i < is_.size(); ++i) is_[i] |= others.is_[i];
    }

  private:
    std::array<std::uint8_t, layout::kArchitectureEnd> is_{};
};

/// What an instruction does.
struct Effect {
    bool ends = false;               ///< no part goes on behind it, nor does another begin
    bool own = false;                ///< it is not the same for all threads
    std::vector<Piece> writes = {};  ///< where
};

bool isConditional(const Instruction& in) { return in.predicate != isa::Predicate::none && in.opcode != Opcode::sel; }

/// The target of a jump, if it is in the instruction; else kNoLine.
Line targetOf(const isa::Program::Code& code, Line line) {
    const Instruction& in = code.instructions[line];
    const bool tells = in.opcode == Opcode::jmpi && !in.targetInRegister;
    return tells ? code.find(in.ip + static_cast<std::uint32_t>(in.jip)) : isa::kNoLine;
}

/// Whether threads may come to the line more often than once.
bool isRepeated(const isa::Program::Code& code, Line line) {
    for (Line from = line; from < code.lines(); ++from) {
        const Instruction& in = code.instructions[from];
        const isa::OpcodeInfo* info = isa::findOpcode(static_cast<std::uint8_t>(in.opcode));
        if (info == nullptr || info->format != isa::Format::branch) continue;
        const auto leadsBack = [&](std::int32_t by) {
            return code.find(in.ip + static_cast<std::uint32_t>(by)) <= line;
        };
        if (in.targetInRegister || in.opcode == Opcode::calla || in.opcode == Opcode::ret || leadsBack(in.jip) ||
            (in.uip != 0 && leadsBack(in.uip)))
            return true;
    }
    return false;
}

class Walk {
  public:
    Walk(const isa::Program::Code& code, std::uint32_t lanes, bool argumentsChange)
        : code_(code), lanes_(lanes), argumentsChange_(argumentsChange) {
        own_.set({kThreadNumber, sizeof(std::uint32_t)}, true);
    }

    const Bytes& own() const noexcept { return own_; }
    /// Threads that come from elsewhere; from the line before as well, if it goes on.
    void meet(const Bytes& others, bool goesOn) { goesOn ? own_.add(others) : void(own_ = others); }

    Effect follow(Line line) {
        const Instruction& in = code_.instructions[line];
        if (code_.refused.contains(line) || in.width > kMostLanes) return {.ends = true};
        if (in.opcode == Opcode::send) return load(in);
        if (in.opcode == Opcode::jmpi) return {.ends = isOwnFlag(in) || targetOf(code_, line) == isa::kNoLine};
        if (in.opcode == Opcode::mullh) return {.ends = true};  // it writes more than its destination
        if (isa::computesByLanes(in)) return compute(in);
        const auto& body = code_.body[0];
        for (std::uint32_t i = body.start[line]; i < body.start[line + 1]; ++i)
            if (body.familyOf(body.steps[i]) != isa::Family::marker) return {.ends = true};
        return {};
    }

  private:
    static std::uint32_t flagAt(std::uint32_t number) { return layout::kFlags + number * sizeof(std::uint32_t); }
    bool isOwnFlag(const Instruction& in) const {
        return in.predicate != isa::Predicate::none && own_.any({flagAt(in.flag >> 1), sizeof(std::uint32_t)});
    }
    /// Whatever the flags are, and however many lanes wait.
    bool isCertain(const Instruction& in) const {
        return !isConditional(in) && (in.noMask || in.offset + in.width <= lanes_);
    }

    /// A block of the launch's arguments.
    Effect load(const Instruction& in) {
        const auto shape =
            isa::isDeferred(in.message) || in.message.endOfThread ? std::nullopt : isa::accessShapeOf(in);
        const bool known = shape && shape->space == isa::MemorySpace::payload && shape->block && !shape->write &&
                           !shape->atomic && !argumentsChange_ && shape->addressBytes != 0 && isCertain(in) &&
                           in.source[0].isGrf() && !in.source[0].isIndirect() && in.destination.isGrf() &&
                           !in.destination.isIndirect();
        if (!known) return {.ends = true};
        const Piece from{in.source[0].number * layout::kRegisterBytes + shape->addressAt, shape->addressBytes};
        const Piece to{in.destination.number * layout::kRegisterBytes, shape->bytes};
        if (from.place + from.bytes > layout::kGrfBytes || to.place + to.bytes > layout::kGrfBytes)
            return {.ends = true};
        const bool own = own_.any(from);
        own_.set(to, own);
        return {.own = own, .writes = {to}};
    }

    static bool isKnown(const isa::Operand& o) {
        if (o.kind != isa::Operand::Kind::arf && o.kind != isa::Operand::Kind::grf) return true;
        return !o.isIndirect() && o.mme < 0;
    }
    /// Of the bytes that a lane has there. Nothing: not told.
    static std::optional<Piece> element(const isa::Operand& o, std::uint32_t element) {
        const std::uint32_t bytes = isa::byteSize(o.type);
        const std::uint32_t at = o.subByte + element * bytes;
        const std::uint32_t place = isa::placeOf(o) + element * bytes;
        if (o.isGrf()) return place + bytes <= layout::kGrfBytes ? std::optional(Piece{place, bytes}) : std::nullopt;
        if (o.arf == R::flag && flagAt(o.number) + at + bytes <= flagAt(layout::kFlagRegisters))
            return Piece{flagAt(o.number) + at, bytes};
        if (o.arf == R::control && o.number == 0 && at + bytes <= sizeof(std::uint32_t))
            return Piece{layout::kControl + at, bytes};
        return {};
    }
    bool isOwn(const isa::Operand& o, std::uint32_t lane) const {
        if (o.kind == isa::Operand::Kind::none || o.isImmediate() || o.isNull()) return false;
        if (o.isAccumulator()) return ownsAccumulators();
        const auto bytes = element(o, isa::elementOf(o, lane));
        return !bytes || own_.any(*bytes);
    }
    /// Adds lanes that read a thread's own values. Mostly there are none, which shows at once.
    void addOwnLanes(std::bitset<kMostLanes>& own, const isa::Operand& o, std::uint32_t width) const {
        if (o.isGrf() && o.width != 0) {
            const std::uint32_t last = (width - 1) / o.width * o.vertical + (o.width - 1u) * o.horizontal;
            const auto end = element(o, last);
            if (end && !own_.any({isa::placeOf(o), end->place + end->bytes - isa::placeOf(o)})) return;
        }
        for (std::uint32_t lane = 0; lane < width; ++lane) own[lane] = own[lane] || isOwn(o, lane);
    }
    static constexpr Piece kAccumulators[] = {{layout::kAccumulator, layout::kRegisterBytes},
                                              {layout::kWideAccumulator, layout::kRegisterBytes}};
    bool ownsAccumulators() const { return own_.any(kAccumulators[0]) || own_.any(kAccumulators[1]); }

    /// What is written there; nothing if it is not told.
    std::optional<Piece> written(const isa::Operand& d, std::uint32_t lane) const {
        return element(d, lane * std::max<std::uint32_t>(d.horizontal, 1));
    }

    Effect compute(const Instruction& in) {
        if (!isKnown(in.destination) || !std::ranges::all_of(in.source, isKnown)) return {.ends = true};
        const bool multiplies = !isa::writesDestinationOnly(in);
        const bool named = !in.destination.isNull() && !in.destination.isAccumulator();
        if (named && !written(in.destination, in.width - 1)) return {.ends = true};
        Effect effect;
        const bool certain = isCertain(in);
        const bool always =
            isOwnFlag(in) || own_.any({layout::kControl, sizeof(std::uint32_t)}) || (multiplies && ownsAccumulators());
        std::bitset<kMostLanes> own;  // by lane: all read before any writes
        if (always) own.set();
        for (const isa::Operand& o : in.source) addOwnLanes(own, o, in.width);
        if (named && own.none() && in.destination.isGrf() && in.destination.horizontal <= 1) {
            const std::uint32_t bytes = in.width * isa::byteSize(in.destination.type);
            write(effect, {isa::placeOf(in.destination), bytes}, false, certain);
        } else if (named) {
            for (std::uint32_t lane = 0; lane < in.width; ++lane)
                write(effect, *written(in.destination, lane), own[lane], certain);
        }
        if (multiplies || in.destination.isAccumulator()) writeAccumulators(effect, in, own.any());
        if (in.condition != isa::Condition::none && in.opcode != Opcode::sel && in.opcode != Opcode::csel) {
            const bool whole = certain && in.width == 32 && in.offset == 0;
            write(effect, {flagAt(in.flag >> 1), sizeof(std::uint32_t)}, own.any(), whole);
        }
        return effect;
    }
    void write(Effect& effect, const Piece& bytes, bool own, bool certain) {
        own = own || (!certain && own_.any(bytes));
        own_.set(bytes, own);
        effect.own = effect.own || own;
        effect.writes.push_back(bytes);
    }
    /// As one, by few lanes.
    void writeAccumulators(Effect& effect, const Instruction& in, bool own) {
        const isa::Operand& d = in.destination;
        // Where it is not named, it begins at the lane at which the destination does.
        const std::uint32_t first = d.isGrf() ? d.subByte / isa::byteSize(d.type) : 0;
        const bool few = first + in.offset + in.width <= kAccumulatorLanes &&
                         (!d.isAccumulator() || (d.number == 0 && d.subByte == 0));
        for (const Piece& bytes : kAccumulators) write(effect, bytes, own || !few, false);
    }

    const isa::Program::Code& code_;
    const std::uint32_t lanes_;
    const bool argumentsChange_;
    Bytes own_;
};

/// Whether threads may write the launch's arguments, which all of the dispatch see.
bool writesArguments(const Instruction& in) {
    if (!isa::isSend(in.opcode)) return false;
    if (isa::isDeferred(in.message)) return true;
    const auto shape = in.message.endOfThread ? std::nullopt : isa::accessShapeOf(in);
    return shape && shape->space == isa::MemorySpace::payload && (shape->write || shape->atomic);
}

/// Lines that are reached by no way that a survey knows count as well, if there may be some.
bool mayWriteArguments(const isa::Program::Code& code, const Survey& survey) {
    bool writes = false;
    bool leadsAnywhere = false;
    for (const Line line : survey.lines) {
        if (line >= code.lines()) continue;
        const Instruction& in = code.instructions[line];
        writes = writes || writesArguments(in);
        leadsAnywhere = leadsAnywhere || (in.targetInRegister && in.opcode != Opcode::ret);
    }
    return writes || (leadsAnywhere && std::ranges::any_of(code.instructions, writesArguments));
}

/// Line by line from the entry. What a branch leaves behind is kept until its target comes; one that leads back finds
/// no more there that is own than when it was passed, because lines of a part only take away from that.
class PartFinder {
  public:
    PartFinder(const isa::Program::Code& code, const Survey& survey, Line entry, std::uint32_t lanes)
        : code_(code), entry_(entry), lanes_(lanes), argumentsChange_(mayWriteArguments(code, survey)) {}

    std::optional<CommonPart> run() {
        search();
        if (length() < kFewestLines || isRepeated(code_, part_.from)) return {};
        describe();
        const bool pays = length() >= kFewestLines + part_.slots.size();
        const bool fits = part_.slots.size() <= isa::CommonWork::kMostSlots && part_.detours.size() <= kMostDetours;
        return pays && fits ? std::optional(std::move(part_)) : std::nullopt;
    }

  private:
    Line length() const noexcept { return part_.to - part_.from; }
    /// Calls visit(line, effect) for the lines before the end until it returns false. Returns what is own at that
    /// point.
    template <class Visit>
    Bytes walk(Line end, Visit&& visit) const {
        Walk walk(code_, lanes_, argumentsChange_);
        std::map<Line, Bytes> arriving;
        bool goesOn = true;
        for (Line line = entry_; line < end; ++line) {
            if (const auto others = arriving.extract(line)) {
                walk.meet(others.mapped(), goesOn);
                goesOn = true;
            }
            if (!goesOn) continue;
            if (!visit(line, walk.follow(line))) break;
            const Line target = targetOf(code_, line);
            if (target == isa::kNoLine) continue;
            if (target > line) arriving.try_emplace(target).first->second.add(walk.own());
            goesOn = code_.instructions[line].predicate != isa::Predicate::none;
        }
        if (const auto others = arriving.extract(end)) walk.meet(others.mapped(), goesOn);
        return walk.own();
    }

    /// The longest part.
    void search() {
        CommonPart open;
        open.from = open.to = entry_;
        Line furthest = entry_;  // where its branches lead
        Line own = 0;            // successive lines
        walk(std::min(code_.lines(), entry_ + kMostFollowed), [&](Line line, const Effect& effect) {
            if (line >= furthest) open.to = line;
            const Line target = targetOf(code_, line);
            const bool leadsBack = target != isa::kNoLine && target < open.from;
            own = effect.own ? own + 1 : 0;
            if (effect.ends || effect.own || leadsBack) {
                if (open.to - open.from > length()) part_ = open;
                open.from = open.to = furthest = line + 1;
            } else if (target != isa::kNoLine) {
                furthest = std::max({furthest, target, line + 1});
            }
            return !effect.ends && !leadsBack && own < kMostOwn;
        });
    }

    /// What is written there, by lines of each block.
    void describe() {
        std::vector<bool> begins(part_.to + 1);
        for (Line line = part_.from; line < part_.to; ++line) {
            const Line target = targetOf(code_, line);
            if (target >= begins.size()) continue;  // none, or of a line that the part does not come to
            begins[target] = begins[line + 1] = true;
        }
        std::map<Line, std::vector<Piece>> blocks;
        Bytes written;
        Line block = part_.from;
        const Bytes own = walk(part_.to, [&](Line line, const Effect& effect) {
            if (line < part_.from) return true;
            if (begins[line]) block = line;
            auto& writes = blocks[block];
            for (const Piece& bytes : effect.writes) {
                writes.push_back(bytes);
                written.set(bytes, true);
            }
            return true;
        });
        for (std::uint32_t place = 0; place < layout::kArchitectureEnd; place += layout::kRegisterBytes)
            addSlot(place, written, own);
        for (const auto& [line, writes] : blocks) addDetour(line, writes, own);
    }
    void addSlot(std::uint32_t place, const Bytes& written, const Bytes& own) {
        const Piece slot{place, layout::kRegisterBytes};
        if (!written.any(slot)) return;
        const bool whole = place < layout::kAddress && !own.any(slot);
        part_.slots.push_back({place, whole});
        part_.setsMode = part_.setsMode || place == layout::kControl;
        if (whole) return;
        const auto isCommon = [&](std::uint32_t at) { return written[at] && !own[at]; };
        addPieces(part_.pieces, place, isCommon);
    }
    /// These bytes of the slot.
    template <class Is>
    static void addPieces(std::vector<Piece>& pieces, std::uint32_t place, const Is& is) {
        for (std::uint32_t at = place; at < place + layout::kRegisterBytes; ++at) {
            if (!is(at)) continue;
            if (at != place && is(at - 1))
                ++pieces.back().bytes;
            else
                pieces.push_back({at, 1});
        }
    }
    /// Bytes that are still a thread's own where the part ends, unless it came by there.
    void addDetour(Line line, const std::vector<Piece>& writes, const Bytes& own) {
        Bytes written;
        bool any = false;
        for (const Piece& piece : writes) {
            written.set(piece, true);
            any = any || own.any(piece);
        }
        if (!any) return;
        part_.detours.push_back({line, {}});
        const auto isOwn = [&](std::uint32_t at) { return written[at] && own[at]; };
        for (const CommonPart::Slot& slot : part_.slots) addPieces(part_.detours.back().pieces, slot.place, isOwn);
    }

    const isa::Program::Code& code_;
    const Line entry_;
    const std::uint32_t lanes_;
    const bool argumentsChange_;
    CommonPart part_;
};

}  // namespace

std::optional<CommonPart> findCommonPart(const isa::Program::Code& code, const Survey& survey, Line entry,
                                         std::uint32_t lanes) {
    return PartFinder(code, survey, entry, lanes).run();
}

}  // namespace zetl::emulator::translate
