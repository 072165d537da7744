#include "commands/commands.h"

namespace zetl::command {

// --help lists them in this order.
void addCommands(CLI::App& app, const Invocation& call) {
    addRun(app, call);
    addTrace(app, call);
    addCheck(app, call);
    addDiff(app, call);
    addCoverage(app, call);
    addBaseline(app, call);
    addReport(app, call);
    addPause(app, call);
    addResume(app, call);
    addKernels(app, call);
    addDisasm(app, call);
    addDebug(app, call);
    addGdbserver(app, call);
    addEnv(app, call);
    addDeviceList(app, call);
    addDoctor(app, call);
    addMetrics(app, call);
    addStalls(app, call);
    addHelpCommand(app, call);
    addCompletion(app, call);
}

}  // namespace zetl::command
