# A quick build (ZETL_PRECOMPILE): a target's sources are compiled as one unit, and the standard library's and GoogleTest's headers
# are precompiled. Most of a source's time to compile are the headers that its target's other sources include, too. The price: an
# #include that is missing from a source goes unnoticed. The `debug` preset does without, and the stage `standalone` of scripts/test
# compiles each source and each header alone.
#
# A target is one unit, never some batches of its sources: whether names meet does not depend on what else is there. One that cannot
# be one sets UNITY_BUILD OFF, and says why.
if(ZETL_PRECOMPILE)
    set(CMAKE_UNITY_BUILD ON)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
endif()

# Two sets for each area of the tree, because a compiler takes a precompiled header only for the code model that it was made for.
set(ZETL_STANDARD_HEADERS
    <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <cstring> <deque> <filesystem> <fstream> <functional>
    <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <vector>)

function(zetl_precompiled_set name position options)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp CONTENT "")
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE ${options} ${position})
    target_compile_definitions(${name} PRIVATE GTEST_HAS_PTHREAD=1)  # GoogleTest's own, and part of the set
    target_precompile_headers(${name} PRIVATE ${ZETL_STANDARD_HEADERS} ${ARGN})
endfunction()

# The options that a precompiled header must share with what begins with it: all but those of warnings.
function(zetl_precompiled_options options out)
    list(FILTER options EXCLUDE REGEX "-W[a-z]")
    set(${out} "${options}" PARENT_SCOPE)
endfunction()

# The C++ targets of a directory and those below it, but for what has options of its own.
function(zetl_use_precompiled area directory common_options)
    get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        get_target_property(sources ${target} SOURCES)
        get_target_property(options ${target} COMPILE_OPTIONS)
        zetl_precompiled_options("${options}" options)
        get_target_property(visibility ${target} CXX_VISIBILITY_PRESET)
        if(NOT sources MATCHES "\\.cpp" OR sources MATCHES "\\.c(;|$)" OR NOT options STREQUAL common_options
                OR NOT visibility STREQUAL CMAKE_CXX_VISIBILITY_PRESET)
            continue()
        elseif(type STREQUAL "EXECUTABLE")
            target_precompile_headers(${target} REUSE_FROM zetl_precompiled_${area}_program)
            target_compile_definitions(${target} PRIVATE GTEST_HAS_PTHREAD=1)
        elseif(type MATCHES "_LIBRARY$" AND NOT target MATCHES "^zetl_precompiled")
            target_precompile_headers(${target} REUSE_FROM zetl_precompiled_${area}_library)
            target_compile_definitions(${target} PRIVATE GTEST_HAS_PTHREAD=1)
        endif()
    endforeach()
    get_property(subdirectories DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
    foreach(subdirectory IN LISTS subdirectories)
        zetl_use_precompiled(${area} ${subdirectory} "${common_options}")
    endforeach()
endfunction()

# zetl_precompile(AREA DIRECTORIES directory... [OPTIONS option...] [HEADERS header...]): the targets there that have the options of
# the directory that calls this, and these. GCC optimises a source as the header was that it begins with.
function(zetl_precompile area)
    cmake_parse_arguments(ARG "" "" "DIRECTORIES;OPTIONS;HEADERS" ${ARGN})
    get_property(common_options DIRECTORY PROPERTY COMPILE_OPTIONS)
    list(APPEND common_options ${ARG_OPTIONS})
    zetl_precompiled_options("${common_options}" common_options)
    zetl_precompiled_set(zetl_precompiled_${area}_library -fPIC "${ARG_OPTIONS}")
    zetl_precompiled_set(zetl_precompiled_${area}_program -fPIE "${ARG_OPTIONS}" ${ARG_HEADERS})
    foreach(directory IN LISTS ARG_DIRECTORIES)
        zetl_use_precompiled(${area} ${directory} "${common_options}")
    endforeach()
endfunction()
