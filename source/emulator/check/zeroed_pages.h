// Arrays of zeroes in pages that the host gives when they are touched.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace zetl::emulator::check {

template <class T>
class ZeroedPages {
  public:
    /// Throws std::bad_alloc if the host refuses.
    explicit ZeroedPages(std::size_t count) : bytes_(count * sizeof(T)) {
        void* const pages =
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages == MAP_FAILED) throw std::bad_alloc();
        begin_ = static_cast<T*>(pages);
    }
    ~ZeroedPages() { munmap(begin_, bytes_); }
    ZeroedPages(const ZeroedPages&) = delete;
    ZeroedPages& operator=(const ZeroedPages&) = delete;

    T& operator[](std::size_t at) const noexcept { return begin_[at]; }
    std::size_t count() const noexcept { return bytes_ / sizeof(T); }

  private:
    const std::size_t bytes_;
    T* begin_;
};

}  // namespace zetl::emulator::check
