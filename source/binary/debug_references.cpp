#include "binary/debug_references.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <map>

#include "binary/dwarf_bytes.h"

namespace zetl::binary {
namespace {

constexpr std::uint16_t kDwarfVersion = 4;
constexpr std::uint8_t kAddressBytes = 8;
constexpr std::uint8_t kOffsetBytes = 4;
constexpr std::uint32_t kWideForm = ~0u;
constexpr std::uint32_t kReservedLengths = 0xfffffff0;
/// Small files can describe very many values: attributes without bytes, units that share their abbreviations.
constexpr std::uint64_t kMostValues = 1 << 26;

Error damagedIn(DebugSection section, std::string_view what) { return damaged(nameOf(section), what); }

struct UnitAttribute {
    std::uint64_t name = 0;
    std::uint64_t form = 0;
};
using Abbreviations = std::map<std::uint64_t, std::vector<UnitAttribute>>;  ///< by code

/// The section that an attribute of the form DW_FORM_sec_offset leads into.
DebugSection sectionOf(std::uint64_t attribute) noexcept {
    switch (attribute) {
        case DW_AT_stmt_list:
            return DebugSection::lines;
        case DW_AT_ranges:
        case DW_AT_start_scope:
            return DebugSection::ranges;
        default:
            return DebugSection::locations;
    }
}

class Finder {
  public:
    explicit Finder(const DebugSections& sections) : sections_(sections) {}

    Outcome<std::vector<DebugReference>> run() {
        for (const auto step : {&Finder::units, &Finder::lineTables, &Finder::frames})
            if (auto error = (this->*step)()) return *std::move(error);
        return std::move(found_);
    }

  private:
    const DebugSections& sections_;
    std::vector<DebugReference> found_;
    std::uint64_t values_ = 0;

    ByteView content(DebugSection section) const { return sections_[static_cast<std::size_t>(section)]; }
    void refer(DebugSection where, std::uint64_t position, std::uint8_t bytes, std::optional<DebugSection> target) {
        found_.push_back({where, position, bytes, target});
    }

    /// The end of a piece that begins with a length of 4 bytes; nothing if it is not complete.
    static std::optional<std::uint64_t> endOfPiece(DwarfReader& in, ByteView section) {
        const auto length = in.fixed<std::uint32_t>();
        if (!in.good() || length >= kReservedLengths || !section.holds(in.position(), length)) return std::nullopt;
        return in.position() + length;
    }

    /// The abbreviations of a unit: those from an offset in .debug_abbrev on.
    Outcome<Abbreviations> readAbbreviations(std::uint64_t offset) {
        Abbreviations known;
        DwarfReader in(content(DebugSection::abbreviations), offset);
        while (const std::uint64_t code = in.unsignedNumber()) {
            std::vector<UnitAttribute>& attributes = known[code];
            in.unsignedNumber();  // the tag
            in.skip(1);           // whether it has children
            while (++values_ < kMostValues) {
                const UnitAttribute next{in.unsignedNumber(), in.unsignedNumber()};
                if (next.name == 0 && next.form == 0) break;
                attributes.push_back(next);
            }
        }
        if (!in.good()) return damagedIn(DebugSection::abbreviations, "an entry is cut off");
        return known;
    }

    std::optional<Error> units() {
        const ByteView info = content(DebugSection::info);
        for (DwarfReader in(info); !in.atEnd();) {
            const auto end = endOfPiece(in, info);
            if (!end) return damagedIn(DebugSection::info, "a unit reaches beyond the section");
            if (auto error = unit(in, *end)) return error;
            in = DwarfReader(info, *end);
        }
        return std::nullopt;
    }

    std::optional<Error> unit(DwarfReader& in, std::uint64_t end) {
        const auto version = in.fixed<std::uint16_t>();
        if (version != kDwarfVersion)
            return Error{Cause::unsupported, fmt::format("{}: version {} of DWARF, not {}", nameOf(DebugSection::info),
                                                         version, kDwarfVersion)};
        refer(DebugSection::info, in.position(), kOffsetBytes, DebugSection::abbreviations);
        const auto known = readAbbreviations(in.fixed<std::uint32_t>());
        if (!known) return known.error();
        if (in.fixed<std::uint8_t>() != kAddressBytes)
            return damagedIn(DebugSection::info, "a unit whose addresses have not 8 bytes");
        while (in.good() && in.position() < end)
            if (auto error = entry(in, *known)) return error;
        if (!in.good() || in.position() != end) return damagedIn(DebugSection::info, "an entry is cut off");
        return std::nullopt;
    }

