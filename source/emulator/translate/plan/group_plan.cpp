#include "emulator/translate/plan/group_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <memory>
#include <span>

#include "emulator/translate/plan/products.h"
#include "emulator/translate/plan/step_extents.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {
namespace {

namespace layout = isa::layout;
using isa::Step;

constexpr std::uint32_t kThreadIndex = layout::kGrf + 8;  // r0.2
// Where results that are the same for all threads are kept: registers that kernels of 128 do not have.
constexpr std::uint32_t kKernelRegisters = 128 * layout::kRegisterBytes;
constexpr std::uint32_t kKernelAccumulators = layout::kAccumulatorBytes / 2;
constexpr std::uint32_t kKernelWideAccumulators = layout::kWideAccumulatorBytes / 2;
// Each number that is put into s0 has a place of its own, behind the registers that are saved: messages of all lines
// take their addresses from the same few parts of it.
constexpr std::uint32_t kKeptScalars = 3 * kKernelRegisters;
constexpr std::uint32_t kScalarBytes = sizeof(std::uint64_t);
constexpr std::uint32_t kScalars = layout::kRegisterBytes / kScalarBytes;
using SavedRegisters = std::bitset<kKernelRegisters / layout::kRegisterBytes>;

/// How a plan is looked for.
struct Choice {
    SavedRegisters saved{};  ///< what they hold at first is read in another place
    bool narrows = false;    ///< lines that write the first lanes of a register are kept, apart from the rest of it
    bool splits = false;     ///< lines of which only some lanes are the same for all threads are executed on both sides
};
/// Where a line is executed.
enum class Side : std::uint8_t { once, always };
constexpr std::size_t kMostLines = 512;
constexpr std::uint32_t kMostBlockBytes = 512;                                     // of one that host code moves
static_assert(kKeptScalars + kMostLines * kScalarBytes * 2 <= layout::kGrfBytes);  // a line has two steps that write

/// What the bytes of a place are by now.
enum class Owner : std::uint8_t {
    initial,
    varying,  ///< a thread's
    kept      ///< the same for all threads, in its other place
};

class Planner {
  public:
    Planner(const isa::Program::Code& code, std::uint8_t body, const Choice& choice)
        : code_(code),
          version_(body),
          body_(code.body[body]),
          choice_(choice),
          lanes_(body == static_cast<std::uint8_t>(isa::Version::lanes16) ? 16 : 32),
          owner_(layout::kBytes, Owner::initial) {
        for (std::uint32_t i = 0; i < sizeof(std::uint32_t); ++i) owner_[kThreadIndex + i] = Owner::varying;
    }

    PlannedGroup run(isa::Line entry) {
        plan_.entry = entry;
        isa::Line line = entry;
        for (Took took = Took::line; took != Took::end; ++line) {
            took = line < code_.lines() && line - entry <= kMostLines ? takeNext(line) : Took::nothing;
            if (took == Took::nothing) return {.plan = {}, .obstacle = line};
        }
        for (const GroupFlags::Decision& d : flags_.decisions()) {
            GroupPlan::Line& compared = plan_.always[d.place.line];
            if (d.place.line >= beforeStore_) return {.plan = {}, .obstacle = compared.line};
            compared.guards[d.place.step] = d.guard;
        }
        dropDead();
        findLeading();
        plan_.changed = changed_;
        for (std::uint32_t i = 0; i < choice_.saved.size(); ++i)
            if (choice_.saved[i])
                plan_.saved.push_back({i * layout::kRegisterBytes, saved(i * layout::kRegisterBytes)});
        for (std::uint32_t i = 0; i < sizeof(std::uint32_t); ++i) plan_.changed.set(kThreadIndex + i);
        return {.plan = std::move(plan_)};
    }

    /// Registers that keep the plan from being whole, as threads change what the next one reads.
    SavedRegisters overwritten() const {
        SavedRegisters found;
        const std::bitset<layout::kBytes> bytes = readInitially_ & changed_;
        for (std::uint32_t at = 0; at < kKernelRegisters; ++at)
            if (bytes[at]) found.set(at / layout::kRegisterBytes);
        return found;
    }

