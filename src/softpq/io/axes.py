"""What the axes of an array are: space is an image, every moment an image of its own, and of channels one is chosen."""

from __future__ import annotations

from dataclasses import dataclass

from softpq.errors import ReadError

KNOWN = "TCZYXS"
"""Time, channel, depth, height, width, and samples of a colour."""

UNKNOWN = "Q"
"""An axis that nobody named: space, unless somebody chooses a channel and it is short."""

MOST_FRAMES = 1_000_000
"""Of one file; a few bytes can state any number."""


@dataclass(frozen=True)
class Axes:
    """The axes of an array, a letter each."""

    letters: str
    shape: tuple[int, ...]

    @classmethod
    def stated(cls, letters: str, shape: tuple[int, ...]) -> Axes:
        """As a file states them; what it does not know is space."""
        return cls("".join(letter if letter in KNOWN else UNKNOWN for letter in letters.upper()), shape)

    def asked(self, axes: str | None) -> Axes:
        """As somebody asked for them: for all axes, or for those that are longer than 1."""
        if axes is None:
            return self
        if len(axes) == len(self.shape):
            return Axes(axes, self.shape)
        long = [k for k, size in enumerate(self.shape) if size > 1]
        if len(axes) != len(long):
            raise ReadError(f"has the shape {self.shape}, which has no axes {axes}")
        letters = [UNKNOWN] * len(self.shape)
        for letter, k in zip(axes, long, strict=True):
            letters[k] = letter
        return Axes("".join(letters), self.shape)

    @classmethod
    def unstated(cls, shape: tuple[int, ...]) -> Axes:
        """All are space."""
        return cls(UNKNOWN * len(shape), shape)

    def _length(self, letter: str) -> int:
        return max((size for one, size in zip(self.letters, self.shape, strict=True) if one == letter), default=1)

    @property
    def frames(self) -> int:
        """Moments in time."""
        return self._length("T")

    def part(self, frame: int, channel: int | None) -> tuple[slice, ...]:
        """The slices of one image: a moment, a channel, all of space.

        Raises
        ------
        ReadError
            If there are several channels, and none is chosen.
        """
        if channel is not None and "C" not in self.letters and self._short_axis is not None:
            k = self._short_axis
            return Axes(self.letters[:k] + "C" + self.letters[k + 1 :], self.shape).part(frame, channel)
        channels = self._length("C")
        if channels > 1 and channel is None:
            raise ReadError(
                f"holds {channels} channels, a label image has one; choose with channel=0 to {channels - 1}, or say "
                'axes="ZYX" if they are slices of a volume'
            )
        if channels > 1 and not 0 <= (channel or 0) < channels:
            raise ReadError(f"holds {channels} channels; there is none with the number {channel}")
        chosen = {"T": frame, "C": (channel or 0) if channels > 1 else 0}
        return tuple(
            slice(chosen[letter], chosen[letter] + 1) if letter in chosen else slice(0, size)
            for letter, size in zip(self.letters, self.shape, strict=True)
        )

    @property
    def _short_axis(self) -> int | None:
        """The first axis or the last, if it may hold channels."""
        ends = (0, len(self.shape) - 1) if len(self.shape) > 2 else ()
        return next((k for k in ends if 2 <= self.shape[k] <= 6 and self.letters[k] == UNKNOWN), None)

    def names(self, stem: str) -> list[str]:
        """One name per moment.

        Examples
        --------
        >>> Axes("TYX", (2, 5, 5)).names("movie"), Axes("YX", (5, 5)).names("cell")
        (['movie_t000', 'movie_t001'], ['cell'])
        """
        if self.frames == 1:
            return [stem]
        if self.frames > MOST_FRAMES:
            raise ReadError(f"states {self.frames} frames, which is more than any movie has")
        width = max(3, len(str(self.frames - 1)))  # movies of different lengths have the same names
        return [f"{stem}_t{k:0{width}d}" for k in range(self.frames)]
