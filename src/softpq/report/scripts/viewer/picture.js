// What lies below the outlines: the raw image with its channels, or silhouettes.
/** @typedef {import("../data.js").Picture} Picture */

/** The raw image: channels and slices, decoded when they are looked at. */
export class RawImage {
  /** @param {Picture} picture */
  constructor(picture) {
    this.picture = picture;
    /** @type {(Uint8Array|null)[][]} */ this.planes = picture.raw.map((channel) => channel.map(() => null));
  }

  /**
   * Channels stretched and put together; those of a colour picture are stretched alike, so that it keeps its hues.
   * @param {number} slice -1 for the brightest of all @param {string} channel a number, or "all"
   * @param {number} percent cut off at each end; 0 leaves everything as it is
   * @param {boolean} [fine] with all the pixels there are
   */
  async composed(slice, channel, percent, fine = false) {
    if (fine) return this.finer(channel, percent);
    const [depth, height, width] = this.picture.shape;
    const wanted = channel === "all" ? this.picture.raw.map((_, k) => k) : [Number(channel)];
    const slices = slice >= 0 ? [slice] : Array.from({ length: depth }, (_, z) => z);
    /** @type {Uint8Array[]} */ const planes = [];
    for (const one of wanted) planes.push(await this.brightest(one, slices));
    return levelsOf(this.mixed(planes, percent, width, height));
  }

  /** The finest level, read when somebody comes near. @param {string} channel @param {number} percent */
  async finer(channel, percent) {
    const { shape, raw } = /** @type {{shape: number[], raw: string[]}} */ (this.picture.fine);
    const [height, width] = shape;
    const wanted = channel === "all" ? raw : [raw[Number(channel)]];
    const planes = [];
    for (const text of wanted) planes.push(await decoded(text, width, height));
    return levelsOf(this.mixed(planes, percent, width, height));
  }

  /** @param {Uint8Array[]} planes @param {number} percent @param {number} width @param {number} height */
  mixed(planes, percent, width, height) {
    const together = this.picture.colour && planes.length === 3;
    const ends = together ? planes.map(() => endsOf(planes, percent)) : planes.map((one) => endsOf([one], percent));
    return mixed(planes, ends, channelColours(planes.length), width, height);
  }

  /**
   * A cut through all slices: rows are slices.
   * @param {string} channel @param {number} percent @param {number} width @param {(k: number) => number} at
   */
  async cut(channel, percent, width, at) {
    const [depth] = this.picture.shape;
    const wanted = channel === "all" ? this.picture.raw.map((_, k) => k) : [Number(channel)];
    const planes = [];
    for (const one of wanted) {
      const found = new Uint8Array(depth * width);
      for (let z = 0; z < depth; z++) {
        const plane = await this.brightest(one, [z]);
        for (let k = 0; k < width; k++) found[z * width + k] = plane[at(k)];
      }
      planes.push(found);
    }
    return this.mixed(planes, percent, width, depth);
  }

  /** @param {number} channel @param {number[]} slices */
  async brightest(channel, slices) {
    const [, height, width] = this.picture.shape;
    const most = new Uint8Array(width * height);
    for (const slice of slices) {
      const plane = (this.planes[channel][slice] ??= await decoded(this.picture.raw[channel][slice], width, height));
      if (slices.length === 1) return plane;
      for (let k = 0; k < most.length; k++) if (plane[k] > most[k]) most[k] = plane[k];
    }
    return most;
  }
}

/**
 * @param {Uint8Array[]} planes @param {[number, number][]} ends @param {number[][]} colours
 * @param {number} width @param {number} height
 */
function mixed(planes, ends, colours, width, height) {
  const pixels = new ImageData(width, height);
  const { data } = pixels;
  for (let k = 3; k < data.length; k += 4) data[k] = 255;
  planes.forEach((plane, c) => {
    const [low, high] = ends[c];
    const shades = Float32Array.from({ length: 256 }, (_, v) =>
      Math.max(0, Math.min(255, ((v - low) * 255) / Math.max(1, high - low))),
    );
    colours[c].forEach((share, j) => {
      if (share) for (let k = 0, at = j; k < plane.length; k++, at += 4) data[at] += shades[plane[k]] * share;
    });
  });
  return asCanvas(pixels);
}

/**
 * Grey values between which all is spread.
 * @param {Uint8Array[]} planes @param {number} percent @returns {[number, number]}
 */
export function endsOf(planes, percent) {
  if (!percent) return [0, 255];
  const counts = new Uint32Array(256);
  for (const plane of planes) for (let k = 0; k < plane.length; k++) counts[plane[k]]++;
  const cut = (planes.length * planes[0].length * percent) / 100;
  let low = 0;
  let high = 255;
  for (let sum = counts[0]; sum <= cut && low < 255; sum += counts[++low]);
  for (let sum = counts[255]; sum <= cut && high > low; sum += counts[--high]);
  return [low, high];
}

/** @param {string} source a data URL @param {number} width @param {number} height */
async function decoded(source, width, height) {
  const element = new Image();
  element.src = source;
  await element.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  context.drawImage(element, 0, 0);
  const pixels = context.getImageData(0, 0, width, height).data;
  const grey = new Uint8Array(width * height);
  for (let k = 0; k < grey.length; k++) grey[k] = pixels[4 * k];
  return grey;
}

/**
 * Grey shapes of both sides, where there is no raw image; of a projection, nothing but ground.
 * @param {number[]} shape @param {ArrayLike<number>|undefined} truth @param {ArrayLike<number>|undefined} pred
 */
export function silhouettes([, height, width], truth, pred) {
  const pixels = new ImageData(width, height);
  const words = new Uint32Array(pixels.data.buffer);
  for (let k = 0; k < words.length; k++) {
    const shade = 18 + (truth?.[k] ? 34 : 0) + (pred?.[k] ? 22 : 0);
    words[k] = (0xff000000 | ((shade + 4) << 16) | (shade << 8) | shade) >>> 0;
  }
  return levelsOf(asCanvas(pixels));
}

/** @param {ImageData} pixels */
function asCanvas(pixels) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [pixels.width, pixels.height];
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).putImageData(pixels, 0, 0);
  return canvas;
}

/**
 * The picture, and smaller ones, each half as wide as the one before: what is drawn is never much larger than the
 * screen.
 * @param {any} canvas
 */
function levelsOf(canvas) {
  const levels = [canvas];
  for (let last = canvas; Math.max(last.width, last.height) > 600; last = levels[levels.length - 1]) {
    const half = document.createElement("canvas");
    [half.width, half.height] = [Math.ceil(last.width / 2), Math.ceil(last.height / 2)];
    const context = /** @type {CanvasRenderingContext2D} */ (half.getContext("2d"));
    context.drawImage(last, 0, 0, last.width / 2, last.height / 2);
    levels.push(half);
  }
  return levels;
}

/** @param {number} count */
function channelColours(count) {
  if (count === 1) return [[1, 1, 1]];
  if (count === 3)
    return [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
  return [
    [0, 1, 0],
    [1, 0, 1],
    [0, 0.6, 1],
    [1, 1, 0],
    [1, 0.4, 0],
    [0.6, 0.6, 0.6],
  ].slice(0, count);
}
