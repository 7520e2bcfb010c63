// Quantiles of Student's t, as in Python.

/** Coefficients of Lanczos' series. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** @param {number} x @returns {number} the logarithm of the gamma function */
export function logGamma(x) {
  if (x > 40) {
    // Stirling's series: its next term is below 1e-16 here
    const y = 1 / (x * x);
    const series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y * (1 / 1188))))) / x;
    return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
  }
  const t = x + 6.5;
  let sum = LANCZOS[0];
  for (let k = 1; k < LANCZOS.length; k++) sum += LANCZOS[k] / (x - 1 + k);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Of the incomplete beta function, by Lentz's method. @param {number} x @param {number} a @param {number} b */
function continuedFraction(x, a, b) {
  const tiny = 1e-300;
  const safe = (/** @type {number} */ v) => (Math.abs(v) > tiny ? v : tiny);
  let c = 1;
  let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m < 300; m++) {
    const tops = [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ];
    for (const top of tops) {
      d = 1 / safe(1 + top * d);
      c = safe(1 + top / c);
      value *= d * c;
    }
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return value;
}

/** The regularised incomplete beta function. @param {number} x @param {number} a @param {number} b */
function incompleteBeta(x, a, b) {
  if (x <= 0 || x >= 1) return x >= 1 ? 1 : 0;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return (front * continuedFraction(x, a, b)) / a;
  return 1 - (front * continuedFraction(1 - x, b, a)) / b;
}

/** @param {number} probability above one half @param {number} df */
export function tQuantile(probability, df) {
  const below = (/** @type {number} */ t) => 1 - incompleteBeta(df / (df + t * t), df / 2, 0.5) / 2;
  let low = 0;
  let high = 1;
  while (below(high) < probability) high *= 2;
  for (let k = 0; k < 200 && high - low > 1e-14 * high; k++) {
    const middle = (low + high) / 2;
    if (below(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
