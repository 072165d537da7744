#include "emulator/isa/observe.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/isa/access_spans.h"
#include "emulator/isa/code.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/register_descriptor.h"
#include "emulator/isa/stop.h"
#include "isa/xe/access_shape.h"
#include "isa/xe/block2d.h"
#include "isa/xe/legacy_message.h"

namespace zetl::emulator::isa {
namespace {

/// Whether those who watch the line are those to whom it is reported, at least one.
bool agree(std::span<const Reported> reported, Line line, const LineWatch* watch) noexcept {
    if (watch == nullptr || watch->breakpoint) return false;
    std::size_t told = 0;
    for (const Reported& one : reported) {
        if (!one.contains(line)) continue;
        if (std::ranges::find(watch->observers, one.to) == watch->observers.end()) return false;
        ++told;
    }
    return told != 0 && told == watch->observers.size();
}

/// In any order.
bool isSame(std::span<const Reported> a, std::span<const Reported> b, Line lines) noexcept {
    const auto hasLinesOf = [&](const Reported& one) {
        return std::ranges::any_of(b, [&](const Reported& other) {
            bool same = one.to == other.to;
            for (Line line = 0; line < lines && same; ++line)
                same = one.contains(line) == other.contains(line) && one.isIdle(line) == other.isIdle(line) &&
                       one.usedBy(line) == other.usedBy(line) && one.isLocalRead(line) == other.isLocalRead(line);
            return same;
        });
    };
    return a.size() == b.size() && std::ranges::all_of(a, hasLinesOf);
}

}  // namespace

void Program::Code::seal() {
    watches_ = std::make_unique<std::atomic<const LineWatch*>[]>(lines() + 1);
    for (Body& b : body) {
        b.originals.resize(b.steps.size());
        std::ranges::transform(b.steps, b.originals.begin(), &Step::run);
    }
}
Handler Program::Code::originalOf(const Step* step) const noexcept {
    for (const Body& b : body)
        if (step >= b.steps.data() && step < b.steps.data() + b.steps.size())
            return b.originals[static_cast<std::size_t>(step - b.steps.data())];
    return nullptr;
}
void Program::Code::editWatch(Line line, const std::function<void(LineWatch&)>& change) {
    if (line >= lines()) return;
    const Lock guard(mutex_);
    const LineWatch* const now = watchOf(line);
    LineWatch edited = now ? *now : LineWatch{};
    change(edited);
    const LineWatch* const next = edited.empty() ? nullptr : published(std::move(edited));
    const auto* const before = entered();
    watched_ = watched_ - (now != nullptr) + (next != nullptr);
    for (ReportingCode& code : reportingCode_)
        code.agreeing = code.agreeing - agree(code.reported, line, now) + agree(code.reported, line, next);
    watches_[line].store(next, std::memory_order_release);
    for (Body& b : body) {
        if (b.steps.empty()) continue;
        const std::uint32_t index = b.start[line];
        std::atomic_ref<Handler>(b.steps[index].run).store(bySteps(b, index), std::memory_order_release);
    }
    if (before != nullptr || entered() != nullptr) writeHostEntries();
}
/// Few differ, however often lines are watched and left.
const LineWatch* Program::Code::published(LineWatch&& watch) {
    const auto known = std::ranges::find(published_, watch);
    return known != published_.end() ? &*known : &published_.emplace_back(std::move(watch));
}
/// The entries of the code that threads enter now; null: they run by steps. All or none: host code runs on over lines
/// that it was not entered at.
const std::vector<HostEntry>* Program::Code::entered() const noexcept {
    if (watched_ == 0) return &hostEntries_;
    const auto entered = std::ranges::find_if(reportingCode_, [this](const ReportingCode& code) ZETL_REQUIRES(mutex_) {
        return code.lines == watched_ && code.agreeing == watched_;
    });
    return entered == reportingCode_.end() ? nullptr : &entered->entries;
}
void Program::Code::writeHostEntries() noexcept {
    const auto write = [this](const std::vector<HostEntry>& entries, bool enter) {
        for (const HostEntry& e : entries) {
            Body& b = body[e.body];
            std::atomic_ref<Handler>(b.steps[e.step].run)
                .store(enter ? e.run : bySteps(b, e.step), std::memory_order_release);
        }
    };
    const std::vector<HostEntry>* const now = entered();
    if (now != &hostEntries_) write(hostEntries_, false);
    for (const ReportingCode& code : reportingCode_)
        if (now != &code.entries) write(code.entries, false);
    if (now != nullptr) write(*now, true);
}
void Program::Code::addHostCode(std::span<const HostEntry> entries, std::shared_ptr<const void> owner) {
    const Lock guard(mutex_);
    hostCode_.reserve(hostCode_.size() + 1);
    hostEntries_.insert(hostEntries_.end(), entries.begin(), entries.end());
    hostCode_.push_back(std::move(owner));
    writeHostEntries();
}
void Program::Code::addReportingCode(std::span<const HostEntry> entries, std::span<const Reported> reported,
                                     std::shared_ptr<const void> owner) {
    const Lock guard(mutex_);
    hostCode_.reserve(hostCode_.size() + 1);
    std::vector<HostEntry>& all = reportingCodeFor(reported).entries;
    all.insert(all.end(), entries.begin(), entries.end());
    hostCode_.push_back(std::move(owner));
    writeHostEntries();
}
Program::Code::ReportingCode& Program::Code::reportingCodeFor(std::span<const Reported> reported) {
    for (ReportingCode& code : reportingCode_)
        if (isSame(code.reported, reported, lines())) return code;
    ReportingCode code{.reported = {reported.begin(), reported.end()}, .entries = {}};
    for (Line line = 0; line < lines(); ++line) {
        code.lines += std::ranges::any_of(reported, [line](const Reported& one) { return one.contains(line); });
        code.agreeing += agree(reported, line, watchOf(line));
    }
    return reportingCode_.emplace_back(std::move(code));
}
/// Of a step, when no host code begins with it.
Handler Program::Code::bySteps(const Body& b, std::uint32_t index) const noexcept {
    return isWatched(b, index) ? observed : b.originals[index];
}
Handler Program::Code::singleStep(const Step* step) const noexcept {
    const Handler now = step->handler();
    if (now == observed) return now;
    for (const Body& b : body)
        if (step >= b.steps.data() && step < b.steps.data() + b.steps.size())
            return bySteps(b, static_cast<std::uint32_t>(step - b.steps.data()));
    return now;
}
/// Lines without steps share the first step of the next line that has some.
bool Program::Code::isWatched(const Body& b, std::uint32_t index) const noexcept {
    Line line = std::min(b.steps[index].line, lines() - 1);
    for (;; --line) {
        if (b.start[line] == index && watchOf(line)) return true;
        if (line == 0 || b.start[line - 1] != index) return false;
    }
}

const Step* observed(Thread& t, const Step* m) {
    const Program::Code& code = t.program->code();
    // Lines without steps in front of this one are watched here too.
    Line line = m->line;
    while (line > 0 && code.at(t, line - 1) == m) --line;
    const bool passes = t.resumedAt == m;
    t.resumedAt = nullptr;
    for (Line l = line; l <= m->line && !passes; ++l) {
        const LineWatch* w = code.watchOf(l);
        if (w && w->breakpoint) return stopAtBreakpoint(t, m);
    }
    for (; line <= m->line; ++line)
        if (const LineWatch* w = code.watchOf(line))
            for (LineObserver* o : w->observers) o->beforeLine(t, line);
    return code.originalOf(m)(t, m);
}

void Program::watch(Line line, LineObserver& observer) {
    code_->editWatch(line, [&](LineWatch& w) {
        if (std::find(w.observers.begin(), w.observers.end(), &observer) == w.observers.end())
            w.observers.push_back(&observer);
    });
}
void Program::unwatch(Line line, LineObserver& observer) {
    code_->editWatch(line, [&](LineWatch& w) { std::erase(w.observers, &observer); });
}
void Program::setBreakpoint(Line line, bool on) {
    code_->editWatch(line, [&](LineWatch& w) { w.breakpoint = on; });
}
bool Program::hasBreakpoint(Line line) const noexcept {
    const LineWatch* w = line < lineCount() ? code_->watchOf(line) : nullptr;
    return w && w->breakpoint;
}

namespace {

/// The parts of a two-dimensional block that lie in its surface, one row per lane.
void placeRows(const std::byte* payload, const AccessShape& shape, MemoryAccess& a) {
    const std::uint32_t elementBytes = shape.bytes;
    const Block2d s = Block2d::read(payload, shape.blockX, shape.blockY);
    const bool on = a.lanes & 1;
    a.lanes = 0;
    a.bytesPerLane = 0;
    for (std::uint32_t y = 0; on && y < std::min(s.height, 32u); ++y) {
        const RowOfBlock row = s.rowOfAll(y, elementBytes);
        if (row.elements == 0) continue;
        a.lanes |= 1u << y;
        a.address[y] = row.address;
        a.bytesPerLane = row.elements * elementBytes;
    }
}
/// The address as the message sees it, which adds an offset in as many bits as addresses have.
std::uint64_t wrapped(std::uint64_t address, const AccessShape& shape) {
    return (shape.offset != 0 || shape.base >= 0) && shape.addressBytes < 8 && !shape.wide ? address & 0xffff'ffff
                                                                                           : address;
}
/// Lanes at equal distances.
void placeStrided(const std::byte* payload, const AccessShape& shape, MemoryAccess& a) {
    constexpr std::uint32_t kPitchByte = 8;
    std::uint32_t pitch;
    std::uint64_t base = 0;
    std::memcpy(&base, payload, shape.addressBytes);
    std::memcpy(&pitch, payload + kPitchByte, sizeof pitch);
    for (std::uint64_t lane = 0; lane < 32; ++lane)
        a.address[lane] = wrapped(base + lane * pitch + static_cast<std::uint64_t>(shape.offset), shape);
}
template <class Address>
void placeEach(const std::byte* addresses, const AccessShape& shape, MemoryAccess& a) {
    const auto place = [&](std::uint32_t lane) {
        Address address;
        std::memcpy(&address, addresses + lane * sizeof address, sizeof address);
        const auto extended = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(address)});
        const std::uint64_t counted = shape.signedOffsets ? extended : std::uint64_t{address};
        a.address[lane] = wrapped(counted * shape.addressUnit + static_cast<std::uint64_t>(shape.offset), shape);
    };
    if (shape.addressUnit == 1 && !shape.signedOffsets && shape.base < 0) {  // most messages; lanes that are off, too
        const auto added = static_cast<Address>(shape.offset);
        const std::uint32_t count = 32 - static_cast<std::uint32_t>(std::countl_zero(a.lanes | 1u));
        const auto placeAll = [&](std::uint32_t all) {
            for (std::uint32_t lane = 0; lane < all; ++lane) {
                Address address;
                std::memcpy(&address, addresses + lane * sizeof address, sizeof address);
                a.address[lane] = static_cast<Address>(address + added);
            }
        };
        return count > 16 ? placeAll(32) : placeAll(16);
    }
    if (a.lanes == ~0u) {  // most often, and the compiler takes several at once
        for (std::uint32_t lane = 0; lane < a.address.size(); ++lane) place(lane);
        return;
    }
    for (std::uint32_t lanes = a.lanes; lanes != 0; lanes &= lanes - 1)
        place(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}
/// An address for each lane, or the one that the instruction holds.
void placeLanes(const std::byte* addresses, const AccessShape& shape, MemoryAccess& a) {
    a.address[0] = static_cast<std::uint64_t>(shape.offset);
    if (shape.addressBytes == sizeof(std::uint64_t)) placeEach<std::uint64_t>(addresses, shape, a);
    if (shape.addressBytes == sizeof(std::uint32_t)) placeEach<std::uint32_t>(addresses, shape, a);
    if (shape.addressBytes == sizeof(std::uint16_t)) placeEach<std::uint16_t>(addresses, shape, a);
}

/// Addresses in registers that the scalar register names.
class GatheredAddresses {
  public:
    const std::byte* of(const Thread& t, std::uint32_t numbersAt) noexcept {
        for (std::uint32_t i = 0; i < kRegisters && numbersAt + i < layout::kRegisterBytes; ++i) {
            const auto number = t.at<std::uint8_t>(layout::kScalar + numbersAt + i);
            std::memcpy(bytes_ + i * layout::kRegisterBytes, t.state + layout::kGrf + number * layout::kRegisterBytes,
                        layout::kRegisterBytes);
        }
        return bytes_;
    }

