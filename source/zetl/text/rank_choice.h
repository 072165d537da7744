/// @file
/// Some of the ranks of a parallel program, as users write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace zetl::command {

class RankChoice {
  public:
    /// "0,17,100-103", or "none". Nothing if the text is something else.
    static std::optional<RankChoice> from(std::string_view text);

    bool has(std::int32_t rank) const;

  private:
    std::vector<std::pair<std::int32_t, std::int32_t>> ranges_;  // first and last
};

}  // namespace zetl::command
