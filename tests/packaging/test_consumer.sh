# The example consumer, configured, built and run against an installed copy: by the CMake package and by pkg-config.
. "$TESTS_DIR/packaging/install.sh"
source=$TESTS_DIR/../examples/consumer
expected='geodisk 0.1.0: a step of length 1 ends at distance 1'

rm -rf consumer
cmake -S "$source" -B consumer -G Ninja -DCMAKE_PREFIX_PATH="$PWD/prefix" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$CFLAGS" >configure.log
cmake --build consumer >build.log
[ "$(consumer/consumer)" = "$expected" ]

# pkg-config asks for nothing else, so that a machine without cairo's headers can build it.
if grep '^Requires.private: .' "$PKG_CONFIG_PATH/geodisk.pc"; then
  exit 1
fi
# shellcheck disable=SC2046,SC2086 # flags are words
$CC $CFLAGS "$source/consumer.c" $(pkg-config --cflags --libs geodisk) -Wl,-rpath,"$LIBRARY_DIR" -o by-pkg-config
[ "$(./by-pkg-config)" = "$expected" ]

# The installed command finds its library; its manual pages are there.
prefix/bin/geodisk --version | grep -q '^geodisk 0.1.0$'
[ -s prefix/share/man/man1/geodisk-geometry-exp.1 ]
echo "consumer: CMake package and pkg-config work"
