#include "emulator/machine/execution/trace_recorder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

#include "emulator/isa/step.h"
#include "emulator/machine/execution/active_dispatch.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/tools/hardware_thread.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint32_t kBankBytes = 4;
constexpr std::size_t kWidest = 32;  // lanes
constexpr std::span<const LineRun> kNoRuns;

/// The lines that the lanes touch, neighbours together, in the order of the lanes.
class RunList {
  public:
    explicit RunList(std::uint32_t lineBytes) : shift_(std::countr_zero(lineBytes)) {}

    void add(std::uint64_t place, std::uint32_t bytes) noexcept {
        const std::uint64_t last = (place + bytes - 1) >> shift_;
        for (std::uint64_t line = place >> shift_; line <= last; ++line) add(line);
    }
    std::span<const LineRun> runs() const noexcept { return {reinterpret_cast<const LineRun*>(storage_), count_}; }

  private:
    void add(std::uint64_t line) noexcept {
        LineRun* const runs = reinterpret_cast<LineRun*>(storage_);
        if (count_ != 0) {
            LineRun& latest = runs[count_ - 1];
            if (line - latest.first < latest.count) return;
            if (line == latest.first + latest.count && latest.count < LineRun::kMost) {
                ++latest.count;
                return note(line);
            }
            if (isKnown(line)) return;
        }
        if (count_ == kMostRuns) return;
        ::new (static_cast<void*>(runs + count_++)) LineRun{line, 1};
        note(line);
    }
    /// Most lines show by their bit that they are new.
    bool isKnown(std::uint64_t line) const noexcept {
        if ((seen_ >> bitOf(line) & 1) == 0) return false;
        return std::ranges::any_of(runs(), [line](const LineRun& run) { return line - run.first < run.count; });
    }
    void note(std::uint64_t line) noexcept { seen_ |= std::uint64_t{1} << bitOf(line); }
    static int bitOf(std::uint64_t line) noexcept { return static_cast<int>((line ^ line >> 6 ^ line >> 12) & 63); }

    static constexpr std::size_t kMostRuns = 128;
    const int shift_;
    std::uint64_t seen_ = 0;  ///< a bit for each line, which some share
    std::size_t count_ = 0;
    alignas(LineRun) std::byte storage_[kMostRuns * sizeof(LineRun)];  // made run by run: most accesses have few
};

template <class F>
void eachLane(const isa::MemoryAccess& access, F&& f) {
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) f(access.address[std::countr_zero(lanes)]);
}

/// Most often their number is a power of two.
class Banks {
  public:
    explicit Banks(std::uint32_t number)
        : number_(std::max(number, 1u)), mask_(std::has_single_bit(number) ? number - 1 : 0) {}
    std::uint64_t of(std::uint64_t word) const noexcept { return mask_ != 0 ? word & mask_ : word % number_; }

  private:
    const std::uint64_t number_;
    const std::uint64_t mask_;
};

using Words = std::array<std::uint64_t, kWidest>;

/// The dwords of local memory that the lanes want, most of those that several want once.
std::span<const std::uint64_t> wordsOf(const isa::MemoryAccess& access, Words& words) noexcept {
    std::size_t count = 0;
    std::uint64_t last = ~std::uint64_t{0};
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
        const std::uint64_t word = (access.address[lane] & isa::kLocalOffsetMask) / kBankBytes;
        words[count] = word;
        count += word != last;
        last = word;
    }
    // Rows of a work-group that want the same.
    const std::size_t half = count / 2;
    if (count % 2 == 0 && std::equal(words.data(), words.data() + half, words.data() + half)) count = half;
    return {words.data(), count};
}

bool areNeighbours(std::span<const std::uint64_t> words) noexcept {
    std::uint64_t apart = 0;
    for (std::size_t i = 0; i < words.size(); ++i) apart |= words[i] ^ (words[0] + i);
    return apart == 0;
}

/// So many lanes, if all from the first on access memory; otherwise 0.
std::size_t lanesInARow(const isa::MemoryAccess& access) noexcept {
    return (access.lanes & (access.lanes + 1)) == 0 ? static_cast<std::size_t>(std::popcount(access.lanes)) : 0;
}

