#include "core/debug_info.h"

#include <dwarf.h>

#include <algorithm>

namespace zetl::debugger {
namespace {

std::string absolute(const std::string& directory, const char* file) {
    const std::string name = file ? file : "";
    return name.empty() || name.front() == '/' || directory.empty() ? name : directory + "/" + name;
}

std::string attributeText(Dwarf_Die& die, unsigned attribute) {
    Dwarf_Attribute found;
    const char* text = dwarf_attr_integrate(&die, attribute, &found) ? dwarf_formstring(&found) : nullptr;
    return text ? text : "";
}

std::uint64_t numberOf(Dwarf_Die& die, unsigned attribute, std::uint64_t otherwise = 0) {
    Dwarf_Attribute found;
    Dwarf_Word value = 0;
    return dwarf_attr_integrate(&die, attribute, &found) && dwarf_formudata(&found, &value) == 0 ? value : otherwise;
}

template <class F>
void eachChild(Dwarf_Die& parent, F&& f) {
    Dwarf_Die child;
    if (dwarf_child(&parent, &child) != 0) return;
    do f(child);
    while (dwarf_siblingof(&child, &child) == 0);
}

/// The units' own entries. `dwarf` may be null.
template <class F>
void eachUnit(Dwarf* dwarf, F&& f) {
    std::size_t header = 0;
    Dwarf_Off next = 0;
    for (Dwarf_Off offset = 0; dwarf && dwarf_nextcu(dwarf, offset, &next, &header, nullptr, nullptr, nullptr) == 0;
         offset = next) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, offset + header, &unit)) f(unit);
    }
}

/// A file of the unit's line table by its number.
const char* fileNumber(Dwarf_Die& die, std::uint64_t number) {
    Dwarf_Die unit;
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    if (!dwarf_diecu(&die, &unit, nullptr, nullptr) || dwarf_getsrcfiles(&unit, &files, &count) != 0) return nullptr;
    return number < count ? dwarf_filesrc(files, number, nullptr, nullptr) : nullptr;
}

std::string directoryOf(Dwarf_Die& die) {
    Dwarf_Die unit;
    return dwarf_diecu(&die, &unit, nullptr, nullptr) ? attributeText(unit, DW_AT_comp_dir) : "";
}

bool isScope(Dwarf_Die& die) {
    const auto tag = dwarf_tag(&die);
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

std::uint64_t beginOf(Dwarf_Die& die) {
    Dwarf_Addr address = 0;
    return dwarf_entrypc(&die, &address) == 0 ? address : 0;
}

}  // namespace

bool namesFile(const std::string& file, const std::string& wanted) {
    return file == wanted ||
           (file.size() > wanted.size() && file.ends_with(wanted) && file[file.size() - wanted.size() - 1] == '/');
}

DebugInfo::DebugInfo(const ElfImage& image)
    : oldLists_(image.section(".debug_loc")),
      lists_(image.section(".debug_loclists")),
      addresses_(image.section(".debug_addr")) {
    elf_version(EV_CURRENT);
    // libelf only reads, although its type is that of memory to write.
    auto* const bytes = const_cast<std::uint8_t*>(image.bytes().data());
    elf_ = elf_memory(reinterpret_cast<char*>(bytes), image.bytes().size());
    dwarf_ = dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
    if (!dwarf_) return;
    readLines();
    eachUnit(dwarf_, [this](Dwarf_Die& unit) { readFunctions(unit, attributeText(unit, DW_AT_comp_dir)); });
    for (auto& function : functions_) {
        function.declared.file = fileOf(function);
        function.body = bodyOf(function);
    }
}

DebugInfo::~DebugInfo() {
    dwarf_end(dwarf_);
    elf_end(elf_);
}

void DebugInfo::readLines() {
    const auto* const elfutils = correlation::elfutils();
    if (!elfutils) return;
    rows_ = correlation::readLineRows(*elfutils, dwarf_);
    std::map<Dwarf_Off, std::string> directories{{Row::kNoUnit, ""}};
    for (auto& row : rows_) {
        const auto [directory, isNew] = directories.try_emplace(row.unit);
        Dwarf_Die unit;
        if (isNew && dwarf_offdie(dwarf_, row.unit, &unit)) directory->second = attributeText(unit, DW_AT_comp_dir);
        row.file = files_.insert(absolute(directory->second, row.file)).first->c_str();
    }
}

void DebugInfo::readFunctions(Dwarf_Die& unit, const std::string& directory) {
    eachChild(unit, [&](Dwarf_Die& die) {
        Dwarf_Addr begin = 0;
        Dwarf_Addr end = 0;
        if (dwarf_tag(&die) != DW_TAG_subprogram) return;
        if (dwarf_lowpc(&die, &begin) != 0 || dwarf_highpc(&die, &end) != 0) {
            inlined_.insert(attributeText(die, DW_AT_name));
            return;
        }
        const auto line = static_cast<int>(numberOf(die, DW_AT_decl_line));
        functions_.push_back(
            {attributeText(die, DW_AT_name), begin, end, begin, {absolute(directory, dwarf_decl_file(&die)), line}});
    });
}

