// A mutex for many readers, for Clang's thread-safety analysis (see mutex.h).
#pragma once

#include <shared_mutex>

#include "base/mutex.h"

/// Like ZETL_REQUIRES, for functions that only read.
#define ZETL_REQUIRES_SHARED(mutex) ZETL_ANALYSED(requires_shared_capability(mutex))

namespace zetl {

/// A std::shared_mutex: one writer (WriteLock), or any number of readers (ReadLock).
class ZETL_ANALYSED(capability("mutex")) SharedMutex {
  public:
    void lock() ZETL_ANALYSED(acquire_capability()) { mutex_.lock(); }
    void unlock() ZETL_ANALYSED(release_capability()) { mutex_.unlock(); }
    void lock_shared() ZETL_ANALYSED(acquire_shared_capability()) { mutex_.lock_shared(); }
    void unlock_shared() ZETL_ANALYSED(release_shared_capability()) { mutex_.unlock_shared(); }

  private:
    std::shared_mutex mutex_;
};

class ZETL_ANALYSED(scoped_lockable) WriteLock {
  public:
    explicit WriteLock(SharedMutex& mutex) ZETL_ANALYSED(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
    ~WriteLock() ZETL_ANALYSED(release_capability()) { mutex_.unlock(); }
    WriteLock(const WriteLock&) = delete;
    WriteLock& operator=(const WriteLock&) = delete;

  private:
    SharedMutex& mutex_;
};

class ZETL_ANALYSED(scoped_lockable) ReadLock {
  public:
    explicit ReadLock(SharedMutex& mutex) ZETL_ANALYSED(acquire_shared_capability(mutex)) : mutex_(mutex) {
        mutex_.lock_shared();
    }
    ~ReadLock() ZETL_ANALYSED(release_generic_capability()) { mutex_.unlock_shared(); }
    ReadLock(const ReadLock&) = delete;
    ReadLock& operator=(const ReadLock&) = delete;

  private:
    SharedMutex& mutex_;
};

}  // namespace zetl
