"""NumPy in and out: what comes is used where it lies if it can be, and refused with what was expected if it cannot."""
from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._native import ffi

Array = npt.NDArray[Any]
Number = Union[float, Array]

F64: np.dtype[Any] = np.dtype(np.float64)
F32: np.dtype[Any] = np.dtype(np.float32)
DOUBLES = ffi.typeof("double[]")
FLOATS = ffi.typeof("float[]")
_C_TYPES: Dict[Any, Any] = {
    F64: DOUBLES,
    F32: FLOATS,
    np.dtype(np.uint32): ffi.typeof("uint32_t[]"),
    np.dtype(np.uint64): ffi.typeof("uint64_t[]"),
    np.dtype(np.bool_): ffi.typeof("_Bool[]"),
}

from_buffer = ffi.from_buffer


def pointer(array: Optional[Array]) -> Any:
    """The numbers of a contiguous array for C; NULL for None. The array must outlive the call."""
    return ffi.NULL if array is None else from_buffer(_C_TYPES[array.dtype], array)


def writable(array: Array) -> Any:
    return from_buffer(_C_TYPES[array.dtype], array, require_writable=True)


def numbers(value: Any, what: str, dtype: Optional[npt.DTypeLike] = None) -> Array:
    """Real numbers as a contiguous array of float64 (or of float32 if that is what came and no dtype is asked for)."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what}: expected real numbers (float64 or float32), got dtype {array.dtype}")
    wanted = np.dtype(dtype) if dtype is not None else F32 if array.dtype == F32 else F64
    return np.ascontiguousarray(array, wanted) if array.ndim else array.astype(wanted)


def points(value: Any, dim: int, what: str, ndim: Optional[int] = None, dtype: Optional[npt.DTypeLike] = None) -> Array:
    """Points: the last axis has `dim` numbers."""
    array = numbers(value, what, dtype)
    if array.ndim == 0 or array.shape[-1] != dim or (ndim is not None and array.ndim != ndim):
        wanted = f"({dim},)" if ndim == 1 else f"(n, {dim})" if ndim == 2 else f"(..., {dim})"
        raise ValueError(f"{what}: expected an array of shape {wanted}, got shape {array.shape}")
    return array


def vector(value: Any, length: int, what: str, dtype: npt.DTypeLike = F64) -> Array:
    """`length` numbers."""
    array = numbers(value, what, dtype)
    if array.shape != (length,):
        raise ValueError(f"{what}: expected an array of shape ({length},), got shape {array.shape}")
    return array


def indices(value: Any, what: str, shape: Sequence[Optional[int]], dtype: npt.DTypeLike = np.uint64) -> Array:
    """Whole numbers >= 0; None in `shape` is any length."""
    array = np.asarray(value)
    if array.size == 0:
        array = array.reshape([0 if n is None else n for n in shape]).astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what}: expected whole numbers, got dtype {array.dtype}")
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape)):
        wanted = "(" + ", ".join("n" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"
        raise ValueError(f"{what}: expected an array of shape {wanted}, got shape {array.shape}")
    if array.size and (int(array.min()) < 0 or int(array.max()) > int(np.iinfo(np.dtype(dtype)).max)):
        raise ValueError(f"{what}: expected numbers from 0 to {np.iinfo(np.dtype(dtype)).max}")
    return np.ascontiguousarray(array, dtype)


def whole(value: Any, what: str, least: int = 1) -> int:
    """A whole number; the error names the argument."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{what} takes a whole number, not {value!r}")
    if value < least:
        raise ValueError(f"{what} takes a whole number from {least} up, not {value!r}")
    return int(value)


def real(value: Any, what: str) -> float:
    """A number; the error names the argument."""
    try:
        if isinstance(value, str):
            raise TypeError
        return float(value)
    except TypeError:
        raise TypeError(f"{what} takes a number, not {value!r}") from None


class _Memory:
    """Numbers that belong to an object of the library, which lives as long as the array that looks at them."""

    __slots__ = ("owner", "__array_interface__")

    def __init__(self, owner: Any, interface: Dict[str, Any]) -> None:
        self.owner = owner
        self.__array_interface__ = interface


def view(owner: Any, address: Any, shape: Tuple[int, ...], dtype: npt.DTypeLike, read_only: bool = True) -> Array:
    """An array over the library's memory; nothing is copied."""
    if 0 in shape:
        return np.zeros(shape, dtype)
    where = int(ffi.cast("uintptr_t", address))
    return np.asarray(_Memory(owner, {"version": 3, "shape": shape, "typestr": np.dtype(dtype).str, "data": (where, read_only)}))
