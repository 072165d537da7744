# The build tree is laid out like the installed one, so that zetl finds its libraries by one rule in both:
#   bin/zetl   lib/libze_tools_layer.so.1   lib/libze_emulated_gpu.so.1   lib/ze-tools-layer/<slot names>
set(ZETL_BINARY_OUTPUT ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_BINDIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})

# What the loader opens, and where that leads, relative to lib/ze-tools-layer. In trace/ the tracing slot holds zetl's
# recorder instead, in query/ what measures kernels: they depend on the layer, so the loader finds the layer's functions through it.
set(ZETL_SLOT_DIRECTORY ze-tools-layer)
set(ZETL_SLOTS
    libze_tracing_layer.so.1=../libze_tools_layer.so.1
    libze_validation_layer.so.1=../libze_tools_layer.so.1
    trace/libze_tracing_layer.so.1=../libzetl_trace.so
    trace/libze_validation_layer.so.1=../../libze_tools_layer.so.1
    query/libze_tracing_layer.so.1=../libzetl_queries.so
    query/libze_validation_layer.so.1=../../libze_tools_layer.so.1)

# The links exist before the libraries do; `cmake --install` copies them as they are.
foreach(slot IN LISTS ZETL_SLOTS)
    string(REPLACE "=" ";" slot ${slot})
    list(GET slot 0 name)
    list(GET slot 1 target)
    set(link ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${ZETL_SLOT_DIRECTORY}/${name})
    get_filename_component(directory ${link} DIRECTORY)
    file(MAKE_DIRECTORY ${directory})
    file(CREATE_LINK ${target} ${link} SYMBOLIC)
endforeach()

# Where zetl and the drivers look for a compiler with its own C library: all build trees share the one that `scripts/compiler newest`
# puts into build/.
set(link ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${ZETL_SLOT_DIRECTORY}/compiler)
if(NOT EXISTS ${link} AND NOT IS_SYMLINK ${link})
    file(RELATIVE_PATH target ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${ZETL_SLOT_DIRECTORY} ${PROJECT_SOURCE_DIR}/build/compiler)
    file(CREATE_LINK ${target} ${link} SYMBOLIC)
endif()
