// All families of steps, and the table that says which class translates which.
#pragma once

#include "emulator/translate/lanes/compute.h"
#include "emulator/translate/lanes/convert.h"
#include "emulator/translate/lanes/flags.h"
#include "emulator/translate/lanes/regions.h"
#include "emulator/translate/lanes/retire.h"
#include "emulator/translate/messages/access.h"
#include "emulator/translate/messages/atomic.h"
#include "emulator/translate/messages/block.h"
#include "emulator/translate/messages/lanes.h"

namespace zetl::emulator::translate {

struct Families {
    explicit Families(HostCode& host)
        : comparisons(host),
          arithmetic(host, comparisons),
          conversions(host),
          stores(host),
          regions(host),
          access(host),
          lanes(host, access),
          blocks(host, access),
          atomics(host, access) {}

    /// Emits the step. Emits nothing and returns false if its family does not know its form; the code then calls the
    /// step's handler.
    bool emit(const Step& m, const Meaning& what);

    Comparisons comparisons;
    Arithmetic arithmetic;
    Conversions conversions;
    Stores stores;
    Regions regions;
    MessageAccess access;
    LaneMessages lanes;
    BlockMessages blocks;
    Atomics atomics;
};

}  // namespace zetl::emulator::translate
