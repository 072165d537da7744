# The host's threads may be in what it has loaded until the process is gone, and so may the threads of ours: nothing that they use
# may be destroyed at exit (base/never_destroyed.h). GCC has no such warning.
function(zetl_outlive_exit target)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wexit-time-destructors>)
endfunction()

# A shared object that the loader opens in a process that belongs to somebody else, who finds in it what the version script lists.
# It is never unloaded, and brings its own C++ library: others in the process may export functions of an older one by the same names.
# Intel's PTI 1.2 has std::filesystem's of GCC 8, whose paths look different. Sanitizers must see all memory, and so share.
function(zetl_guest target exports)
    zetl_outlive_exit(${target})
    target_link_options(${target} PRIVATE -Wl,--version-script=${exports} -Wl,-z,nodelete ${ZETL_LINK_COMPLETELY})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${exports})
    if(NOT ZETL_SANITIZE)
        target_link_options(${target} PRIVATE -static-libstdc++)
    endif()
endfunction()

# A component is one directory and one static library; what it links is what it may include
# (tests/include_rules.py holds the tree to that).
#
#   zetl_component(tracing SOURCES tracer.cpp ... LINKS base ddi device [PRIVATE_LINKS spdlog::spdlog])
function(zetl_component name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
    list(TRANSFORM ARG_LINKS PREPEND zetl::)
    add_library(zetl_${name} STATIC ${ARG_SOURCES})
    add_library(zetl::${name} ALIAS zetl_${name})
    target_include_directories(zetl_${name} PUBLIC ${PROJECT_SOURCE_DIR}/source)
    target_link_libraries(zetl_${name} PUBLIC ${ARG_LINKS} zetl::headers PRIVATE ${ARG_PRIVATE_LINKS})
    zetl_outlive_exit(zetl_${name})
endfunction()
