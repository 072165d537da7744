// What a handler does, found by its address: translation reads steps, and a step says what it is by its handler only.
#pragma once

#include <unordered_map>

#include "emulator/isa/step_table.h"
#include "emulator/translate/nan_order.h"

namespace zetl::emulator::translate {

/// The families of handlers that translation knows.
enum class Family : std::uint8_t {
    compute,     ///< a row on lanes
    convert,     ///< a source to lanes
    modify,      ///< absolute value, sign, complement
    clamp,       ///< saturation
    retire,      ///< lanes to a destination
    compare,     ///< lanes to flags
    pick,        ///< selection by flags
    spread,      ///< flags to lanes
    narrow,      ///< lanes as a destination will show them
    laneAccess,  ///< a load or store by lanes; from here on general registers are used as they come
    block,       ///< a load or store of a block
    atomic,      ///< an atomic operation by lanes
    gather,      ///< raw bytes of any region
    scatter,     ///< raw bytes to any region
    latch,       ///< a copy of raw bytes
};

/// The place of a handler in the table.
struct Meaning {
    Family family;
    std::uint16_t row = 0;                     ///< of compute; the condition of compare
    isa::LaneType lanes = isa::LaneType::i32;  ///< in which lanes compute
    isa::DataType type = isa::DataType::ud;    ///< of the source or destination
    std::uint8_t stride = 1;                   ///< of convert, in elements
    bool masked = false;
    bool wide = false;                    ///< chunks of sixteen lanes; otherwise one lane
    isa::LaneAccess::Form form = {};      ///< of laneAccess
    NanOrder order = {};                  ///< of compute
    isa::AtomicAccess::Form atomic = {};  ///< of atomic
};

/// How many sources of the step a row reads.
std::uint32_t operandsOf(const Meaning& meaning);
/// Of an element in memory, of which a lane has one or several; in registers it takes four at least. 0: of no other
/// form.
std::uint32_t elementBytes(const isa::LaneAccess::Form& form);

class HandlerMap {
  public:
    explicit HandlerMap(const isa::StepTable& table);

    /// Null if the handler is none of the table's, or of a family that translation does not know.
    const Meaning* find(isa::Handler handler) const noexcept;

  private:
    void add(isa::Handler handler, const Meaning& meaning);
    void addRow(isa::Handler handler, Meaning meaning);
    void addArithmetic(const isa::StepTable& table, isa::LaneType lanes);
    void addTypes(const isa::StepTable& table, isa::LaneType lanes);
    void addMessages(const isa::StepTable& table);

    std::unordered_map<isa::Handler, Meaning> meanings_;
};

}  // namespace zetl::emulator::translate