  private:
    enum class Took : std::uint8_t { nothing, line, end };
    Took takeNext(isa::Line line) {
        std::optional<Taken> taken = take(line);
        if (!taken || (taken->branch && !flags_.passes(*taken->branch))) return Took::nothing;
        if (!areInOnePlace(*taken)) return Took::nothing;
        if (!taken->ends) return add(*taken) ? Took::line : Took::nothing;
        plan_.end = line;
        const bool whole = taken->line.steps.size() == 1 && stored_ && (readInitially_ & changed_).none();
        return whole ? Took::end : Took::nothing;
    }
    /// A line's steps, and the bytes that they reach.
    struct Taken {
        GroupPlan::Line line;
        std::vector<StepExtents> extents;
        bool ends = false;
        bool setsControl = false;
        bool global = false;  // it reads memory that threads may write
        bool loads = false;   // it does so by lanes; blocks are what the launch passes to threads, as far as is known
        std::optional<std::size_t> compared;  // by this step
        std::optional<isa::LaneMask> branch;
    };

    std::optional<Taken> take(isa::Line line) {
        Taken t;
        t.line.line = line;
        const auto product = line == plan_.entry ? std::nullopt : pairFrom(code_, version_, line - 1);
        for (std::uint32_t i = body_.start[line]; i < body_.start[line + 1]; ++i) {
            const Family family = body_.familyOf(body_.steps[i]);
            const Meaning* what = body_.meaningOf(body_.steps[i]);
            if (product && product->step == i) what = wholeProduct(*what, product->row);
            StepExtents extents;
            std::optional<std::uint8_t> picked;
            if (what == nullptr) {
                if (!takeFlow(body_.steps[i], family, t)) return {};
            } else {
                auto known = extentsOf(body_.steps[i], *what);
                if (!known ||
                    (known->flags && !compares(body_.steps[i], *what, t) &&
                     !picks(body_.steps[i], *what, *known, picked)) ||
                    !allowed(body_.steps[i], *what, t))
                    return {};
                extents = std::move(*known);
            }
            t.line.steps.push_back(body_.steps[i]);
            t.line.meanings.push_back(what);
            t.line.families.push_back(family);
            t.line.picked.push_back(picked);
            t.extents.push_back(std::move(extents));
        }
        return std::ranges::all_of(t.extents, [](const auto& e) { return isAllowed(e); }) ? std::optional(t)
                                                                                          : std::nullopt;
    }
    /// Its first line has no effect then, unless another line reads the accumulator.
    const Meaning* wholeProduct(Meaning what, std::uint16_t row) {
        what.row = row;
        return plan_.products.emplace_back(std::make_unique<const Meaning>(what)).get();
    }
    /// So many lanes from the mask's first on are on in all threads.
    bool areOn(const Step& m, std::uint32_t count) const { return m.mask.noMask || m.mask.shift + count <= lanes_; }
    /// What is no step of a family. Nobody waits at a join, as all lanes always went on.
    bool takeFlow(const Step& m, Family family, Taken& t) const {
        switch (family) {
            case Family::finish:
                t.ends = true;
                return true;
            case Family::applyControl:
                t.setsControl = true;
                return true;
            case Family::fork:
                if (stored_ || m.mask.noMask || m.mask.predicate != isa::Predicate::normal) return false;
                t.branch = m.mask;
                return true;
            default:
                return family == Family::marker || family == Family::join;
        }
    }
    bool compares(const Step& m, const Meaning& what, Taken& t) const {
        const bool plain = m.mask.predicate == isa::Predicate::none || m.mask.predicate == isa::Predicate::normal;
        const bool whole = what.wide && m.mask.lanes == (m.chunks == 2 ? ~0u : 0xffffu);
        if (what.family != Family::compare || !whole || !plain || t.compared || !areOn(m, m.chunks * 16u)) return false;
        t.compared = t.line.steps.size();
        return true;
    }
    /// A selection by a flag that is known takes all lanes from one source.
    bool picks(const Step& m, const Meaning& what, StepExtents& extents, std::optional<std::uint8_t>& picked) {
        if (what.family != Family::pick || !what.wide || what.masked) return false;
        const auto first = flags_.holds(m.mask);
        if (!first) return false;
        picked = *first ? 0 : 1;
        Extent source = *extents.write;
        source.place = static_cast<std::uint32_t>(m.src[*picked]);
        extents.reads.clear();
        if (m.src[*picked] < layout::kBytes) extents.reads.push_back(source);
        return true;
    }
    /// Messages: loads, and one store behind them all.
    bool allowed(const Step& m, const Meaning& what, Taken& t) {
        if (what.family != Family::laneAccess && what.family != Family::block) return true;
        if (stored_) return false;
        if (what.family == Family::block) {
            const auto access = isa::BlockAccess::of(m);
            t.global = access.space == isa::MemorySpace::global;
            return !access.write && (t.global ? isMovable(access) : access.space == isa::MemorySpace::payload) &&
                   m.mask.predicate == isa::Predicate::none && areOn(m, 1);
        }
        const auto access = isa::LaneAccess::of(m);
        t.global = t.loads = true;
        stored_ = what.laneForm().write;
        if (stored_) beforeStore_ = plan_.always.size();
        return what.laneForm().space == isa::MemorySpace::global && what.laneForm().whole &&
               isMovable(m, what, access) && access.addresses % layout::kRegisterBytes == 0 &&
               access.registers % layout::kRegisterBytes == 0 && m.mask.lanes == (m.chunks == 2 ? ~0u : 0xffffu);
    }
    static bool isMovable(const isa::BlockAccess& access) {
        return access.bytes != 0 && access.bytes % 4 == 0 && access.bytes <= kMostBlockBytes && access.wideAddress &&
               access.registers % layout::kRegisterBytes == 0;
    }
    /// Elements of less than a dword are one a lane, others as many as are taken apart in registers.
    static bool isMovable(const Step& m, const Meaning& what, const isa::LaneAccess& access) {
        constexpr std::uint32_t kMostComponents = 4;
        constexpr std::uint32_t kMostVectors = 8;
        const std::uint32_t bytes = elementBytes(what.laneForm());
        const std::uint32_t vectors = access.components * m.chunks * (bytes == 8 ? 2 : 1);
        return bytes != 0 && access.components != 0 && access.components <= (bytes < 4 ? 1 : kMostComponents) &&
               vectors <= kMostVectors && access.componentBytes % layout::kRegisterBytes == 0;
    }
    /// Other registers of the architecture than general ones, accumulators, s0 and cr0 are not allowed here.
    static bool isAllowed(const StepExtents& e) {
        const auto known = [](const Extent& x) {
            if (x.end() <= kKernelRegisters) return true;
            if (x.place >= layout::kNull) return true;
            if (x.place >= layout::kAccumulator && x.end() <= layout::kAccumulator + kKernelAccumulators) return true;
            if (x.place >= layout::kWideAccumulator && x.end() <= layout::kWideAccumulator + kKernelWideAccumulators)
                return true;
            if (isScalar(x.place) && x.end() <= layout::kScalar + layout::kRegisterBytes) return true;
            return x.place == layout::kControl && x.end() == x.place + sizeof(std::uint32_t);
        };
        return std::ranges::all_of(e.reads, known) && (!e.write || known(*e.write));
    }
    static bool isControl(const Extent& e) { return e.place == layout::kControl; }
    static bool isScalar(std::uint32_t place) {
        return place >= layout::kScalar && place < layout::kScalar + layout::kRegisterBytes;
    }
    /// Of these numbers in s0, one is written.
    static bool isOneScalar(const Extent& e) {
        return isScalar(e.place) && e.bytes == kScalarBytes && e.count == 1 && e.place % kScalarBytes == 0;
    }
    std::uint32_t kept(std::uint32_t place) const {
        if (place >= layout::kNull || isControl({.place = place})) return place;
        if (isScalar(place)) {
            const std::uint32_t at = place - layout::kScalar;
            return keptScalar_[at / kScalarBytes] + at % kScalarBytes;
        }
        if (place < kKernelRegisters) return place + kKernelRegisters;
        return place < layout::kWideAccumulator ? place + kKernelAccumulators : place + kKernelWideAccumulators;
    }