// Some compilers count the files of a function by another rule than those of its lines, which are right.
std::string DebugInfo::fileOf(const Function& function) const {
    const Row* first = nullptr;
    for (const auto& row : rows_) {
        if (row.address < function.begin || row.address >= function.end || row.endsSequence) continue;
        if (row.file == function.declared.file) return function.declared.file;
        if (!first) first = &row;
    }
    return first ? first->file : function.declared.file;
}

// The line table leads from the declaration through the prologue, which may have lines of its own (the end of the
// function is one), to the first statement: the lowest line after the declaration.
std::uint64_t DebugInfo::bodyOf(const Function& function) const {
    const Row* first = nullptr;
    for (const auto& row : rows_) {
        if (row.address < function.begin || row.address >= function.end || row.endsSequence) continue;
        if (!row.isStatement || row.file != function.declared.file) continue;
        if (row.line <= function.declared.line) continue;
        if (!first || row.line < first->line) first = &row;
    }
    return first ? first->address : function.begin;
}

const Function* DebugInfo::functionAt(std::uint64_t address) const {
    const auto found = std::ranges::find_if(
        functions_, [&](const Function& each) { return address >= each.begin && address < each.end; });
    return found == functions_.end() ? nullptr : &*found;
}

const Type* DebugInfo::resultOf(const Function& function) const {
    auto dies = diesAt(function.begin);
    return dies.empty() ? nullptr : typeOf(dies.front());
}

/// The last row of a function's lines may reach over library code that follows it.
std::uint64_t DebugInfo::endOf(const Row& row) const {
    const auto* function = functionAt(row.address);
    return function ? function->end : UINT64_MAX;
}

SourceLine DebugInfo::lineAt(std::uint64_t address) const {
    const auto* row = correlation::rowAt(rows_, address);
    return row && address < endOf(*row) ? SourceLine{row->file, row->line} : SourceLine{};
}

std::vector<LineCode> DebugInfo::lineCode() const {
    std::vector<LineCode> all;
    for (std::size_t i = 0; i + 1 < rows_.size(); ++i) {
        const auto& row = rows_[i];
        if (row.endsSequence || row.line == 0 || row.address == rows_[i + 1].address) continue;
        all.push_back({row.address, std::min(rows_[i + 1].address, endOf(row)), {row.file, row.line}});
    }
    return all;
}

bool DebugInfo::isStatement(std::uint64_t address) const {
    const auto* row = correlation::rowAt(rows_, address);
    return row && row->address == address && row->isStatement;
}

std::vector<std::uint64_t> DebugInfo::addressesOf(const std::string& file, int& line) const {
    int best = 0;
    for (const auto& row : rows_)
        if (!row.endsSequence && row.isStatement && row.line >= line && namesFile(row.file, file) &&
            (best == 0 || row.line < best))
            best = row.line;
    std::vector<std::uint64_t> addresses;
    const Function* last = nullptr;
    for (const auto& row : rows_) {
        if (row.endsSequence || !row.isStatement || row.line != best || !namesFile(row.file, file)) continue;
        const auto* function = functionAt(row.address);
        if (!addresses.empty() && function == last) continue;
        const bool isDeclaration = function && SourceLine{row.file, row.line} == function->declared;
        addresses.push_back(isDeclaration ? function->body : row.address);
        last = function;
    }
    line = best;
    return addresses;
}

std::vector<Dwarf_Die> DebugInfo::diesAt(std::uint64_t address) const {
    std::vector<Dwarf_Die> path;
    eachUnit(dwarf_, [&](Dwarf_Die at) {
        for (bool deeper = path.empty(); deeper;) {
            deeper = false;
            Dwarf_Die inner{};
            eachChild(at, [&](Dwarf_Die& child) {
                if (deeper || !isScope(child) || dwarf_haspc(&child, address) <= 0) return;
                inner = child;
                deeper = true;
            });
            if (deeper) path.push_back(at = inner);
        }
    });
    return path;
}

std::optional<Variable> DebugInfo::globalNamed(const std::string& name, std::uint64_t address) const {
    const auto path = diesAt(address);
    std::optional<Variable> found;
    eachUnit(dwarf_, [&](Dwarf_Die& unit) {
        const bool isOwn = !path.empty() && path.front().cu == unit.cu;
        if (found && !isOwn) return;
        eachChild(unit, [&](Dwarf_Die& child) {
            if (dwarf_tag(&child) != DW_TAG_variable) return;
            if (attributeText(child, DW_AT_name) == name) found = variableOf(child, address);
        });
    });
    return found;
}

