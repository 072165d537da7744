// Lanes of two to four dwords or qwords each, one lane behind the other: what an array of structures is.
#pragma once

#include <vector>

#include "emulator/translate/messages/access.h"

namespace zetl::emulator::translate {

class Interleaved : Part {
  public:
    Interleaved(HostCode& host, MessageAccess& access) : Part(host), access_(access) {}

    static bool isInterleaved(const Lanes16& l);
    void load(const Lanes16& l, const std::vector<Zmm>& results);
    void store(const Lanes16& l, const std::vector<Zmm>& data);
    /// Whether lanes wherever they lie are loaded one by one, once their addresses are found.
    bool loadsLaneByLane(const Lanes16& l) const;
    void loadLaneByLane(const Lanes16& l, const std::vector<Zmm>& results);

  private:
    bool pairsHalves(std::uint32_t components) const;
    void pickDwords(const Zmm& to, const std::vector<asmjit::Operand>& vectors, const Numbers& from);
    void pickOfTwo(const Zmm& to, const Zmm& first, const Zmm& second, const Numbers& from);
    void pairHalves(const Zmm& to, const Zmm& first, const Zmm& second, bool upper);
    template <class F>
    void loadFour(const Lanes16& l, std::uint32_t part, const std::vector<Zmm>& results, F&& loadVector);
    void makeVector(std::uint32_t number, const Lanes16& l, std::uint32_t part, const std::vector<Zmm>& data);
    void moveTo(const Lanes16& l, std::uint32_t part, const Zmm& result, const Zmm& from);

    MessageAccess& access_;
};

}  // namespace zetl::emulator::translate