    static std::uint32_t saved(std::uint32_t place) { return place + 2 * kKernelRegisters; }
    /// Such a byte is read where it was saved to.
    bool isSaved(std::uint32_t at) const {
        return at < kKernelRegisters && owner_[at] == Owner::initial && choice_.saved[at / layout::kRegisterBytes];
    }
    /// What is read lies in one place: all of it, or nothing, is saved.
    bool isInOnePlace(const Extent& e, bool isResult) const {
        std::uint32_t some = 0;
        e.eachByte([&](std::uint32_t at) { some += isSaved(at) ? 1 : 0; });
        return some == 0 || (some == e.bytes * e.count && !isResult);
    }
    /// The numbers in s0 are kept one by one: what is read is in one of them, or all of it is the thread's.
    bool isOfOneScalar(const Extent& e) const {
        if (!isScalar(e.place)) return true;
        return e.place / kScalarBytes == (e.end() - 1) / kScalarBytes || isAll(e, Owner::varying);
    }
    bool areInOnePlace(const Taken& t) const {
        for (std::size_t i = 0; i < t.extents.size(); ++i) {
            const StepExtents& e = t.extents[i];
            if (!std::ranges::all_of(e.reads, [&](const Extent& read) { return isOfOneScalar(read); })) return false;
            // A step that leaves some of its result as it was reads that in its own place.
            for (const Extent& read : e.reads)
                if (!isInOnePlace(read, isMerged(t, i) && e.write && read.place == e.write->place)) return false;
        }
        return true;
    }
    /// The first lanes, if a step writes just these, whatever lanes of the thread are on; otherwise all or none.
    static std::optional<std::uint32_t> firstLanes(const Step& m, const Meaning* what) {
        const bool known = what != nullptr && (what->family == Family::compute || what->family == Family::retire);
        if (!known || !what->masked) return {};
        if (!m.mask.noMask || m.mask.predicate != isa::Predicate::none || m.mask.shift != 0) return {};
        if (m.mask.lanes == 0 || (m.mask.lanes & (m.mask.lanes + 1)) != 0) return {};
        return static_cast<std::uint32_t>(std::popcount(m.mask.lanes));
    }
    /// Results that are kept are those lanes, and the rest of the place stays as it is.
    static void narrow(Taken& t) {
        for (std::size_t i = 0; i < t.extents.size(); ++i) {
            StepExtents& e = t.extents[i];
            const auto lanes = firstLanes(t.line.steps[i], t.line.meanings[i]);
            if (!lanes || !e.write || *lanes > e.write->count) continue;
            e.reads.pop_back();  // the result
            e.write->count = *lanes;
        }
    }

