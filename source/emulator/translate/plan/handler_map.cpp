#include "emulator/translate/plan/handler_map.h"

#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {

using isa::DataType;
using isa::LaneType;

HandlerMap::HandlerMap(const isa::StepTable& table) {
    for (int e = 0; e < isa::kLaneTypes; ++e) {
        addArithmetic(table, static_cast<LaneType>(e));
        addTypes(table, static_cast<LaneType>(e));
    }
    for (const bool isLong : {false, true})
        for (const bool masked : {false, true})
            for (const bool wide : {false, true})
                add(table.pick[isLong][masked][wide], {.family = Family::pick,
                                                       .lanes = isLong ? LaneType::u64 : LaneType::u32,
                                                       .masked = masked,
                                                       .wide = wide});
    add(table.spread, {.family = Family::spread, .wide = true});
    add(table.gather, {.family = Family::gather});
    add(table.scatter, {.family = Family::scatter});
    add(table.copy, {.family = Family::latch});
    addMessages(table);
}

const Meaning* HandlerMap::find(isa::Handler handler) const noexcept {
    const auto found = meanings_.find(handler);
    return found == meanings_.end() ? nullptr : &found->second;
}

// A handler that the table holds twice does the same in both places.
void HandlerMap::add(isa::Handler handler, const Meaning& meaning) {
    if (handler != nullptr) meanings_.try_emplace(handler, meaning);
}

void HandlerMap::addRow(isa::Handler handler, Meaning meaning) {
    if (handler != nullptr && hasNanOrder(meaning.row, meaning.lanes)) {
        const auto order = nanOrderOf(handler, meaning.row, meaning.lanes, meaning.wide);
        if (!order) return;
        meaning.order = *order;
    }
    add(handler, meaning);
}

void HandlerMap::addArithmetic(const isa::StepTable& table, LaneType lanes) {
    const auto e = static_cast<std::size_t>(lanes);
    for (const bool wide : {false, true}) {
        for (std::uint16_t row = 0; row < isa::kRows; ++row)
            for (const bool masked : {false, true})
                addRow(table.compute[row][e][masked][wide],
                       {.family = Family::compute, .row = row, .lanes = lanes, .masked = masked, .wide = wide});
        for (std::uint16_t condition = 0; condition < isa::kCompares; ++condition)
            add(table.compare[condition][e][wide],
                {.family = Family::compare, .row = condition, .lanes = lanes, .wide = wide});
        add(table.modify[e][wide], {.family = Family::modify, .lanes = lanes, .wide = wide});
    }
}

void HandlerMap::addTypes(const isa::StepTable& table, LaneType lanes) {
    constexpr std::uint8_t kStrides[] = {0, 1, 2, 4};
    const auto e = static_cast<std::size_t>(lanes);
    for (std::size_t k = 0; k < isa::kDataTypes; ++k) {
        const auto type = static_cast<DataType>(k);
        add(table.clamp[e][k], {.family = Family::clamp, .lanes = lanes, .type = type, .wide = true});
        add(table.narrow[e][k], {.family = Family::narrow, .lanes = lanes, .type = type, .wide = true});
        for (const bool wide : {false, true}) {
            for (std::size_t s = 0; s < std::size(kStrides); ++s)
                add(table.convert[k][e][s][wide],
                    {.family = Family::convert, .lanes = lanes, .type = type, .stride = kStrides[s], .wide = wide});
            for (const bool masked : {false, true})
                add(table.retire[e][k][masked][wide],
                    {.family = Family::retire, .lanes = lanes, .type = type, .masked = masked, .wide = wide});
        }
    }
}

void HandlerMap::addMessages(const isa::StepTable& table) {
    using isa::LaneAccess;
    const auto& lanes = std::get<isa::Handlers<LaneAccess>>(table.messages);
    for (std::size_t space = 0; space < isa::kLaneSpaces; ++space)
        for (const bool write : {false, true})
            for (std::uint8_t data = 0; data < LaneAccess::Form::kDataSizes; ++data)
                for (const bool whole : {false, true}) {
                    const LaneAccess::Form form{
                        .space = static_cast<isa::MemorySpace>(space), .write = write, .data = data, .whole = whole};
                    add(lanes.run[form.index()], {.family = Family::laneAccess, .form = form});
                }
    add(std::get<isa::Handlers<isa::BlockAccess>>(table.messages).run[0], {.family = Family::block});
    const auto& atomics = std::get<isa::Handlers<isa::AtomicAccess>>(table.messages);
    for (const std::uint32_t element : {2u, 4u, 8u})
        for (const std::uint32_t address : {4u, 8u}) {
            const isa::AtomicAccess::Form form{.elementBytes = element, .addressBytes = address};
            add(atomics.run[form.index()], {.family = Family::atomic, .atomic = form});
        }
}

std::uint32_t elementBytes(const isa::LaneAccess::Form& form) {
    switch (form.data) {
        case isa::lsc::kD8InDword:
            return 1;
        case isa::lsc::kD16InDword:
            return 2;
        case isa::lsc::kD32:
            return 4;
        case isa::lsc::kD64:
            return 8;
        default:
            return 0;
    }
}

}  // namespace zetl::emulator::translate
