# Precompiles the standard library's and GoogleTest's headers for every target. It makes a cold build much quicker, at a
# price: an #include that is missing from a source goes unnoticed. So the `release` build, which is what users build, stays
# without it, and the sanitizer builds of scripts/test have it.
#
# Two sets, because a compiler takes a precompiled header only for the code model that it was made for.
set(standard_headers
    <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <cstring> <deque> <filesystem> <fstream> <functional>
    <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <vector>)

function(zetl_precompiled_set name position)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp CONTENT "")
    add_library(zetl_precompiled_${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
    set_target_properties(zetl_precompiled_${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(zetl_precompiled_${name} PRIVATE ${position})
    target_precompile_headers(zetl_precompiled_${name} PRIVATE ${ARGN})
endfunction()

function(zetl_precompile directory)
    get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
    get_property(common_options DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY COMPILE_OPTIONS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        get_target_property(sources ${target} SOURCES)
        get_target_property(options ${target} COMPILE_OPTIONS)
        if(NOT sources MATCHES "\\.cpp" OR sources MATCHES "\\.c(;|$)" OR NOT options STREQUAL common_options)
            continue()  # nothing to gain, or another language or code model
        elseif(type STREQUAL "EXECUTABLE")
            target_precompile_headers(${target} REUSE_FROM zetl_precompiled_program)
            target_compile_definitions(${target} PRIVATE GTEST_HAS_PTHREAD=1)  # GoogleTest's own, and part of the set
        elseif(type MATCHES "_LIBRARY$")
            target_precompile_headers(${target} REUSE_FROM zetl_precompiled_library)
        endif()
    endforeach()
    get_property(subdirectories DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
    foreach(subdirectory IN LISTS subdirectories)
        zetl_precompile(${subdirectory})
    endforeach()
endfunction()

zetl_precompiled_set(library -fPIC ${standard_headers})
zetl_precompiled_set(program -fPIE ${standard_headers} <gtest/gtest.h>)
target_compile_definitions(zetl_precompiled_program PRIVATE GTEST_HAS_PTHREAD=1)
zetl_precompile(${PROJECT_SOURCE_DIR})
