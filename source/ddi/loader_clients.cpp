#include "ddi/loader_clients.h"

#include <elf.h>

#include <cstdint>
#include <span>

namespace zetl::ddi {
namespace {

constexpr std::string_view kLoader = "libze_loader.so";

/// The entries of an object's dynamic section that name tables. Null or 0: the object has no such entry.
class Dynamic {
  public:
    explicit Dynamic(const dl_phdr_info& object) : base_(object.dlpi_addr) {
        for (int i = 0; i < object.dlpi_phnum; ++i)
            if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
                first_ = reinterpret_cast<const ElfW(Dyn)*>(base_ + object.dlpi_phdr[i].p_vaddr);
    }

    const ElfW(Dyn) * first() const { return first_; }
    std::uintptr_t value(ElfW(Sxword) tag) const {
        for (const auto* each = first_; each && each->d_tag != DT_NULL; ++each)
            if (each->d_tag == tag) return each->d_un.d_val;
        return 0;
    }
    /// Some C libraries leave the addresses in the file as they are, and glibc adds the object's.
    template <typename T>
    const T* table(ElfW(Sxword) tag) const {
        const auto at = value(tag);
        return at == 0 ? nullptr : reinterpret_cast<const T*>(at < base_ ? at + base_ : at);
    }
    std::span<const ElfW(Rela)> relocations(ElfW(Sxword) tag, ElfW(Sxword) size) const {
        const auto* const first = table<ElfW(Rela)>(tag);
        return {first, first ? value(size) / sizeof(ElfW(Rela)) : 0};
    }

  private:
    std::uintptr_t base_;
    const ElfW(Dyn) * first_ = nullptr;
};

bool needsLoader(const Dynamic& dynamic) {
    const auto* const names = dynamic.table<char>(DT_STRTAB);
    if (!names) return false;
    for (const auto* each = dynamic.first(); each->d_tag != DT_NULL; ++each)
        if (each->d_tag == DT_NEEDED && std::string_view(names + each->d_un.d_val).starts_with(kLoader)) return true;
    return false;
}

/// By relocations, because the table of symbols does not say how many it has.
int refers(dl_phdr_info* object, std::size_t, void* prefix) {
    const Dynamic dynamic(*object);
    if (!needsLoader(dynamic)) return 0;
    const auto* const names = dynamic.table<char>(DT_STRTAB);
    const auto* const symbols = dynamic.table<ElfW(Sym)>(DT_SYMTAB);
    if (!symbols) return 0;
    const auto wanted = *static_cast<const std::string_view*>(prefix);
    const auto any = [&](std::span<const ElfW(Rela)> relocations) {
        for (const auto& each : relocations) {
            const auto symbol = ELF64_R_SYM(each.r_info);
            if (symbol != STN_UNDEF && std::string_view(names + symbols[symbol].st_name).starts_with(wanted))
                return true;
        }
        return false;
    };
    return any(dynamic.relocations(DT_JMPREL, DT_PLTRELSZ)) || any(dynamic.relocations(DT_RELA, DT_RELASZ));
}

}  // namespace

bool isLinkedToLoader(const dl_phdr_info& object) { return needsLoader(Dynamic(object)); }

bool clientsRefer(std::string_view prefix) noexcept { return dl_iterate_phdr(refers, &prefix) != 0; }

}  // namespace zetl::ddi