std::vector<Scope> DebugInfo::scopesAt(std::uint64_t address) const {
    std::vector<Scope> chain;
    auto dies = diesAt(address);
    for (auto die = dies.rbegin(); die != dies.rend(); ++die) {
        const auto tag = dwarf_tag(&*die);
        if (tag == DW_TAG_lexical_block) continue;
        SourceLine call;
        if (tag == DW_TAG_inlined_subroutine) {
            const auto* file = fileNumber(*die, numberOf(*die, DW_AT_call_file));
            call = {absolute(directoryOf(*die), file), static_cast<int>(numberOf(*die, DW_AT_call_line))};
        }
        chain.push_back({attributeText(*die, DW_AT_name), call, beginOf(*die)});
    }
    return chain;
}

std::vector<Variable> DebugInfo::variablesAt(std::uint64_t address) const {
    std::vector<Variable> all;
    auto dies = diesAt(address);
    std::size_t scope = 0;
    for (auto die = dies.rbegin(); die != dies.rend(); ++die) {
        eachChild(*die, [&](Dwarf_Die& child) {
            const auto tag = dwarf_tag(&child);
            if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) return;
            all.push_back(variableOf(child, address));
            all.back().scope = scope;
            all.back().isInBlock = die == dies.rbegin() && dwarf_tag(&*die) == DW_TAG_lexical_block;
        });
        scope += dwarf_tag(&*die) != DW_TAG_lexical_block;
    }
    return all;
}

std::set<int> DebugInfo::declarationsOf(const std::string& name, std::uint64_t address) const {
    std::set<int> lines;
    auto open = diesAt(address);
    if (!open.empty()) open.resize(1);  // the function itself
    while (!open.empty()) {
        Dwarf_Die die = open.back();
        open.pop_back();
        eachChild(die, [&](Dwarf_Die& child) {
            const auto tag = dwarf_tag(&child);
            const bool isVariable = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
            if (isVariable && attributeText(child, DW_AT_name) == name)
                lines.insert(static_cast<int>(numberOf(child, DW_AT_decl_line)));
            if (isScope(child)) open.push_back(child);
        });
    }
    return lines;
}

Variable DebugInfo::variableOf(Dwarf_Die& die, std::uint64_t address) const {
    constexpr std::uint64_t kLocal = 1;
    Variable variable;
    variable.name = attributeText(die, DW_AT_name);
    variable.type = typeOf(die);
    variable.isParameter = dwarf_tag(&die) == DW_TAG_formal_parameter;
    variable.addressClass = numberOf(die, DW_AT_address_class);
    variable.inLocalMemory = variable.addressClass == kLocal;
    variable.declared = static_cast<int>(numberOf(die, DW_AT_decl_line));
    auto found = expressionOf(die, DW_AT_location, address);
    variable.location = std::move(found.expression);
    variable.liveFrom = found.begin;
    variable.liveTo = found.end;
    return variable;
}

std::vector<std::uint8_t> DebugInfo::frameBaseAt(std::uint64_t address) const {
    auto dies = diesAt(address);
    return dies.empty() ? std::vector<std::uint8_t>{}
                        : expressionOf(dies.front(), DW_AT_frame_base, address).expression;
}

LocatedExpression DebugInfo::expressionOf(Dwarf_Die& die, unsigned attribute, std::uint64_t address) const {
    Dwarf_Attribute found;
    if (!dwarf_attr_integrate(&die, attribute, &found)) return {};
    Dwarf_Block block;
    if (dwarf_formblock(&found, &block) == 0) return {.expression = {block.data, block.data + block.length}};
    Dwarf_Word offset = 0;
    Dwarf_Die unit;
    if (dwarf_formudata(&found, &offset) != 0 || !dwarf_diecu(&die, &unit, nullptr, nullptr)) return {};
    if (dwarf_whatform(&found) == DW_FORM_loclistx)
        offset = indexedOffset(lists_, numberOf(unit, DW_AT_loclists_base), offset);
    return fromList(offset, unit, address);
}

LocatedExpression DebugInfo::fromList(std::uint64_t offset, Dwarf_Die& unit, std::uint64_t address) const {
    constexpr Dwarf_Half kNewLists = 5;
    Dwarf_Half version = 0;
    if (dwarf_cu_info(unit.cu, &version, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) != 0) return {};
    Dwarf_Addr low = 0;
    ListContext context{.base = dwarf_lowpc(&unit, &low) == 0 ? low : 0, .indexed = {}};
    const auto first = std::min<std::uint64_t>(numberOf(unit, DW_AT_addr_base), addresses_.size());
    context.indexed = addresses_.subspan(first);
    return expressionInList(version, version < kNewLists ? oldLists_ : lists_, offset, context, address);
}

}  // namespace zetl::debugger
