"""HDF5, with h5py: ``file.h5:dataset``, or the only dataset of integers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from softpq.io import LabelImage, ReadError, check_size, needs, stem_of
from softpq.io.stored import StoredArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


def images(path: Path, inner: str | None) -> list[LabelImage]:
    """List the one dataset."""
    return [LabelImage(stem_of(path), path, lambda: read(path, inner), stored=lambda: open_parts(path, inner))]


def read(path: Path, inner: str | None = None) -> NDArray[Any]:
    """Read one dataset."""
    dataset = _opened(path, inner)
    try:
        check_size(dataset.nbytes)
        array: NDArray[Any] = dataset[...]
    except ReadError:
        raise
    except Exception as error:  # h5py raises many kinds on broken files
        raise _explained(error) from error
    finally:
        dataset.file.close()
    return array.squeeze()


def open_parts(path: Path, inner: str | None = None) -> StoredArray:
    """Open the dataset for reading parts of it; the file stays open as long as that is used."""
    dataset = _opened(path, inner)
    chunks, close = dataset.chunks, dataset.file.close
    return StoredArray(lambda block: dataset[block], dataset.shape, dataset.dtype, chunks, path.name, close=close)


def _opened(path: Path, inner: str | None) -> Any:
    h5py = needs("h5py", ".h5", "hdf5")
    try:
        file = h5py.File(path, "r")
        name = inner or _only_integers(file, h5py)
        if name not in file or not isinstance(file[name], h5py.Dataset):
            raise ReadError(f"holds no dataset {name!r}; there are {', '.join(_datasets(file, h5py))}")
        return file[name]
    except ReadError:
        raise
    except Exception as error:  # h5py raises many kinds on broken files
        raise _explained(error) from error


def _explained(error: Exception) -> ReadError:
    return ReadError(f"cannot be read as HDF5: {str(error).splitlines()[0][:160]}")


def _datasets(file: Any, h5py: Any) -> list[str]:
    found: list[str] = []
    file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
    return found


def _only_integers(file: Any, h5py: Any) -> str:
    found = [name for name in _datasets(file, h5py) if file[name].dtype.kind in "iu" and file[name].ndim > 1]
    usual = [name for name in found if name.rsplit("/", 1)[-1] in ("label", "labels", "masks", "segmentation")]
    chosen = usual or found
    if len(chosen) != 1:
        raise ReadError(f"holds several datasets, say which as file.h5:NAME; there are {', '.join(found) or 'none'}")
    return chosen[0]
