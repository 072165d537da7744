# Debian packages, one for each component of Install.cmake: cpack --config build/release/CPackConfig.cmake. scripts/package does all of
# it. They install below /usr, with libraries in /usr/lib.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ze-tools-layer)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "ze-tools-layer")
set(CPACK_PACKAGE_CONTACT "ze-tools-layer maintainers <maintainers@ze-tools-layer.invalid>")
# Lines of a package's long description, each of less than 80 columns.
set(CPACK_PACKAGE_DESCRIPTION "Tools for Level Zero, SYCL and OpenCL programs: an emulated Intel GPU on
which they run without hardware, and zetl, which runs, traces, profiles and
debugs them.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library drivers tools development documentation)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)
# Its own libraries are no packages of Debian's.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${ZETL_SLOT_DIRECTORY})

set(same "(= ${PROJECT_VERSION})")
# component NAME PACKAGE SECTION SUMMARY
function(component name package section summary)
    string(TOUPPER ${name} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
    set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${CPACK_PACKAGE_DESCRIPTION}" PARENT_SCOPE)
endfunction()
component(library libze-tools-layer1 libs "tools layer for Level Zero: shared library")
component(drivers ze-emulated-gpu libs "emulated Intel GPU for Level Zero and OpenCL: drivers")
component(tools ze-tools-layer devel "run, trace, profile and debug Level Zero programs")
component(development libze-tools-layer-dev libdevel "tools layer for Level Zero: development files")
component(documentation ze-tools-layer-doc doc "tools layer for Level Zero: documentation")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
# Opened when they are wanted, so nothing links to them: the loader, and Intel's compiler, whose package has another name from
# Debian 13 on.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libze1")
set(CPACK_DEBIAN_DRIVERS_PACKAGE_DEPENDS "libze1")
set(CPACK_DEBIAN_DRIVERS_PACKAGE_RECOMMENDS "libocloc1 | intel-ocloc | intel-opencl-icd")
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libze-tools-layer1 ${same}, ze-emulated-gpu ${same}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "ze-tools-layer-doc")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libze-tools-layer1 ${same}, ze-emulated-gpu ${same}")

# The dynamic linker's cache takes them up.
foreach(name IN ITEMS LIBRARY DRIVERS)
    file(WRITE ${PROJECT_BINARY_DIR}/package/${name}/triggers "activate-noawait ldconfig\n")
    set(CPACK_DEBIAN_${name}_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/${name}/triggers)
endforeach()
# What only packages have: licence, changelog, compressed manual pages.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/PackageFiles.cmake)
set(CPACK_ZETL_LICENCE ${PROJECT_SOURCE_DIR}/LICENSE)
include(CPack)
