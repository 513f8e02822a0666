# install.sh - sourced: installs the build in $BUILD_DIR into ./prefix of the working directory.
set -eu
rm -rf prefix
cmake --install "$BUILD_DIR" --prefix "$PWD/prefix" >install.log
PKG_CONFIG_PATH=$(find "$PWD/prefix" -type d -name pkgconfig)
LIBRARY_DIR=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH
