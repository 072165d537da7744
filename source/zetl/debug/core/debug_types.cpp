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

/// A number, or in DWARF 2, which NVIDIA's compiler writes, an expression that adds one to the structure's address.
std::uint64_t memberOffset(Dwarf_Die& member) {
    Dwarf_Attribute found;
    Dwarf_Word value = 0;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (!dwarf_attr(&member, DW_AT_data_member_location, &found)) return 0;
    if (dwarf_formudata(&found, &value) == 0) return value;
    const bool isExpression = dwarf_getlocation(&found, &operations, &count) == 0 && count == 1;
    return isExpression && operations[0].atom == DW_OP_plus_uconst ? operations[0].number : 0;
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

bool isNamedType(int tag) {
    return tag == DW_TAG_typedef || tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_class_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_base_type;
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

const Type* DebugInfo::typeNamed(const std::string& name) const {
    std::size_t header = 0;
    Dwarf_Off next = 0;
    for (Dwarf_Off offset = 0; dwarf_ && dwarf_nextcu(dwarf_, offset, &next, &header, nullptr, nullptr, nullptr) == 0;
         offset = next) {
        Dwarf_Die unit;
        Dwarf_Die child;
        if (!dwarf_offdie(dwarf_, offset + header, &unit) || dwarf_child(&unit, &child) != 0) continue;
        do {
            const char* const own = isNamedType(dwarf_tag(&child)) ? dwarf_diename(&child) : nullptr;
            if (own && name == own) return typeAt(child);
        } while (dwarf_siblingof(&child, &child) == 0);
    }
    return nullptr;
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
            type.members.push_back({name ? name : "", memberOffset(child), typeOf(child)});
        if (dwarf_tag(&child) == DW_TAG_enumerator) {
            Dwarf_Attribute attribute;
            Dwarf_Sword value = 0;
            if (dwarf_attr(&child, DW_AT_const_value, &attribute)) dwarf_formsdata(&attribute, &value);
            type.enumerators.push_back({name ? name : "", value});
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

void DebugInfo::fillArray(Type& type, Dwarf_Die& die) const {
    std::vector<std::uint64_t> counts;
    Dwarf_Die child;
    if (dwarf_child(&die, &child) == 0) do {
            if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
            const auto count = number(child, DW_AT_count);
            counts.push_back(count > 0 ? count : number(child, DW_AT_upper_bound) + 1);
        } while (dwarf_siblingof(&child, &child) == 0);
    if (counts.empty()) counts.push_back(1);
    const auto* element = typeOf(die);
    const auto sizeOf = [&](std::uint64_t count) { return element ? count * element->size : 0; };
    for (auto count = counts.rbegin(); count + 1 != counts.rend(); ++count)
        element = inner_
                      .emplace_back(
                          std::make_unique<Type>(Type{Type::Kind::array, "", sizeOf(*count), *count, element, {}, {}}))
                      .get();
    type.kind = Type::Kind::array;
    type.element = element;
    type.count = counts.front();
    constexpr std::uint64_t kLongestVector = 16;
    Dwarf_Attribute vector;
    type.isVector = element && type.count <= kLongestVector && dwarf_attr(&die, DW_AT_GNU_vector, &vector) != nullptr;
    type.size = type.isVector ? vectorSize(element->size, type.count) : sizeOf(type.count);
}

}  // namespace zetl::debugger
