// Random statements. Barriers stand only where all work-items of a group arrive, every loop ends, and results of
// atomics are read only where the order of work-items makes no difference: behind a barrier, or where no other
// work-item writes.
#pragma once

#include <functional>
#include <string>

#include "expressions.h"

namespace zetl::random_kernels {

/// Names and sizes of a kernel's memory.
inline constexpr int kAccumulators = 16;   ///< global counters of one atomic statement
inline constexpr int kMaxAtomics = 24;     ///< such statements in a kernel
inline constexpr int kScratchBytes = 128;  ///< of global memory for each work-item and scalar type

class Statements {
  public:
    /// `groupItems`: of a work-group in a kernel, 0 in a function, which has neither barriers nor atomics.
    Statements(Chance& chance, Scope& scope, Numbering& numbering, int groupItems)
        : chance_(chance),
          scope_(scope),
          expressions_(chance, scope, numbering),
          numbering_(numbering),
          groupItems_(groupItems) {}

    /// `uniform`: all work-items of a group get here together.
    std::string block(int count, int depth, bool uniform);
    /// Declarations of local memory, which stand at the kernel's beginning.
    const std::string& declarations() const { return declarations_; }

  private:
    using Writer = std::string (Statements::*)(int depth, bool uniform);

    Chance& chance_;
    Scope& scope_;
    Expressions expressions_;
    Numbering& numbering_;
    int groupItems_;
    int names_ = 0;
    int atomics_ = 0;
    int loops_ = 0;
    std::string declarations_;

    static constexpr int kDepth = 3;

    std::string one(int depth, bool uniform);
    std::string body(int depth, bool uniform, int most = 3);
    std::string looped(int depth, bool uniform);
    std::string name(const char* stem);

    std::string assignment(int depth, bool uniform);
    std::string component(int depth, bool uniform);
    std::string arrayStore(int depth, bool uniform);
    std::string packChange(int depth, bool uniform);
    std::string parts(int depth, bool uniform);
    std::string scratch(int depth, bool uniform);
    std::string halves(int depth, bool uniform);
    std::string ownAtomics(int depth, bool uniform);
    std::string branch(int depth, bool uniform);
    std::string uniformBranch(int depth, bool uniform);
    std::string choice(int depth, bool uniform);
    std::string counted(int depth, bool uniform);
    std::string conditional(int depth, bool uniform);
    std::string forwardJump(int depth, bool uniform);
    std::string backwardJump(int depth, bool uniform);
    std::string exchange(int depth, bool uniform);
    std::string localAtomics(int depth, bool uniform);
    std::string globalAtomics(int depth, bool uniform);
};

}  // namespace zetl::random_kernels
