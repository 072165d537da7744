// What lines read whose sources are registers that the address register names, as shuffles between lanes do.
#pragma once

#include <map>

#include "emulator/isa/code.h"
#include "emulator/isa/lane_bytes.h"
#include "emulator/translate/plan/survey.h"

namespace zetl::emulator::translate {

/// By line, for those of which it is known that they do not read all registers.
std::map<isa::Line, isa::LaneBytes> indirectReads(const isa::Program::Code& code, const Survey& survey);

}  // namespace zetl::emulator::translate
