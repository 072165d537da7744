#include "emulator/check/exchanged_loads.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "emulator/check/block_values.h"
#include "emulator/check/load_facts.h"
#include "emulator/check/register_bytes.h"
#include "emulator/isa/observe.h"
#include "emulator/isa/register_descriptor.h"
#include "isa/xe/atomic_operation.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::check {
namespace {

using isa::Instruction;
using isa::Line;
using isa::Opcode;
using isa::Operand;
using zetl::isa::xe::Condition;
using zetl::isa::xe::Predicate;

constexpr std::uint32_t kExchangePart = 4;
constexpr std::uint32_t kFlagAt = 1u << 20;  // halves of flag registers, behind all dwords of registers

bool transfers(const Instruction& in) noexcept {
    const isa::OpcodeInfo* const info = isa::findOpcode(static_cast<std::uint8_t>(in.opcode));
    return info != nullptr && info->format == isa::Format::branch;
}

std::uint32_t dwordOf(std::uint32_t byte) noexcept { return byte / kExchangePart; }

/// Its addresses are offsets into no surface.
bool isFlat(const Instruction& in) noexcept {
    return zetl::isa::xe::lsc::Descriptor(in.message).surface == zetl::isa::xe::lsc::kFlat;
}

/// The branches of a program.
struct Branches {
    explicit Branches(const isa::Program& program) : begins(program.lineCount() + 1) {
        for (Line line = 0; line < program.lineCount(); ++line) {
            const Instruction& in = program.instruction(line);
            if (!transfers(in)) continue;
            begins[line + 1] = true;
            for (const std::int32_t distance : {in.jip, in.uip}) {
                const Line target = program.lineAt(in.ip + static_cast<std::uint32_t>(distance));
                if (target == isa::kNoLine) continue;
                begins[target] = true;
                from.emplace(target, line);
            }
        }
    }
    /// The last line of a loop that begins there, and that lanes enter from the line in front of it only.
    std::optional<Line> loopFrom(Line begin) const {
        Line last = begin;
        for (auto [at, end] = from.equal_range(begin); at != end; ++at) {
            if (at->second < begin) return {};
            last = std::max(last, at->second);
        }
        const bool isEntered = std::any_of(from.upper_bound(begin), from.upper_bound(last),
                                           [&](const auto& one) { return one.second < begin || one.second > last; });
        return isEntered ? std::nullopt : std::optional(last);
    }

    std::vector<bool> begins;  ///< by line: lanes may come from elsewhere, or not from the line in front of it
    std::multimap<Line, Line> from;
};

/// Follows the value of one load on all ways.
class FollowedLoad {
    using What = LoadFact::What;

  public:
    FollowedLoad(const isa::Program& program, const Branches& branches, Line load)
        : program_(program), branches_(branches), load_(load), plan_(*isa::AccessPlan::of(program.instruction(load))) {}

    bool endsInExchanges() {
        LoadFacts facts;
        begin(facts);
        std::map<Line, LoadFacts> before;
        std::set<Line> open;
        const auto next = [&](Line line, const LoadFacts& there) {
            if (line == isa::kNoLine || line >= program_.lineCount() || !there.holdLoad()) return;
            const auto [place, isNew] = before.try_emplace(line, there);
            if (isNew || place->second.join(there)) open.insert(line);
        };
        if (!follow(load_ + 1, facts, next)) return false;
        while (!open.empty()) {
            const Line line = *open.begin();
            open.erase(open.begin());
            LoadFacts there = before[line];
            if (!follow(line, there, next)) return false;
        }
        return exchanges_;
    }

  private:
    /// More than loops around an exchange have.
    static constexpr std::uint32_t kMostSteps = 4'000;
    static constexpr Line kBackwards = 100;  // lines in which the address may have been copied before the load

    std::uint32_t parts() const noexcept { return plan_.shape.bytes / kExchangePart; }
    std::uint8_t laneOf(const Instruction& in, std::uint32_t lane) const noexcept {
        if (isForAll()) return LoadFact::kEveryLane;
        return static_cast<std::uint8_t>(lane + in.offset);
    }
    /// One value for all lanes.
    bool isForAll() const noexcept { return plan_.shape.block || program_.instruction(load_).width == 1; }
    std::uint32_t lanesOfLoad() const noexcept { return isForAll() ? 1 : program_.instruction(load_).width; }

