# What `cmake --install` puts where: library, headers, CMake package, pkg-config file. (The command and its manual pages: cli/.)
install(TARGETS geodisk EXPORT geodisk-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/geodisk DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# A static library hands its own needs on: to CMake as packages to find, to pkg-config as flags. A shared one must not: pkg-config wants
# what is required privately to be there whatever is linked, and a program that uses geodisk needs no headers of cairo.
get_target_property(libraries geodisk LINK_LIBRARIES)
set(static_packages Threads)
set(static_libs "-lm -pthread")
if(ZLIB::ZLIB IN_LIST libraries)
  list(APPEND static_packages ZLIB)
  string(APPEND static_libs " -lz")
endif()

set(static_modules "")
if(PkgConfig::CAIRO IN_LIST libraries)
  list(APPEND static_packages PkgConfig)
  set(static_modules cairo cairo-pdf cairo-png)
endif()

if(BUILD_SHARED_LIBS)
  set(static_modules "")
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/geodisk)
install(EXPORT geodisk-targets NAMESPACE geodisk:: DESTINATION ${package_dir})
configure_package_config_file(cmake/geodisk-config.cmake.in geodisk-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(geodisk-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/geodisk-config.cmake ${PROJECT_BINARY_DIR}/geodisk-config-version.cmake
        DESTINATION ${package_dir})

# The prefix is known for certain only when installing (cmake --install --prefix), so the file is written then.
install(CODE "
  set(PROJECT_VERSION ${PROJECT_VERSION})
  set(static_libs [[${static_libs}]])
  set(static_modules [[${static_modules}]])
  list(JOIN static_modules \", \" static_modules)
  set(PROJECT_DESCRIPTION [[${PROJECT_DESCRIPTION}]])
  set(CMAKE_INSTALL_FULL_LIBDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
  set(CMAKE_INSTALL_FULL_INCLUDEDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/cmake/geodisk.pc.in\" \"${PROJECT_BINARY_DIR}/geodisk.pc\" @ONLY)")
install(FILES ${PROJECT_BINARY_DIR}/geodisk.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