  private:
    static constexpr std::uint32_t kRegisters = 4;  // of addresses of 64 bits for 32 lanes
    std::byte bytes_[kRegisters * layout::kRegisterBytes] = {};
};

}  // namespace

std::uint32_t MemoryAccess::bytes() const noexcept {
    return static_cast<std::uint32_t>(std::popcount(lanes)) * bytesPerLane;
}

std::uint32_t lanesOf(const Thread& thread, Line line) noexcept {
    return lanesOn(thread, laneMaskOf(thread.program->instruction(line)));
}
std::optional<AccessPlan> AccessPlan::of(const Instruction& in) noexcept {
    const bool sends = isSend(in.opcode);
    const auto shape = sends ? accessShapeOf(in) : std::nullopt;
    if (!shape) return {};
    const Operand payload = modernForm(in).source[0];
    if (payload.isArf(ArchitectureRegister::scalar)) return AccessPlan{*shape, laneMaskOf(in), 0, payload.subByte};
    const bool isPlain = !shape->atomic && !shape->block2d && !shape->strided && shape->base < 0 &&
                         shape->addressUnit == 1 && !shape->signedOffsets && !shape->wide && shape->bytes != 0;
    return AccessPlan{*shape, laneMaskOf(in), payload.number * layout::kRegisterBytes, -1, isPlain};
}