    /// What is known behind the load.
    void begin(LoadFacts& facts) {
        const Instruction& in = program_.instruction(load_);
        facts.age();
        if (addresses_.empty()) findAddresses(in);
        for (const auto& [dword, fact] : addresses_) facts.set(dword, fact);
        const std::uint32_t place = isa::placeOf(in.destination);
        for (std::uint32_t lane = 0; lane < lanesOfLoad(); ++lane)
            for (std::uint8_t part = 0; part < parts(); ++part)
                facts.set(dwordOf(place + lane * plan_.shape.bytes) + part,
                          LoadFact{What::copy, laneOf(in, lane), part});
    }

    /// The dwords of the address, and those from which they were copied in the same block.
    void findAddresses(const Instruction& in) {
        for (std::uint32_t lane = 0; lane < lanesOfLoad(); ++lane)
            for (std::uint8_t part = 0; part < plan_.shape.addressBytes / kExchangePart; ++part) {
                const std::uint32_t at = plan_.payload + plan_.shape.addressAt + lane * plan_.shape.addressBytes;
                addresses_.emplace_back(dwordOf(at) + part, LoadFact{What::address, laneOf(in, lane), part});
            }
        const BlockValues values = valuesBefore(load_);
        for (auto [dword, fact] : std::vector(addresses_)) {
            const BlockValues::Value value = values.of(dword);
            if (value.isNumber() && isForAll()) number_[fact.part] = value.number;
            for (const std::uint32_t other : values.equalTo(value)) addresses_.emplace_back(other, fact);
        }
    }
    /// What the lines in front of it make of the registers, in its block and in front of loops that it is in.
    BlockValues valuesBefore(Line line) const {
        std::map<Line, std::vector<RegisterBytes>> loops;  // what they change, by their first lines
        Line begin = line;
        for (; begin > 0 && line - begin < kBackwards && writtenBy(program_.instruction(begin - 1)); --begin) {
            if (!branches_.begins[begin]) continue;
            auto changed = changedByLoop(begin);
            if (!changed) break;
            loops.emplace(begin, *std::move(changed));
        }
        BlockValues values;
        for (; begin <= line; ++begin) {
            if (const auto loop = loops.find(begin); loop != loops.end())
                for (const RegisterBytes& bytes : loop->second) change(bytes, values);
            if (begin == line) break;
            const Instruction& in = program_.instruction(begin);
            const auto copies = copied(in, values);
            change(*writtenBy(in), values);
            for (const auto& [dword, value] : copies) values.set(dword, value);
        }
        return values;
    }
    static void change(const RegisterBytes& bytes, BlockValues& values) {
        for (std::uint32_t at = dwordOf(bytes.begin); at * kExchangePart < bytes.end; ++at) values.change(at);
    }
    /// Nothing if it is no loop, or what it changes is not known.
    std::optional<std::vector<RegisterBytes>> changedByLoop(Line begin) const {
        const std::optional<Line> last = branches_.loopFrom(begin);
        if (!last || *last - begin > kBackwards) return {};
        std::vector<RegisterBytes> changed;
        for (Line line = begin; line <= *last; ++line) {
            const Instruction& in = program_.instruction(line);
            if (isCall(in)) return {};
            if (transfers(in)) continue;
            const auto written = writtenBy(in);
            if (!written) return {};
            changed.push_back(*written);
        }
        return changed;
    }
    static bool isCall(const Instruction& in) noexcept {
        return in.opcode == Opcode::call || in.opcode == Opcode::calla || in.opcode == Opcode::ret ||
               in.opcode == Opcode::brc || in.targetInRegister;
    }
    static std::vector<std::pair<std::uint32_t, BlockValues::Value>> copied(const Instruction& in,
                                                                            const BlockValues& before) {
        std::vector<std::pair<std::uint32_t, BlockValues::Value>> copies;
        if (!isCopy(in) || in.predicate != Predicate::none) return copies;
        const std::uint32_t size = byteSize(in.destination.type);
        const Operand& from = in.source[0];
        for (std::uint32_t lane = 0; lane < in.width; ++lane) {
            const std::uint32_t to = dwordOf(destinationAt(in, lane));
            if (from.isImmediate() && size == kExchangePart)
                copies.emplace_back(to, BlockValues::Value::ofNumber(from.immediate));
            for (std::uint32_t part = 0; part < size / kExchangePart && !from.isImmediate(); ++part)
                copies.emplace_back(to + part, before.of(dwordOf(sourceAt(in, 0, lane)) + part));
        }
        return copies;
    }
    static std::optional<RegisterBytes> writtenBy(const Instruction& in) {
        if (transfers(in) || (in.destination.isGrf() && in.destination.isIndirect())) return {};
        if (!in.destination.isGrf()) return RegisterBytes{};
        const std::uint32_t begin = isa::placeOf(in.destination);
        if (isa::computesByLanes(in))
            return RegisterBytes{begin, destinationAt(in, in.width - 1u) + byteSize(in.destination.type)};
        if (!isMessage(in) || in.message.general || in.message.descriptorInRegister) return {};
        return RegisterBytes{begin, begin + answeredRegisters(in) * isa::layout::kRegisterBytes};
    }
    static std::uint32_t answeredRegisters(const Instruction& in) noexcept {
        constexpr unsigned kAnsweredAt = 20;
        constexpr std::uint32_t kAnsweredMask = 31;
        return static_cast<std::uint32_t>(in.message.descriptor >> kAnsweredAt) & kAnsweredMask;
    }

