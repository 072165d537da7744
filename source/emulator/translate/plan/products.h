// A peephole over two instructions: products of dwords, which compilers write as mul of the low words of one source to
// the accumulator, then macl for the low half or mach for the high half. The second line has the sources itself, and
// the accumulator is often not read afterwards. For sixteen lanes, or for one.
#pragma once

#include <optional>

#include "emulator/isa/code.h"
#include "emulator/translate/plan/step_meaning.h"
#include "emulator/translate/plan/survey.h"

namespace zetl::emulator::translate {

/// Translation's own rows: lanes of 64 bits that are extended from 32.
inline constexpr std::uint16_t kSignedProductRow = 0xff00;
inline constexpr std::uint16_t kUnsignedProductRow = 0xff01;

/// Of two lines, one behind the other.
struct LinePair {
    isa::Line second = 0;    ///< the first is the line before
    std::uint32_t step = 0;  ///< of the second line, by its index in the body: the row that reads the accumulator
    /// The row that it computes instead: the whole product of its own sources.
    std::uint16_t row = 0;
};
struct Product : LinePair {
    bool high = false;         ///< mach: steps behind the row store the accumulator
    std::uint32_t stores = 0;  ///< how many: 1 if more than 32 bits of it are never read, otherwise 2
    /// Whether the accumulator may be read as the first line, or as those steps, leave it.
    bool needsFirst = false;
    bool needsSecond = false;
};

/// The lines from this one on, if they are a product.
std::optional<LinePair> pairFrom(const isa::Program::Code& code, std::uint8_t body, isa::Line first);
/// Who may read an accumulator behind a product.
enum class AccumulatorReaders : std::uint8_t {
    anybody,
    none,  ///< but other products' second lines
};
/// Of all lines that a launch can reach.
AccumulatorReaders accumulatorReaders(const isa::Program::Code& code, const Survey& survey, std::uint8_t body);

/// The product that begins with this line, if one does and no block begins between its lines. Values that are
/// overwritten in the same block, before anything that may stop the thread, are not seen.
std::optional<Product> productFrom(const isa::Program::Code& code, const Survey& survey, std::uint8_t body,
                                   isa::Line first, AccumulatorReaders readers);

}  // namespace zetl::emulator::translate
