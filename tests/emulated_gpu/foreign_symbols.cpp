// What a program may have of its own under the names of the libraries that ours contain: another fmt, another spdlog,
// another libyaml, an older libstdc++. They are exported and end the program, so a library of ours that took one of
// them would not survive a test.
#include <cstdio>
#include <cstdlib>

#define ZETL_FOREIGN(number, symbol)                                                                \
    extern "C" __attribute__((visibility("default"), used)) void foreign##number() __asm__(symbol); \
    extern "C" void foreign##number() {                                                             \
        std::fputs("the program's own " symbol " was taken\n", stderr);                             \
        std::abort();                                                                               \
    }

#define ZETL_FMT_ARGUMENTS \
    "NS0_17basic_string_viewIcEENS0_17basic_format_argsINS0_20basic_format_contextINS0_8appenderEcEEEE"

ZETL_FOREIGN(1, "_ZN3fmt2v97vformatB5cxx11E" ZETL_FMT_ARGUMENTS)
ZETL_FOREIGN(2, "_ZN3fmt2v96vprintEP8_IO_FILE" ZETL_FMT_ARGUMENTS)
ZETL_FOREIGN(3, "_ZN3fmt2v96detail18throw_format_errorEPKc")
ZETL_FOREIGN(4, "_ZN3fmt2v96detail12is_printableEj")
ZETL_FOREIGN(5, "_ZN6spdlog6logger7log_it_ERKNS_7details7log_msgEbb")
ZETL_FOREIGN(6, "_ZN6spdlog6logger9set_levelENS_5level10level_enumE")
ZETL_FOREIGN(7, "_ZN6spdlog5sinks9base_sinkISt5mutexE3logERKNS_7details7log_msgE")
ZETL_FOREIGN(8, "_ZN6spdlog5sinks11stderr_sinkINS_7details13console_mutexEEC1Ev")
ZETL_FOREIGN(9, "_ZN4YAML4LoadERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")
ZETL_FOREIGN(10, "yaml_parser_initialize")
ZETL_FOREIGN(11, "yaml_parser_parse")
ZETL_FOREIGN(12, "yaml_event_delete")
#if ZETL_OWN_CXX_LIBRARY  // those that the drivers call and a program of tests does not
ZETL_FOREIGN(13, "_ZNSt10filesystem7__cxx1118directory_iteratorppEv")
ZETL_FOREIGN(14, "_ZNKSt10filesystem7__cxx114path17_M_find_extensionEv")
ZETL_FOREIGN(15, "_ZNSt10filesystem18create_directoriesERKNS_7__cxx114pathERSt10error_code")
ZETL_FOREIGN(16, "_ZNSt10filesystem8absoluteERKNS_7__cxx114pathERSt10error_code")
#endif