    static std::uint32_t placeOf(const Operand& operand) noexcept {
        return isa::placeOf(operand) + (operand.isAccumulator() ? isa::layout::kAccumulator : 0);
    }
    static std::uint32_t destinationAt(const Instruction& in, std::uint32_t lane) noexcept {
        const std::uint32_t step = std::max<std::uint32_t>(in.destination.horizontal, 1);
        return placeOf(in.destination) + lane * step * byteSize(in.destination.type);
    }
    static std::uint32_t sourceAt(const Instruction& in, std::uint32_t source, std::uint32_t lane) noexcept {
        const Operand& from = in.source[source];
        return placeOf(from) + isa::elementOf(from, lane) * byteSize(from.type);
    }
    /// Of whole dwords, which stay what they are.
    static bool isCopy(const Instruction& in) noexcept {
        const Operand& from = in.source[0];
        const std::uint32_t size = byteSize(in.destination.type);
        const bool plain = in.opcode == Opcode::mov && !in.saturate && !from.hasModifier() && !from.isIndirect() &&
                           in.destination.isGrf() && !in.destination.isIndirect() &&
                           isReal(from.type) == isReal(in.destination.type);
        return plain && (from.isGrf() || from.isImmediate()) && byteSize(from.type) == size &&
               size % kExchangePart == 0 && isa::placeOf(in.destination) % kExchangePart == 0 &&
               (from.isImmediate() || isa::placeOf(from) % kExchangePart == 0);
    }

    /// To the end of the block, and calls next() for what follows. False if somebody else uses the value.
    template <class Next>
    bool follow(Line line, LoadFacts& facts, Next&& next) {
        for (; line < program_.lineCount(); ++line) {
            if (++steps_ > kMostSteps) return false;
            const Instruction& in = program_.instruction(line);
            if (transfers(in)) return branch(line, in, facts, next);
            if (line == load_)
                begin(facts);
            else if (!execute(in, facts))
                return false;
            if (isMessage(in) && in.message.endOfThread) return true;
            if (!facts.holdLoad()) return true;
            if (!branches_.begins[line + 1]) continue;
            next(line + 1, facts);
            return true;
        }
        return true;
    }

