// Parts of decoding that the files of the formats share.
#pragma once

#include "isa/xe/architecture.h"
#include "isa/xe/instruction.h"
#include "isa/xe/word.h"

namespace zetl::isa::xe {

/// A register operand; `byte` is its place in the register, `number` that of the encoding.
void setRegister(Operand& o, const Architecture& architecture, DataType type, std::uint64_t number, std::uint64_t byte,
                 bool grf);
/// The type that a code of three bits means beside the bit that says whether operands are real.
DataType ternaryType(std::uint64_t code, bool real);

void decodeSend(const Word& w, const Architecture& architecture, Instruction& in);
/// send with 47 bits of descriptor and parts of it in the scalar register.
void decodeGeneralSend(const Word& w, const Architecture& architecture, Instruction& in);

void decodeSystolic(const Word& w, const Architecture& architecture, Instruction& in);

}  // namespace zetl::isa::xe
