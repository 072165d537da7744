#include "emulator/translate/assembler/vex.h"

#include <cstring>

#include "emulator/translate/assembler/instruction_table.h"

namespace zetl::emulator::translate::avx2 {

using namespace asmjit::x86;
using asmjit::Operand_;

namespace {

enum class Prefix : std::uint8_t { none, x66, xF3 };
enum class Map : std::uint8_t { x0F = 1, x0F38, x0F3A };
/// Which operand is where: in the field of registers (r), of registers or memory (m), in the prefix (v), behind (i).
enum class Shape : std::uint8_t {
    rvm,
    rvmi,
    rvmr,  ///< the last one is a register, behind
    rm,
    rmi,
    mri,
    move,   ///< rm, or to memory: mr
    shift,  ///< vmi
};
struct Vex {
    asmjit::InstId id;
    Shape shape;
    Prefix prefix;
    Map map;
    std::uint8_t opcode;
    bool wide = false;
    std::uint8_t extension = 0;  ///< in the field of registers, of a shift
};
constexpr Vex kVex[] = {
    {Inst::kIdVpaddw, Shape::rvm, Prefix::x66, Map::x0F, 0xfd},
    {Inst::kIdVpaddd, Shape::rvm, Prefix::x66, Map::x0F, 0xfe},
    {Inst::kIdVpaddq, Shape::rvm, Prefix::x66, Map::x0F, 0xd4},
    {Inst::kIdVpsubd, Shape::rvm, Prefix::x66, Map::x0F, 0xfa},
    {Inst::kIdVpsubq, Shape::rvm, Prefix::x66, Map::x0F, 0xfb},
    {Inst::kIdVpand, Shape::rvm, Prefix::x66, Map::x0F, 0xdb},
    {Inst::kIdVpandn, Shape::rvm, Prefix::x66, Map::x0F, 0xdf},
    {Inst::kIdVpor, Shape::rvm, Prefix::x66, Map::x0F, 0xeb},
    {Inst::kIdVpxor, Shape::rvm, Prefix::x66, Map::x0F, 0xef},
    {Inst::kIdVpcmpeqb, Shape::rvm, Prefix::x66, Map::x0F, 0x74},
    {Inst::kIdVpcmpeqw, Shape::rvm, Prefix::x66, Map::x0F, 0x75},
    {Inst::kIdVpcmpeqd, Shape::rvm, Prefix::x66, Map::x0F, 0x76},
    {Inst::kIdVpcmpgtd, Shape::rvm, Prefix::x66, Map::x0F, 0x66},
    {Inst::kIdVpmuludq, Shape::rvm, Prefix::x66, Map::x0F, 0xf4},
    {Inst::kIdVpackssdw, Shape::rvm, Prefix::x66, Map::x0F, 0x6b},
    {Inst::kIdVpacksswb, Shape::rvm, Prefix::x66, Map::x0F, 0x63},
    {Inst::kIdVpackuswb, Shape::rvm, Prefix::x66, Map::x0F, 0x67},
    {Inst::kIdVpmaddwd, Shape::rvm, Prefix::x66, Map::x0F, 0xf5},
    {Inst::kIdVpmulld, Shape::rvm, Prefix::x66, Map::x0F38, 0x40},
    {Inst::kIdVpminsd, Shape::rvm, Prefix::x66, Map::x0F38, 0x39},
    {Inst::kIdVpminud, Shape::rvm, Prefix::x66, Map::x0F38, 0x3b},
    {Inst::kIdVpmaxsd, Shape::rvm, Prefix::x66, Map::x0F38, 0x3d},
    {Inst::kIdVpmaxud, Shape::rvm, Prefix::x66, Map::x0F38, 0x3f},
    {Inst::kIdVpsllvd, Shape::rvm, Prefix::x66, Map::x0F38, 0x47},
    {Inst::kIdVpsrlvd, Shape::rvm, Prefix::x66, Map::x0F38, 0x45},
    {Inst::kIdVpsravd, Shape::rvm, Prefix::x66, Map::x0F38, 0x46},
    {Inst::kIdVpcmpeqq, Shape::rvm, Prefix::x66, Map::x0F38, 0x29},
    {Inst::kIdVpcmpgtq, Shape::rvm, Prefix::x66, Map::x0F38, 0x37},
    {Inst::kIdVpmuldq, Shape::rvm, Prefix::x66, Map::x0F38, 0x28},
    {Inst::kIdVpackusdw, Shape::rvm, Prefix::x66, Map::x0F38, 0x2b},
    {Inst::kIdVpshufb, Shape::rvm, Prefix::x66, Map::x0F38, 0x00},
    {Inst::kIdVpermd, Shape::rvm, Prefix::x66, Map::x0F38, 0x36},
    {Inst::kIdVfmadd231ps, Shape::rvm, Prefix::x66, Map::x0F38, 0xb8},
    {Inst::kIdVpmaskmovd, Shape::rvm, Prefix::x66, Map::x0F38, 0x8c},
    {Inst::kIdVpsllvq, Shape::rvm, Prefix::x66, Map::x0F38, 0x47, true},
    {Inst::kIdVpsrlvq, Shape::rvm, Prefix::x66, Map::x0F38, 0x45, true},
    {Inst::kIdVfmadd231pd, Shape::rvm, Prefix::x66, Map::x0F38, 0xb8, true},
    {Inst::kIdVpmaskmovq, Shape::rvm, Prefix::x66, Map::x0F38, 0x8c, true},
    {Inst::kIdVaddps, Shape::rvm, Prefix::none, Map::x0F, 0x58},
    {Inst::kIdVaddpd, Shape::rvm, Prefix::x66, Map::x0F, 0x58},
    {Inst::kIdVsubps, Shape::rvm, Prefix::none, Map::x0F, 0x5c},
    {Inst::kIdVsubpd, Shape::rvm, Prefix::x66, Map::x0F, 0x5c},
    {Inst::kIdVmulps, Shape::rvm, Prefix::none, Map::x0F, 0x59},
    {Inst::kIdVmulpd, Shape::rvm, Prefix::x66, Map::x0F, 0x59},
    {Inst::kIdVdivps, Shape::rvm, Prefix::none, Map::x0F, 0x5e},
    {Inst::kIdVdivpd, Shape::rvm, Prefix::x66, Map::x0F, 0x5e},
    {Inst::kIdVminps, Shape::rvm, Prefix::none, Map::x0F, 0x5d},
    {Inst::kIdVminpd, Shape::rvm, Prefix::x66, Map::x0F, 0x5d},
    {Inst::kIdVmaxps, Shape::rvm, Prefix::none, Map::x0F, 0x5f},
    {Inst::kIdVmaxpd, Shape::rvm, Prefix::x66, Map::x0F, 0x5f},
    {Inst::kIdVshufps, Shape::rvmi, Prefix::none, Map::x0F, 0xc6},
    {Inst::kIdVcmpps, Shape::rvmi, Prefix::none, Map::x0F, 0xc2},
    {Inst::kIdVcmppd, Shape::rvmi, Prefix::x66, Map::x0F, 0xc2},
    {Inst::kIdVinserti128, Shape::rvmi, Prefix::x66, Map::x0F3A, 0x38},
    {Inst::kIdVblendvps, Shape::rvmr, Prefix::x66, Map::x0F3A, 0x4a},
    {Inst::kIdVblendvpd, Shape::rvmr, Prefix::x66, Map::x0F3A, 0x4b},
    {Inst::kIdVpblendvb, Shape::rvmr, Prefix::x66, Map::x0F3A, 0x4c},
    {Inst::kIdVmovdqu, Shape::move, Prefix::xF3, Map::x0F, 0x6f},
    {Inst::kIdVmovdqa, Shape::move, Prefix::x66, Map::x0F, 0x6f},
    {Inst::kIdVpmovsxbw, Shape::rm, Prefix::x66, Map::x0F38, 0x20},
    {Inst::kIdVpmovzxbw, Shape::rm, Prefix::x66, Map::x0F38, 0x30},
    {Inst::kIdVpmovsxbd, Shape::rm, Prefix::x66, Map::x0F38, 0x21},
    {Inst::kIdVpmovzxbd, Shape::rm, Prefix::x66, Map::x0F38, 0x31},
    {Inst::kIdVpmovsxbq, Shape::rm, Prefix::x66, Map::x0F38, 0x22},
    {Inst::kIdVpmovzxbq, Shape::rm, Prefix::x66, Map::x0F38, 0x32},
    {Inst::kIdVpmovsxwd, Shape::rm, Prefix::x66, Map::x0F38, 0x23},
    {Inst::kIdVpmovzxwd, Shape::rm, Prefix::x66, Map::x0F38, 0x33},
    {Inst::kIdVpmovsxwq, Shape::rm, Prefix::x66, Map::x0F38, 0x24},
    {Inst::kIdVpmovzxwq, Shape::rm, Prefix::x66, Map::x0F38, 0x34},
    {Inst::kIdVpmovsxdq, Shape::rm, Prefix::x66, Map::x0F38, 0x25},
    {Inst::kIdVpmovzxdq, Shape::rm, Prefix::x66, Map::x0F38, 0x35},
    {Inst::kIdVpbroadcastb, Shape::rm, Prefix::x66, Map::x0F38, 0x78},
    {Inst::kIdVpbroadcastw, Shape::rm, Prefix::x66, Map::x0F38, 0x79},
    {Inst::kIdVpbroadcastd, Shape::rm, Prefix::x66, Map::x0F38, 0x58},
    {Inst::kIdVpbroadcastq, Shape::rm, Prefix::x66, Map::x0F38, 0x59},
    {Inst::kIdVptest, Shape::rm, Prefix::x66, Map::x0F38, 0x17},
    {Inst::kIdVpabsd, Shape::rm, Prefix::x66, Map::x0F38, 0x1e},
    {Inst::kIdVcvtdq2ps, Shape::rm, Prefix::none, Map::x0F, 0x5b},
    {Inst::kIdVcvttps2dq, Shape::rm, Prefix::xF3, Map::x0F, 0x5b},
    {Inst::kIdVsqrtps, Shape::rm, Prefix::none, Map::x0F, 0x51},
    {Inst::kIdVpmovmskb, Shape::rm, Prefix::x66, Map::x0F, 0xd7},
    {Inst::kIdVmovmskps, Shape::rm, Prefix::none, Map::x0F, 0x50},
    {Inst::kIdVmovmskpd, Shape::rm, Prefix::x66, Map::x0F, 0x50},
    {Inst::kIdVpshufd, Shape::rmi, Prefix::x66, Map::x0F, 0x70},
    {Inst::kIdVpermq, Shape::rmi, Prefix::x66, Map::x0F3A, 0x00, true},
    {Inst::kIdVextracti128, Shape::mri, Prefix::x66, Map::x0F3A, 0x39},
    {Inst::kIdVpsllw, Shape::shift, Prefix::x66, Map::x0F, 0x71, false, 6},
    {Inst::kIdVpsrlw, Shape::shift, Prefix::x66, Map::x0F, 0x71, false, 2},
    {Inst::kIdVpsraw, Shape::shift, Prefix::x66, Map::x0F, 0x71, false, 4},
    {Inst::kIdVpslld, Shape::shift, Prefix::x66, Map::x0F, 0x72, false, 6},
    {Inst::kIdVpsllq, Shape::shift, Prefix::x66, Map::x0F, 0x73, false, 6},
    {Inst::kIdVpsrld, Shape::shift, Prefix::x66, Map::x0F, 0x72, false, 2},
    {Inst::kIdVpsrlq, Shape::shift, Prefix::x66, Map::x0F, 0x73, false, 2},
    {Inst::kIdVpsrad, Shape::shift, Prefix::x66, Map::x0F, 0x72, false, 4},
    {Inst::kIdVpsrldq, Shape::shift, Prefix::x66, Map::x0F, 0x73, false, 3},
};
constexpr InstructionTable kVexTable(kVex);

/// The operands by their places.
struct Fields {
    const Operand_* memory;  ///< or a register
    std::uint32_t reg;
    std::uint32_t prefixed = 0;
    std::uint32_t opcode;
    const Operand_* behind = nullptr;  ///< of which a byte is made, if it is one
};

Fields fieldsOf(const Vex& v, const VexOperands& o) noexcept {
    switch (v.shape) {
        case Shape::rvm:
            return {.memory = o[2], .reg = o[0]->id(), .prefixed = o[1]->id(), .opcode = v.opcode};
        case Shape::rvmi:
        case Shape::rvmr:
            return {.memory = o[2], .reg = o[0]->id(), .prefixed = o[1]->id(), .opcode = v.opcode, .behind = o[3]};
        case Shape::shift:
            return {.memory = o[1], .reg = v.extension, .prefixed = o[0]->id(), .opcode = v.opcode, .behind = o[2]};
        case Shape::mri:
            return {.memory = o[0], .reg = o[1]->id(), .opcode = v.opcode, .behind = o[2]};
        case Shape::rmi:
            return {.memory = o[1], .reg = o[0]->id(), .opcode = v.opcode, .behind = o[2]};
        case Shape::move:
            if (o[0]->isMem()) return {.memory = o[0], .reg = o[1]->id(), .opcode = v.opcode + 0x10u};
            break;
        case Shape::rm:
            break;
    }
    return {.memory = o[1], .reg = o[0]->id(), .opcode = v.opcode};
}
/// Whether asmjit makes the same of it: these operands, vectors where they have to be, memory without an index.
bool isKnown(const Vex& v, const VexOperands& o, const Fields& f) noexcept {
    const auto isVector = [](const Operand_* operand) { return operand->isReg() && operand->as<Reg>().isVec(); };
    const auto isPlain = [](const Mem& m) {
        return !m.hasIndex() && !m.hasSegment() && (m.hasBaseLabel() || m.hasBaseReg());
    };
    if (f.memory->isMem() ? !isPlain(f.memory->as<Mem>()) : !isVector(f.memory)) return false;
    if ((o[0]->isMem() && f.memory != o[0]) || (o[1]->isMem() && f.memory != o[1])) return false;
    if (v.shape == Shape::rvmr) return isVector(f.behind);
    if (v.shape == Shape::shift && !isVector(o[1])) return false;
    return f.behind == nullptr || f.behind->isImm();
}

std::uint8_t* dword(std::uint8_t* at, std::int32_t value) noexcept {
    std::memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

/// Prefix, opcode and how the operand that may be memory is found, without what lies behind the latter's byte.
std::uint8_t* begin(std::uint8_t* at, const Vex& v, const Fields& f, std::uint32_t base, std::uint32_t mode,
                    bool is256) noexcept {
    const std::uint32_t low = (~f.prefixed & 15) << 3 | (is256 ? 4 : 0) | static_cast<std::uint32_t>(v.prefix);
    const std::uint32_t r = f.reg < 8 ? 0x80 : 0;
    const std::uint32_t how = mode | (f.reg & 7) << 3 | (base & 7);
    if (base < 8 && !v.wide && v.map == Map::x0F)
        return dword(at, static_cast<std::int32_t>(0xc5 | (r | low) << 8 | f.opcode << 16 | how << 24));
    const std::uint32_t high = r | 0x40 | (base < 8 ? 0x20 : 0) | static_cast<std::uint32_t>(v.map);
    at = dword(at, static_cast<std::int32_t>(0xc4 | high << 8 | ((v.wide ? 0x80 : 0) | low) << 16 | f.opcode << 24));
    *at = static_cast<std::uint8_t>(how);
    return at + 1;
}

}  // namespace

std::uint8_t* encodeVex(asmjit::InstId id, const VexOperands& operands, std::uint8_t* at,
                        std::uint8_t*& labelAt) noexcept {
    constexpr std::uint32_t kRegister = 0xc0;
    constexpr std::uint32_t kByte = 0x40;
    constexpr std::uint32_t kDword = 0x80;
    constexpr std::uint32_t kStack = 4;  // asks for a byte more
    constexpr std::uint32_t kFrame = 5;  // without a distance it is the place of the code
    const Vex* const v = kVexTable.find(id);
    if (v == nullptr) return nullptr;
    const Fields f = fieldsOf(*v, operands);
    if (!isKnown(*v, operands, f)) return nullptr;
    const bool is256 = Reg::isYmm(*operands[0]) || Reg::isYmm(*operands[1]);
    if (f.memory->isReg()) {
        at = begin(at, *v, f, f.memory->id(), kRegister, is256);
    } else if (const auto& m = f.memory->as<Mem>(); m.hasBaseLabel()) {
        at = begin(at, *v, f, kFrame, 0, is256);
        labelAt = at;
        at = dword(at, m.offsetLo32());
    } else {
        const std::int32_t distance = m.offsetLo32();
        const std::uint32_t base = m.baseId();
        const bool isByte = distance == static_cast<std::int8_t>(distance);
        const std::uint32_t mode = distance == 0 && (base & 7) != kFrame ? 0 : isByte ? kByte : kDword;
        at = begin(at, *v, f, base, mode, is256);
        if ((base & 7) == kStack) *at++ = 0x24;
        if (mode != 0) {
            dword(at, distance);
            at += isByte ? 1 : sizeof distance;
        }
    }
    if (f.behind == nullptr) return at;
    const std::uint32_t last =
        v->shape == Shape::rvmr ? f.behind->id() << 4 : static_cast<std::uint32_t>(f.behind->as<asmjit::Imm>().value());
    *at = static_cast<std::uint8_t>(last);
    return at + 1;
}

std::size_t vexCount() noexcept { return std::size(kVex); }
asmjit::InstId vexId(std::size_t number) noexcept { return kVex[number].id; }

}  // namespace zetl::emulator::translate::avx2