    template <class Next>
    bool branch(Line line, const Instruction& in, const LoadFacts& facts, Next&& next) {
        if (isCall(in)) return false;
        const bool conditional = in.predicate != Predicate::none;
        if (conditional && anyFlagOfLoad(in, facts)) return false;
        const auto way = [&](Line to, bool taken) {
            LoadFacts there = facts;
            if (conditional && succeeds(in, facts, taken))
                there.drop([](const LoadFact& fact) { return fact.isOfLoad(); });
            next(to, there);
        };
        const auto target = [&](std::int32_t distance) {
            return program_.lineAt(in.ip + static_cast<std::uint32_t>(distance));
        };
        const bool isGoto = in.opcode == Opcode::jumpTo;
        if (in.opcode != Opcode::join && !isGoto) way(target(in.jip), true);
        if (in.opcode != Opcode::join && (isGoto || in.uip != 0)) way(target(in.uip), true);
        if (conditional || (in.opcode != Opcode::jmpi && !isGoto)) way(line + 1, false);
        return true;
    }

    /// Whether only lanes take the way whose exchange has succeeded. Then the value was no other than the one it found.
    bool succeeds(const Instruction& in, const LoadFacts& facts, bool taken) const {
        if (in.predicate != Predicate::normal) return false;
        const bool isSet = taken != in.inverted;
        return everyFlagIs(in, isSet ? What::same : What::differs, facts);
    }

    /// Halves of flag registers, which its lanes have.
    static std::vector<std::uint32_t> flagsOf(const Instruction& in) {
        constexpr std::uint32_t kHalf = 16;
        const std::uint32_t first = in.flag / 2 * 2 + (in.flag % 2 * kHalf + in.offset) / kHalf;
        const std::uint32_t count = (std::max<std::uint32_t>(in.width, 1) + kHalf - 1) / kHalf;
        std::vector<std::uint32_t> keys;
        for (std::uint32_t i = 0; i < count; ++i) keys.push_back(kFlagAt + first + i);
        return keys;
    }
    static bool everyFlagIs(const Instruction& in, LoadFact::What what, const LoadFacts& facts) {
        return std::ranges::all_of(flagsOf(in), [&](std::uint32_t key) {
            const LoadFact* const fact = facts.at(key);
            return fact != nullptr && fact->what == what;
        });
    }
    static bool anyFlagOfLoad(const Instruction& in, const LoadFacts& facts) {
        return std::ranges::any_of(flagsOf(in), [&](std::uint32_t key) { return facts.isOfLoad(key); });
    }

    /// False if it does something else with the value.
    bool execute(const Instruction& in, LoadFacts& facts) {
        if (isMessage(in)) return message(in, facts);
        if (in.opcode == Opcode::nop || in.opcode == Opcode::sync) return true;
        const bool known = isa::computesByLanes(in) && !in.destination.isIndirect();
        if (!known) return false;
        if ((isElsewhere(in.destination) || hasExtraBits(in)) && computesWithLoad(in, facts)) return false;
        compute(in, facts);
        return true;
    }

    /// Registers that are neither general ones, nor accumulators, nor flags.
    static bool isElsewhere(const Operand& to) noexcept {
        using zetl::isa::xe::ArchitectureRegister;
        return !to.isGrf() && !to.isNull() && !to.isAccumulator() && !to.isArf(ArchitectureRegister::flag);
    }

    /// mac, macl and mach compute with an accumulator, and change it, without naming it. addc and subb change it.
    static bool takesAccumulator(const Instruction& in) noexcept { return !isa::writesDestinationOnly(in); }
    static std::uint32_t accumulatorOf(std::uint32_t lane) noexcept {
        return dwordOf(isa::layout::kAccumulator) + lane;
    }
    /// It reads or writes more of a number than its register holds.
    static bool hasExtraBits(const Instruction& in) noexcept {
        const auto has = [](const Operand& operand) { return operand.mme >= 0; };
        return has(in.destination) || std::any_of(in.source.begin(), in.source.begin() + in.sources, has);
    }

