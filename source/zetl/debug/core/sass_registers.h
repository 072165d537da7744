// Where NVIDIA's compiler keeps the registers of PTX, by which the DWARF of cubins names variables:
// .nv_debug_info_reg_sass. NVIDIA does not document the section; it was compared with what nvcc 13.0 makes of PTX.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::debugger {

class SassRegisters {
  public:
    /// Reads up to the first damaged entry.
    explicit SassRegisters(std::span<const std::uint8_t> section);

    /// The registers R that hold the named one where the function has come to this offset, its lowest 32 bits first.
    /// Empty if none do, or some of its bits are nowhere.
    std::vector<unsigned> at(std::string_view function, std::string_view name, std::uint64_t offset) const;

    /// "%rd1", of the number that DWARF gives it: its characters, the last one lowest. Empty if it is no such number.
    static std::string nameOf(std::uint64_t number);

  private:
    struct Range {
        std::uint32_t part;  ///< 0: bits 0 to 31 of the named register, 1: bits 32 to 63
        std::string name;
        std::uint32_t place;  ///< the kind of register in the highest byte, its number below
        std::uint32_t begin;
        std::uint32_t end;
    };
    void read(std::span<const std::uint8_t> section);

    std::map<std::string, std::vector<Range>, std::less<>> functions_;  ///< by mangled name
};

}  // namespace zetl::debugger
