// Work that threads of a group do alike: the first that reaches the CommonPart leaves its results, the others take them
// over.
#pragma once

#include <optional>
#include <vector>

#include "emulator/translate/flow/block_labels.h"
#include "emulator/translate/flow/float_mode.h"
#include "emulator/translate/plan/common_part.h"

namespace zetl::emulator::translate {

class WorkSharing : Part {
  public:
    WorkSharing(HostCode& host, BlockLabels& labels, FloatMode& mode) : Part(host), labels_(labels), mode_(mode) {}

    /// Makes threads of a group take this part over from each other, in that body. They begin at `entry`.
    void share(std::optional<CommonPart> part, std::uint8_t body, Line entry);
    /// Adds the blocks that begin because of the part.
    void addLeads(std::vector<bool>& leads) const;
    /// Emits what the part needs in front of a line.
    void emit(Line line);
    bool contains(Line line) const;
    /// Notes the run that is being accounted, whose beginning is in eax if it is not known.
    void noteRun(std::optional<Line> begin, Line end);
    /// The thread leaves host code: what it does afterwards is not noted.
    void stopFinding();

  private:
    void begin();
    void take(const Label& otherwise);
    void takeRuns();
    void takePieces(const std::vector<CommonPart::Piece>& pieces);
    void takeDetour(std::size_t number);
    void noteDetour(std::size_t number);
    void end();
    void workTo(const Label& otherwise);
    void unlessFinding(const Label& otherwise);
    std::uint32_t slotOf(std::uint32_t place) const;

    BlockLabels& labels_;
    FloatMode& mode_;
    std::optional<CommonPart> part_;
    std::uint8_t in_ = 0;  ///< the body that it belongs to
    Line entry_ = 0;
    std::uint32_t number_ = 0;  ///< number of that part, in this process
};

}  // namespace zetl::emulator::translate
