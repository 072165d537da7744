// Types of debug_info.h: from libdw's tree to ours.
#include <dwarf.h>

#include "core/debug_info.h"

namespace zetl::debugger {
namespace {

std::uint64_t number(Dwarf_Die& die, unsigned attribute) {
    Dwarf_Attribute found;
    Dwarf_Word value = 0;
    return dwarf_attr(&die, attribute, &found) && dwarf_formudata(&found, &value) == 0 ? value : 0;
}

Type::Kind kindOf(std::uint64_t encoding) {
    switch (encoding) {
        case DW_ATE_float:
            return Type::Kind::floating;
        case DW_ATE_boolean:
            return Type::Kind::boolean;
        case DW_ATE_signed:
        case DW_ATE_signed_char:
            return Type::Kind::integer;
        default:
            return Type::Kind::natural;
    }
}

bool isTransparent(int tag) {
    return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
           tag == DW_TAG_atomic_type;
}

}  // namespace

const Type* DebugInfo::typeOf(Dwarf_Die& die) const {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    if (!dwarf_attr_integrate(&die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type)) return nullptr;
    return typeAt(type);
}

const Type* DebugInfo::typeAt(Dwarf_Die& die) const {
    auto& entry = types_[dwarf_dieoffset(&die)];
    if (!entry) {
        entry = std::make_unique<Type>();
        auto* const type = entry.get();  // the map grows while the type is read; the type stays where it is
        fill(*type, die);
        return type;
    }
    return entry.get();
}

void DebugInfo::fill(Type& type, Dwarf_Die& die) const {
    const char* name = dwarf_diename(&die);
    const int tag = dwarf_tag(&die);
    type.size = number(die, DW_AT_byte_size);
    if (isTransparent(tag) || tag == DW_TAG_typedef) {
        if (const auto* meant = typeOf(die)) type = *meant;
    } else if (tag == DW_TAG_base_type) {
        type.kind = kindOf(number(die, DW_AT_encoding));
    } else if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type) {
        type.kind = Type::Kind::pointer;
        if (type.size == 0) type.size = sizeof(std::uint64_t);
        type.element = typeOf(die);
    } else if (tag == DW_TAG_array_type) {
        fillArray(type, die);
    } else if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type) {
        type.kind = Type::Kind::structure;
        fillMembers(type, die);
    } else if (tag == DW_TAG_enumeration_type) {
        type.kind = Type::Kind::enumeration;
        fillMembers(type, die);
    }
    if (name) type.name = name;
}

void DebugInfo::fillMembers(Type& type, Dwarf_Die& die) const {
    Dwarf_Die child;
    if (dwarf_child(&die, &child) != 0) return;
    do {
        const char* name = dwarf_diename(&child);
        if (dwarf_tag(&child) == DW_TAG_member)
            type.members.push_back({name ? name : "", number(child, DW_AT_data_member_location), typeOf(child)});
        if (dwarf_tag(&child) == DW_TAG_enumerator) {
            Dwarf_Attribute attribute;
            Dwarf_Sword value = 0;
            if (dwarf_attr(&child, DW_AT_const_value, &attribute)) dwarf_formsdata(&attribute, &value);
            type.enumerators.push_back({name ? name : "", value});
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

void DebugInfo::fillArray(Type& type, Dwarf_Die& die) const {
    type.kind = Type::Kind::array;
    type.element = typeOf(die);
    type.count = 1;
    Dwarf_Die child;
    if (dwarf_child(&die, &child) == 0) do {
            if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
            const auto count = number(child, DW_AT_count);
            type.count *= count > 0 ? count : number(child, DW_AT_upper_bound) + 1;
        } while (dwarf_siblingof(&child, &child) == 0);
    type.size = type.element ? type.count * type.element->size : 0;
}

}  // namespace zetl::debugger
