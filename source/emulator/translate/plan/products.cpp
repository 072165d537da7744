#include "emulator/translate/plan/products.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "emulator/translate/plan/step_extents.h"

namespace zetl::emulator::translate {
namespace {

namespace layout = isa::layout;
using isa::DataType;
using isa::LaneType;
using isa::Opcode;
using isa::Step;

constexpr std::uint32_t kLanesOfProduct = 16;
constexpr std::uint32_t kAllLanes = 0xffff;
constexpr std::uint32_t kLowWord = 0xffff;

bool isRow(const Meaning& what, Opcode opcode) {
    return what.family == Family::compute && what.row == static_cast<std::uint16_t>(opcode);
}
bool isDword(DataType type) { return type == DataType::d || type == DataType::ud; }
bool isWide(LaneType lanes) { return lanes == LaneType::i64 || lanes == LaneType::u64; }

/// A line's steps and what they are.
struct Known {
    std::span<const Step> steps;
    std::vector<const Meaning*> what;
};

/// Where the lanes of an accumulator are, as dwords and as they are computed.
struct Accumulator {
    std::uint32_t lanes = 0;
    std::uint32_t dwords = 0;
    std::uint32_t wide = 0;  ///< 0: nobody ever looks at those
    std::uint32_t dwordBytes() const { return lanes * 4; }
    std::uint32_t wideBytes() const { return lanes * 8; }

    bool overlaps(const Extent& e) const {
        return (e.place < dwords + dwordBytes() && e.end() > dwords) ||
               (wide != 0 && e.place < wide + wideBytes() && e.end() > wide);
    }
    bool isRead(const StepExtents& e) const {
        return std::ranges::any_of(e.reads, [&](const Extent& x) { return overlaps(x); });
    }
    bool isWritten(const StepExtents& e) const { return e.write && overlaps(*e.write); }
};

/// Where an operand of a row comes from.
struct Source {
    std::array<std::int64_t, kLanesOfProduct> constants{};
    bool constant = false;
    std::uint32_t place = 0;
    DataType type = DataType::ud;
    std::uint8_t stride = 1;  ///< of one lane: 0
};

/// A product, and what it leaves in the accumulator.
struct Found {
    LinePair lines;
    Accumulator left;
    bool high = false;
    std::uint32_t stores = 0;
    bool storesSome = false;  ///< mach: only lanes that are on
};

class Pairs {
  public:
    Pairs(const isa::Program::Code& code, std::uint8_t body) : code_(code), body_(code.body[body]) {}

    std::optional<Found> from(isa::Line first) const {
        const isa::Line second = first + 1;
        if (second >= code_.lines() || !mayBeOne(first)) return {};
        const auto low = read(first);
        const auto place = low ? multipliesWords(*low) : std::nullopt;
        if (!place) return {};
        const auto whole = read(second);
        const auto row = whole ? rowIn(*whole) : std::nullopt;
        if (!row) return {};
        const auto together = completes(*low, *whole, *row, *place);
        if (!together) return {};
        const bool high = isRow(*whole->what[*row], Opcode::mach);
        const std::uint32_t stores = high ? storesBehind(*whole, *row, *place) : 0;
        if (high ? stores == 0 : touchesElsewhere(*whole, *row, *place)) return {};
        Accumulator left = *place;
        if (stores == 1) left.wide = 0;
        return Found{.lines = {second, body_.start[second] + static_cast<std::uint32_t>(*row), *together},
                     .left = left,
                     .high = high,
                     .stores = stores,
                     .storesSome = high && whole->what[*row + 1]->masked};
    }

  protected:
    /// By its opcodes, which most lines end at.
    bool mayBeOne(isa::Line first) const {
        const Opcode second = code_.instructions[first + 1].opcode;
        return code_.instructions[first].opcode == Opcode::mul && (second == Opcode::macl || second == Opcode::mach);
    }
    std::optional<Known> read(isa::Line line) const {
        const std::uint32_t begin = body_.start[line];
        const std::uint32_t end = body_.start[line + 1];
        Known known{std::span(body_.steps).subspan(begin, end - begin), {}};
        for (std::uint32_t i = begin; i < end; ++i) {
            known.what.push_back(body_.meaningOf(body_.steps[i]));
            if (known.what.back() == nullptr) return {};
        }
        return known;
    }