/// Passes of the patterns that are told by the bits in which the addresses of lanes in a row differ: all in one row of
/// the banks, or two in one bank; 0 of others.
std::uint8_t passesOfPattern(std::uint64_t apart, std::uint32_t number) noexcept {
    if (!std::has_single_bit(number)) return 0;
    const std::uint64_t differing = (apart & isa::kLocalOffsetMask) / kBankBytes;
    if (differing < number) return 1;
    return (differing & (number - 1)) == 0 && std::has_single_bit(differing) ? 2 : 0;
}
std::uint8_t passesOfPattern(const isa::MemoryAccess& access, std::uint32_t number) noexcept {
    std::uint64_t apart = 0;
    const std::size_t lanes = lanesInARow(access);
    for (std::size_t lane = 1; lane < lanes; ++lane) apart |= access.address[lane] ^ access.address[0];
    return lanes == 0 ? std::uint8_t{0} : passesOfPattern(apart, number);
}

/// The bits in which that many addresses differ.
template <std::size_t lanes>
std::uint32_t bitsApart(const std::byte* addresses) noexcept {
    std::array<std::uint32_t, lanes> lane;
    std::memcpy(lane.data(), addresses, sizeof lane);
    std::uint32_t apart = 0;
    for (const std::uint32_t address : lane) apart |= address ^ lane[0];
    return apart;
}

/// The same of a message of all lanes, before it is taken apart: most kernels have nothing else.
std::uint8_t passesOfPattern(const isa::Thread& thread, const isa::AccessPlan& plan, std::uint32_t number) noexcept {
    constexpr std::uint32_t kHalf = 0xffff;
    const isa::AccessShape& shape = plan.shape;
    const bool addresses = shape.addressBytes == sizeof(std::uint32_t) && shape.addressUnit == 1;
    if (!addresses || shape.block || shape.block2d || shape.strided) return 0;
    const std::byte* const at = thread.state + isa::layout::kGrf + plan.payload + shape.addressAt;
    const std::uint32_t lanes = isa::lanesOn(thread, plan.lanes);
    if (lanes == ~0u) return passesOfPattern(bitsApart<kWidest>(at), number);
    return lanes == kHalf ? passesOfPattern(bitsApart<kWidest / 2>(at), number) : std::uint8_t{0};
}

/// Times that the banks of local memory need: different dwords of one bank come one after the other. Banks beyond
/// kBuckets share buckets, which are lists of words.
std::uint8_t passesOf(const isa::MemoryAccess& access, std::uint32_t number) {
    constexpr std::uint32_t kBuckets = 64;
    if (const std::uint8_t passes = passesOfPattern(access, number)) return passes;
    Words storage;
    const std::span<const std::uint64_t> words = wordsOf(access, storage);
    if (areNeighbours(words)) return static_cast<std::uint8_t>((words.size() + number - 1) / number);
    const Banks banks(number);
    std::array<std::int8_t, kWidest> next;
    std::array<std::int8_t, kBuckets> first;
    first.fill(-1);
    std::uint32_t most = 1;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::uint64_t bank = banks.of(words[i]);
        std::int8_t& head = first[bank % kBuckets];
        std::uint32_t same = 1;
        bool known = false;
        for (std::int8_t at = head; at >= 0; at = next[static_cast<std::uint8_t>(at)]) {
            const std::uint64_t other = words[static_cast<std::size_t>(at)];
            known = known || other == words[i];
            same += banks.of(other) == bank;
        }
        if (known) continue;
        next[i] = head;
        head = static_cast<std::int8_t>(i);
        most = std::max(most, same);
    }
    return static_cast<std::uint8_t>(most);
}

/// Global memory that is a thread's or a launch's own lies where the host put it: the model takes the offset.
class OwnMemory {
  public:
    OwnMemory(const WorkGroup& group, std::uint32_t slot)
        : privateBase_(group.dispatch().launch().privateBase),
          privateBytes_(group.dispatch().launch().privateBytes),
          allPrivate_(privateBytes_ * group.tile().device().profile().threads()),
          ownPrivate_(privateBase_ + slot * privateBytes_),
          payload_(reinterpret_cast<std::uint64_t>(group.dispatch().payload().data())),
          payloadBytes_(group.dispatch().payload().size()) {}

    TraceSpace spaceOf(std::uint64_t& address) const noexcept {
        if (const std::uint64_t within = address - ownPrivate_; within < privateBytes_) {
            address = within;
            return TraceSpace::privateMemory;
        }
        if (const std::uint64_t within = address - privateBase_; within < allPrivate_) {
            address = within % privateBytes_;
            return TraceSpace::privateMemory;
        }
        if (const std::uint64_t offset = address - payload_; offset < payloadBytes_) {
            address = offset;
            return TraceSpace::payload;
        }
        return TraceSpace::global;
    }

