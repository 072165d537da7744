// Lanes to a destination: conversion, the lanes that are on, strides.
#pragma once

#include <optional>

#include "emulator/translate/held/part.h"

namespace zetl::emulator::translate {

/// What lies between the elements of a destination.
enum class Gaps : std::uint8_t {
    kept,
    free,  ///< nobody reads these bytes
};

class Stores : Part {
  public:
    explicit Stores(HostCode& host) : Part(host) {}

    bool retire(const Step& m, const Meaning& what, Gaps gaps = Gaps::kept);
    /// Integers in place, as the type will show them.
    bool narrow(const Step& m, const Meaning& what);
    /// 32 bytes to the low half of a slot, which stays in its register: a load of some would wait for a masked store.
    /// If masked, by the lanes that are set.
    void storeLowHalf(const Step& m, const Meaning& what, const Zmm& bytes);
    void storeLowBytes(const Step& m, const Meaning& what, const Zmm& words);

  private:
    struct Elements {
        Vec value;             ///< one element in the low bytes of each lane
        std::uint32_t vector;  ///< its number among those that the step stores
        std::uint32_t spacing;
        bool zeroAbove;  ///< the bytes above the element in each lane are zero
    };
    bool moveFew(const Step& m, const Meaning& what);
    bool retireLane(const Step& m, const Meaning& what);
    bool storeWide(const Step& m, const Meaning& what);
    void narrow(const Meaning& what, const Zmm& d, Vec x);
    bool storeNarrow(const Step& m, const Meaning& what);
    void storeHalves(const Step& m, const Meaning& what);
    bool storeStrided(const Step& m, const Meaning& what, Gaps gaps);
    Vec halfOf(Vec value, std::uint32_t number);
    Vec quarterOf(Vec value, std::uint32_t number);
    void storeApart(const Step& m, const Meaning& what, const Elements& e);
    void storeWithin(const Step& m, const Meaning& what, const Elements& e);
    bool storeEverySecondByte(const Step& m, const Meaning& what);
    void storeEverySecondByteOfSlot(const Step& m, const Meaning& what);
    void elementsOn(const Step& m, const Meaning& what, std::uint32_t vector, std::uint32_t perVector);
    void storeLowest(std::uint32_t place, std::uint32_t bytes);
    void storePart(std::uint32_t place, std::uint32_t bytes, std::uint32_t element, std::optional<KReg> lanes);
    static bool convertsInPlace(const Meaning& what);
    Vec inType(const Meaning& what, Vec value);
    void truncate(const Meaning& what, Vec d, Vec value);
    void toBrain(Vec d, Vec value);
};

}  // namespace zetl::emulator::translate
