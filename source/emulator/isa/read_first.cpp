// The registers that a thread may read before it has written them. Too many is safe, too few is not.
//
// On every way through the program it is known which bytes have been written, and by which lanes: by all lanes, or by
// the one lane to whose element they belong. A lane that executes an instruction has reached it on a way of its own,
// and has executed every masked instruction on that way. So its own writes to a register are visible to it, whatever
// lanes are on. An instruction without mask may read what all lanes have written.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/isa/control_flow.h"
#include "emulator/isa/lane_bytes.h"
#include "emulator/isa/register_use.h"

namespace zetl::emulator::isa {
namespace {

/// What has been written along all ways to a place, and by whom.
class Written {
  public:
    static constexpr std::uint8_t kNobody = 0xff;
    static constexpr std::uint8_t kAll = LaneBytes::kAllLanes;

    /// Every lane that the thread has is on.
    bool together = true;

    bool has(std::uint32_t byte, std::uint8_t lane) const { return by_[byte] == kAll || by_[byte] == lane; }
    void add(const LaneBytes& bytes) {
        for (std::uint32_t b = bytes.begin; b < bytes.end; ++b)
            if (by_[b] != kAll) by_[b] = bytes.lane;
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
        for (const Operand& o : in.source) readBeside(in, o);
        for (const LaneBytes& bytes : generalReads(in)) see(bytes, written);
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
    /// Registers beside the general ones.
    void readBeside(const Instruction& in, const Operand& o) {
        if (o.isIndirect() || in.opcode == Opcode::movi) return slots_.add(layout::kAddress, 1);
        if (o.mme >= 0) addAccumulators();
        if (o.kind == Operand::Kind::arf) addArchitecture(o.arf);
    }
    void see(const LaneBytes& bytes, const Written& written) {
        for (std::uint32_t byte = bytes.begin; byte < bytes.end; ++byte)
            if (!written.has(byte, bytes.lane)) slots_.add(layout::kGrf + byte, 1);
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
    const bool together = written.together && in.offset + in.width <= lanes;
    for (const LaneBytes& bytes : generalWrites(in, together)) written.add(bytes);
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