  private:
    const std::uint64_t privateBase_;
    const std::uint64_t privateBytes_;
    const std::uint64_t allPrivate_;
    const std::uint64_t ownPrivate_;  ///< the thread's own part
    const std::uint64_t payload_;
    const std::uint64_t payloadBytes_;
};

/// Whether neighbouring lanes want neighbouring bytes.
bool areNeighbours(const isa::MemoryAccess& access, std::size_t first, std::size_t count) noexcept {
    const std::uint64_t* const address = access.address.data() + first;
    std::uint64_t apart = 0;
    for (std::size_t lane = 0; lane < count; ++lane)
        apart |= address[lane] ^ (address[0] + lane * std::uint64_t{access.bytesPerLane});
    return apart == 0;
}

/// Of lanes in one or two rows of neighbours in global memory. False, and nothing was added: they are not.
bool addRows(const isa::MemoryAccess& access, const OwnMemory& own, RunList& list) noexcept {
    const std::size_t lanes = lanesInARow(access);
    if (lanes == 0) return false;
    const std::size_t rows = lanes % 2 != 0 || areNeighbours(access, 0, lanes) ? 1 : 2;
    const std::size_t each = lanes / rows;
    for (std::size_t first = 0; first < lanes; first += each) {
        std::uint64_t begin = access.address[first];
        std::uint64_t last = access.address[first + each - 1];
        if (own.spaceOf(begin) != TraceSpace::global || own.spaceOf(last) != TraceSpace::global) return false;
        if (!areNeighbours(access, first, each)) return false;
    }
    for (std::size_t first = 0; first < lanes; first += each)
        list.add(access.address[first], static_cast<std::uint32_t>(each) * access.bytesPerLane);
    return true;
}

/// What a RunList says of lanes in a row that each touch one of 64 neighbouring lines, without branches that the host
/// could only guess.
class NearLines {
  public:
    NearLines(const isa::MemoryAccess& access, std::uint32_t lineBytes) noexcept {
        constexpr std::uint64_t kNear = 64;
        const int shift = std::countr_zero(lineBytes);
        const std::size_t lanes = lanesInARow(access);
        std::uint64_t most = 0;
        std::uint64_t apart = 0;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::uint64_t line = access.address[lane] >> shift;
            apart |= line ^ (access.address[lane] + access.bytesPerLane - 1) >> shift;
            base_ = std::min(base_, line);
            most = std::max(most, line);
        }
        if (lanes == 0 || apart != 0 || most - base_ >= kNear) return;
        std::uint64_t seen = 0;
        std::uint64_t next = kNear;  // behind the last one
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::uint64_t distance = ((access.address[lane] >> shift) - base_) % kNear;  // which it is below
            const bool adds = distance == next || (seen >> distance & 1) == 0;
            distances_[count_] = static_cast<std::uint8_t>(distance);
            count_ += adds;
            next = adds ? distance + 1 : next;
            seen |= std::uint64_t{1} << distance;
        }
    }
    std::uint64_t base() const noexcept { return base_; }
    /// None: the lanes are not such.
    std::span<const std::uint8_t> distances() const noexcept { return {distances_.data(), count_}; }

  private:
    std::uint64_t base_ = ~std::uint64_t{0};
    std::size_t count_ = 0;
    std::array<std::uint8_t, kWidest> distances_;
};

TraceSpace spaceOf(isa::MemorySpace space) noexcept {
    switch (space) {
        case isa::MemorySpace::local:
            return TraceSpace::local;
        case isa::MemorySpace::scratch:
            return TraceSpace::scratch;
        case isa::MemorySpace::payload:
            return TraceSpace::payload;
        default:
            return TraceSpace::global;
    }
}

}  // namespace

isa::Reported TraceRecorder::reported(const LoadedProgram& loaded) {
    const Schedule& schedule = loaded.schedule(timing_);
    isa::Reported reported{this, std::vector<bool>(schedule.lines.size())};
    for (isa::Line line = 0; line < schedule.lines.size(); ++line)
        reported.lines[line] = schedule.reports(line) || schedule.accesses(line);
    return reported;
}

