#include "emulator/translate/plan/live_registers.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>

#include "emulator/isa/control_flow.h"
#include "emulator/isa/register_use.h"
#include "emulator/translate/plan/indirect_reads.h"

namespace zetl::emulator::translate {
namespace {

namespace layout = isa::layout;
using isa::Instruction;
using isa::LaneBytes;
using isa::Line;
using isa::Opcode;

constexpr std::uint8_t kNobody = 0xff;
constexpr std::uint8_t kAny = LaneBytes::kAllLanes;

std::uint8_t both(std::uint8_t x, std::uint8_t y) {
    if (x == y || y == kNobody) return x;
    return x == kNobody ? y : kAny;
}

using Word = std::uint64_t;
constexpr Word kNobodyOfWord = ~Word{0};
Word wordAt(std::span<const std::uint8_t> readers, std::size_t at) {
    Word word = 0;
    std::memcpy(&word, &readers[at], sizeof word);
    return word;
}
/// Of two ways that meet. Most words are equal.
void addAll(std::span<std::uint8_t> readers, std::span<const std::uint8_t> others, const isa::StateSlots::Run& run) {
    for (std::size_t at = run.place; at < run.place + run.bytes; at += sizeof(Word)) {
        if (wordAt(others, at) == wordAt(readers, at)) continue;
        for (std::size_t i = at; i < at + sizeof(Word); ++i) readers[i] = both(readers[i], others[i]);
    }
}
isa::StateSlots slotsOf(std::span<const std::uint8_t> readers) {
    isa::StateSlots slots;
    for (std::uint32_t at = 0; at < readers.size(); at += sizeof(Word))
        if (wordAt(readers, at) != kNobodyOfWord) slots.add(at, sizeof(Word));
    return slots;
}

}  // namespace

LiveRegisters::LiveRegisters(const isa::Program::Code& code, const Survey& survey) : code_(code) {
    findBlocks(survey);
    indirect_ = indirectReads(code, survey);
    std::set<Line> open;
    for (const auto& [begin, block] : blocks_) open.insert(begin);
    while (!open.empty()) {
        const Line begin = *open.rbegin();
        open.erase(begin);
        Block& block = blocks_.at(begin);
        if (follow(begin, block)) open.insert(block.previous.begin(), block.previous.end());
    }
    findWaiting();
    ending_.resize(code_.lines() + 1);
    losing_.resize(code_.lines() + 1);
    for (const auto& [begin, block] : blocks_) {
        findEndings(begin, block);
        isa::StateSlots& slots = behind_[block.end - 1];
        if (block.anywhere) slots = isa::StateSlots::all();
        slots.add(layout::kGrfBytes, layout::kArchitectureEnd - layout::kGrfBytes);
        for (const Line next : block.next)
            if (const auto to = blocks_.find(next); to != blocks_.end()) slots.add(to->second.slots);
        isa::StateSlots& forAll = behindForAll_[block.end - 1];
        forAll = slots;
        forAll.add(awaited_);
    }
}

void LiveRegisters::findBlocks(const Survey& survey) {
    Block* block = nullptr;
    for (const Line line : survey.lines) {
        if (line >= code_.lines()) break;
        if (block == nullptr || survey.leads[line]) block = &blocks_[line];
        block->end = line + 1;
        const Instruction& in = code_.instructions[line];
        if (isa::isBranch(in)) addTargets(*block, in);
        const bool leads = isa::isBranch(in) || (line + 1 < code_.lines() && survey.leads[line + 1]);
        if (leads && goesOn(in)) block->next.push_back(line + 1);
        if (isa::isBranch(in) || !goesOn(in)) block = nullptr;
    }
    for (const auto& [begin, one] : blocks_)
        for (const Line next : one.next)
            if (const auto to = blocks_.find(next); to != blocks_.end()) to->second.previous.push_back(begin);
    bytes_ = bytesRead();
    for (auto& [begin, one] : blocks_) one.readers.assign(bytes_, kNobody);
}

void LiveRegisters::addTargets(Block& block, const Instruction& in) const {
    block.anywhere = goesAnywhere(in);
    for (const std::int32_t offset : {in.jip, in.uip}) {
        if (offset == 0) continue;
        const Line to = code_.find(in.ip + static_cast<std::uint32_t>(offset));
        block.anywhere = block.anywhere || to == isa::kNoLine;
        block.next.push_back(to);
    }
}

/// Whole registers, up to the last that any line of the program reads; all of them where other programs may read, too.
std::uint32_t LiveRegisters::bytesRead() const {
    for (const auto& [begin, block] : blocks_)
        if (block.anywhere) return layout::kGrfBytes;
    std::uint32_t end = 0;
    for (const Instruction& in : code_.instructions)
        for (const LaneBytes& read : isa::generalReads(in)) end = std::max(end, read.end);
    return (end + layout::kRegisterBytes - 1) / layout::kRegisterBytes * layout::kRegisterBytes;
}

LiveRegisters::Readers LiveRegisters::readersBehind(const Block& block) const {
    Readers readers(bytes_, block.anywhere ? kAny : kNobody);
    for (const Line line : block.next) {
        const auto next = blocks_.find(line);
        if (next == blocks_.end()) continue;
        next->second.slots.eachRun([&](const auto& run) { addAll(readers, next->second.readers, run); });
    }
    return readers;
}

bool LiveRegisters::follow(Line begin, Block& block) {
    Readers readers = readersBehind(block);
    for (Line line = block.end; line-- > begin;) moveBefore(readers, line);
    if (readers == block.readers) return false;
    block.readers = std::move(readers);
    block.slots = slotsOf(block.readers);
    return true;
}

/// Lanes wait where branches lead or go on; jmpi takes all lanes along.
void LiveRegisters::findWaiting() {
    waiting_.assign(bytes_, kNobody);
    for (const auto& [begin, block] : blocks_) {
        const Instruction& last = code_.instructions[block.end - 1];
        if (!isa::isBranch(last) || last.opcode == Opcode::jmpi) continue;
        for (const Line line : block.next) {
            const auto next = blocks_.find(line);
            if (next == blocks_.end()) continue;
            next->second.slots.eachRun([&](const auto& run) { addAll(waiting_, next->second.readers, run); });
        }
    }
    awaited_ = slotsOf(waiting_);
}

/// Each lane that is on reads its own part again, if any does.
bool LiveRegisters::losesOthers(const Readers& behind, const Instruction& in) const {
    if (in.noMask || !isa::computesByLanes(in)) return false;
    const auto written = isa::generalWrites(in, false);
    return !written.empty() && std::ranges::all_of(written, [&](const LaneBytes& w) {
        for (std::uint32_t at = w.begin; at < std::min(w.end, bytes_); ++at)
            if (waiting_[at] != kNobody || (behind[at] != kNobody && behind[at] != w.lane)) return false;
        return true;
    });
}

/// Those that nobody reads behind their last line.
void LiveRegisters::findEndings(Line begin, const Block& block) {
    Readers readers = readersBehind(block);
    const auto isRead = [&](std::uint32_t place) {
        const auto slot = std::span(readers).subspan(std::min(place, bytes_));
        const auto bytes = slot.first(std::min<std::size_t>(slot.size(), layout::kRegisterBytes));
        return std::ranges::any_of(bytes, [](std::uint8_t reader) { return reader != kNobody; });
    };
    for (Line line = block.end; line-- > begin;) {
        const Instruction& in = code_.instructions[line];
        isa::StateSlots named;
        isa::addWritten(named, in);
        for (const LaneBytes& read : readsOf(line)) named.add(read.begin, read.end - read.begin);
        named.eachRun([&](const auto& run) {
            const std::uint32_t end = std::min(run.place + run.bytes, layout::kGrfBytes);
            for (std::uint32_t place = run.place; place < end; place += layout::kRegisterBytes)
                if (!isRead(place)) ending_[line].push_back(place);
        });
        losing_[line] = losesOthers(readers, in);
        moveBefore(readers, line);
    }
}

std::vector<LaneBytes> LiveRegisters::readsOf(Line line) const {
    const auto known = indirect_.find(line);
    return isa::generalReads(code_.instructions[line], known == indirect_.end() ? isa::kAllRegisters : known->second);
}

/// From the readers behind an instruction to those before it.
void LiveRegisters::moveBefore(Readers& readers, Line line) const {
    for (const LaneBytes& written : isa::generalWrites(code_.instructions[line], false)) remove(readers, written);
    for (const LaneBytes& read : readsOf(line)) add(readers, read);
}

void LiveRegisters::add(Readers& readers, const LaneBytes& read) const {
    for (std::uint32_t at = read.begin; at < read.end; ++at) readers[at] = both(readers[at], read.lane);
}
void LiveRegisters::remove(Readers& readers, const LaneBytes& written) const {
    for (std::uint32_t at = written.begin; at < std::min(written.end, bytes_); ++at)
        if (written.lane == kAny || readers[at] == written.lane) readers[at] = kNobody;
}

}  // namespace zetl::emulator::translate
