// Whole sessions of the debugger's front ends, from what the other end says, with a device that a script stands for.
#pragma once

#include <string_view>

namespace zetl::test {

/// Each line is the JSON of a message of the Debug Adapter Protocol; what is no object is left out.
void speakToAdapter(std::string_view lines);
/// Each line is the text of a packet of GDB's protocol; "interrupt" is the byte that is no packet.
void speakToServer(std::string_view lines);
/// Each line is a command, as it is typed; those that open files are left out.
void typeAtConsole(std::string_view lines);

struct Dialogue {
    const char* name;
    void (*hold)(std::string_view lines);
};
inline constexpr Dialogue kDialogues[] = {{"dap", speakToAdapter}, {"gdb", speakToServer}, {"console", typeAtConsole}};

}  // namespace zetl::test
