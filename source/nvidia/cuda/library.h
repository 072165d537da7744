// An NVIDIA library that is opened at run time. Its functions are looked up by name, and missing ones are reported.
#pragma once

#include <dlfcn.h>

#include <span>
#include <string>

namespace zetl::nvidia {

class Library {
  public:
    /// Opens the first of these names that can be opened. The library stays open.
    explicit Library(std::span<const std::string> names) {
        for (const auto& name : names) {
            handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (handle_) {
                name_ = name;
                return;
            }
            const char* why = dlerror();
            if (why_.empty()) why_ = why ? why : name;
        }
    }

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    const std::string& name() const noexcept { return name_; }
    /// The reason why none could be opened: the error for the first name.
    const std::string& why() const noexcept { return why_; }
    /// The names of functions that were looked up and are missing.
    const std::string& missing() const noexcept { return missing_; }

    template <class F>
    void resolve(const char* name, F& function) {
        function = reinterpret_cast<F>(dlsym(handle_, name));
        if (function) return;
        if (!missing_.empty()) missing_ += ", ";
        missing_ += name;
    }

  private:
    void* handle_ = nullptr;
    std::string name_;
    std::string why_;
    std::string missing_;
};

}  // namespace zetl::nvidia
