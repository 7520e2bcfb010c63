import js from "@eslint/js";

const BROWSER = [
  "Blob",
  "CSSStyleSheet",
  "DecompressionStream",
  "Image",
  "ImageData",
  "Path2D",
  "ResizeObserver",
  "Response",
  "URL",
  "URLSearchParams",
  "XMLSerializer",
  "atob",
  "clearInterval",
  "clearTimeout",
  "console",
  "document",
  "getComputedStyle",
  "getSelection",
  "history",
  "location",
  "matchMedia",
  "performance",
  "requestAnimationFrame",
  "setTimeout",
  "window",
  "process",
];

export default [
  js.configs.recommended,
  {
    languageOptions: { globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])) },
    rules: {
      eqeqeq: "error",
      "max-len": ["error", { code: 120, ignoreStrings: true, ignoreTemplateLiterals: true }],
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", { max: 40, skipBlankLines: true, skipComments: true }],
      "no-implicit-globals": "error",
      "no-var": "error",
      "one-var": ["error", { uninitialized: "always", initialized: "never" }],
      "prefer-const": "error",
    },
  },
  { files: ["tests/**"], rules: { "max-lines": ["error", 400] } },
];
