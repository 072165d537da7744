// The registers that a thread may read before it has written them. Too many is safe, too few is not.
//
// On every way through the program it is known which bytes have been written, and by which lanes: by all lanes, or by
// the one lane to whose element they belong. A lane that executes an instruction has reached it on a way of its own,
// and has executed every masked instruction on that way. So its own writes to a register are visible to it, whatever
// lanes are on. An instruction without mask may read what all lanes have written.
#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/isa/register_descriptor.h"
#include "emulator/isa/register_use.h"
#include "isa/xe/access_shape.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::isa {
namespace {

constexpr std::uint32_t kDenseLanes = 16;  // from so many on a message's components have no gaps

/// Bytes of the general registers, from the first to behind the last.
struct Extent {
    std::uint32_t begin;
    std::uint32_t end;
};
Extent extentFrom(std::uint32_t begin, std::uint32_t bytes) {
    return {std::min(begin, layout::kGrfBytes), std::min(begin + bytes, layout::kGrfBytes)};
}

bool isMessage(const Instruction& in) { return isSend(in.opcode); }
Format formatOf(const Instruction& in) {
    const OpcodeInfo* info = findOpcode(static_cast<std::uint8_t>(in.opcode));
    return info == nullptr ? Format::control : info->format;
}
bool endsThread(const Instruction& in) { return isMessage(in) && in.message.endOfThread; }
bool isBranch(const Instruction& in) { return formatOf(in) == Format::branch; }
std::optional<AccessShape> shapeOf(const Instruction& in) {
    return isDeferred(in.message) ? std::nullopt : accessShapeOf(in);
}

std::uint32_t addressPayloadBytes(const Instruction& in) {
    constexpr std::uint32_t kLanes = 32;
    constexpr std::uint32_t kWidestAddress = 8;
    if (in.message.function == SharedFunction::gateway) return layout::kRegisterBytes;
    const auto shape = shapeOf(in);
    if (!shape) return kManyRegisterBytes;
    if (shape->block && shape->addressAt == 0) return shape->addressBytes;
    return shape->block || shape->block2d ? layout::kRegisterBytes : kLanes * kWidestAddress;
}
std::uint32_t dataPayloadBytes(const Instruction& in) {
    const auto shape = shapeOf(in);
    return shape && shape->block ? shape->bytes : messageDataBytes(in);
}
/// Of the data of a message that each lane sends by itself.
std::uint32_t componentsOf(const Instruction& in) {
    constexpr std::uint32_t kOperands = 2;  // of an atomic, at most
    const lsc::Descriptor descriptor(modernForm(in).message);
    if (descriptor.quad()) return static_cast<std::uint32_t>(std::popcount(unsigned{descriptor.components}));
    return descriptor.atomic() ? kOperands : descriptor.vectorLength();
}
/// From the operand's first byte, by all that is not plain.
std::uint32_t bytesRead(const Instruction& in, std::size_t source) {
    if (isMessage(in)) return source == 0 ? addressPayloadBytes(in) : dataPayloadBytes(in);
    if (isBranch(in) || formatOf(in) == Format::sync) return layout::kRegisterBytes;
    return kManyRegisterBytes;
}

/// What has been written along all ways to a place, and by whom.
class Written {
  public:
    static constexpr std::uint8_t kNobody = 0xff;
    static constexpr std::uint8_t kAll = 0xfe;

    /// Every lane that the thread has is on.
    bool together = true;

    bool has(std::uint32_t byte, std::uint8_t lane) const { return by_[byte] == kAll || by_[byte] == lane; }
    void add(const Extent& bytes, std::uint8_t by) {
        for (std::uint32_t b = bytes.begin; b < bytes.end; ++b)
            if (by_[b] != kAll) by_[b] = by;
    }
    /// Of two ways that meet. Whether this one has become less.
    bool meet(const Written& other) {
        bool less = together && !other.together;
        together = together && other.together;
        for (std::uint32_t b = 0; b < layout::kGrfBytes; ++b) {
            const std::uint8_t both = by_[b] == other.by_[b] ? by_[b]
                                      : by_[b] == kAll       ? other.by_[b]
                                      : other.by_[b] == kAll ? by_[b]
                                                             : kNobody;
            less = less || both != by_[b];
            by_[b] = both;
        }
        return less;
    }

  private:
    std::vector<std::uint8_t> by_ = std::vector<std::uint8_t>(layout::kGrfBytes, kNobody);
};

/// Slots that are read before they are written.
class Reader {
  public:
    void read(const Instruction& in, const Written& written) {
        readFlagsAndMore(in);
        for (std::size_t source = 0; source < in.source.size(); ++source) read(in, source, written);
    }
    const StateSlots& slots() const noexcept { return slots_; }