    /// The first step behind those that load.
    static std::optional<std::size_t> rowIn(const Known& line) {
        const auto row = std::ranges::find_if(line.what, [](const Meaning* w) { return w->family != Family::convert; });
        if (row == line.what.end()) return {};
        return row - line.what.begin();
    }
    /// Of all sixteen, or of one.
    static bool ofAllLanes(const Step& m, const Meaning& what) {
        return !what.wide || (m.chunks == 1 && m.mask.lanes == kAllLanes);
    }
    static std::uint32_t lanesOf(const Meaning& what) { return what.wide ? kLanesOfProduct : 1; }
    static bool storesLanes(const Known& line, std::size_t i, std::size_t row, std::uint32_t element) {
        const Step& m = line.steps[i];
        const Meaning& what = *line.what[i];
        return what.family == Family::retire && ofAllLanes(m, what) && what.wide == line.what[row]->wide &&
               (m.stride == 1 || !what.wide) && m.src[0] == line.steps[row].dst && isWholeNumber(what.type) &&
               isa::byteSize(what.type) == element;
    }
    /// Where a line leaves its product, if that is all it does, by all lanes: in lanes of 64 bits, which are stored as
    /// dwords and as they are, or of 32, where no line of the program looks at more.
    static std::optional<Accumulator> multipliesWords(const Known& line) {
        const auto row = rowIn(line);
        if (!row || !isRow(*line.what[*row], Opcode::mul) || line.what[*row]->masked ||
            !ofAllLanes(line.steps[*row], *line.what[*row]))
            return {};
        const std::size_t behind = line.steps.size() - *row - 1;
        const std::uint32_t lanes = lanesOf(*line.what[*row]);
        Accumulator place{.lanes = lanes, .dwords = line.steps[*row].dst};
        if (isWide(line.what[*row]->lanes)) {
            if (behind != 2 || !storesLanes(line, *row + 1, *row, 4) || !storesLanes(line, *row + 2, *row, 8) ||
                line.what[*row + 1]->masked || line.what[*row + 2]->masked)
                return {};
            place = {.lanes = lanes, .dwords = line.steps[*row + 1].dst, .wide = line.steps[*row + 2].dst};
        } else if (behind != 0 || !isWholeNumber(line.what[*row]->lanes)) {
            return {};
        }
        const bool fits = place.dwords >= layout::kAccumulator && place.dwords < layout::kWideAccumulator;
        return fits ? std::optional(place) : std::nullopt;
    }

    /// An operand of the step; of whole numbers, and general registers only, which the accumulator is none of.
    static std::optional<Source> sourceOf(const Known& line, std::size_t row, std::size_t number) {
        const Meaning& what = *line.what[row];
        const std::uint64_t where = line.steps[row].src[number];
        const auto stride = [&](std::uint8_t of) { return what.wide ? of : std::uint8_t{0}; };
        if (where >= layout::kBytes) return constantAt(where, what);
        if (where < layout::kGrfBytes) {
            if (isWide(what.lanes)) return {};
            return Source{.place = static_cast<std::uint32_t>(where), .type = DataType::ud, .stride = stride(1)};
        }
        for (std::size_t i = row; i-- > 0;) {
            const Step& m = line.steps[i];
            if (m.dst != where) continue;
            const bool same = ofAllLanes(m, *line.what[i]) && line.what[i]->wide == what.wide;
            if (!same || m.src[0] >= layout::kGrfBytes) return {};
            return Source{.place = static_cast<std::uint32_t>(m.src[0]),
                          .type = line.what[i]->type,
                          .stride = stride(line.what[i]->stride)};
        }
        return {};
    }
    static Source constantAt(std::uint64_t where, const Meaning& what) {
        Source source;
        source.constant = true;
        for (std::uint32_t i = 0; i < lanesOf(what); ++i) {
            std::int32_t narrow = 0;
            if (isWide(what.lanes))
                std::memcpy(&source.constants[i], reinterpret_cast<const std::int64_t*>(where) + i, 8);
            else
                std::memcpy(&narrow, reinterpret_cast<const std::int32_t*>(where) + i, 4);
            if (!isWide(what.lanes)) source.constants[i] = narrow;
        }
        return source;
    }