MemoryAccess AccessPlan::access(const Thread& thread) const noexcept {
    MemoryAccess a;
    a.space = shape.space;
    a.write = shape.write;
    a.atomic = shape.atomic;
    a.bytesPerLane = shape.bytes;
    a.lanes = lanesOn(thread, lanes) & (shape.block ? 1u : ~0u);
    std::optional<GatheredAddresses> gathered;
    const std::byte* at = thread.state + layout::kGrf + payload;
    if (numbers >= 0) at = gathered.emplace().of(thread, static_cast<std::uint32_t>(numbers));
    if (shape.block2d)
        placeRows(at, shape, a);
    else if (shape.strided)
        placeStrided(at, shape, a);
    else
        placeLanes(at + shape.addressAt, shape, a);
    if (shape.base >= 0) {
        const auto base = thread.at<std::uint64_t>(layout::kScalar + static_cast<std::uint32_t>(shape.base) * 8);
        for (std::uint64_t& address : a.address) address = wrapped(address + base, shape);
    }
    return a;
}

AccessSpans AccessPlan::spans(const Thread& thread) const noexcept {
    if (!isPlain) return {};
    const std::uint32_t on = lanesOn(thread, lanes) & (shape.block ? 1u : ~0u);
    if (on != 1 && on != 0xffff && on != ~0u) return {};
    const std::uint32_t count = on == ~0u ? 32 : on == 0xffff ? 16 : 1;  // bits, which the host may have to count
    return spansOf(thread.state + layout::kGrf + payload + shape.addressAt, shape, count);
}

std::optional<MemoryAccess> accessOf(const Thread& thread, Line line) noexcept {
    Instruction in = thread.program->instruction(line);
    if (!isSend(in.opcode)) return {};
    if (isDeferred(in.message)) in.message = resolved(in.message, thread);
    const auto plan = AccessPlan::of(in);
    if (!plan) return {};
    return plan->access(thread);
}

}  // namespace zetl::emulator::isa
