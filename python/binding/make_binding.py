"""make_binding.py - the C source of geodisk._native, made by cffi from the public headers.

    make_binding.py --include DIR --rows FILE --compiler CC -o native.c

The declarations are the headers themselves: the C preprocessor reads rows.h, which includes <geodisk/geodisk.h>; what comes from these
is kept, and nothing is written down a second time. Only the callbacks from C into Python are declared here.
"""
import argparse
import pathlib
import re
import subprocess

import cffi

# C calls these; _library.py and the modules that need them fill them in.
CALLBACKS = """
extern "Python" bool geodisk_python_progress(void *user, const geodisk_progress *progress);
extern "Python" void geodisk_python_log(void *user, geodisk_log_level level, const char *text);
extern "Python" bool geodisk_python_epoch(void *user, geodisk_trainer *trainer, const geodisk_train_epoch *info);
extern "Python" double geodisk_python_loss(void *user, size_t term, size_t count, const double *distances, double *derivatives);
extern "Python" bool geodisk_python_iteration(void *user, const geodisk_iteration *iteration);
"""


def preprocessed(compiler: str, include: pathlib.Path, header: pathlib.Path) -> str:
    """What the preprocessor makes of a header, system headers left out."""
    command = [compiler, "-E", "-x", "c", "-std=c17", "-D__attribute__(x)=", f"-I{include}", str(header)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kept, ours = [], False
    for line in text.split("\n"):
        marker = re.match(r'#\s+\d+\s+"([^"]*)"', line)
        if marker:
            place = pathlib.Path(marker[1]).resolve()
            ours = include in place.parents or place == header
        elif ours and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def constants(include: pathlib.Path) -> str:
    """The headers' macros that stand for a whole number, as cffi wants them."""
    lines = []
    for header in sorted((include / "geodisk").glob("*.h")):
        for name, value in re.findall(r"^#define[ \t]+(GEODISK_\w+)[ \t]+(\S.*?)\s*(?:/\*.*)?$", header.read_text("utf-8"), re.M):
            if re.fullmatch(r"\(?(-?\d+|\w+_MAX)\)?", value):
                lines.append(f"#define {name} ...")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--include", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("-o", "--output", required=True)
    a = parser.parse_args()
    include, rows = a.include.resolve(), a.rows.resolve()
    ffi = cffi.FFI()
    ffi.cdef(preprocessed(a.compiler, include, rows) + constants(include) + CALLBACKS)
    ffi.set_source("geodisk._native", f'#include "{rows.name}"\n')
    ffi.emit_c_code(a.output)


if __name__ == "__main__":
    main()