    /// What the row computes together with that of the first line, if it adds what that has left out.
    static std::optional<std::uint16_t> completes(const Known& low, const Known& whole, std::size_t row,
                                                  const Accumulator& place) {
        const Step& m = whole.steps[row];
        const Meaning& what = *whole.what[row];
        const bool high = isRow(what, Opcode::mach) && isWide(what.lanes) && !what.masked;
        if (!high && (!isRow(what, Opcode::macl) || isWide(what.lanes))) return {};
        if (!ofAllLanes(m, what) || m.src[2] != (high ? place.wide : place.dwords)) return {};
        const std::size_t lowRow = *rowIn(low);
        if (lanesOf(what) != place.lanes) return {};
        const auto x = sourceOf(low, lowRow, 0);
        const auto words = sourceOf(low, lowRow, 1);
        const auto again = sourceOf(whole, row, 0);
        const auto y = sourceOf(whole, row, 1);
        if (!x || !words || !again || !y || !areSameDwords(*x, *again) || !areLowWords(*words, *y)) return {};
        if (!high) return static_cast<std::uint16_t>(Opcode::mul);
        return x->type == again->type ? std::optional(rowOf(x->type, *y)) : std::nullopt;
    }
    static bool areSameDwords(const Source& a, const Source& b) {
        return !a.constant && !b.constant && isDword(a.type) && isDword(b.type) && a.place == b.place &&
               a.stride == b.stride;
    }
    static bool areLowWords(const Source& words, const Source& y) {
        if (words.constant != y.constant) return false;
        if (words.constant)
            return std::ranges::equal(words.constants, y.constants,
                                      [](std::int64_t a, std::int64_t b) { return a == (b & kLowWord); });
        return words.type == DataType::uw && isDword(y.type) && words.place == y.place &&
               words.stride == 2 * y.stride && y.stride <= 1;
    }
    static std::uint16_t rowOf(DataType x, const Source& y) {
        const auto all = [&](std::int64_t least, std::int64_t most) {
            return std::ranges::all_of(y.constants, [&](std::int64_t c) { return c >= least && c <= most; });
        };
        const bool isSigned = x == DataType::d;
        if (y.constant ? (isSigned ? all(INT32_MIN, INT32_MAX) : all(0, UINT32_MAX)) : y.type == x)
            return isSigned ? kSignedProductRow : kUnsignedProductRow;
        return static_cast<std::uint16_t>(Opcode::mul);
    }

    /// mach stores its result in the accumulator first: by so many steps, or by 0 if it does something else.
    static std::uint32_t storesBehind(const Known& line, std::size_t row, const Accumulator& place) {
        const auto isStore = [&](std::size_t i, std::uint32_t element, std::uint32_t to) {
            return i < line.steps.size() && storesLanes(line, i, row, element) && line.steps[i].dst == to;
        };
        if (!isStore(row + 1, 4, place.dwords)) return 0;
        const bool both = isStore(row + 2, 8, place.wide) && line.what[row + 1]->masked == line.what[row + 2]->masked;
        const std::uint32_t stores = both ? 2 : 1;
        return touches(line, row + 1 + stores, place) ? 0 : stores;
    }
    /// Whether steps have to do with the accumulator, from this one on.
    static bool touches(const Known& line, std::size_t from, const Accumulator& place) {
        for (std::size_t i = from; i < line.steps.size(); ++i) {
            const auto e = extentsOf(line.steps[i], *line.what[i]);
            if (!e || place.isRead(*e) || place.isWritten(*e)) return true;
        }
        return false;
    }
    /// The same of a line of macl, whose row reads it.
    static bool touchesElsewhere(const Known& line, std::size_t row, const Accumulator& place) {
        const auto e = extentsOf(line.steps[row], *line.what[row]);
        return !e || place.isWritten(*e) || touches(line, row + 1, place);
    }