    bool isAll(const Extent& e, Owner owner) const {
        bool all = true;
        e.eachByte([&](std::uint32_t at) { all = all && owner_[at] == owner; });
        return all;
    }
    bool isAny(const Extent& e, Owner owner) const {
        bool any = false;
        e.eachByte([&](std::uint32_t at) { any = any || owner_[at] == owner; });
        return any;
    }
    /// Whether each thread has in its own place what of it is kept.
    bool isOwnToo(const Extent& e) const {
        bool all = true;
        e.eachByte([&](std::uint32_t at) { all = all && (owner_[at] != Owner::kept || ownToo_[at]); });
        return all;
    }
    bool isOnce(const Taken& t) const {
        if (t.global || t.compared) return false;
        for (std::size_t i = 0; i < t.extents.size(); ++i) {
            const StepExtents& e = t.extents[i];
            for (const Extent& read : e.reads) {
                if (read.place >= layout::kNull) continue;
                if (!isAll(read, Owner::initial) && !isAll(read, Owner::kept)) return false;
            }
            if (!e.write || e.write->place >= layout::kNull) continue;
            // What it leaves as it was would have to be brought along.
            if (isMerged(t, i) && !(choice_.narrows && firstLanes(t.line.steps[i], t.line.meanings[i]))) return false;
            if (isScalar(e.write->place)) {
                if (!isOneScalar(*e.write)) return false;
                continue;
            }
            bool needed = false;  // by a thread, as another line has left it
            e.write->eachByte([&](std::uint32_t at) { needed = needed || readByThreads_[kept(at)]; });
            if (needed) return false;
        }
        return true;
    }
    /// To where what is read lies. What is kept in part is all there for lines that are executed once, which have no
    /// use for the rest; each thread has all of it in its own place.
    template <class Place>
    void move(Place& place, std::span<const Extent> reads, Side side) const {
        if (place >= layout::kNull) return;
        const auto at = static_cast<std::uint32_t>(place);
        const auto read = std::ranges::find(reads, at, &Extent::place);
        if (read == reads.end()) return;
        if (side == Side::once ? isAny(*read, Owner::kept) : isAll(*read, Owner::kept)) place = kept(at);
        if (isSaved(at)) place = saved(at);
    }
    void moveSources(Step& m, const Meaning* what, const StepExtents& extents, Side side) const {
        if (what == nullptr) return;
        const std::uint32_t count = what->family == Family::compute ? operandsOf(*what)
                                    : what->family == Family::compare || what->family == Family::pick ? 2
                                                                                                      : 1;
        if (isInPlace(*what)) return;
        const std::span<const Extent> reads(extents.reads);
        for (std::uint32_t i = 0; i < count; ++i) move(m.src[i], reads, side);
        if (what->family == Family::laneAccess && what->laneForm().write) move(m.dst, reads.last(1), side);
    }
    bool add(Taken& t) {
        Taken narrowed = t;
        if (choice_.narrows) narrow(narrowed);
        if (isOnce(narrowed)) return addOnce(narrowed);
        const std::vector<Extent> common = choice_.splits ? commonLanes(t) : std::vector<Extent>();
        return common.empty() ? addAlways(t) : addSplit(t, common);
    }

