#include <algorithm>
#include <array>
#include <string_view>

#include "instrumentation/xe/table_rewrite.h"

namespace zetl::instrumentation {
namespace {

constexpr const char* kFrameSection = ".debug_frame";
constexpr std::uint32_t kWideForm = ~0u;
constexpr std::uint8_t kHighBits = 0xc0;
constexpr std::uint8_t kAdvance = 0x40;
constexpr std::uint8_t kOffset = 0x80;
enum Operation : std::uint8_t { kNothing = 0, kSetLocation = 1, kAdvance1 = 2, kAdvance2 = 3, kAdvance4 = 4 };

/// What follows each operation: u and s numbers of any length, b a block, a an address, 1 2 4 bytes.
constexpr std::array<std::string_view, 0x17> kOperands = {"",   "a",  "1",  "2", "4",  "uu", "u", "u",
                                                          "u",  "uu", "",   "",  "uu", "u",  "u", "b",
                                                          "ub", "us", "us", "s", "uu", "us", "ub"};

class FrameTable : TableRewrite {
  public:
    FrameTable(binary::ByteView table, const AddressAt& addressAt, const ReferenceAt& referenceAt)
        : TableRewrite(table, addressAt), referenceAt_(referenceAt) {}

    binary::Outcome<MovedTable> run() {
        while (!in_.atEnd() && problem_.empty()) entry();
        if (problem_.empty() && !in_.good()) problem_ = "an entry is cut off";
        if (!problem_.empty()) return binary::damaged(kFrameSection, problem_);
        return std::move(out_);
    }

  private:
    const ReferenceAt& referenceAt_;
    std::string problem_;

    /// The lengths and references of one entry; the compiler writes them with 64 bits.
    struct Form {
        bool wide = false;
        std::uint64_t read(DwarfReader& in) const {
            return wide ? in.fixed<std::uint64_t>() : in.fixed<std::uint32_t>();
        }
        void append(std::vector<std::uint8_t>& bytes, std::uint64_t value) const {
            wide ? appendFixed(bytes, value) : appendFixed(bytes, static_cast<std::uint32_t>(value));
        }
        void store(std::vector<std::uint8_t>& bytes, std::uint64_t position, std::uint64_t value) const {
            wide ? storeFixed(bytes, position, value) : storeFixed(bytes, position, static_cast<std::uint32_t>(value));
        }
        std::uint64_t commonEntry() const { return wide ? ~0ull : UINT32_MAX; }
        std::uint64_t lengthBytes() const {
            return wide ? sizeof(std::uint32_t) + sizeof(std::uint64_t) : sizeof(std::uint32_t);
        }
    };

    void entry() {
        const std::uint64_t from = in_.position();
        out_.starts[from] = out_.bytes.size();
        Form form;
        std::uint64_t length = in_.fixed<std::uint32_t>();
        form.wide = length == kWideForm;
        if (form.wide) length = in_.fixed<std::uint64_t>();
        const std::uint64_t room = view_.size() - std::min<std::uint64_t>(in_.position(), view_.size());
        const std::uint64_t end = in_.position() + std::min(length, room);
        const std::uint64_t reference = in_.position();
        const std::uint64_t common = form.read(in_);
        if (!in_.good() || length > room || in_.position() > end) {
            problem_ = "an entry reaches beyond the table";
            return;
        }
        if (common == form.commonEntry())
            commonEntry(from, end);
        else
            frame(form, {from, reference, end}, referenceAt_(reference).value_or(common));
        in_ = DwarfReader(view_, end);
    }

    void commonEntry(std::uint64_t from, std::uint64_t end) {
        constexpr std::uint8_t kVersionWithSizes = 4;
        const auto version = in_.fixed<std::uint8_t>();
        while (in_.good() && in_.fixed<char>() != 0) continue;
        if (version >= kVersionWithSizes) in_.skip(2);
        if (in_.unsignedNumber() != 1) problem_ = "places are not counted in bytes";
        keep(from, end);
    }

    /// Places of a frame: its start, the reference to its common entry, its end.
    struct Extent {
        std::uint64_t from;
        std::uint64_t reference;
        std::uint64_t end;
    };

