// Programs of threads of a group that load and store elements of every size and structures of several, wherever lanes
// lie.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>

#include "group_ids.h"

namespace zetl::test {

struct Element {
    const char* name;
    std::uint32_t code;  ///< of the descriptor
    std::uint32_t bytes;
};
inline constexpr std::array<Element, 4> kElements{{{"d8u32", 4, 1}, {"d16u32", 5, 2}, {"d32", 2, 4}, {"d64", 3, 8}}};

/// How work-items become indices of elements, in r30 and r31.
struct Pattern {
    const char* name;
    std::string text;
    std::uint32_t (*index)(std::uint32_t item);
};

class GroupMessages : public GroupIds {
  protected:
    std::string all() const { return "(" + std::to_string(lanes) + "|M0)"; }

    /// The number of the work-item in r20 and r21.
    std::string numbered() const {
        return kBegin + "(W) shl (1|M0) r10.2<1>:ud r10.0<0;1,0>:ud " + std::to_string(lanes == 32 ? 5 : 4) +
               ":w\n(W) add (1|M0) r6.0<1>:q r5.0<0;1,0>:q 0x20000:d\nadd " + all() +
               " r20.0<1>:d r1.0<1;1,0>:uw r10.2<0;1,0>:d\n";
    }
    std::array<Pattern, 4> patterns() const {
        return {{{"on", "mov " + all() + " r30.0<1>:d r20.0<1;1,0>:d\n", [](std::uint32_t i) { return i; }},
                 {"rows",
                  "shr " + all() + " r30.0<1>:d r20.0<1;1,0>:ud 3:w\nmul " + all() +
                      " r30.0<1>:d r30.0<1;1,0>:d 20:w\nand " + all() + " r32.0<1>:d r20.0<1;1,0>:d 7:w\nadd " + all() +
                      " r30.0<1>:d r30.0<1;1,0>:d r32.0<1;1,0>:d\n",
                  [](std::uint32_t i) { return i / 8 * 20 + i % 8; }},
                 {"apart", "mul " + all() + " r30.0<1>:d r20.0<1;1,0>:d 3:w\n", [](std::uint32_t i) { return i * 3; }},
                 {"masked", "and " + all() + " r30.0<1>:d r20.0<1;1,0>:d 0x3d:w\n",
                  [](std::uint32_t i) { return i & 0x3d; }}}};
    }
    /// Addresses in r50 and up of elements of so many bytes behind what r5 has there, as compilers shift or multiply.
    std::string addresses(std::uint32_t bytes, const std::string& begin) const {
        const bool shifts = bytes <= 8 && std::has_single_bit(bytes);
        std::string text;
        if (!shifts) text += "mul " + all() + " r40.0<1>:d r30.0<1;1,0>:d " + std::to_string(bytes) + ":w\n";
        for (int h = 0; h < lanes / 16; ++h) {
            const auto reg = [&](int first, int each) { return "r" + std::to_string(first + h * each); };
            const std::string width = h == 1 ? "(16|M16) " : "(16|M0) ";
            text += "mov " + width + reg(42, 2) + ".0<2>:ud " + reg(shifts ? 30 : 40, 1) + ".0<1;1,0>:ud\n";
            text += shifts ? "shl " + width + reg(46, 2) + ".0<1>:q " + reg(42, 2) + ".0<2;1,0>:ud " +
                                 std::to_string(std::countr_zero(bytes)) + ":w\n"
                           : "mov " + width + reg(46, 2) + ".0<1>:q " + reg(42, 2) + ".0<2;1,0>:ud\n";
            text += "add " + width + reg(50, 2) + ".0<1>:q " + reg(46, 2) + ".0<1;1,0>:q " + begin + "<0;1,0>:q\n";
        }
        return text;
    }
    std::uint32_t registers(const Element& element, std::uint32_t components) const {
        return components * (element.bytes == 8 ? 2 : 1) * lanes / 16;
    }
    std::string descriptor(const Element& element, std::uint32_t components, bool write) const {
        const std::uint32_t bits = (lanes / 8u) << 25 | (write ? 4u : registers(element, components) << 20) |
                                   (components - 1) << 12 | element.code << 9 | 3u << 7;
        return "0x0 0x" + [&] {
            std::array<char, 16> text{};
            std::snprintf(text.data(), text.size(), "%08x", bits);
            return std::string(text.data());
        }();
    }
    /// Structures are loaded by one pattern and stored by the other, elsewhere.
    Code copy(const Element& element, std::uint32_t components, const Pattern& from, const Pattern& to) const {
        const std::uint32_t bytes = element.bytes * components;
        return assembleProgram(numbered() + from.text + addresses(bytes, "r5.0") + "send.ugm " + all() +
                               " r60 r50 null:0 " + descriptor(element, components, false) + "\n" + to.text +
                               addresses(bytes, "r6.0") + "send.ugm " + all() +
                               " null r50 r60:" + std::to_string(registers(element, components)) + " " +
                               descriptor(element, components, true));
    }
};

}  // namespace zetl::test