void TraceRecorder::watch(const LoadedProgram& loaded, bool on) {
    const isa::Reported which = reported(loaded);
    isa::Program& program = *loaded.program;
    for (isa::Line line = 0; line < program.lineCount(); ++line) {
        if (!which.lines[line]) continue;
        on ? program.watch(line, *this) : program.unwatch(line, *this);
    }
}

void TraceRecorder::acquire() {
    {
        const Lock guard(mutex_);
        ++holders_;
    }
    try {
        cover();
    } catch (const std::bad_alloc&) {
        release();
        throw;
    }
}

void TraceRecorder::release() noexcept {
    const Lock guard(mutex_);
    if (--holders_ != 0) return;
    try {
        for (const Covered& covered : covered_) {
            if (const auto range = covered.range.lock()) watch(*covered.loaded, false);
        }
        covered_.clear();
    } catch (const std::bad_alloc&) {
        // Lines that still report find no trace to write.
    }
}

void TraceRecorder::cover() {
    const Lock guard(mutex_);
    if (holders_ == 0) return;
    std::erase_if(covered_, [](const Covered& covered) { return covered.range.expired(); });
    for (const auto& range : code_.ranges()) {
        const LoadedProgram* const loaded = range->program();
        if (loaded == nullptr || std::ranges::find(covered_, loaded, &Covered::loaded) != covered_.end()) continue;
        covered_.push_back({range, loaded});
        watch(*loaded, true);
    }
}

void TraceRecorder::begin(isa::Thread& thread) {
    HardwareThread& context = HardwareThread::of(thread);
    const Schedule& schedule = context.loaded->schedule(timing_);
    const isa::Line line = thread.program->lineAt(thread.ip());
    if (line != isa::kNoLine && !schedule.reports(line)) context.trace->arrive(schedule, line);
}

void TraceRecorder::beforeLine(isa::Thread& thread, isa::Line line) noexcept {
    HardwareThread& context = HardwareThread::of(thread);
    ThreadTrace* const trace = context.trace;
    if (trace == nullptr || !trace->complete() || context.loaded->program.get() != thread.program) return;
    try {
        record(thread, *trace, context.loaded->schedule(timing_), line);
    } catch (const std::bad_alloc&) {
        trace->close();
    }
}

void TraceRecorder::record(isa::Thread& thread, ThreadTrace& trace, const Schedule& schedule, isa::Line line) const {
    if (schedule.reports(line)) trace.arrive(schedule, line);
    if (!schedule.accesses(line)) return;
    const auto& plan = schedule.accessPlans[line];
    if (plan && plan->shape.space == isa::MemorySpace::local) {
        if (const std::uint8_t passes = passesOfPattern(thread, *plan, timing_.slmBanks))
            return trace.access({.space = TraceSpace::local,
                                 .write = plan->shape.write,
                                 .atomic = plan->shape.atomic,
                                 .passes = passes,
                                 .line = line,
                                 .runs = {}},
                                kNoRuns);
    }
    if (plan)
        record(thread, trace, line, plan->access(thread));
    else if (const auto access = isa::accessOf(thread, line))
        record(thread, trace, line, *access);
}

void TraceRecorder::record(isa::Thread& thread, ThreadTrace& trace, isa::Line line,
                           const isa::MemoryAccess& access) const {
    if (access.lanes == 0) return;
    TracedAccess traced;
    traced.space = spaceOf(access.space);
    traced.line = line;
    traced.write = access.write;
    traced.atomic = access.atomic;
    if (traced.space == TraceSpace::local) {
        traced.passes = passesOf(access, timing_.slmBanks);
        trace.access(traced, kNoRuns);
        return;
    }
    RunList list(timing_.lineBytes);
    if (traced.space == TraceSpace::scratch) {
        const NearLines near(access, timing_.lineBytes);
        if (!near.distances().empty()) return trace.access(traced, near.base(), near.distances());
    }
    if (traced.space == TraceSpace::global) {
        const HardwareThread& context = HardwareThread::of(thread);
        const OwnMemory own(WorkGroup::of(context), context.slot);
        const auto add = [&](std::uint64_t address) {
            traced.space = own.spaceOf(address);
            list.add(address, access.bytesPerLane);
        };
        if (!addRows(access, own, list)) eachLane(access, add);
    } else {
        eachLane(access, [&](std::uint64_t address) { list.add(address, access.bytesPerLane); });
    }
    trace.access(traced, list.runs());
}

}  // namespace zetl::emulator::machine