    bool readsLoad(const Instruction& in, std::uint32_t source, std::uint32_t lane, const LoadFacts& facts) const {
        const Operand& from = in.source[source];
        if (from.isImmediate() || from.isNull()) return false;
        if (from.isIndirect()) return true;  // of any register
        if (!from.isGrf() && !from.isAccumulator()) return false;
        const std::uint32_t at = sourceAt(in, source, lane);
        for (std::uint32_t byte = at; byte < at + byteSize(from.type); byte += kExchangePart)
            if (facts.isOfLoad(dwordOf(byte))) return true;
        return false;
    }
    bool computesWithLoad(const Instruction& in, const LoadFacts& facts) const {
        for (std::uint32_t lane = 0; lane < in.width && takesAccumulator(in); ++lane)
            if (facts.isOfLoad(accumulatorOf(lane))) return true;
        if (in.predicate != Predicate::none && anyFlagOfLoad(in, facts)) return true;
        for (std::uint32_t i = 0; i < in.sources; ++i) {
            if (readsFlag(in.source[i], facts)) return true;
            for (std::uint32_t lane = 0; lane < in.width; ++lane)
                if (readsLoad(in, i, lane, facts)) return true;
        }
        return false;
    }
    static bool readsFlag(const Operand& from, const LoadFacts& facts) {
        constexpr std::uint32_t kHalves = 8;
        if (!from.isArf(zetl::isa::xe::ArchitectureRegister::flag)) return false;
        for (std::uint32_t half = 0; half < kHalves; ++half)
            if (facts.isOfLoad(kFlagAt + half)) return true;
        return false;
    }

    void compute(const Instruction& in, LoadFacts& facts) {
        using zetl::isa::xe::ArchitectureRegister;
        const bool withLoad = computesWithLoad(in, facts);
        const bool partly = in.predicate != Predicate::none && in.opcode != Opcode::sel;
        const std::optional<LoadFact> made = withLoad ? std::optional(LoadFact{}) : successOf(in, facts);
        const bool tests = in.condition != Condition::none && in.opcode != Opcode::sel;
        std::optional<LoadFact> told;
        if (tests) told = withLoad ? tested(in, facts) : successTested(in, facts);
        if (in.destination.isGrf() || in.destination.isAccumulator()) toRegisters(in, made, partly, facts);
        for (std::uint32_t lane = 0; lane < in.width && takesAccumulator(in); ++lane)
            merge(facts, accumulatorOf(lane), withLoad ? made : std::nullopt, partly);
        if (in.destination.isArf(ArchitectureRegister::flag))
            for (std::uint32_t half = 0; half < 2; ++half)
                facts.set(kFlagAt + in.destination.number * 2u + half, withLoad ? made : std::nullopt);
        for (const std::uint32_t key : tests ? flagsOf(in) : std::vector<std::uint32_t>())
            merge(facts, key, told, partly && !isTold(told));
    }

    /// Compilers also write that an exchange has succeeded as 1, by the flags of both halves of a number, and combine
    /// the two.
    std::optional<LoadFact> successOf(const Instruction& in, const LoadFacts& facts) const {
        const bool selects = in.opcode == Opcode::sel && in.predicate == Predicate::normal &&
                             in.condition == Condition::none && isZero(in.source[1]) &&
                             everyFlagIs(in, in.inverted ? What::differs : What::same, facts);
        const bool combines = in.opcode == Opcode::bitAnd && in.predicate == Predicate::none &&
                              isSuccess(in, 0, facts) && isSuccess(in, 1, facts);
        return selects || combines ? std::optional(LoadFact{What::success, 0, 0}) : std::nullopt;
    }
    std::optional<LoadFact> successTested(const Instruction& in, const LoadFacts& facts) const {
        const bool compares = in.opcode == Opcode::cmp && isSuccess(in, 0, facts) && isZero(in.source[1]);
        const bool isSet = in.condition == Condition::notEqual;
        if (in.predicate != Predicate::none || !(isSet || in.condition == Condition::equal)) return {};
        if (!compares && !(in.opcode == Opcode::bitAnd && successOf(in, facts))) return {};
        return LoadFact{isSet ? What::same : What::differs, 0, 0};
    }
    static bool isZero(const Operand& operand) noexcept { return operand.isImmediate() && operand.immediate == 0; }
    static bool isSuccess(const Instruction& in, std::uint32_t source, const LoadFacts& facts) {
        if (!isOfRegisters(in.source[source]) || in.source[source].hasModifier()) return false;
        for (std::uint32_t lane = 0; lane < in.width; ++lane) {
            const LoadFact* const fact = facts.at(dwordOf(sourceAt(in, source, lane)));
            if (fact == nullptr || fact->what != What::success) return false;
        }
        return true;
    }
    static bool isTold(const std::optional<LoadFact>& fact) noexcept { return fact && !fact->isOfLoad(); }

