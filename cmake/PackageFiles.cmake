# Run by CPack once the components are installed, before it makes Debian packages of them: adds what Debian's policy asks of each
# package. Not part of `cmake --install`.
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} upper)
    set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr/share)
    set(documents ${root}/doc/${package})
    if(component STREQUAL "documentation")  # the licence there is the other package's
        file(REMOVE ${root}/doc/${CPACK_PACKAGE_NAME}/copyright)
    endif()
    configure_file(${CPACK_ZETL_LICENCE} ${documents}/copyright COPYONLY)
    file(WRITE ${documents}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}. The package ze-tools-layer-doc has the list of changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
    file(GLOB compressed ${documents}/changelog ${root}/man/man*/*.[0-9])
    execute_process(COMMAND gzip -9nf ${compressed} COMMAND_ERROR_IS_FATAL ANY)
    # Libraries that live in other people's processes bring what they need inside (tests/abi/dependencies_test.py).
    if(component MATCHES "library|drivers|tools")
        file(WRITE ${root}/lintian/overrides/${package} "${package}: embedded-library libyaml *\n")
    endif()
endforeach()