    /// The only result that the line leaves in registers; null if there are others, or if it is not only work on lanes.
    static const Extent* resultOfLanes(const Taken& t) {
        const Extent* result = nullptr;
        for (std::size_t i = 0; i < t.extents.size(); ++i) {
            const Meaning* const what = t.line.meanings[i];
            const StepExtents& e = t.extents[i];
            const bool known = what != nullptr && (what->family == Family::compute || what->family == Family::convert ||
                                                   what->family == Family::retire);
            if (!known || e.flags || isMerged(t, i) || !e.write) return nullptr;
            if (e.write->place >= layout::kNull) continue;
            if (result != nullptr || e.write->end() > kKernelRegisters) return nullptr;
            result = &*e.write;
        }
        return result;
    }
    /// One element of it, or all of it if that is the same for all lanes.
    static Extent laneOf(const Extent& e, std::uint32_t lane) {
        return {e.place + (e.count == 1 ? 0 : lane * e.spacing), e.bytes, e.spacing, 1};
    }
    /// Lanes of the result that are the same for all threads, if others are not, and if the line can be executed on
    /// both sides; otherwise none.
    std::vector<Extent> commonLanes(const Taken& t) const {
        const Extent* const result = t.global || t.compared || t.setsControl ? nullptr : resultOfLanes(t);
        if (result == nullptr || result->count == 1) return {};
        bool needed = false;
        result->eachByte([&](std::uint32_t at) { needed = needed || readByThreads_[kept(at)]; });
        if (needed) return {};
        for (const StepExtents& e : t.extents)
            for (const Extent& read : e.reads) {
                if (read.place >= layout::kNull) continue;
                if (read.count != 1 && read.count != result->count) return {};
                if (read.end() > kKernelRegisters || (isAny(read, Owner::kept) && isAny(read, Owner::initial)))
                    return {};
            }
        std::vector<Extent> common;
        common.reserve(result->count);
        for (std::uint32_t lane = 0; lane < result->count; ++lane) {
            bool varies = false;
            for (const StepExtents& e : t.extents)
                for (const Extent& read : e.reads)
                    varies = varies || (read.place < layout::kNull && isAny(laneOf(read, lane), Owner::varying));
            if (!varies) common.push_back(laneOf(*result, lane));
        }
        return common;
    }
    /// Such lanes are kept, and each thread has all of the result: what only reads those does not make it do the work.
    bool addSplit(Taken& t, const std::vector<Extent>& common) {
        GroupPlan::Line once = t.line;
        for (std::size_t i = 0; i < t.extents.size(); ++i) {
            const StepExtents& e = t.extents[i];
            moveSources(once.steps[i], once.meanings[i], e, Side::once);
            for (const Extent& read : e.reads) noteInitial(read);
            if (e.write->place < layout::kNull) once.steps[i].dst = kept(once.steps[i].dst);
        }
        if (!addAlways(t)) return false;
        plan_.once.push_back(std::move(once));
        for (const Extent& lane : common)
            lane.eachByte([&](std::uint32_t at) {
                owner_[at] = Owner::kept;
                ownToo_.set(at);
            });
        return true;
    }
    bool addOnce(Taken& t) {
        for (std::size_t i = 0; i < t.extents.size(); ++i) {
            Step& m = t.line.steps[i];
            const StepExtents& e = t.extents[i];
            moveSources(m, t.line.meanings[i], e, Side::once);
            for (const Extent& read : e.reads) {
                // The group before left its own there: what sets bits of it may read it, and nothing else.
                if (isControl(read) && !t.setsControl) return false;
                noteInitial(read);
            }
            if (!e.write || e.write->place >= layout::kNull) continue;
            if (isControl(*e.write)) {
                if (plan_.setsMode) return false;
                plan_.setsMode = true;
                continue;
            }
            if (isScalar(e.write->place))
                keptScalar_[(e.write->place - layout::kScalar) / kScalarBytes] =
                    kKeptScalars + kScalarBytes * keptScalars_++;
            m.dst = kept(m.dst);
            e.write->eachByte([&](std::uint32_t at) {
                owner_[at] = Owner::kept;
                ownToo_.reset(at);
            });
        }
        plan_.once.push_back(std::move(t.line));
        return true;
    }
    static bool isInPlace(const Meaning& what) {
        return what.family == Family::modify || what.family == Family::clamp || what.family == Family::narrow;
    }
    static bool isMerged(const Taken& t, std::size_t i) {
        const Meaning* const what = t.line.meanings[i];
        if (what == nullptr) return false;
        return what->masked || isInPlace(*what) || (what->family == Family::pick && !t.line.picked[i]);
    }
    bool addAlways(Taken& t) {
        if (t.setsControl) return false;
        t.line.guards.assign(t.line.steps.size(), Guard::none);
        noteLoaded(t);
        if (t.compared && !noteComparison(t)) return false;
        for (std::size_t i = 0; i < t.extents.size(); ++i) {
            const StepExtents& e = t.extents[i];
            for (const Extent& read : e.reads) {
                if (read.place >= layout::kNull) continue;
                if (isControl(read)) return false;
                const bool some = isAny(read, Owner::kept);
                const bool all = isAll(read, Owner::kept);
                if (some && !all && !isOwnToo(read)) return false;
                if (some && isMerged(t, i)) return false;
                if (all) read.eachByte([&](std::uint32_t at) { readByThreads_.set(kept(at)); });
                noteInitial(read);
            }
            moveSources(t.line.steps[i], t.line.meanings[i], e, Side::always);
            if (!e.write || e.write->place >= layout::kNull) continue;
            if (isControl(*e.write)) return false;
            e.write->eachByte([&](std::uint32_t at) {
                owner_[at] = Owner::varying;
                changed_.set(at);
            });
        }
        plan_.always.push_back(std::move(t.line));
        extents_.push_back(std::move(t.extents));
        return true;
    }
    /// Returns false if the compared values were loaded, and may be anything.
    bool noteComparison(const Taken& t) {
        const Step& m = t.line.steps[*t.compared];
        return flags_.compare(m.mask, t.line.meanings[*t.compared]->row, {plan_.always.size(), *t.compared}) &&
               !isLoaded(t.extents[*t.compared]);
    }
    bool isLoaded(const StepExtents& e) const {
        bool loaded = false;
        for (const Extent& read : e.reads) read.eachByte([&](std::uint32_t at) { loaded = loaded || loaded_[at]; });
        return loaded;
    }
    void noteLoaded(const Taken& t) {
        for (const StepExtents& e : t.extents) {
            const bool loaded = t.loads || isLoaded(e);
            if (e.write) e.write->eachByte([&](std::uint32_t at) { loaded_[at] = loaded; });
        }
    }
    void noteInitial(const Extent& read) {
        read.eachByte([&](std::uint32_t at) {
            if (owner_[at] == Owner::initial && at < layout::kNull && !isSaved(at)) readInitially_.set(at);
        });
    }

