#include "emulator/isa/program.h"

#include "emulator/isa/code.h"

namespace zetl::emulator::isa {

Program::Program(std::unique_ptr<Code> code) : code_(std::move(code)) {}
Program::~Program() = default;

const Architecture& Program::architecture() const noexcept { return *code_->options.architecture; }
std::uint32_t Program::base() const noexcept { return code_->options.base; }
std::uint32_t Program::codeBytes() const noexcept { return code_->codeBytes; }
Line Program::lineCount() const noexcept { return code_->lines(); }
Line Program::lineAt(std::uint32_t ip) const noexcept { return code_->find(ip); }
std::uint32_t Program::ipOf(Line line) const noexcept { return code_->ipOf(line); }
const Instruction& Program::instruction(Line line) const noexcept { return code_->instructions[line]; }

}  // namespace zetl::emulator::isa