    const isa::Program::Code& code_;
    const isa::Program::Code::Body& body_;
};

class Finder : Pairs {
  public:
    Finder(const isa::Program::Code& code, const Survey& survey, std::uint8_t body)
        : Pairs(code, body), survey_(survey) {}

    std::optional<Product> from(isa::Line first, AccumulatorReaders readers) const {
        const auto found = foundAt(first);
        if (!found) return {};
        const bool seen = readers == AccumulatorReaders::anybody && isSeenBehind(found->lines.second, found->left);
        return Product{found->lines, found->high, found->stores, seen && (!found->high || found->storesSome), seen};
    }

    AccumulatorReaders readers() const {
        const bool none = std::ranges::none_of(survey_.lines, [this](isa::Line line) {
            return line < code_.lines() && mayRead(code_.instructions[line]) && (line == 0 || !foundAt(line - 1));
        });
        return none ? AccumulatorReaders::none : AccumulatorReaders::anybody;
    }

  private:
    std::optional<Found> foundAt(isa::Line first) const {
        return goesOnIn(first + 1) ? Pairs::from(first) : std::nullopt;
    }
    /// An accumulator; lines that may go anywhere count as if they did.
    static bool mayRead(const isa::Instruction& in) {
        constexpr Opcode kReaders[] = {Opcode::mac, Opcode::mach, Opcode::macl};
        constexpr Opcode kCalls[] = {Opcode::call, Opcode::calla, Opcode::ret};
        const auto is = [&](Opcode opcode) { return opcode == in.opcode; };
        const auto reads = [](const isa::Operand& o) { return o.isAccumulator() || o.mme >= 0; };
        return in.targetInRegister || std::ranges::any_of(kReaders, is) || std::ranges::any_of(kCalls, is) ||
               std::ranges::any_of(in.source, reads);
    }
    /// Whether only the line before leads to it.
    bool goesOnIn(isa::Line line) const {
        return line < code_.lines() && survey_.reached[line] && !survey_.leads[line];
    }
    /// Whether the thread may stop, go elsewhere or read the accumulator before all of it is overwritten.
    bool isSeenBehind(isa::Line line, const Accumulator& place) const {
        bool dwords = false;
        bool wide = place.wide == 0;
        while (goesOnIn(++line)) {
            const auto known = read(line);
            if (!known) return true;
            for (std::size_t i = 0; i < known->steps.size(); ++i) {
                const Meaning& what = *known->what[i];
                const auto e = mayStop(what.family) ? std::nullopt : extentsOf(known->steps[i], what);
                if (!e || place.isRead(*e)) return true;
                const auto covers = [&](std::uint32_t begin, std::uint32_t bytes) {
                    return e->write && e->write->place == begin && e->write->end() >= begin + bytes &&
                           (e->write->count == 1 || e->write->spacing == e->write->bytes);
                };
                dwords = dwords || covers(place.dwords, place.dwordBytes());
                wide = wide || covers(place.wide, place.wideBytes());
                if (dwords && wide) return false;
            }
        }
        return true;
    }
    static bool mayStop(Family family) {
        return family == Family::laneAccess || family == Family::block || family == Family::atomic;
    }

    const Survey& survey_;
};

}  // namespace

std::optional<LinePair> pairFrom(const isa::Program::Code& code, std::uint8_t body, isa::Line first) {
    const auto found = Pairs(code, body).from(first);
    return found ? std::optional(found->lines) : std::nullopt;
}

AccumulatorReaders accumulatorReaders(const isa::Program::Code& code, const Survey& survey, std::uint8_t body) {
    return Finder(code, survey, body).readers();
}

std::optional<Product> productFrom(const isa::Program::Code& code, const Survey& survey, std::uint8_t body,
                                   isa::Line first, AccumulatorReaders readers) {
    return Finder(code, survey, body).from(first, readers);
}

}  // namespace zetl::emulator::translate
