#include "core/inspector.h"

#include <dwarf.h>
#include <ze_tools_layer/lane_memory.h>

#include <algorithm>
#include <cstring>

#include "core/address.h"
#include "core/failure.h"
#include "core/xe_registers.h"
#include "isa/xe/architecture.h"

namespace zetl::debugger {
namespace {

constexpr std::uint64_t kLargestValue = std::uint64_t{1} << 20;

const std::string kAxes = "xyz";

/// A DWARF expression; empty if the module has no such data.
Bytes locationOfSymbol(const Module& module, const std::string& name) {
    for (const auto& each : module.elf().symbols()) {
        if (each.name != name || each.isFunction || each.size == 0) continue;
        Bytes location(1 + sizeof each.address, DW_OP_addr);
        std::memcpy(&location[1], &each.address, sizeof each.address);
        return location;
    }
    return {};
}

}  // namespace

std::vector<Variable> Inspector::variables() const {
    if (!frame_.module || thread_.architecture().silence().variables) return {};
    auto all = frame_.module->debug().variablesAt(frame_.address);
    std::erase_if(all, [&](const Variable& each) { return each.scope != frame_.scope; });
    return all;
}

std::optional<Variable> Inspector::globalNamed(const std::string& name) const {
    if (!frame_.module || thread_.architecture().silence().variables) return std::nullopt;
    auto found = frame_.module->debug().globalNamed(name, frame_.address);
    // Intel's compiler leaves it to the symbols where they are.
    if (found && found->location.empty()) found->location = locationOfSymbol(*frame_.module, name);
    return found;
}

Value Inspector::read(const Variable& variable) const {
    Value value{variable.type, {}, std::nullopt, variable.inLocalMemory, ""};
    if (!variable.type) {
        value.missing = "no type";
        return value;
    }
    if (variable.location.empty()) {
        value.missing = "optimised away";
        return value;
    }
    const bool isPointer = variable.type->kind == Type::Kind::pointer;
    auto place = placeOf(variable);
    if (place.pieces.empty()) {
        value.missing = place.problem;
        return value;
    }
    if (auto doubt = doubtOf(variable); !doubt.empty()) {
        value.missing = std::move(doubt);
        return value;
    }
    value = at(*variable.type, {std::move(place.pieces), place.isLocal});
    value.leadsToLocal |= variable.inLocalMemory && isPointer;
    if (value.leadsToLocal && value.type->kind == Type::Kind::pointer && value.missing.empty() &&
        !leadsSomewhere(value))
        value.missing = "not available here: its register holds something else";
    return value;
}

VariablePlace Inspector::placeOf(const Variable& variable) const {
    if (auto place = thread_.architecture().variablePlace(variable, frame_, thread_, lane_)) return *std::move(place);
    auto location = evaluate(variable.location, around_);
    const bool isPointer = variable.type->kind == Type::Kind::pointer;
    return {std::move(location.pieces), variable.inLocalMemory && !isPointer, std::move(location.problem)};
}

/// The memory space and the address there of a piece that is the lane's or the kernel's own.
std::pair<zet_debug_memory_space_type_t, std::uint64_t> Inspector::ownPlace(const Piece& piece) const {
    if (piece.kind == Piece::Kind::parameter) return {ZETL_DEBUG_MEMORY_SPACE_PARAMETERS, piece.address};
    return {ZETL_DEBUG_MEMORY_SPACE_PRIVATE, ZETL_PRIVATE_ADDRESS(lane_, piece.address)};
}

std::string Inspector::doubtOf(const Variable& variable) const {
    const auto* const machine = thread_.architecture().machine();
    if (variable.location.empty() || !machine || locations_.trusts()) return "";
    if (!frame_.module || !frame_.module->isOptimised()) return "";
    const auto location = evaluate(variable.location, around_);
    const auto beside = evaluate(variable.location, surroundingsOf(frame_, thread_, memory_, lane_ ^ 1));
    const bool isRunning = (thread_.activeLanes() >> lane_ & 1) != 0;
    const auto doubt =
        locations_.doubtOf(variable, frame_, *machine, location, beside, isRunning, sharing(variable, location));
    return doubt.empty() ? "" : fmt::format("{} {}: {}", kNotTrusted, doubt, kTrustRemedy);
}

std::vector<Variable> Inspector::sharing(const Variable& variable, const Location& location) const {
    std::vector<Variable> others;
    if (variable.isParameter || location.pieces.empty()) return others;
    const auto& place = location.pieces.front();
    for (const auto& each : variables()) {
        if (each.isParameter || each.name == variable.name || each.location.empty()) continue;
        const auto other = evaluate(each.location, around_);
        const bool isSame = place.kind == Piece::Kind::registerBits && !other.pieces.empty() &&
                            other.pieces.front().kind == place.kind && other.pieces.front().number == place.number &&
                            other.pieces.front().firstBit == place.firstBit;
        if (isSame) others.push_back(each);
    }
    return others;
}

bool Inspector::isMarkedLocal(const Value& pointer) const {
    const auto address = bitsOf(pointer.data, 0, 64);
    return (address & ~kLocalOffset) == kLocalMark && !readAny(memory_, thread_, address, 1) && leadsSomewhere(pointer);
}

bool Inspector::leadsSomewhere(const Value& localPointer) const {
    return memory_.readLocal(thread_.id(), bitsOf(localPointer.data, 0, 64) & kLocalOffset, 1).has_value();
}

Value Inspector::named(const std::string& name) const {
    for (const auto& each : variables())
        if (each.name == name) return read(each);
    if (const auto global = globalNamed(name)) return read(*global);
    const auto* const reason = thread_.architecture().silence().whyNoVariables();
    fail("there is no variable {} here{}{}", name, reason ? ": " : "", reason ? reason : "");
}

std::optional<isa::xe::SurfaceState> Inspector::imageNamed(const std::string& name) const {
    const auto* const kernel = frame_.module ? frame_.module->kernelAt(frame_.address) : nullptr;
    if (!kernel || kernel->images.empty() || frame_.function != kernel->name) return {};
    std::uint32_t argument = 0;
    for (const auto& each : variables()) {
        if (!each.isParameter) continue;
        if (each.name == name) return thread_.architecture().imageOf(thread_, *kernel, argument, memory_);
        ++argument;
    }
    return {};
}

Value Inspector::special(const std::string& name) const {
    const auto number = [](std::uint64_t value) { return valueOf(Scalar(value)); };
    if (name == "pc") return pointerValue(frame_.address, nullptr);
    if (name == "lane") return number(lane_);
    const auto* item = items_.at(lane_);
    const auto line = name.find('_');
    const auto axis =
        line != std::string::npos && line + 2 == name.size() ? kAxes.find(name.back()) : std::string::npos;
    if (axis != std::string::npos) {
        const auto which = name.substr(0, line);
        if (which == "group") return number(items_.group[axis]);
        if ((which == "local" || which == "global") && (!items_.known || !item))
            fail("the kernel was compiled without work-item ids, because it asks for none; call get_global_id() in it");
        if (which == "local") return number(item->local[axis]);
        if (which == "global") return number(item->global[axis]);
    }
    return thread_.architecture().registerNamed(name, *this);
}

std::optional<Bytes> Inspector::readPiece(const Piece& piece, bool isLocal, std::uint64_t bits) const {
    const auto bytes = (bits + 7) / 8;
    if (piece.kind == Piece::Kind::memory)
        return isLocal ? memory_.readLocal(thread_.id(), piece.address & kLocalOffset, bytes)
                       : readAny(memory_, thread_, piece.address, bytes);
    if (piece.isMemory()) {
        const auto [space, address] = ownPlace(piece);
        return memory_.readOwn(thread_.id(), space, address, bytes);
    }
    Bytes source(8);
    if (piece.kind == Piece::Kind::value) {
        std::memcpy(source.data(), &piece.value, sizeof piece.value);
        source.resize(std::max<std::size_t>(source.size(), bytes));
    } else {
        source.clear();
        const std::uint64_t each = thread_.architecture().numberedBits();
        for (std::uint64_t got = 0; got < piece.firstBit + bits; got += each) {
            const auto next = around_.readRegister(piece.number + static_cast<unsigned>(got / each));
            if (!next) return std::nullopt;
            source.insert(source.end(), next->begin(), next->end());
        }
    }
    Bytes result(bytes);
    for (std::uint64_t i = 0; i < bits; i += 8) {
        const auto count = static_cast<unsigned>(std::min<std::uint64_t>(8, bits - i));
        result[i / 8] = static_cast<std::uint8_t>(bitsOf(source, piece.firstBit + i, count));
    }
    return result;
}

Value Inspector::at(const Type& type, Place place) const {
    Value value{&type, {}, std::nullopt, false, ""};
    if (type.size > kLargestValue) {
        value.missing = fmt::format("{} bytes: too large to read at once", type.size);
        return value;
    }
    value.data.resize(type.size);
    std::uint64_t begin = 0;
    for (const auto& piece : place.pieces) {
        const auto bits = std::min(piece.bits ? piece.bits : type.size * 8, type.size * 8 - begin);
        if (piece.kind == Piece::Kind::gone) {
            value.missing = "optimised away";
            return value;
        }
        const auto data = readPiece(piece, place.isLocal, bits);
        if (!data) {
            value.missing = piece.isMemory()
                                ? fmt::format("cannot read memory at {:#x}: no allocation is there; check the pointer",
                                              piece.address)
                                : "cannot read the register";
            return value;
        }
        for (std::uint64_t i = 0; i < bits; i += 8)
            setBits(value.data, begin + i, static_cast<unsigned>(std::min<std::uint64_t>(8, bits - i)), (*data)[i / 8]);
        begin += bits;
    }
    value.leadsToLocal = type.kind == Type::Kind::pointer && isMarkedLocal(value);
    value.place = std::move(place);
    return value;
}

Value Inspector::partOf(const Value& whole, const Type& type, std::uint64_t offset) const {
    if (whole.place) return at(type, whole.place->part(offset * 8, type.size * 8));
    if (offset > whole.data.size() || type.size > whole.data.size() - offset)
        fail("the member lies outside its structure");
    const auto begin = whole.data.begin() + static_cast<std::ptrdiff_t>(offset);
    return {&type, {begin, begin + static_cast<std::ptrdiff_t>(type.size)}, std::nullopt, false, ""};
}

const Type* Inspector::typeNamed(const std::string& name) const {
    return frame_.module ? frame_.module->debug().typeNamed(name) : nullptr;
}

bool Inspector::hasVariable(const std::string& name) const {
    const auto all = variables();
    return std::ranges::find(all, name, &Variable::name) != all.end() || globalNamed(name);
}

Value Inspector::components(const Value& whole, const std::string& name) const {
    const auto& element = *whole.type->element;
    const auto chosen = componentsNamed(name, whole.type->count);
    if (chosen.empty()) fail("{} has no components {}; ptype shows what a type has", nameOf(whole.type), name);
    if (chosen.size() == 1) {
        auto part = partOf(whole, element, chosen.front() * element.size);
        part.made = whole.made;
        return part;
    }
    auto type = vectorOf(element, chosen.size(), whole.made);
    Value result{type.get(), {}, std::nullopt, false, ""};
    Place place{{}, whole.place && whole.place->isLocal};
    for (const auto each : chosen) {
        const auto part = partOf(whole, element, each * element.size);
        if (!part.missing.empty()) fail("{}", part.missing);
        result.data.insert(result.data.end(), part.data.begin(), part.data.end());
        if (part.place) place.pieces.insert(place.pieces.end(), part.place->pieces.begin(), part.place->pieces.end());
    }
    result.data.resize(type->size);
    if (whole.place) result.place = std::move(place);
    result.made = std::move(type);
    return result;
}

Value Inspector::member(const Value& whole, const std::string& name) const {
    if (!whole.missing.empty()) fail("{}", whole.missing);
    if (whole.type && whole.type->isVector && whole.type->element) return components(whole, name);
    if (!whole.type || whole.type->kind != Type::Kind::structure)
        fail("{} has no members; ptype shows what a type has", nameOf(whole.type));
    for (const auto& each : whole.type->members)
        if (each.name == name && each.type) return partOf(whole, *each.type, each.offset);
    fail("{} has no member {}; ptype shows what a type has", nameOf(whole.type), name);
}

Value Inspector::element(const Value& whole, std::int64_t index) const {
    auto part = elementAt(whole, index);
    part.made = whole.made;
    return part;
}

Value Inspector::elementAt(const Value& whole, std::int64_t index) const {
    if (!whole.missing.empty()) fail("{}", whole.missing);
    const auto* type = whole.type;
    if (!type || !type->element || (type->kind != Type::Kind::array && type->kind != Type::Kind::pointer))
        fail("{} has no elements; ptype shows what a type has", nameOf(type));
    const auto offset = static_cast<std::uint64_t>(index) * type->element->size;
    if (type->kind == Type::Kind::pointer) {
        Place place{{{Piece::Kind::memory, bitsOf(whole.data, 0, 64) + offset, 0, 0, 0, 0}}, whole.leadsToLocal};
        return at(*type->element, std::move(place));
    }
    if (index < 0 || static_cast<std::uint64_t>(index) >= type->count)
        fail("the array has {} elements; the first one is [0]", type->count);
    return partOf(whole, *type->element, offset);
}

Value Inspector::target(const Value& pointer) const {
    if (!pointer.type || pointer.type->kind != Type::Kind::pointer)
        fail("{} is not a pointer; cast it, as in *(global int*)ADDRESS", nameOf(pointer.type));
    if (!pointer.type->element) fail("a pointer to void cannot be dereferenced; cast it first");
    return element(pointer, 0);
}

Value Inspector::addressOf(const Value& value) const {
    if (!value.missing.empty()) fail("{}", value.missing);
    if (!value.place || value.place->pieces.size() != 1 || value.place->pieces[0].kind != Piece::Kind::memory)
        fail("the value is not in memory, so it has no address; print it without &");
    auto pointer = pointerValue(value.place->pieces[0].address, value.type, value.made);
    pointer.leadsToLocal = value.place->isLocal;
    return pointer;
}

Value Inspector::repeated(const Value& first, std::uint64_t count) const {
    const auto address = addressOf(first);
    if (count == 0 || count > kLargestValue || !first.type)
        fail("an array of {} elements cannot be shown; give @ a number from 1 to {}", count, kLargestValue);
    auto type = madeType({Type::Kind::array, "", first.type->size * count, count, first.type, {}, {}}, first.made);
    Piece piece{Piece::Kind::memory, bitsOf(address.data, 0, 64), 0, 0, 0, 0};
    auto value = at(*type, {{piece}, first.place->isLocal});
    value.made = std::move(type);
    return value;
}

Value Inspector::called(const std::string& function, const std::vector<Value>& arguments) const {
    if (!caller_)
        fail("{}: functions are called by commands at a stop, not by conditions or when the mouse passes over them",
             function);
    return caller_(function, arguments);
}

void Inspector::writePiece(const Piece& piece, bool isLocal, const Bytes& data, std::uint64_t first) {
    const auto bits = piece.bits ? piece.bits : data.size() * 8;
    if (piece.kind == Piece::Kind::memory) {
        const auto begin = data.begin() + static_cast<std::ptrdiff_t>(first / 8);
        const Bytes part(begin, begin + static_cast<std::ptrdiff_t>(bits / 8));
        const bool done = isLocal ? memory_.writeLocal(thread_.id(), piece.address & kLocalOffset, part)
                                  : writeAny(memory_, thread_, piece.address, part);
        if (!done) fail("cannot write memory at {:#x}; no allocation that may be written is there", piece.address);
        return;
    }
    if (piece.isMemory()) {
        const auto begin = data.begin() + static_cast<std::ptrdiff_t>(first / 8);
        const auto [space, address] = ownPlace(piece);
        if (!memory_.writeOwn(thread_.id(), space, address, {begin, begin + static_cast<std::ptrdiff_t>(bits / 8)}))
            fail("cannot write memory at {:#x}; no allocation that may be written is there", piece.address);
        return;
    }
    if (piece.kind != Piece::Kind::registerBits || frame_.saved.contains(piece.number))
        fail("the value is computed and cannot be changed; change a variable that it is computed from");
    const auto& device = thread_.architecture();
    const std::uint64_t each = device.numberedBits();
    for (std::uint64_t done = 0; done < bits;) {
        const auto bit = piece.firstBit + done;
        const auto number = piece.number + static_cast<unsigned>(bit / each);
        auto bytes = device.readNumbered(thread_, number);
        if (!bytes) fail("cannot read the register");
        const auto count = std::min<std::uint64_t>({bits - done, each - bit % each, 64});
        setBits(*bytes, bit % each, static_cast<unsigned>(count),
                bitsOf(data, first + done, static_cast<unsigned>(count)));
        device.writeNumbered(thread_, number, *bytes);
        done += count;
    }
}

void Inspector::assign(const Value& target, const Value& value) {
    if (!target.missing.empty()) fail("{}", target.missing);
    if (!target.place || !target.type)
        fail("the left side cannot be assigned to; name a variable, an element, a member or a register");
    auto data = bytesAs(*target.type, value);
    if (target.type->isVector) data.resize(target.type->count * target.type->element->size);  // not what fills it up
    std::uint64_t begin = 0;
    for (const auto& piece : target.place->pieces) {
        writePiece(piece, target.place->isLocal, data, begin);
        begin += piece.bits;
    }
}

}  // namespace zetl::debugger
