// Loads and stores of threads of a group, all of whose lanes are on.
#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "emulator/translate/group/planned_step.h"
#include "emulator/translate/messages/access.h"
#include "emulator/translate/messages/block.h"
#include "emulator/translate/messages/lanes.h"

namespace zetl::emulator::translate {

class GroupMessages : Part {
  public:
    GroupMessages(HostCode& host, MessageAccess& access, LaneMessages& lanes, BlockMessages& blocks)
        : Part(host), access_(access), lanes_(lanes), blocks_(blocks) {}

    /// The limits of addresses lie on the stack from there on.
    void findLimits(const GroupPlan& plan, std::int32_t place);
    std::int32_t limitBytes() const noexcept { return 8 * static_cast<std::int32_t>(limits_.size()); }
    /// Jumps if one of the accesses fits nowhere.
    void storeLimits(const Label& none);
    Mem limitOf(const Step& m, const Meaning& what) const;

    /// A load or store of all lanes; threads for which it is refused go elsewhere.
    bool access(const PlannedStep& step, const Label& refused);
    /// A block of global memory, whose address is where the message says.
    void loadBlock(const Step& m, const Label& refused);
    void loadBlockAtRax(const Step& m, const Label& refused);
    void findInLimit(const Step& m, const Meaning& what, const Label& refused);
    /// The same of all lanes of an access, whose offsets from the window's begin are in zmm1 to zmm4 then.
    void findAllInLimit(const Step& m, const Meaning& what, const std::vector<Zmm>& addresses, const Label& refused);
    std::vector<Zmm> addressesOf(const Step& m);
    /// Forgets what loads expect, for another loop, in which lanes of several elements may stay in memory's order
    /// (keepsMemoryOrder): none may lie apart then.
    void beginLoop(bool inMemoryOrder) {
        expected_ = 0;
        inMemoryOrder_ = inMemoryOrder;
    }
    void expect(std::uint32_t bytes, bool leads);
    void moveRun(const Step& m, const Meaning& what, const std::vector<Zmm>& data);
    std::vector<Zmm> dataOfRun(const Step& m, const Meaning& what);
    /// Traffic of one thread, by cell.
    const std::map<std::size_t, std::int32_t>& traffic() const noexcept { return traffic_; }

  private:
    /// Registers of a message that threads of a group move.
    struct GroupLanes {
        std::array<Zmm, 2> distance;  ///< of lanes with successive addresses, from the first of eight and of sixteen
        std::vector<Zmm> addresses;
        std::vector<Zmm> data;
    };
    Lanes16 lanesOf(const Step& m, const Meaning& what) const;
    void moveApart(const Step& m, const Meaning& what, const GroupLanes& lanes, const Label& done,
                   const Label& refused);
    void moveLanes(const Meaning& what, const GroupLanes& lanes, std::uint32_t component, std::uint32_t components);
    void moveEights(const Meaning& what, const GroupLanes& lanes, const Label& done);
    void unlessRunning(const GroupLanes& lanes, std::uint32_t bytes, const Label& otherwise);

    MessageAccess& access_;
    LaneMessages& lanes_;
    BlockMessages& blocks_;
    std::int32_t limitsAt_ = 0;
    std::map<std::pair<std::int32_t, std::uint32_t>, std::int32_t> limits_;  ///< by window and bytes of an access
    std::map<std::size_t, std::int32_t> traffic_;
    bool inMemoryOrder_ = false;
    std::uint32_t expected_ = 0;  ///< entries of Thread::expected that have been given to loads
};

}  // namespace zetl::emulator::translate