    void frame(const Form& form, const Extent& extent, std::uint64_t common) {
        const auto& [from, reference, end] = extent;
        const std::uint64_t operand = in_.position();
        const std::uint64_t start = out_.bytes.size();
        in_.fixed<std::uint64_t>();
        const auto range = in_.fixed<std::uint64_t>();
        const auto address = addressAt_(operand);
        if (!in_.good() || in_.position() > end || !out_.starts.contains(common)) {
            problem_ = "an entry contradicts itself";
            return;
        }
        out_.positions[reference] = start + (reference - from);
        out_.positions[operand] = start + (operand - from);
        if (!address || range > UINT32_MAX - address->offset) {
            keep(from, end);
            return form.store(out_.bytes, start + (reference - from), out_.starts[common]);
        }
        const auto target = [&](std::uint64_t old) {
            return address->movement->target(address->offset + static_cast<std::uint32_t>(old));
        };
        if (form.wide) appendFixed(out_.bytes, kWideForm);
        const std::uint64_t lengthAt = out_.bytes.size();
        const std::uint64_t body = start + form.lengthBytes();
        form.append(out_.bytes, 0);
        form.append(out_.bytes, out_.starts[common]);
        appendFixed<std::uint64_t>(out_.bytes, *view_.read<std::uint64_t>(operand));
        appendFixed<std::uint64_t>(out_.bytes, target(range) - target(0));
        operations(end, [&](std::uint64_t old) { return old <= range ? target(old) - target(0) : old; });
        constexpr std::uint64_t kAlignment = 8;
        while ((out_.bytes.size() - body) % kAlignment != 0) out_.bytes.push_back(kNothing);
        form.store(out_.bytes, lengthAt, out_.bytes.size() - body);
    }

    /// Advances of the place, which are in bytes, by what their distances are now; everything else as it is.
    template <class Moved>
    void operations(std::uint64_t end, Moved&& moved) {
        std::uint64_t place = 0;
        while (in_.good() && in_.position() < end && problem_.empty()) {
            const std::uint64_t from = in_.position();
            const auto operation = in_.fixed<std::uint8_t>();
            const std::uint64_t distance = advanceOf(operation);
            if (distance != kNoAdvance) {
                out_.bytes.push_back(kAdvance4);
                appendFixed(out_.bytes, static_cast<std::uint32_t>(moved(place + distance) - moved(place)));
                place += distance;
            } else {
                skipOperands(operation);
                if (in_.good() && in_.position() <= end) keep(from, in_.position());
            }
        }
        if (in_.position() != end && problem_.empty()) problem_ = "the operations of an entry are cut off";
    }

    static constexpr std::uint64_t kNoAdvance = ~0ull;
    std::uint64_t advanceOf(std::uint8_t operation) {
        if ((operation & kHighBits) == kAdvance) return operation & ~kHighBits;
        if (operation == kAdvance1) return in_.fixed<std::uint8_t>();
        if (operation == kAdvance2) return in_.fixed<std::uint16_t>();
        if (operation == kAdvance4) return in_.fixed<std::uint32_t>();
        return kNoAdvance;
    }

    void skipOperands(std::uint8_t operation) {
        if ((operation & kHighBits) == kOffset) in_.unsignedNumber();
        if ((operation & kHighBits) != 0) return;
        if (operation >= kOperands.size() || operation == kSetLocation) {
            problem_ = "an operation is not known";
            return;
        }
        for (const char kind : kOperands[operation]) {
            if (kind == 's')
                in_.signedNumber();
            else if (const auto number = in_.unsignedNumber(); kind == 'b')
                in_.skip(number);
        }
    }
};

}  // namespace

binary::Outcome<MovedTable> moveFrameTable(binary::ByteView table, const AddressAt& addressAt,
                                           const ReferenceAt& referenceAt) {
    return FrameTable(table, addressAt, referenceAt).run();
}

std::uint64_t moveLocationList(std::vector<std::uint8_t>& table, std::uint64_t start, const Movement& movement,
                               bool expressions) {
    struct Pair {
        std::uint64_t begin;
        std::uint64_t end;
    };
    constexpr std::uint64_t kChoosesBase = ~0ull;
    const binary::ByteView view(table);
    for (std::uint64_t at = start; view.holds(at, sizeof(Pair));) {
        const auto pair = *view.read<Pair>(at);
        const bool lasts = pair.begin != 0 || pair.end != 0;
        if (lasts && pair.begin != kChoosesBase && pair.begin <= UINT32_MAX && pair.end <= UINT32_MAX)
            storeFixed(table, at,
                       Pair{movement.target(static_cast<std::uint32_t>(pair.begin)),
                            movement.target(static_cast<std::uint32_t>(pair.end))});
        at += sizeof(Pair);
        if (!lasts) return at;
        if (expressions && pair.begin != kChoosesBase)
            at += sizeof(std::uint16_t) + view.read<std::uint16_t>(at).value_or(0);
    }
    return table.size();
}

}  // namespace zetl::instrumentation