    /// By step, if these are read behind its line.
    static std::vector<bool> freeGaps(const std::vector<StepExtents>& line, std::bitset<layout::kBytes> live) {
        for (const StepExtents& e : line)
            for (const Extent& read : e.reads) read.eachByte([&](std::uint32_t at) { live.set(at); });
        std::vector<bool> areFree;
        for (const StepExtents& e : line) {
            areFree.push_back(e.write && e.write->place < layout::kNull);
            if (!areFree.back()) continue;
            std::bitset<layout::kBytes> gaps;
            for (std::uint32_t at = 0; at < e.write->count * e.write->spacing; ++at) gaps.set(e.write->place + at);
            e.write->eachByte([&](std::uint32_t at) { gaps.reset(at); });
            areFree.back() = (gaps & live).none();
        }
        return areFree;
    }

    /// Drops lines of threads whose results are not read; for the others, notes what is read behind them.
    void dropDead() {
        std::bitset<layout::kBytes> live;
        isa::StateSlots registers;  // with such bytes
        for (std::size_t i = plan_.always.size(); i-- > 0;) {
            bool needed = false;
            for (std::size_t k = 0; k < extents_[i].size(); ++k) {
                const StepExtents& e = extents_[i][k];
                const Meaning* const what = plan_.always[i].meanings[k];
                const bool message =
                    what != nullptr && (what->family == Family::laneAccess || what->family == Family::block);
                needed = needed || message || plan_.always[i].guards[k] != Guard::none;
                if (e.write && e.write->place < layout::kNull)
                    e.write->eachByte([&](std::uint32_t at) { needed = needed || live[at]; });
            }
            if (!needed) {
                plan_.always.erase(plan_.always.begin() + static_cast<std::ptrdiff_t>(i));
                continue;
            }
            plan_.always[i].gapsAreFree = freeGaps(extents_[i], live);
            plan_.always[i].read = registers;
            for (const StepExtents& e : extents_[i])
                for (const Extent& read : e.reads) {
                    read.eachByte([&](std::uint32_t at) { live.set(at); });
                    for (std::uint32_t n = 0; n < read.count; ++n)
                        registers.add(read.place + n * read.spacing, read.bytes);
                }
        }
    }