    static void merge(LoadFacts& facts, std::uint32_t key, const std::optional<LoadFact>& fact, bool partly) {
        facts.set(key, partly ? LoadFacts::either(facts.at(key), fact ? &*fact : nullptr) : fact);
    }

    void toRegisters(const Instruction& in, const std::optional<LoadFact>& made, bool partly, LoadFacts& facts) {
        struct Written {
            std::optional<LoadFact> fact;
            std::uint32_t bytes = 0;
        };
        const bool copies = isCopy(in);
        const std::uint32_t size = byteSize(in.destination.type);
        std::map<std::uint32_t, Written> written;
        for (std::uint32_t lane = 0; lane < in.width; ++lane) {
            const std::uint32_t to = destinationAt(in, lane);
            for (std::uint32_t byte = to; byte < to + size; byte += kExchangePart) {
                std::optional<LoadFact> fact = made;
                if (copies) fact = factOf(in, lane, (byte - to) / kExchangePart, facts);
                // A flag of the load decides whether there is a copy.
                if (copies && partly && made && !(fact && fact->isOfLoad())) fact = made;
                Written& dword = written[dwordOf(byte)];
                dword.fact = fact;
                dword.bytes += std::min(size, kExchangePart);
            }
        }
        for (const auto& [dword, one] : written) merge(facts, dword, one.fact, partly || one.bytes < kExchangePart);
    }

    std::optional<LoadFact> factOf(const Instruction& in, std::uint32_t lane, std::uint32_t part,
                                   const LoadFacts& facts) const {
        if (in.source[0].isImmediate()) {
            const std::uint64_t number = in.source[0].immediate;
            for (std::uint8_t i = 0; i < number_.size() && byteSize(in.destination.type) == kExchangePart; ++i)
                if (number_[i] == number) return LoadFact{What::address, LoadFact::kEveryLane, i};
            return {};
        }
        const LoadFact* const fact = facts.at(dwordOf(sourceAt(in, 0, lane)) + part);
        return fact != nullptr ? std::optional<LoadFact>(*fact) : std::nullopt;
    }

    /// What a comparison with the value says.
    std::optional<LoadFact> tested(const Instruction& in, const LoadFacts& facts) const {
        const bool isEqual = in.condition == Condition::equal;
        const LoadFact told{isEqual ? What::same : What::differs, 0, 0};
        if (in.opcode != Opcode::cmp || !(isEqual || in.condition == Condition::notEqual)) return LoadFact{};
        for (const Operand& from : {in.source[0], in.source[1]})
            if (!isOfRegisters(from) || byteSize(from.type) % kExchangePart != 0 || from.hasModifier())
                return LoadFact{};
        for (std::uint32_t lane = 0; lane < in.width; ++lane)
            for (std::uint32_t part = 0; part < byteSize(in.source[0].type) / kExchangePart; ++part)
                if (!isFoundAgain(facts.at(dwordOf(sourceAt(in, 0, lane)) + part),
                                  facts.at(dwordOf(sourceAt(in, 1, lane)) + part)))
                    return LoadFact{};
        if (in.predicate == Predicate::none) return told;
        // Two halves of one number: the first one's flag says whether to compare the second one.
        const bool goesOn = in.inverted != isEqual && everyFlagIs(in, told.what, facts);
        return goesOn ? std::optional(told) : std::nullopt;
    }
    static bool isFoundAgain(const LoadFact* a, const LoadFact* b) noexcept {
        if (a == nullptr || b == nullptr) return false;
        if (a->what == What::result) std::swap(a, b);
        return b->what == What::result && a->is(What::copy, b->lane, b->part);
    }

