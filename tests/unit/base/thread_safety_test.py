#!/usr/bin/env python3
"""What base/mutex.h and base/shared_mutex.h declare, Clang checks: thread_safety_test.py CLANG++ SOURCE_DIRECTORY"""
import subprocess
import sys

ACCOUNT = """
#include <algorithm>
#include <vector>
#include "base/mutex.h"
#include "base/shared_mutex.h"
class Account {
  public:
    void use();
  private:
    void add(int amount) ZETL_REQUIRES(mutex_) { amounts_.push_back(amount); }
    zetl::Mutex mutex_;
    std::vector<int> amounts_ ZETL_GUARDED_BY(mutex_);
    int rate() const ZETL_REQUIRES_SHARED(rates_) { return rate_; }
    zetl::SharedMutex rates_;
    int rate_ ZETL_GUARDED_BY(rates_) = 0;
};
void Account::use() { BODY }
"""
ACCEPTED = {
    "held": "const zetl::Lock lock(mutex_); add(1); amounts_.clear();",
    "let go for a while": "zetl::Lock lock(mutex_); add(1); lock.unlock(); lock.lock(); add(2);",
    "in a lambda that says so": "const zetl::Lock lock(mutex_);"
    "std::all_of(amounts_.begin(), amounts_.end(), [&](int each) ZETL_REQUIRES(mutex_) { add(each); return true; });",
    "after a wait for what it guards": "zetl::Lock lock(mutex_); zetl::Condition filled;"
    "filled.wait(lock, [this]() ZETL_REQUIRES(mutex_) { return !amounts_.empty(); }); add(1);",
    "taken where it was free": "if (!mutex_.try_lock()) return; const zetl::Lock lock(mutex_, std::adopt_lock); add(1);",
    "read with the others": "const zetl::ReadLock lock(rates_); static_cast<void>(rate());",
    "written alone": "const zetl::WriteLock lock(rates_); rate_ = rate() + 1;",
}
REFUSED = {
    "reading variable 'amounts_'": "if (amounts_.empty()) return;",
    "calling function 'add' requires holding mutex 'mutex_'": "add(1);",
    "calling function 'add' requires": "zetl::Lock lock(mutex_); lock.unlock(); add(1);",
    "reading variable 'amounts_' requires holding mutex": "zetl::Lock lock(mutex_); zetl::Condition filled;"
    "filled.wait(lock, [this] { return !amounts_.empty(); });",
    "already held": "const zetl::Lock lock(mutex_); const zetl::Lock again(mutex_);",
    "still held": "mutex_.lock(); add(1);",
    "requires holding mutex 'mutex_' exclusively": "static_cast<void>(mutex_.try_lock()); add(1);",
    "writing variable 'rate_' requires holding mutex 'rates_' exclusively": "const zetl::ReadLock lock(rates_); rate_ = 1;",
    "calling function 'rate' requires holding mutex 'rates_'": "static_cast<void>(rate());",
}


def words(compiler, source, body):
    command = [compiler, "-x", "c++", "-std=c++20", "-fsyntax-only", "-Wthread-safety", "-Werror", "-I", f"{source}/source", "-"]
    return subprocess.run(command, input=ACCOUNT.replace("BODY", body), capture_output=True, text=True).stderr


def main():
    compiler, source = sys.argv[1:]
    wrong = [f"{name}: refused: {said}" for name, body in ACCEPTED.items() if (said := words(compiler, source, body))]
    wrong += [f"not refused by '{name}': {body}" for name, body in REFUSED.items()
              if name not in words(compiler, source, body)]
    print("\n".join(wrong) or f"{len(ACCEPTED)} accepted, {len(REFUSED)} refused")
    return bool(wrong)


sys.exit(main())
