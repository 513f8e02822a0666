# The compiled part: what cffi makes of include/geodisk.
from typing import Any

ffi: Any
lib: Any