    bool message(const Instruction& in, LoadFacts& facts) {
        if (in.predicate != Predicate::none && anyFlagOfLoad(in, facts)) return false;
        const auto plan = isa::isDeferred(in.message) ? std::nullopt : isa::AccessPlan::of(in);
        if (plan && isExchange(in, *plan) && sendsLoad(in, facts)) {
            if (!exchanges(in, *plan, facts)) return false;
            exchanges_ = true;
            answered(in, facts);
            found(in, facts);
            return true;
        }
        if (sendsLoad(in, facts)) return false;
        answered(in, facts);
        return true;
    }

    static bool isExchange(const Instruction& in, const isa::AccessPlan& plan) {
        using zetl::isa::xe::AtomicOperation;
        if (!plan.shape.atomic || in.message.general || zetl::isa::xe::untypedAtomicOf(in.message)) return false;
        return hasTwoOperands(static_cast<AtomicOperation>(zetl::isa::xe::lsc::Descriptor(in.message).op));
    }

    /// In any register of its payload, but for what is known not to be read of the last one.
    bool sendsLoad(const Instruction& in, const LoadFacts& facts) const {
        const bool known = !in.message.general && !in.message.descriptorInRegister && in.message.src1Registers >= 0;
        if (!known) return true;
        constexpr unsigned kSentAt = 25;
        constexpr std::uint32_t kSentMask = 15;
        const auto plan = isa::AccessPlan::of(in);
        const std::uint32_t sent = static_cast<std::uint32_t>(in.message.descriptor >> kSentAt) & kSentMask;
        const bool isOne = plan && in.width == 1 && !plan->shape.block2d && !plan->shape.strided;
        const std::uint32_t addresses =
            isOne ? plan->shape.addressAt + plan->shape.addressBytes : sent * isa::layout::kRegisterBytes;
        const std::uint32_t most = static_cast<std::uint32_t>(in.message.src1Registers) * isa::layout::kRegisterBytes;
        const std::uint32_t data = isOne && !plan->shape.atomic ? std::min(most, plan->shape.bytes) : most;
        return hasLoad(in.source[0], addresses, facts) || hasLoad(in.source[1], data, facts);
    }
    static bool hasLoad(const Operand& from, std::uint32_t bytes, const LoadFacts& facts) {
        if (!from.isGrf()) return false;
        const std::uint32_t place = isa::placeOf(from);
        for (std::uint32_t byte = place; byte < place + bytes; byte += kExchangePart)
            if (facts.isOfLoad(dwordOf(byte))) return true;
        return false;
    }

    /// It compares the value with what is at the address that it came from.
    bool exchanges(const Instruction& in, const isa::AccessPlan& plan, const LoadFacts& facts) const {
        const isa::AccessShape& shape = plan.shape;
        const isa::AccessShape& own = plan_.shape;
        const bool alike = isFlat(in) && shape.space == own.space && shape.bytes == own.bytes && plan.numbers < 0 &&
                           shape.addressBytes == own.addressBytes && shape.addressUnit == own.addressUnit &&
                           shape.offset == own.offset && shape.wide == own.wide && shape.base < 0;
        if (!alike) return false;
        for (std::uint32_t lane = 0; lane < in.width; ++lane) {
            const std::uint32_t address = plan.payload + shape.addressAt + lane * shape.addressBytes;
            const std::uint32_t compared = isa::placeOf(in.source[1]) + lane * shape.bytes;
            if (!areOf(facts, What::address, address, shape.addressBytes, in.offset + lane) ||
                !areOf(facts, What::copy, compared, shape.bytes, in.offset + lane))
                return false;
        }
        return true;
    }
    static bool areOf(const LoadFacts& facts, What what, std::uint32_t place, std::uint32_t bytes, std::uint32_t lane) {
        for (std::uint32_t part = 0; part < bytes / kExchangePart; ++part) {
            const LoadFact* const fact = facts.at(dwordOf(place) + part);
            if (fact == nullptr || !fact->is(what, lane, part)) return false;
        }
        return true;
    }

