// Finds what a handler does by its address: translation reads steps, and only the handler shows what a step does.
#pragma once

#include <unordered_map>

#include "emulator/isa/step_table.h"
#include "emulator/translate/plan/nan_order.h"

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
    laneAccess,  ///< a load or store by lanes; from here on general registers are used freely
    block,       ///< a load or store of a block
    atomic,      ///< an atomic operation by lanes
    gather,      ///< raw bytes of any region
    scatter,     ///< raw bytes to any region
    latch,       ///< a copy of raw bytes
};

/// The place of a handler in the table.
struct Meaning {
    Family family;
    std::uint16_t row = 0;                     ///< row of compute; condition of compare
    isa::LaneType lanes = isa::LaneType::i32;  ///< type in which lanes compute
    isa::DataType type = isa::DataType::ud;    ///< of the source or destination
    std::uint8_t stride = 1;                   ///< of convert, in elements
    bool masked = false;
    bool wide = false;                    ///< chunks of sixteen lanes; otherwise one lane
    isa::LaneAccess::Form form = {};      ///< of laneAccess
    NanOrder order = {};                  ///< of compute
    isa::AtomicAccess::Form atomic = {};  ///< of atomic
};

/// The number of the step's sources that a row reads.
std::uint32_t operandsOf(const Meaning& meaning);
/// The size of an element in memory, of which a lane has one or several; in registers it takes at least four bytes. 0
/// for an unknown form.
std::uint32_t elementBytes(const isa::LaneAccess::Form& form);

class HandlerMap {
  public:
    explicit HandlerMap(const isa::StepTable& table);

    /// Null if the handler is not in the table, or belongs to a family that translation does not know.
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
