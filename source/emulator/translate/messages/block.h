// Loads and stores of blocks: one address, one check, whole registers.
#pragma once

#include "emulator/translate/messages/access.h"

namespace zetl::emulator::translate {

class BlockMessages : Part {
  public:
    BlockMessages(HostCode& host, MessageAccess& access) : Part(host), access_(access) {}

    bool access(const Step& m);
    /// Loads the block whose address is in rax; without counting its bytes.
    void load(const isa::BlockAccess& access, const Area& area, const Label& refused);

  private:
    void move(const isa::BlockAccess& access);
    bool loadHome(std::uint32_t place, const Mem& memory, std::uint32_t bytes);
    bool accessIfOn(const Step& m, const isa::BlockAccess& access);
    void find(const Step& m, const isa::BlockAccess& access, bool held, const Label& refused);

    MessageAccess& access_;
};

}  // namespace zetl::emulator::translate
