// What can be shown and hidden in a picture.

/** @typedef {"raw"|"fill"|"truth"|"pred"|"signs"} Layer */

/** What is shown at first. @type {Record<Layer, boolean>} */
export const LAYERS = { raw: true, fill: false, truth: true, pred: true, signs: true };
