#include <fmt/format.h>

#include "instrumentation/xe/table_rewrite.h"

namespace zetl::instrumentation {
namespace {

constexpr const char* kLineSection = ".debug_line";
constexpr std::uint32_t kLongFormat = 0xfffffff0;
constexpr std::uint16_t kFirstVersion = 2;
constexpr std::uint16_t kLastVersion = 5;
constexpr std::uint16_t kVersionWithOperations = 4;
constexpr std::uint16_t kVersionWithSizes = 5;

enum Standard : std::uint8_t {
    kExtended = 0,
    kCopyRow = 1,
    kAdvanceAddress = 2,
    kAdvanceLine = 3,
    kConstantAddress = 8,
    kFixedAdvance = 9,
};
enum Extended : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };

/// Rewrites unit after unit: whatever advances the address is replaced by an advance of the new distance.
class LineTable : TableRewrite {
  public:
    using TableRewrite::TableRewrite;

    binary::Outcome<MovedTable> run() {
        do
            if (auto error = unit()) return *std::move(error);
        while (!in_.atEnd());
        return std::move(out_);
    }

  private:
    std::uint64_t end_ = 0;
    std::uint8_t unit_ = 1;
    std::uint8_t range_ = 1;
    std::uint8_t firstSpecial_ = 1;
    std::int8_t lineBase_ = 0;
    std::vector<std::uint8_t> operands_;  ///< how many numbers follow each standard opcode
    const Movement* movement_ = nullptr;
    /// the address before and behind the move; the second as written so far
    std::uint64_t old_ = 0;
    std::uint64_t new_ = 0;

    std::optional<binary::Error> unit() {
        const std::uint64_t from = in_.position();
        const std::uint64_t start = out_.bytes.size();
        out_.starts[from] = start;
        operands_.clear();
        movement_ = nullptr;
        old_ = 0;
        new_ = 0;
        if (auto error = readHeader()) return error;
        keep(from, in_.position());
        while (in_.good() && in_.position() < end_) step();
        if (!in_.good() || in_.position() != end_) return binary::damaged(kLineSection, "the line program is cut off");
        if (out_.bytes.size() > UINT32_MAX) return binary::damaged(kLineSection, "the moved table is too long");
        storeFixed(out_.bytes, start, static_cast<std::uint32_t>(out_.bytes.size() - start - sizeof(std::uint32_t)));
        return std::nullopt;
    }

    std::optional<binary::Error> readHeader() {
        const auto length = in_.fixed<std::uint32_t>();
        if (length >= kLongFormat) return binary::damaged(kLineSection, "64-bit DWARF is not known");
        end_ = in_.position() + length;
        if (!in_.good() || end_ > view_.size()) return binary::damaged(kLineSection, "a unit is cut off");
        const auto version = in_.fixed<std::uint16_t>();
        if (version < kFirstVersion || version > kLastVersion)
            return binary::damaged(kLineSection, fmt::format("version {} is not known", version));
        if (version >= kVersionWithSizes) in_.skip(2);
        const auto program = in_.fixed<std::uint32_t>();
        const std::uint64_t start = in_.position() + program;
        unit_ = in_.fixed<std::uint8_t>();
        if (version >= kVersionWithOperations) in_.skip(1);
        in_.skip(1);
        lineBase_ = in_.fixed<std::int8_t>();
        range_ = in_.fixed<std::uint8_t>();
        firstSpecial_ = in_.fixed<std::uint8_t>();
        for (int opcode = 1; opcode < firstSpecial_; ++opcode) operands_.push_back(in_.fixed<std::uint8_t>());
        if (!in_.good() || range_ == 0 || unit_ == 0 || firstSpecial_ == 0 || start > end_ || start < in_.position())
            return binary::damaged(kLineSection, "the header contradicts itself");
        in_.skip(start - in_.position());
        return std::nullopt;
    }

    void step() {
        const std::uint64_t from = in_.position();
        const auto opcode = in_.fixed<std::uint8_t>();
        if (opcode >= firstSpecial_) return special(opcode);
        switch (opcode) {
            case kExtended:
                return extended(from);
            case kAdvanceAddress:
                old_ += in_.unsignedNumber() * unit_;
                return;
            case kConstantAddress:
                old_ += static_cast<std::uint64_t>((UINT8_MAX - firstSpecial_) / range_) * unit_;
                return;
            case kFixedAdvance:
                old_ += in_.fixed<std::uint16_t>();
                return;
            default:
                for (int i = 0; i < operands_[opcode - 1u]; ++i) in_.unsignedNumber();
                if (opcode == kCopyRow) advance();
                keep(from, in_.position());
        }
    }

    void special(std::uint8_t opcode) {
        const int adjusted = opcode - firstSpecial_;
        old_ += static_cast<std::uint64_t>(adjusted / range_) * unit_;
        advance();
        out_.bytes.push_back(kAdvanceLine);
        appendSigned(out_.bytes, lineBase_ + adjusted % range_);
        out_.bytes.push_back(kCopyRow);
    }

    void extended(std::uint64_t from) {
        const std::uint64_t length = in_.unsignedNumber();
        const std::uint64_t operation = in_.position();
        const auto opcode = in_.fixed<std::uint8_t>();
        if (length == 0) return;
        in_.skip(length - 1);
        if (!in_.good()) return;
        if (opcode == kEndSequence) advance();
        if (opcode == kSetAddress) setAddress(operation + 1, length - 1, from);
        keep(from, in_.position());
    }

    void setAddress(std::uint64_t operand, std::uint64_t bytes, std::uint64_t from) {
        const auto address = addressAt_(operand);
        movement_ = address ? address->movement : nullptr;
        old_ = address ? address->offset : bytes == sizeof(std::uint64_t) ? *view_.read<std::uint64_t>(operand) : 0;
        new_ = moved();
        out_.positions[operand] = out_.bytes.size() + (operand - from);
    }

    std::uint64_t moved() const {
        return movement_ && old_ <= UINT32_MAX ? movement_->target(static_cast<std::uint32_t>(old_)) : old_;
    }

    /// What rows come next belongs to the address reached.
    void advance() {
        if (moved() <= new_) return;
        out_.bytes.push_back(kAdvanceAddress);
        appendUnsigned(out_.bytes, (moved() - new_) / unit_);
        new_ = moved();
    }
};

}  // namespace

binary::Outcome<MovedTable> moveLineTable(binary::ByteView table, const AddressAt& addressAt) {
    return LineTable(table, addressAt).run();
}

}  // namespace zetl::instrumentation