  private:
    void readFlagsAndMore(const Instruction& in) {
        if (in.predicate != Predicate::none || in.condition != Condition::none) slots_.add(layout::kFlags, 1);
        for (const std::int8_t qword : in.message.scalars)
            if (qword >= 0) slots_.add(layout::kScalar, 1);
        if (in.message.descriptorInRegister || in.message.extendedInRegister) slots_.add(layout::kAddress, 1);
        if (in.destination.isIndirect()) slots_.add(layout::kAddress, 1);
        if (!writesDestinationOnly(in)) addAccumulators();
    }
    void addAccumulators() { slots_.add(layout::kAccumulator, layout::kAddress - layout::kAccumulator); }
    void read(const Instruction& in, std::size_t source, const Written& written) {
        const Operand& o = in.source[source];
        if (o.isIndirect() || in.opcode == Opcode::movi) {
            slots_.add(layout::kAddress, 1);
            return slots_.add(layout::kGrf, layout::kGrfBytes);
        }
        if (o.isGrf()) readGeneral(in, source, written);
        if (o.mme >= 0) addAccumulators();
        if (o.kind == Operand::Kind::arf) addArchitecture(o.arf);
        if (isMessage(in) && o.isArf(ArchitectureRegister::scalar)) slots_.add(layout::kGrf, layout::kGrfBytes);
    }
    void readGeneral(const Instruction& in, std::size_t source, const Written& written) {
        const Operand& o = in.source[source];
        if (computesByLanes(in)) {
            for (std::uint32_t lane = 0; lane < in.width; ++lane) {
                const std::uint32_t bytes = byteSize(o.type);
                see(extentFrom(placeOf(o) + elementOf(o, lane) * bytes, bytes), laneOf(in, lane), written);
            }
            return;
        }
        if (const std::uint32_t element = laneBytes(in, source); element != 0) {
            const std::uint32_t lanes = std::max<std::uint32_t>(in.width, kDenseLanes);  // of a component
            const std::uint32_t components = source == 0 ? 1 : componentsOf(in);
            const std::uint32_t most = std::min(bytesRead(in, source), lanes * element * components);
            const Extent all = extentFrom(placeOf(o), most);
            for (std::uint32_t at = all.begin; at < all.end; at += element) {
                const std::uint32_t lane = (at - all.begin) / element % lanes;
                if (lane < in.width) see({at, std::min(at + element, all.end)}, laneOf(in, lane), written);
            }
            return;
        }
        see(extentFrom(placeOf(o), bytesRead(in, source)), Written::kAll, written);
    }
    /// Who may read what only a lane has written.
    static std::uint8_t laneOf(const Instruction& in, std::uint32_t lane) {
        return in.noMask ? Written::kAll : static_cast<std::uint8_t>(in.offset + lane);
    }
    /// Of a message that each lane sends by itself, where its lanes' addresses or data lie one behind the other: of
    /// one.
    static std::uint32_t laneBytes(const Instruction& in, std::size_t source) {
        if (!isMessage(in) || endsThread(in)) return 0;
        const auto shape = shapeOf(in);
        if (!shape || shape->block || shape->block2d || shape->strided || shape->addressAt != 0) return 0;
        if (source == 0) return shape->addressBytes;
        const std::uint32_t element = lsc::Descriptor(modernForm(in).message).registerBytes();
        return element >= sizeof(std::uint32_t) ? element : 0;
    }
    void see(const Extent& bytes, std::uint8_t lane, const Written& written) {
        for (std::uint32_t byte = bytes.begin; byte < bytes.end; ++byte)
            if (!written.has(byte, lane)) slots_.add(layout::kGrf + byte, 1);
    }
    void addArchitecture(ArchitectureRegister which) {
        switch (which) {
            case ArchitectureRegister::null:
                return;
            case ArchitectureRegister::accumulator:
                return addAccumulators();
            case ArchitectureRegister::address:
                return slots_.add(layout::kAddress, 1);
            case ArchitectureRegister::flag:
                return slots_.add(layout::kFlags, 1);
            case ArchitectureRegister::status:
            case ArchitectureRegister::message:
                return slots_.add(layout::kStatus, 1);
            case ArchitectureRegister::control:
                return slots_.add(layout::kControl, 1);
            case ArchitectureRegister::scalar:
                return slots_.add(layout::kScalar, 1);
            default:
                return slots_.add(layout::kAddress, layout::kArchitectureEnd - layout::kAddress);
        }
    }

