// Random programs by steps and by the reference: what differs, in words.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "lone_thread.h"
#include "reference/random_program.h"

namespace zetl::test::reference {

/// What was tried: of each form, the types of each operand (0 the destination) and what else an instruction says; of
/// all together, masks and how operands are found.
struct Coverage {
    struct OfForm {
        std::set<std::pair<int, isa::DataType>> types;
        std::set<isa::Condition> conditions;
        bool saturated = false;
        bool negated = false;
        bool absolute = false;
        bool predicated = false;
        bool constant = false;
    };
    std::map<std::size_t, OfForm> forms;
    std::set<std::string> features;
    std::uint64_t instructions = 0;  ///< by each of the tables
    std::uint64_t sums = 0;          ///< of real matrices, and those of them that may be anything
    std::uint64_t openSums = 0;

    void add(const Drawn& drawn);
    /// Everything that a form allows and was not tried, a line each.
    std::string missing() const;
};

class Trial {
  public:
    explicit Trial(std::vector<const isa::StepTable*> tables, const isa::Architecture& architecture = isa::kXeHpc)
        : tables_(std::move(tables)), architecture_(architecture) {}

    /// Assembles and runs programs `first` to `first + count - 1`; what differs, empty if nothing does. Throws what the
    /// assembler throws.
    std::string run(std::uint64_t first, std::uint32_t count);
    const Coverage& coverage() const { return coverage_; }
    std::uint64_t differences() const { return differences_; }

  private:
    std::string compare(const RandomProgram& program, const Code& code, const isa::StepTable& table);
    void countSums(const isa::Instruction& in, const std::vector<Open>& opens);

    std::vector<const isa::StepTable*> tables_;
    const isa::Architecture& architecture_;  ///< as whose code the programs are read and executed
    LoneThread thread_;
    Coverage coverage_;
    std::uint64_t differences_ = 0;
};

}  // namespace zetl::test::reference
