// What `zetl doctor` finds out.
#pragma once

#include <string>
#include <vector>

#include "environment.h"
#include "installation.h"

namespace zetl::command {

enum class Verdict { good, note, problem };

struct Finding {
    Verdict verdict;
    std::string subject;  // such as "loader"
    std::string fact;
    std::string remedy = {};  // what to do; for notes and problems
};

using Findings = std::vector<Finding>;

/// What the checks go by.
struct Patient {
    Installation installation;
    bool needsGpu = false;  // an Intel GPU must be usable; without, having none is only noted
};

// The checks, one file a subject. Each adds what it finds, good news included.
void checkInstallation(const Patient& patient,
                       Findings& findings);                        // our files, the slot links, whether the layer loads
void checkVariables(const Patient& patient, Findings& findings);   // the environment of this shell
void checkDriverList(const Patient& patient, Findings& findings);  // ZE_ENABLE_ALT_DRIVERS
void checkSlots(const Patient& patient, Findings& findings);       // what the loader would open here
void checkLoader(const Patient& patient, Findings& findings);      // the stock loader, the headers
void checkDrivers(const Patient& patient, Findings& findings);     // driver libraries; zeInit native and emulated
void checkCompiler(const Patient& patient, Findings& findings);    // Intel's compiler libraries
void checkPermissions(const Patient& patient, Findings& findings);   // device files, kernel settings
void checkDependencies(const Patient& patient, Findings& findings);  // what ZET_ENABLE_* makes Intel's driver insist on

void checkNvidia(const Patient& patient, Findings& findings);       // NVIDIA's kernel module, libraries, counters
void checkTranslation(const Patient& patient, Findings& findings);  // whether kernels can become host code

}  // namespace zetl::command