    StateSlots slots_;
};

/// What an instruction adds. `lanes`: that the thread has, from the first on; 0: not known.
void addWritten(Written& written, const Instruction& in, std::uint32_t lanes) {
    const Operand& d = in.destination;
    const bool selects = in.opcode == Opcode::sel;
    if ((in.predicate != Predicate::none && !selects) || !d.isGrf() || d.isIndirect() || d.mme >= 0) return;
    const bool all = in.noMask || (written.together && in.offset + in.width <= lanes);
    const auto add = [&](std::uint32_t place, std::uint32_t bytes, std::uint32_t lane) {
        written.add(extentFrom(place, bytes), all ? Written::kAll : static_cast<std::uint8_t>(in.offset + lane));
    };
    if (computesByLanes(in)) {
        const std::uint32_t bytes = byteSize(d.type);
        const std::uint32_t stride = std::max<std::uint32_t>(d.horizontal, 1);
        for (std::uint32_t lane = 0; lane < in.width; ++lane) add(placeOf(d) + lane * stride * bytes, bytes, lane);
        return;
    }
    const auto shape = isMessage(in) ? shapeOf(in) : std::nullopt;
    if (!shape || shape->write || shape->block2d) return;
    if (shape->block) {
        if (all) written.add(extentFrom(placeOf(d), shape->bytes), Written::kAll);
        return;
    }
    const std::uint32_t element = lsc::Descriptor(modernForm(in).message).registerBytes();
    if (in.width < kDenseLanes || element < sizeof(std::uint32_t)) return;
    const std::uint32_t components = shape->atomic ? 1 : componentsOf(in);
    for (std::uint32_t at = 0; at < components; ++at)
        for (std::uint32_t lane = 0; lane < in.width; ++lane)
            add(placeOf(d) + (at * in.width + lane) * element, element, lane);
}

/// Follows all ways from an entry, until nothing changes any more.
class Ways {
  public:
    Ways(const Program::Code& code, std::uint32_t lanes) : code_(code), lanes_(lanes), begins_(code.lines() + 1) {
        for (Line line = 0; line < code.lines(); ++line) {
            if (!isBranch(code.instructions[line])) continue;
            for (const std::uint32_t ip : targetsOf(code.instructions[line]))
                if (const Line target = code.find(ip); target != kNoLine) begins_[target] = true;
        }
    }

    /// False: where they lead cannot be told.
    bool follow(Line entry) {
        if (!come(entry, Written())) return false;
        while (!open_.empty()) {
            const Line line = *open_.begin();
            open_.erase(open_.begin());
            if (!goOn(line)) return false;
        }
        return true;
    }
    StateSlots reads() const {
        Reader reader;
        for (const auto& [begin, before] : blocks_) {
            Written written = *before;
            for (Line line = begin; line < code_.lines(); ++line) {
                if (line != begin && begins_[line]) break;
                const Instruction& in = code_.instructions[line];
                reader.read(in, written);
                addWritten(written, in, lanes_);
                if (isBranch(in) || !goesOn(in)) break;
            }
        }
        return reader.slots();
    }

  private:
    static std::vector<std::uint32_t> targetsOf(const Instruction& in) {
        std::vector<std::uint32_t> ips{in.ip + static_cast<std::uint32_t>(in.jip)};
        if (in.uip != 0) ips.push_back(in.ip + static_cast<std::uint32_t>(in.uip));
        return ips;
    }
    static bool goesOn(const Instruction& in) { return in.opcode != Opcode::illegal && !endsThread(in); }
    bool goOn(Line line) {
        Written written = *blocks_.at(line);
        for (; line < code_.lines(); ++line) {
            const Instruction& in = code_.instructions[line];
            addWritten(written, in, lanes_);
            if (isBranch(in)) return branch(line, std::move(written));
            if (!goesOn(in)) return true;
            if (begins_[line + 1]) return come(line + 1, written);
        }
        return true;
    }
    bool branch(Line line, Written written) {
        const Instruction& in = code_.instructions[line];
        constexpr Opcode kCalls[] = {Opcode::call, Opcode::calla, Opcode::ret};
        if (in.targetInRegister || std::ranges::find(kCalls, in.opcode) != std::end(kCalls)) return false;
        const bool jumps = in.opcode == Opcode::jmpi;  // with all lanes, or none
        written.together = written.together && jumps;
        for (const std::uint32_t ip : targetsOf(in))
            if (!come(code_.find(ip), written)) return false;
        return (jumps && in.predicate == Predicate::none) || come(line + 1, written);
    }
    bool come(Line line, const Written& written) {
        if (line == kNoLine) return false;
        auto& known = blocks_[line];
        if (!known) {
            known = std::make_unique<Written>(written);
            open_.insert(line);
        } else if (known->meet(written)) {
            open_.insert(line);
        }
        return true;
    }

    const Program::Code& code_;
    const std::uint32_t lanes_;
    std::vector<bool> begins_;                         // by line: a block begins there
    std::map<Line, std::unique_ptr<Written>> blocks_;  // by where they begin: what was written before
    std::set<Line> open_;
};

}  // namespace

StateSlots Program::readFirst(std::uint32_t ip, std::uint32_t lanes) const {
    const Line entry = lineAt(ip);
    if (entry == kNoLine) return StateSlots::all();
    Ways ways(*code_, lanes);
    if (ways.follow(entry)) return ways.reads();
    Reader reader;
    for (const Instruction& in : code_->instructions) reader.read(in, Written());
    return reader.slots();
}

}  // namespace zetl::emulator::isa
