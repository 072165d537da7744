#include "emulator/driver/execution/graph.h"

#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/visitor.h"
#include "emulator/driver/memory/context.h"

namespace zetl::emulator::driver {

Status Graph::visit(const VisitDescription& description, ze_result_t& answer) const {
    RecordedCalls primary;
    RecordedCalls all;
    {
        const Lock guard(captures::mutex());
        for (const GraphCommand& command : capture().record.commands) {
            if (!command.call) continue;
            all.push_back(command.call);
            if (command.branch == 0) primary.push_back(command.call);
        }
    }
    const auto visitor = Visitor::of(description);
    if (visitor) answer = visitor->visitAll(all, primary);
    return visitor.code();
}

}  // namespace zetl::emulator::driver