    /// Another value lies where its answer goes.
    static void answered(const Instruction& in, LoadFacts& facts) {
        if (!in.destination.isGrf()) return;
        const std::uint32_t place = isa::placeOf(in.destination);
        for (std::uint32_t at = 0; at < answeredRegisters(in) * isa::layout::kRegisterBytes; at += kExchangePart)
            merge(facts, dwordOf(place + at), std::nullopt, in.predicate != Predicate::none);
    }
    void found(const Instruction& in, LoadFacts& facts) const {
        if (!in.destination.isGrf() || in.predicate != Predicate::none) return;
        const std::uint32_t place = isa::placeOf(in.destination);
        for (std::uint32_t lane = 0; lane < in.width; ++lane)
            for (std::uint8_t part = 0; part < parts(); ++part)
                facts.set(dwordOf(place + lane * plan_.shape.bytes) + part,
                          LoadFact{What::result, static_cast<std::uint8_t>(lane + in.offset), part});
    }

    const isa::Program& program_;
    const Branches& branches_;
    const Line load_;
    const isa::AccessPlan plan_;
    std::vector<std::pair<std::uint32_t, LoadFact>> addresses_;  // behind the load
    std::array<std::optional<std::uint64_t>, 2> number_;         // the address, if it is in the code
    std::uint32_t steps_ = 0;
    bool exchanges_ = false;
};

/// What an exchange, or a load, is of.
struct ExchangedNumber {
    isa::MemorySpace space;
    std::uint32_t bytes;
    friend bool operator==(const ExchangedNumber&, const ExchangedNumber&) = default;
};

/// Of one number for each lane, or for all of them, with an address that registers hold.
std::optional<ExchangedNumber> mayBeExchanged(const Instruction& in) {
    if (!isMessage(in) || isa::isDeferred(in.message) || !in.destination.isGrf()) return {};
    const auto plan = isa::AccessPlan::of(in);
    if (!plan || plan->shape.write || plan->shape.atomic || plan->shape.block2d || plan->shape.strided) return {};
    const isa::AccessShape& shape = plan->shape;
    const bool isOfMemory = shape.space == isa::MemorySpace::global || shape.space == isa::MemorySpace::local;
    const bool isNumber = shape.bytes == kExchangePart || shape.bytes == 2 * kExchangePart;
    const bool may = isOfMemory && isNumber && shape.addressBytes >= kExchangePart && shape.base < 0 &&
                     plan->numbers < 0 && in.predicate == Predicate::none && isFlat(in) &&
                     zetl::isa::xe::lsc::Descriptor(in.message).vectorLength() == 1;
    return may ? std::optional(ExchangedNumber{shape.space, shape.bytes}) : std::nullopt;
}

std::optional<ExchangedNumber> exchangedBy(const Instruction& in) {
    using zetl::isa::xe::AtomicOperation;
    if (!isMessage(in) || isa::isDeferred(in.message)) return {};
    const auto plan = isa::AccessPlan::of(in);
    const bool exchanges = plan && plan->shape.atomic &&
                           hasTwoOperands(static_cast<AtomicOperation>(zetl::isa::xe::lsc::Descriptor(in.message).op));
    return exchanges ? std::optional(ExchangedNumber{plan->shape.space, plan->shape.bytes}) : std::nullopt;
}

}  // namespace

std::vector<bool> exchangedLoadsOf(const isa::Program& program) {
    std::vector<bool> loads(program.lineCount());
    std::optional<Branches> branches;
    for (Line begin = 0; begin < program.lineCount();) {
        std::vector<ExchangedNumber> numbers;
        Line end = begin;
        for (bool ends = false; end < program.lineCount() && !ends; ++end) {
            const Instruction& in = program.instruction(end);
            if (const auto number = exchangedBy(in); number && std::ranges::find(numbers, *number) == numbers.end())
                numbers.push_back(*number);
            ends = in.message.endOfThread;
        }
        if (!numbers.empty() && !branches) branches.emplace(program);
        for (Line line = begin; line < end && !numbers.empty(); ++line) {
            const auto number = mayBeExchanged(program.instruction(line));
            loads[line] = number && std::ranges::find(numbers, *number) != numbers.end() &&
                          FollowedLoad(program, *branches, line).endsInExchanges();
        }
        begin = end;
    }
    return loads;
}

}  // namespace zetl::emulator::check
