// The general registers that threads may still read where a block ends, or behind a line in it. Others need not be
// stored there. Lanes that are off wait at a line to which a branch leads, and may read other registers from there on.
//
// A lane that executes an instruction has come there on a way of its own, and executed every instruction on that way.
// So what a lane has written itself hides what was there before from its own reads, and what was written without a mask
// hides it from all (isa/lane_bytes.h). This is known from the ends of all ways backward.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/isa/lane_bytes.h"
#include "emulator/isa/state_slots.h"
#include "emulator/translate/plan/survey.h"

namespace zetl::emulator::translate {

class LiveRegisters {
  public:
    LiveRegisters(const isa::Program::Code& code, const Survey& survey);

    /// The slots that may be read behind a line which ends a block, by lanes that are on; null for another line. Slots
    /// beside those of general registers are all among them.
    const isa::StateSlots* behind(isa::Line last) const { return find(behind_, last); }
    /// The same if some lanes are off: by all lanes.
    const isa::StateSlots* behindForAll(isa::Line last) const { return find(behindForAll_, last); }
    /// The slots that lanes may read which are off.
    const isa::StateSlots& awaited() const { return awaited_; }
    /// Whether nobody reads what the line's destination has for lanes that are off.
    bool losesOthers(isa::Line line) const { return losing_[line]; }
    /// The slots that the line reads or writes and that nobody reads behind it.
    const std::vector<std::uint32_t>& endingAt(isa::Line line) const { return ending_[line]; }

  private:
    /// The reader of each byte before it is written: nobody, a lane, or any.
    using Readers = std::vector<std::uint8_t>;
    struct Block {
        isa::Line end = 0;
        std::vector<isa::Line> next;      ///< where threads go on
        std::vector<isa::Line> previous;  ///< the blocks that go on here
        bool anywhere = false;            ///< and where else cannot be told
        Readers readers;                  ///< where it begins
        isa::StateSlots slots;            ///< that anybody reads there
    };

    using SlotsByLine = std::map<isa::Line, isa::StateSlots>;
    static const isa::StateSlots* find(const SlotsByLine& slots, isa::Line line) {
        const auto known = slots.find(line);
        return known == slots.end() ? nullptr : &known->second;
    }
    void findBlocks(const Survey& survey);
    void addTargets(Block& block, const isa::Instruction& in) const;
    std::uint32_t bytesRead() const;
    Readers readersBehind(const Block& block) const;
    /// Whether that has become more.
    bool follow(isa::Line begin, Block& block);
    void findWaiting();
    void findEndings(isa::Line begin, const Block& block);
    bool losesOthers(const Readers& behind, const isa::Instruction& in) const;
    std::vector<isa::LaneBytes> readsOf(isa::Line line) const;
    void moveBefore(Readers& readers, isa::Line line) const;
    void add(Readers& readers, const isa::LaneBytes& read) const;
    void remove(Readers& readers, const isa::LaneBytes& written) const;

    const isa::Program::Code& code_;
    std::uint32_t bytes_ = 0;  ///< of the registers that the program names
    std::map<isa::Line, isa::LaneBytes> indirect_;
    std::map<isa::Line, Block> blocks_;
    SlotsByLine behind_;
    SlotsByLine behindForAll_;
    Readers waiting_;  ///< of lanes that are off, wherever they wait
    isa::StateSlots awaited_;
    std::vector<bool> losing_;                        ///< by line
    std::vector<std::vector<std::uint32_t>> ending_;  ///< places, by line
};

}  // namespace zetl::emulator::translate
