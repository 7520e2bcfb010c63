// Vectors that may be large: their memory comes in large pages, and is not set to zero first.
//
// Where every pixel is an object (noise), tables are larger than images, and half of the time went into memory that is
// touched for the first time, page by page, and into addresses that were not in the processor's list of pages. With pages
// of 2 MB (where Linux has them) both are gone. Small vectors are as always.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace softpq {

template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t count) {
    if (!is_large(count)) return static_cast<T*>(::operator new(count * sizeof(T)));
    const std::size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    void* const memory = ::operator new(bytes, std::align_val_t(kPage));
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, bytes, MADV_HUGEPAGE);  // a wish
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (is_large(count)) ::operator delete(memory, std::align_val_t(kPage));
    else ::operator delete(memory);
  }
  // What a vector grows by is not set.
  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U{static_cast<Args&&>(args)...};
  }

  friend bool operator==(LargePages, LargePages) { return true; }
  friend bool operator!=(LargePages, LargePages) { return false; }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21;
  static bool is_large(std::size_t count) { return count >= kPage / sizeof(T); }
};

template <class T>
using Large = std::vector<T, LargePages<T>>;

}  // namespace softpq