    /// Steps whose results reach addresses, from behind.
    void findLeading() {
        std::bitset<layout::kBytes> wanted;
        for (auto line = plan_.always.rbegin(); line != plan_.always.rend(); ++line) {
            line->leads.assign(line->steps.size(), false);
            for (std::size_t i = line->steps.size(); i-- > 0;) {
                const Meaning* const what = line->meanings[i];
                const auto extents = what != nullptr ? extentsOf(line->steps[i], *what) : std::nullopt;
                if (!extents) continue;
                bool reaches = false;
                if (extents->write)
                    extents->write->eachByte([&](std::uint32_t at) { reaches = reaches || wanted[at]; });
                if (extents->write && !what->masked)
                    extents->write->eachByte([&](std::uint32_t at) { wanted.reset(at); });
                line->leads[i] = reaches;
                if (what->family == Family::laneAccess) {
                    const auto access = isa::LaneAccess::of(line->steps[i]);
                    for (std::uint32_t at = 0; at < line->steps[i].chunks * 16u * sizeof(std::uint64_t); ++at)
                        wanted.set(access.addresses + at);
                } else if (reaches) {
                    for (const Extent& read : extents->reads) read.eachByte([&](std::uint32_t at) { wanted.set(at); });
                }
            }
        }
    }

    const isa::Program::Code& code_;
    std::uint8_t version_;
    const isa::Program::Code::Body& body_;
    const Choice choice_;
    const std::uint32_t lanes_;  ///< of a thread
    std::vector<Owner> owner_;
    std::array<std::uint32_t, kScalars> keptScalar_{};  ///< by number in s0, where the last one that is kept lies
    std::uint32_t keptScalars_ = 0;                     ///< how many there are
    GroupPlan plan_;
    std::vector<std::vector<StepExtents>> extents_;  // of plan_.always
    bool stored_ = false;
    std::size_t beforeStore_ = 0;  ///< lines of plan_.always; a thread that leaves behind them has had an effect
    GroupFlags flags_;
    std::bitset<layout::kBytes> loaded_;         // from memory, or worked out of that
    std::bitset<layout::kBytes> readByThreads_;  // of what is kept
    std::bitset<layout::kBytes> ownToo_;         // what is kept, and in its own place as well
    std::bitset<layout::kBytes> readInitially_;
    std::bitset<layout::kBytes> changed_;
};

PlannedGroup planBy(Choice choice, const isa::Program::Code& code, isa::Line entry, std::uint8_t body) {
    // Not on the stack, which may be a caller's small one: it has a bit for each byte of a thread's state, several
    // times.
    const auto plain = std::make_unique<Planner>(code, body, choice);
    PlannedGroup planned = plain->run(entry);
    const SavedRegisters overwritten = plain->overwritten();
    // r0 has the group's id, which the function counts up between groups.
    if (planned.plan || overwritten.none() || overwritten[0]) return planned;
    choice.saved = overwritten;
    return std::make_unique<Planner>(code, body, choice)->run(entry);
}

}  // namespace

PlannedGroup planGroup(const isa::Program::Code& code, isa::Line entry, std::uint8_t body) {
    PlannedGroup planned;
    for (const Choice& choice :
         {Choice{.splits = true}, Choice{}, Choice{.narrows = true, .splits = true}, Choice{.narrows = true}}) {
        planned = planBy(choice, code, entry, body);
        if (planned.plan) break;
    }
    return planned;
}

}  // namespace zetl::emulator::translate