    std::optional<Error> entry(DwarfReader& in, const Abbreviations& known) {
        const std::uint64_t code = in.unsignedNumber();
        if (code == 0) return std::nullopt;
        const auto found = known.find(code);
        if (found == known.end())
            return damagedIn(DebugSection::info, fmt::format("an entry is of the unknown abbreviation {}", code));
        values_ += found->second.size();
        if (values_ >= kMostValues)
            return Error{Cause::limit, fmt::format("{}: over {} values", nameOf(DebugSection::info), kMostValues)};
        for (const UnitAttribute& attribute : found->second)
            if (!value(in, attribute))
                return Error{Cause::unsupported, fmt::format("{}: the form {:#x} of an attribute is not known",
                                                             nameOf(DebugSection::abbreviations), attribute.form)};
        return std::nullopt;
    }

    /// Skips the value, and notes a reference in it. Returns false if its form is not known.
    bool value(DwarfReader& in, const UnitAttribute& attribute) {
        const auto offset = [&](DebugSection target) {
            refer(DebugSection::info, in.position(), kOffsetBytes, target);
            in.skip(kOffsetBytes);
        };
        switch (attribute.form) {
            case DW_FORM_addr:
                refer(DebugSection::info, in.position(), kAddressBytes, std::nullopt);
                in.skip(kAddressBytes);
                return true;
            case DW_FORM_sec_offset:
                offset(sectionOf(attribute.name));
                return true;
            case DW_FORM_strp:
                offset(DebugSection::strings);
                return true;
            case DW_FORM_ref_addr:
                offset(DebugSection::info);
                return true;
            default:
                return plainValue(in, attribute.form);
        }
    }

    /// Skips a value without references to anything outside of its unit.
    static bool plainValue(DwarfReader& in, std::uint64_t form) {
        switch (form) {
            case DW_FORM_flag_present:
                return true;
            case DW_FORM_data1:
            case DW_FORM_flag:
            case DW_FORM_ref1:
                in.skip(1);
                return true;
            case DW_FORM_data2:
            case DW_FORM_ref2:
                in.skip(2);
                return true;
            case DW_FORM_data4:
            case DW_FORM_ref4:
                in.skip(4);
                return true;
            case DW_FORM_data8:
            case DW_FORM_ref8:
            case DW_FORM_ref_sig8:
                in.skip(8);
                return true;
            case DW_FORM_sdata:
            case DW_FORM_udata:
            case DW_FORM_ref_udata:
                in.unsignedNumber();
                return true;
            case DW_FORM_string:
                while (in.good() && in.fixed<char>() != 0) continue;
                return true;
            case DW_FORM_block1:
                in.skip(in.fixed<std::uint8_t>());
                return true;
            case DW_FORM_block2:
                in.skip(in.fixed<std::uint16_t>());
                return true;
            case DW_FORM_block4:
                in.skip(in.fixed<std::uint32_t>());
                return true;
            case DW_FORM_block:
            case DW_FORM_exprloc:
                in.skip(in.unsignedNumber());
                return true;
            default:
                return false;
        }
    }

    /// They refer only to code, by relocations; but one that is cut off would swallow the data behind it.
    std::optional<Error> lineTables() {
        const ByteView lines = content(DebugSection::lines);
        for (DwarfReader in(lines); !in.atEnd();) {
            const auto end = endOfPiece(in, lines);
            if (!end) return damagedIn(DebugSection::lines, "a table reaches beyond the section");
            in = DwarfReader(lines, *end);
        }
        return std::nullopt;
    }

    std::optional<Error> frames() {
        const ByteView table = content(DebugSection::frames);
        for (DwarfReader in(table); !in.atEnd();) {
            std::uint64_t length = in.fixed<std::uint32_t>();
            const bool wide = length == kWideForm;
            if (wide) length = in.fixed<std::uint64_t>();
            const std::uint64_t start = in.position();
            if (!in.good() || !table.holds(start, length))
                return damagedIn(DebugSection::frames, "an entry reaches beyond the section");
            frame(in, wide);
            if (!in.good() || in.position() > start + length)
                return damagedIn(DebugSection::frames, "an entry is cut off");
            in = DwarfReader(table, start + length);
        }
        return std::nullopt;
    }

    /// The rows of one function name those that all functions have in common, and where the function begins.
    void frame(DwarfReader& in, bool wide) {
        const std::uint64_t at = in.position();
        const std::uint64_t common = wide ? in.fixed<std::uint64_t>() : in.fixed<std::uint32_t>();
        if (common == (wide ? ~0ull : kWideForm)) return;
        refer(DebugSection::frames, at, wide ? sizeof(std::uint64_t) : kOffsetBytes, DebugSection::frames);
        refer(DebugSection::frames, in.position(), kAddressBytes, std::nullopt);
        in.skip(kAddressBytes);
    }
};

}  // namespace

Outcome<std::vector<DebugReference>> debugReferences(const DebugSections& sections) { return Finder(sections).run(); }

}  // namespace zetl::binary
