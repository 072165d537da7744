#include "core/frame_table.h"

#include <dwarf.h>

#include <algorithm>

#include "core/byte_reader.h"

namespace zetl::debugger {
namespace {

/// Marks a 64-bit length that follows, and, in place of the offset of the common part, a common part itself.
constexpr std::uint32_t kEscape = 0xffffffff;
constexpr std::uint64_t kLongCommonEntry = UINT64_MAX;

/// Executes the instructions up to an address.
class FrameProgram {
  public:
    FrameProgram(std::uint64_t codeFactor, std::int64_t offsetFactor, std::uint64_t start, std::uint64_t wanted)
        : codeFactor_(codeFactor), offsetFactor_(offsetFactor), at_(start), wanted_(wanted) {}

    void run(std::span<const std::uint8_t> program, FrameRow& row) {
        ByteReader in(program);
        while (!in.atEnd() && at_ <= wanted_) step(in, row);
    }
    void remember(const FrameRow& row) { initial_ = row; }

  private:
    using Kind = FrameRule::Kind;

    void step(ByteReader& in, FrameRow& row) {
        const auto op = in.u8();
        const unsigned low = op & 0x3fu;
        switch (op & 0xc0u) {
            case DW_CFA_advance_loc:
                at_ += low * codeFactor_;
                return;
            case DW_CFA_offset:
                row.registers[low] = atOffset(in);
                return;
            case DW_CFA_restore:
                row.registers[low] = initial_.registers[low];
                return;
            default:
                break;
        }
        if (!advance(op, in) && !canonical(op, in, row) && !rule(op, in, row) && !keep(op, row) && op != DW_CFA_nop)
            fail("an unknown instruction {:#x} in .debug_frame", op);
    }
    bool advance(std::uint8_t op, ByteReader& in) {
        switch (op) {
            case DW_CFA_set_loc:
                at_ = in.u64();
                return true;
            case DW_CFA_advance_loc1:
                at_ += in.u8() * codeFactor_;
                return true;
            case DW_CFA_advance_loc2:
                at_ += in.u16() * codeFactor_;
                return true;
            case DW_CFA_advance_loc4:
                at_ += in.u32() * codeFactor_;
                return true;
            default:
                return false;
        }
    }
    /// Defines the canonical frame address: Intel's newer compilers by expressions, NVIDIA's by a register.
    static bool canonical(std::uint8_t op, ByteReader& in, FrameRow& row) {
        switch (op) {
            case DW_CFA_def_cfa:
                row.baseRegister = in.uleb();
                row.baseOffset = in.uleb();
                return true;
            case DW_CFA_def_cfa_register:
                row.baseRegister = in.uleb();
                return true;
            case DW_CFA_def_cfa_offset:
                row.baseOffset = in.uleb();
                return true;
            case DW_CFA_def_cfa_expression:
                row.canonical = expression(Kind::computed, in).expression;
                return true;
            default:
                return false;
        }
    }
    bool rule(std::uint8_t op, ByteReader& in, FrameRow& row) const {
        if (op != DW_CFA_undefined && op != DW_CFA_same_value && op != DW_CFA_offset_extended &&
            op != DW_CFA_register && op != DW_CFA_expression && op != DW_CFA_val_expression)
            return false;
        const auto number = static_cast<unsigned>(in.uleb());
        auto& rule = row.registers[number];
        switch (op) {
            case DW_CFA_undefined:
                rule = {.kind = Kind::undefined};
                break;
            case DW_CFA_same_value:
                rule = {.kind = Kind::same};
                break;
            case DW_CFA_offset_extended:
                rule = atOffset(in);
                break;
            case DW_CFA_register:
                rule = {.kind = Kind::inRegister, .number = static_cast<unsigned>(in.uleb())};
                break;
            case DW_CFA_expression:
                rule = expression(Kind::atExpression, in);
                break;
            default:
                rule = expression(Kind::computed, in);
                break;
        }
        return true;
    }
    bool keep(std::uint8_t op, FrameRow& row) {
        if (op == DW_CFA_remember_state) {
            kept_.push_back(row);
            return true;
        }
        if (op != DW_CFA_restore_state || kept_.empty()) return false;
        row = kept_.back();
        kept_.pop_back();
        return true;
    }
    static FrameRule expression(Kind kind, ByteReader& in) {
        const auto bytes = in.take(in.uleb());
        return {.kind = kind, .expression = {bytes.begin(), bytes.end()}};
    }
    FrameRule atOffset(ByteReader& in) const {
        return {.kind = Kind::atOffset, .offset = static_cast<std::int64_t>(in.uleb()) * offsetFactor_};
    }

    const std::uint64_t codeFactor_;
    const std::int64_t offsetFactor_;
    std::uint64_t at_;
    const std::uint64_t wanted_;
    FrameRow initial_;
    std::vector<FrameRow> kept_;
};

}  // namespace

FrameTable::FrameTable(std::span<const std::uint8_t> section) {
    try {
        read(section);
    } catch (const Failure&) {  // keep what was read before the damage
    }
}

void FrameTable::read(std::span<const std::uint8_t> section) {
    ByteReader in(section);
    while (!in.atEnd()) {
        const auto offset = in.position();
        const auto shortLength = in.u32();
        const bool isLong = shortLength == kEscape;
        const auto body = in.take(isLong ? in.u64() : shortLength);
        ByteReader entry(body);
        const auto common = isLong ? entry.u64() : entry.u32();
        if (common == (isLong ? kLongCommonEntry : kEscape)) {
            commons_[offset] = commonFrom(body.subspan(entry.position()));
            continue;
        }
        const auto begin = entry.u64();
        const auto bytes = entry.u64();
        entries_.push_back({begin, bytes, common, body.subspan(entry.position())});
    }
}

FrameTable::Common FrameTable::commonFrom(std::span<const std::uint8_t> body) {
    constexpr std::uint8_t kVersionWithSizes = 4;
    ByteReader in(body);
    const auto version = in.u8();
    while (in.u8() != 0) {
    }
    if (version >= kVersionWithSizes) in.take(2);
    Common common;
    common.codeFactor = in.uleb();
    common.offsetFactor = in.sleb();
    common.returnRegister = version == 1 ? in.u8() : static_cast<unsigned>(in.uleb());
    common.program = body.subspan(in.position());
    return common;
}

std::optional<FrameRow> FrameTable::at(std::uint64_t address) const try {
    const auto entry = std::ranges::find_if(
        entries_, [&](const Entry& each) { return address - each.begin < each.bytes && address >= each.begin; });
    if (entry == entries_.end() || !commons_.contains(entry->common)) return std::nullopt;
    const auto& common = commons_.at(entry->common);
    FrameRow row;
    row.returnRegister = common.returnRegister;
    FrameProgram program(common.codeFactor, common.offsetFactor, entry->begin, address);
    program.run(common.program, row);
    program.remember(row);
    program.run(entry->program, row);
    return row;
} catch (const Failure&) {
    return std::nullopt;
}

}  // namespace zetl::debugger
