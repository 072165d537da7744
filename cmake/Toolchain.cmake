# Language level, warnings, visibility and the instrumented build kinds; the presets set the options.
option(ZETL_WERROR "Treat warnings as errors (CI does)" OFF)
option(ZETL_COVERAGE "Instrument for gcov" OFF)
option(ZETL_FUZZ "Build the libFuzzer harnesses (needs Clang)" OFF)
option(ZETL_FUZZ_COMPARISONS "Fuzzers see what is compared with what, too: they find more, and all tests run slower" ON)
option(ZETL_PRECOMPILE "A target is one unit, the standard headers are precompiled (see Precompile.cmake)" OFF)
option(ZETL_PORTABLE "For other distributions (scripts/wheel): libstdc++ is linked in, and zetl finds libraries that lie in the package" OFF)
set(ZETL_SANITIZE "" CACHE STRING "Value of -fsanitize=, for instance address,undefined")

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Precompiled headers differ from build to build, so ccache would never find again what it kept.
find_program(CCACHE ccache)
if(CCACHE AND NOT ZETL_PRECOMPILE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
# Thin: an archive names its objects, which are there anyway. None is installed.
set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> qcT <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "<CMAKE_AR> qT <TARGET> <LINK_FLAGS> <OBJECTS>")

# zetl_optimize_lightly(TARGET...): programs that wait for people or for compilers, so that nobody sees what more would gain. They take
# half as long to compile.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(ZETL_LIGHT_OPTIMIZATION -O1)
endif()
function(zetl_optimize_lightly)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE ${ZETL_LIGHT_OPTIMIZATION})
    endforeach()
endfunction()

add_compile_options(-Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Reports overlaps and sizes within std::string's operator+ that cannot happen (GCC bug 105651).
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-array-bounds>")
endif()
# GCC 14 (and 12, above) believes that the comparison of two std::vector<std::byte> may read more than half of the address space, and
# that a handle whose null was refused may still be null where an atomic behind it is read.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overread;-Wno-stringop-overflow>")
endif()
# GCC from 13 on believes that a function which takes a temporary and returns a reference returns one to the temporary.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>")
endif()
# GCC looks through its heap for garbage from 128 MB on. A target's unit takes 250 to 850 MB, and little of it is ever garbage. Not where
# clang-tidy reads the options.
if(ZETL_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options("SHELL:--param ggc-min-heapsize=1000000")
endif()
if(ZETL_PORTABLE)
    # Objects, not an archive: libstdc++, which needs them, comes last.
    foreach(part newer_glibc start)
        execute_process(COMMAND ${CMAKE_C_COMPILER} -O2 -fPIC -c ${PROJECT_SOURCE_DIR}/scripts/packaging/portable/${part}.c
            -o ${PROJECT_BINARY_DIR}/${part}.o COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    add_link_options(-static-libstdc++ -Wl,--exclude-libs,libstdc++.a ${PROJECT_BINARY_DIR}/newer_glibc.o)
    string(APPEND CMAKE_EXE_LINKER_FLAGS " ${PROJECT_BINARY_DIR}/start.o")
endif()
if(ZETL_WERROR)
    add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wthread-safety;-Wcomma>")
endif()
if(ZETL_SANITIZE)
    # Of what debuggers read a report needs functions and lines, and no more takes a tenth less time to compile.
    add_compile_options(-fsanitize=${ZETL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
    add_link_options(-fsanitize=${ZETL_SANITIZE})
    # Enumerators come from C callers and from versions of the interface that are newer than ours. Compilers give every
    # value of an enumeration's underlying type its meaning unless told otherwise (-fstrict-enums).
    if(ZETL_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize=enum)
    endif()
    # What GCC defines by itself, for the tests that cannot run with it.
    if(ZETL_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        add_compile_definitions(__SANITIZE_ADDRESS__)
    endif()
    # Clang only: entry points are kept in tables by one generic type and called by their own; callbacks likewise.
    if(ZETL_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        add_compile_options(-fno-sanitize=function)
    endif()
    # GCC's thread sanitizer does not follow fences. The one fence there is orders what kernels do, and the code that
    # executes kernels is not under the sanitizer's eyes: their races are their own.
    if(ZETL_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        add_compile_options(-Wno-tsan)
    endif()
endif()
# Nothing stays undefined in what we install, but for Clang's sanitizer functions, which the program brings.
if(NOT (ZETL_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"))
    set(ZETL_LINK_COMPLETELY -Wl,-z,defs)
endif()
if(ZETL_FUZZ AND ZETL_FUZZ_COMPARISONS)
    add_compile_options(-fsanitize=fuzzer-no-link)
elseif(ZETL_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp,indirect-calls,stack-depth)
endif()
if(ZETL_COVERAGE)
    add_compile_options(--coverage -fprofile-update=atomic)  # threads count the same lines
    add_link_options(--coverage)
    set(ZETL_UNCOUNTED -fno-profile-arcs -fno-test-coverage)
endif()
