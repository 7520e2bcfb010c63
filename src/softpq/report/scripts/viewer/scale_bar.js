// How large things are: a bar of a round length, where the size of a pixel is known.
/** @typedef {import("./viewer.js").Viewer} Viewer */

const MOST = 0.25; // of the width of the pane

/** The largest of 1, 2, 5, 10, ... that is not above. @param {number} most */
export function roundLength(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  return power * ([5, 2, 1].find((one) => one * power <= most * (1 + 1e-9)) ?? 1);
}

/** The bar: how long it is, in its unit and on the screen; null where nobody knows. @param {Viewer} viewer */
export function scaleBar({ picture, view, paneSize }) {
  if (!picture?.sizes || !picture.unit) return null;
  const perPixel = picture.sizes[2] / view.scale;
  const length = roundLength(MOST * paneSize.width * perPixel);
  return { text: `${+length.toPrecision(3)} ${picture.unit}`, width: length / perPixel };
}

/** @param {Viewer} viewer @param {any} context @param {number} ratio */
export function paintScaleBar(viewer, context, ratio) {
  const { bar } = viewer;
  if (!bar) return;
  const left = 14;
  const bottom = viewer.paneSize.height - 14;
  context.save();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = "rgba(0,0,0,.7)";
  context.font = "600 13px system-ui, sans-serif";
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  const wide = Math.max(bar.width, context.measureText(bar.text).width);
  context.fillRect(left - 6, bottom - 24, wide + 12, 32);
  context.fillStyle = "#fff";
  context.fillRect(left, bottom, bar.width, 3);
  context.fillText(bar.text, left, bottom - 7);
  context.restore();
}
