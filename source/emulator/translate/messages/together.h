// Both halves of a message of thirty-two lanes, where all run on: one find for both.
#pragma once

#include <vector>

#include "emulator/translate/messages/access.h"

namespace zetl::emulator::translate {

class Together : Part {
  public:
    Together(HostCode& host, MessageAccess& access) : Part(host), access_(access) {}

    bool movesTogether(const Lanes16& l, std::uint32_t chunks) const;
    SecondHalf secondHalf(Lanes16 l, bool write, const Label& done);
    void moveTogether(const Lanes16& l, const std::vector<Zmm>& first, bool write);

  private:
    void unlessBehind(const Lanes16& l, const Label& otherwise);

    MessageAccess& access_;
};

}  // namespace zetl::emulator::translate
