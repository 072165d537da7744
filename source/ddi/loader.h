// The calling loader, and the version that it reports.
#pragma once

#include <optional>

#include "ddi/table_size.h"

namespace zetl::ddi {

/// A shared object of this process, found by an address inside it.
class SharedObject {
  public:
    /// The object that holds `address`; an empty SharedObject if none does.
    static SharedObject holding(const void* address) noexcept;

    /// The object loaded under that name, found as dlopen would find it; an empty SharedObject if none is loaded.
    static SharedObject named(const char* name) noexcept;

    explicit operator bool() const noexcept { return base_ != nullptr; }
    friend bool operator==(const SharedObject&, const SharedObject&) = default;

    /// The address of one of its own exports, or null. Symbols of its dependencies do not count.
    void* symbol(const char* name) const noexcept;

    /// False once the object has been unloaded, or another one has been loaded in its place.
    bool loaded() const noexcept;

  private:
    const void* base_ = nullptr;
};

inline constexpr const char* kLoaderName = "libze_loader.so.1";

/// The version that a loader reports; nothing if the object is not a loader. Safe inside a loader's initialisation.
std::optional<LoaderVersion> loaderVersion(const SharedObject& object) noexcept;

}  // namespace zetl::ddi
