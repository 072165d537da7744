#include "isa/xe/scoreboard.h"

#include <algorithm>

namespace zetl::isa::xe {
namespace {

using Distance = Scoreboard::Distance;
using Token = Scoreboard::Token;

// Bits 9:8: 0 means that either a distance or a token is given; otherwise both are.
constexpr std::uint32_t kTokenForm = 0x80;

Scoreboard single(std::uint32_t bits) noexcept {
    constexpr Token kUses[] = {Token::written, Token::read, Token::set, Token::none};
    Scoreboard s;
    if ((bits & kTokenForm) != 0) {
        s.token = kUses[bits >> 5 & 3];
        s.number = bits & 31;
        return s;
    }
    constexpr std::uint32_t kLastPipe = 6;
    const std::uint32_t pipe = bits >> 3 & 15;
    s.distance = bits & 7;
    if (s.distance == 0 || pipe > kLastPipe) return {};
    s.in = pipe == 0 ? Distance::own : pipe == 1 ? Distance::all : Distance::named;
    if (pipe >= 2) s.pipe = static_cast<InOrderPipe>(pipe - 2);
    return s;
}

/// Messages and matrix operations set the token they name; the two bits tell the pipe of the distance.
Scoreboard both(std::uint32_t bits, bool sets) noexcept {
    const std::uint32_t mode = bits >> 8;
    Scoreboard s;
    s.distance = bits >> 5 & 7;
    s.number = bits & 31;
    if (sets) {
        s.token = Token::set;
        s.in = mode == 1 ? Distance::all : Distance::named;
        s.pipe = mode == 2 ? InOrderPipe::real : InOrderPipe::integer;
    } else {
        s.token = mode == 2 ? Token::read : Token::written;
        s.in = mode == 3 ? Distance::all : Distance::own;
    }
    return s;
}

}  // namespace

Scoreboard scoreboardOf(const Instruction& in) noexcept {
    const std::uint32_t bits = in.scoreboard;
    if (bits >> 8 == 0) return single(bits);
    const bool sets = isSend(in.opcode) || in.opcode == Opcode::dpas || in.opcode == Opcode::bdpas;
    return both(bits, sets);
}

InOrderPipe pipeOf(const Instruction& in) noexcept {
    if (in.opcode == Opcode::math) return InOrderPipe::math;
    if (in.destination.isArf(ArchitectureRegister::scalar)) return InOrderPipe::scalar;
    const auto wide = [](const Operand& o) { return o.kind != Operand::Kind::none && byteSize(o.type) == 8; };
    if (wide(in.destination) || std::any_of(in.source.begin(), in.source.begin() + in.sources, wide))
        return InOrderPipe::wide;
    return isReal(in.destination.type) ? InOrderPipe::real : InOrderPipe::integer;
}

}  // namespace zetl::isa::xe
