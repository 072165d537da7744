// Forks while another thread is inside something that reads an environment variable: the program's getenv() is ours
// (slow_variable.cpp is one of its sources), and takes long for one name.
#pragma once

#include <functional>

namespace zetl::test {

inline constexpr int kNotRead = -3;

/// What becomes of a child, forked now, that runs `body`: its exit code, the body's if that is not 0; -1 if it hangs.
int exitOfChild(const std::function<int()>& body);

/// The same while another thread runs `first` and has come to reading the variable; kNotRead if it does not.
int exitOfChildMeanwhile(const char* variable, const std::function<void()>& first, const std::function<int()>& body);

}  // namespace zetl::test
