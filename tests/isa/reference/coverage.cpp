#include <fmt/format.h>

#include "reference/trial.h"

namespace zetl::test::reference {
namespace {

std::string regionOf(const isa::Operand& o) { return fmt::format("<{};{},{}>", o.vertical, o.width, o.horizontal); }

/// Every width at every offset, every predicate, every way to an operand: what must have been tried once at least.
std::set<std::string> wantedFeatures() {
    std::set<std::string> list;
    for (const int width : {1, 2, 4, 8, 16, 32})
        for (int offset = 0; offset + width <= 32; offset += width >= 16 ? 16 : 8)
            list.insert(fmt::format("({}|M{})", width, offset));
    for (const int kind : {0, 1, 2, 3})
        for (const bool inverted : {false, true})
            for (const bool noMask : {false, true})
                if (kind != 0 || !inverted) list.insert(fmt::format("predicate {} {} {}", kind, inverted, noMask));
    for (int flag = 0; flag < 8; ++flag) list.insert(fmt::format("flag {}", flag));
    for (const int addressing : {0, 1, 2}) list.insert(fmt::format("source addressing {}", addressing));
    for (const int addressing : {0, 1}) list.insert(fmt::format("destination addressing {}", addressing));
    for (const int stride : {1, 2, 4}) list.insert(fmt::format("destination <{}>", stride));
    for (const int vertical : {0, 1, 2, 4, 8, 16, 32})
        for (const int width : {2, 4, 8, 16})
            for (const int horizontal : {0, 1, 2, 4})
                list.insert(fmt::format("source <{};{},{}>", vertical, width, horizontal));
    using enum isa::ArchitectureRegister;
    for (const auto arf : {address, accumulator, flag, executionMask, status, control, notification, timestamp})
        list.insert(fmt::format("source arf {}", static_cast<int>(arf)));
    for (const auto arf : {null, address, accumulator, flag})
        list.insert(fmt::format("destination arf {}", static_cast<int>(arf)));
    return list;
}

}  // namespace

void Coverage::add(const Drawn& drawn) {
    ++instructions;
    const isa::Instruction& in = drawn.in;
    OfForm& form = forms[drawn.form];
    form.types.emplace(0, in.destination.type);
    form.conditions.insert(in.condition);
    form.saturated |= in.saturate;
    form.predicated |= in.predicate != isa::Predicate::none;
    for (int k = 0; k < in.sources; ++k) {
        const isa::Operand& o = in.source[k];
        form.types.emplace(k + 1, o.type);
        form.negated |= o.negate;
        form.absolute |= o.absolute;
        form.constant |= o.isImmediate();
        if (o.isImmediate()) continue;
        features.insert(fmt::format("source addressing {}", static_cast<int>(o.addressing)));
        features.insert("source " + regionOf(o));
        if (o.kind == isa::Operand::Kind::arf) features.insert(fmt::format("source arf {}", static_cast<int>(o.arf)));
    }
    features.insert(fmt::format("({}|M{})", in.width, in.offset));
    features.insert(fmt::format("predicate {} {} {}", static_cast<int>(in.predicate), in.inverted, in.noMask));
    features.insert(fmt::format("flag {}", in.flag));
    const isa::Operand& d = in.destination;
    features.insert(fmt::format("destination addressing {}", static_cast<int>(d.addressing)));
    features.insert(fmt::format("destination <{}>", d.horizontal));
    if (d.kind == isa::Operand::Kind::arf) features.insert(fmt::format("destination arf {}", static_cast<int>(d.arf)));
}

std::string Coverage::missing() const {
    std::string list;
    for (const std::string& feature : wantedFeatures())
        if (!features.contains(feature)) list += feature + "\n";
    const auto all = reference::forms();
    for (std::size_t f = 0; f < all.size(); ++f) {
        const Form& form = all[f];
        const OfForm tried = forms.contains(f) ? forms.at(f) : OfForm{};
        const auto name = isa::findOpcode(static_cast<std::uint8_t>(form.opcode))->mnemonic;
        const auto want = [&](bool wanted, bool was, const std::string& what) {
            if (wanted && !was) list += fmt::format("form {}, {}: {}\n", f, name, what);
        };
        for (int k = 0; k <= 3; ++k) {
            const Types set = k == 0 ? form.destination : form.source[k - 1];
            for (int t = 0; t < isa::kDataTypes; ++t) {
                const auto type = static_cast<isa::DataType>(t);
                want(set >> t & 1, tried.types.contains({k, type}),
                     fmt::format("operand {} of type {}", k, isa::nameOf(type)));
            }
        }
        want(form.has(kSaturate), tried.saturated, "saturation");
        want(form.has(kSign) || form.has(kComplement), tried.negated, "a negated source");
        want(form.has(kSign), tried.absolute, "an absolute source");
        want(form.has(kImmediate), tried.constant, "a constant");
        want(!form.has(kNoPredicate) && !form.has(kMacro) && form.opcode != isa::Opcode::dpas, tried.predicated,
             "a predicate");
        const bool conditions = form.has(kConditions) || form.has(kCompares) || form.has(kMayCompare);
        for (int c = 1; c <= 6; ++c)
            want(conditions, tried.conditions.contains(static_cast<isa::Condition>(c)), fmt::format("condition {}", c));
        want(form.has(kOverflow), tried.conditions.contains(isa::Condition::overflow), "condition ov");
    }
    return list;
}

}  // namespace zetl::test::reference
